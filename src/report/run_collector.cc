// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "report/run_collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/context.h"
#include "evaluate/run_output.h"
#include "report/contact_points.h"
#include "report/page/thinning.h"
#include "report/summary.h"

namespace ricochet {
namespace {

constexpr std::size_t kMostCollected = 200000;  // rows, and contacts, before they are thinned to half

}  // namespace

RunCollector::RunCollector(const Scene& scene) : model_(CompileModel(scene)) {
  motion_.name = "simulation";
  motion_.tracks.push_back(EmptyStateTrack(scene, TrackKind::kSimulated));
  pair_index_.assign(std::max(model_.planar.pairs.size(), model_.spatial.pairs.size()), -1);
}

bool RunCollector::OnStep(const StepResult& step) {
  ReportTrack& track = motion_.tracks.front();
  if (track.time.empty()) AppendState(model_, step.start, track);
  AppendState(model_, step.end, track);
  ++steps_;
  for (const ContactRecord& record : step.contacts) {
    int& pair = pair_index_[record.pair];
    if (pair < 0) pair = PairIndex(model_.PairName(record.pair), pairs_);
    ReportContact& contact = motion_.contacts.emplace_back();
    contact.time = step.end.time;
    contact.pair = pair;
    contact.contact = record.contact;
    contact.slides = record.slip == SlipState::kSlide;
    contact.normal = record.normal_impulse;
    contact.tangential = {record.tangential_impulse.x(), record.tangential_impulse.y()};
    contact.point = {record.p_WC.x(), record.p_WC.y(), record.p_WC.z()};
    contact.has_point = true;
    if (model_.space == Space::kSpatial && model_.spatial.pairs[record.pair].surface < 0)
      SetBodyImpulse(model_, record.pair, step.start, step.end, contact);
    else
      SetImpulse(model_, pairs_[pair], contact);
    // An impact: the contact was open in the step before.
    const std::pair<int, int> key{pair, record.contact};
    const auto at = std::find_if(last_step_.begin(), last_step_.end(), [&](const auto& e) { return e.first == key; });
    contact.impact = record.normal_impulse > 0 && (at == last_step_.end() || at->second < steps_ - 1);
    if (at == last_step_.end())
      last_step_.emplace_back(key, steps_);
    else
      at->second = steps_;
  }
  if (track.time.size() > kMostCollected || motion_.contacts.size() > kMostCollected) Thin();
  return true;
}

void RunCollector::Thin() {
  ReportTrack& track = motion_.tracks.front();
  if (motion_.contacts.size() > kMostCollected)
    motion_.contacts = ThinContacts(motion_.contacts, static_cast<int>(kMostCollected / 2));
  if (track.time.size() <= kMostCollected) return;
  std::vector<double> impacts;
  for (const ReportContact& contact : motion_.contacts)
    if (contact.impact) impacts.push_back(contact.time);
  track = KeepRows(track, RowsToKeep(track, impacts, static_cast<int>(kMostCollected / 2)));
}

ReportMotion RunCollector::TakeMotion(TrackKind kind, std::vector<std::string>& pairs) {
  std::vector<int> index;
  for (const std::string& pair : pairs_) index.push_back(PairIndex(pair, pairs));
  for (ReportContact& contact : motion_.contacts) contact.pair = index[static_cast<std::size_t>(contact.pair)];
  motion_.tracks.front().kind = kind;
  return std::move(motion_);
}

ReportData RunCollector::Finish(const SimulationSummary& summary) {
  ReportData data;
  data.command = "simulate";
  const Scene& scene = *model_.scene;
  data.title =
      fmt::format("{}: simulation with {}",
                  scene.file.empty() ? "scene" : std::filesystem::path(scene.file).filename().string(), summary.method);
  data.scene = scene;
  data.summary = SummarizeSimulation(summary, motion_, pairs_);
  const auto text = [](double value) { return fmt::format("{:.6g}", value); };
  data.tables.push_back({"The run",
                         {{"quantity", ""}, {"value", ""}, {"unit", ""}},
                         {{"steps", fmt::format("{}", summary.steps), "-"},
                          {"step", text(summary.step), "s"},
                          {"kinetic energy at start", text(summary.kinetic_start), "J"},
                          {"kinetic energy at end", text(summary.kinetic_end), "J"},
                          {"potential energy at start", text(summary.potential_start), "J"},
                          {"potential energy at end", text(summary.potential_end), "J"},
                          {"lost to contacts and joints", text(summary.dissipated), "J"},
                          {"steps with contact", fmt::format("{}", summary.contact_steps), "-"},
                          {"deepest penetration", text(summary.deepest_penetration), "m"},
                          {"largest relative residual", text(summary.largest_residual), "-"},
                          {"computing time", text(summary.seconds), "s"}}});
  data.pairs = std::move(pairs_);
  data.motions.push_back(std::move(motion_));
  data.provenance.scene_text = FormatScene(scene);
  return data;
}

ReportedSimulation SimulateWithReport(const Scene& scene, const SimulateOptions& options, const SimulationFiles& files,
                                      const Context& context) {
  const ContextScope scope(context, "simulate");
  RunCollector collector(scene);
  const SimulationSummary summary = SimulateToSinks(scene, options, files, &collector);
  return {summary, collector.Finish(summary)};
}

}  // namespace ricochet
