// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "math/statistics.h"
#include "report/contact_points.h"
#include "report/summary.h"
#include "report/track_channels.h"
#include "report/tracks.h"
#include "ricochet/report.h"

namespace ricochet {
namespace {

std::string NameOf(const Recording& recording, std::size_t index) {
  return recording.file.empty() ? fmt::format("recording {}", index + 1) : recording.file;
}

std::string SceneName(const Scene& scene) {
  return scene.file.empty() ? "scene" : std::filesystem::path(scene.file).filename().string();
}

std::string Text(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : "-"; }
std::string Text(const std::optional<double>& value) { return value ? Text(*value) : "-"; }

/// Whether a contact begins where an entry of the same contact before it ends.
bool GoesOn(const ReportContact& contact, const std::vector<ReportContact>& before) {
  return std::any_of(before.begin(), before.end(), [&](const ReportContact& other) {
    return other.pair == contact.pair && other.contact == contact.contact && other.duration > 0 &&
           std::abs(other.time + other.duration - contact.time) < 1e-6;
  });
}

ReportTable ResidualTable(const std::vector<ReportMotion>& motions) {
  ReportTable table{"Residuals per recording and channel",
                    {{"recording", ""},
                     {"channel", ""},
                     {"rms", ""},
                     {"unit", ""},
                     {"rows", ""},
                     {"correlation of neighbors", ""},
                     {"like noise", ""}},
                    {}};
  for (const ReportMotion& motion : motions) {
    const ReportTrack *recorded = nullptr, *fitted = nullptr;
    for (const ReportTrack& track : motion.tracks) (track.kind == TrackKind::kRecorded ? recorded : fitted) = &track;
    if (!recorded || !fitted) continue;
    for (const ResidualPattern& p : FindResidualPatterns(*recorded, *fitted))
      table.rows.push_back({motion.name, p.channel, Text(p.rms), p.unit, fmt::format("{}", p.count),
                            fmt::format("{:.2f}", p.correlation), p.random() ? "yes" : "no"});
  }
  return table;
}

}  // namespace

ReportData MakeIdentifyReport(const Scene& scene, const std::vector<Recording>& recordings,
                              const Identification& identification) {
  const Estimate& estimate = identification.estimate;
  ReportData data;
  data.command = "identify";
  data.title = fmt::format("{}: identification from {} recording{}", SceneName(scene), recordings.size(),
                           recordings.size() == 1 ? "" : "s");
  data.scene = identification.calibrated;
  data.estimate = estimate;
  const Model model = CompileModel(data.scene);
  for (std::size_t r = 0; r < recordings.size(); ++r) {
    ReportMotion& motion = data.motions.emplace_back();
    motion.name = NameOf(recordings[r], r);
    motion.tracks.push_back(RecordedTrack(data.scene, recordings[r]));
    if (r < estimate.recordings.size()) {
      const RecordingUse& use = estimate.recordings[r];
      motion.used = use.used;
      motion.note = use.reason;
      motion.chi2_per_dof = use.chi2_per_dof;
      motion.noise_position = use.noise_position;
      motion.noise_angle = use.noise_angle;
    }
    for (const EstimatedMotion& fitted : estimate.motions)
      if (fitted.recording == static_cast<int>(r)) motion.tracks.push_back(FittedTrack(data.scene, fitted));
    for (const EstimatedImpulse& impulse : estimate.impulses)
      if (impulse.recording == static_cast<int>(r)) {
        ReportContact contact = FromEstimate(model, impulse, motion.tracks.back(), data.pairs);
        if (GoesOn(contact, motion.contacts)) contact.impact = false;
        motion.contacts.push_back(contact);
      }
  }
  ReportTable uses{"Recordings",
                   {{"recording", ""},
                    {"used", ""},
                    {"rows", ""},
                    {"left out", ""},
                    {"chi2/dof", ""},
                    {"noise", "m"},
                    {"noise", "rad"},
                    {"remark", ""}},
                   {}};
  for (const RecordingUse& use : estimate.recordings)
    uses.rows.push_back({use.file, use.used ? "yes" : "no", fmt::format("{}", use.rows),
                         fmt::format("{}", use.rejected_rows), Text(use.chi2_per_dof), Text(use.noise_position),
                         Text(use.noise_angle), use.reason});
  data.tables.push_back(std::move(uses));
  if (ReportTable residuals = ResidualTable(data.motions); !residuals.rows.empty())
    data.tables.push_back(std::move(residuals));
  for (const EstimatedProfile& profile : estimate.profiles) {
    CostAxis axis{profile.path, profile.unit, profile.value, {}, profile.lower, profile.upper};
    const double limit = profile.lower && profile.upper ? kChi2TwoSided : kChi2OneSided;
    data.evaluation.cost_maps.push_back({"profile: deviance", "-", {std::move(axis)}, profile.deviance, limit});
  }
  data.summary = SummarizeEstimate(estimate, data.motions);
  for (const EstimatedProfile& profile : estimate.profiles)
    data.summary.push_back({profile.lower && profile.upper ? Tone::kNeutral : Tone::kCaution,
                            fmt::format("Profile of {}: {}.", profile.path, profile.words)});
  if (estimate.cross_validation)
    data.summary.push_back({Tone::kNeutral, DescribeCrossValidation(*estimate.cross_validation) + "."});
  data.provenance.inputs = estimate.inputs;
  data.provenance.scene_text = scene.text;
  try {
    data.provenance.calibrated_text = FormatScene(identification.calibrated);
  } catch (const InputError& error) {
    data.summary.push_back({Tone::kCaution, fmt::format("There is no calibrated scene to simulate with: {}: {}",
                                                        error.path(), error.problem())});
  }
  return data;
}

ReportData MakeMotionReport(const Scene& scene, const std::vector<Recording>& recordings,
                            const std::vector<ContactRow>& contacts) {
  ReportData data;
  data.command = "report";
  data.title =
      fmt::format("{}: {} recording{}", SceneName(scene), recordings.size(), recordings.size() == 1 ? "" : "s");
  data.scene = scene;
  const Model model = CompileModel(scene);
  std::size_t rows = 0;
  for (std::size_t r = 0; r < recordings.size(); ++r) {
    ReportMotion& motion = data.motions.emplace_back();
    motion.name = NameOf(recordings[r], r);
    motion.tracks.push_back(RecordedTrack(scene, recordings[r]));
    AddEnergy(model, motion.tracks.back());
    rows += recordings[r].time.size();
  }
  if (!data.motions.empty()) data.motions.back().contacts = FromRows(model, contacts, 0, data.pairs);
  data.summary.push_back({Tone::kNeutral, fmt::format("{} recording{} with {} rows, shown as they stand: nothing was "
                                                      "estimated.",
                                                      recordings.size(), recordings.size() == 1 ? "" : "s", rows)});
  data.provenance.scene_text = scene.text;
  return data;
}

ReportData MakeEvaluationReport(const Scene& scene, const Evaluation& evaluation) {
  ReportData data;
  data.command = evaluation.command.empty() ? "report" : evaluation.command;
  data.title = fmt::format("{}: {}", SceneName(scene), data.command);
  data.scene = scene;
  data.evaluation = evaluation;
  data.summary = SummarizeEvaluation(evaluation);
  data.provenance.scene_text = scene.text;
  return data;
}

}  // namespace ricochet
