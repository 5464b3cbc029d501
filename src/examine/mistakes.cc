// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "examine/mistakes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include "core/threads.h"
#include "dataset/strange_motion.h"
#include "dataset/takes/point_tracks.h"
#include "examine/contact_mistakes.h"
#include "examine/gravity_mistakes.h"
#include "examine/rotation_mistakes.h"
#include "math/manifold.h"
#include "math/so3.h"
#include "recording/recording_health.h"
#include "recording/repair_command.h"

namespace ricochet {
namespace {

constexpr double kHovers = 20;        // sizes of the body over the surface
constexpr double kMostMissing = 0.5;  // of the rows

bool Requests(const Scene* scene, const std::vector<SelectedParameter>& requested, std::string_view prefix,
              std::string_view part = "") {
  if (scene == nullptr) return false;
  for (const SelectedParameter& selected : requested)
    for (const NumberId id : {selected.numerator, selected.denominator, selected.factor})
      if (id && scene->number(id).path.starts_with(prefix) && scene->number(id).path.find(part) != std::string::npos)
        return true;
  return false;
}

/// Whether the rows scatter no more than their noise.
bool StandsStill(const SpatialTrack& track) {
  const MeanPose mean = AveragePose(track, 0, track.size());
  double squares = 0, turns = 0;
  for (int k = 0; k < track.size(); ++k) {
    squares += (track.position[k] - mean.position).squaredNorm();
    turns += BoxMinusRotation<double>(track.rotation[k], mean.rotation).squaredNorm();
  }
  const double count = track.size(), axes = track.planar ? 2 : 3, angles = track.planar ? 1 : 3;
  return std::sqrt(squares / (axes * count)) < 1.5 * track.noise_position &&
         std::sqrt(turns / (angles * count)) < 1.5 * track.noise_angle;
}

/// Something acts along a surface, so that a body at rest shows that friction holds it: a known load, or an incline.
bool IsPushedSideways(const Subject& subject) {
  if (subject.scene == nullptr) return false;
  const Scene& scene = *subject.scene;
  if (!scene.actions.empty()) return true;
  constexpr double kIncline = 1e-3;  // [rad]
  return std::any_of(scene.surfaces.begin(), scene.surfaces.end(), [&](const Surface& surface) {
    Eigen::Vector3d normal;
    if (surface.normal.empty())
      normal << -std::sin(scene[surface.angle]), 0, std::cos(scene[surface.angle]);
    else
      normal << scene[surface.normal[0]], scene[surface.normal[1]], scene[surface.normal[2]];
    return normal.normalized().cross(subject.gravity.normalized()).norm() > kIncline;
  });
}

std::string DoctorCommand(const Scene* scene, const std::string& file) {
  if (file.empty()) return "Use Repair() with the change that Examine() returns.";
  return fmt::format("Run: ricochet doctor {}{} option `repair` repaired, and use repaired/{}.", file,
                     scene != nullptr && !scene->file.empty() ? fmt::format(" option `scene` {}", scene->file) : "",
                     std::filesystem::path(file).filename().string());
}

/// The Mistake of all suspicions that were confirmed for a body.
Mistake MistakeOf(const Subject& subject, const std::vector<Suspicion>& confirmed) {
  Mistake out;
  out.file = subject.recording.file;
  out.check = confirmed.front().check;
  out.field = confirmed.front().field;
  RecordingChange change;
  for (const Suspicion& each : confirmed) {
    out.problem += (out.problem.empty() ? "" : " Moreover, ") + each.problem;
    change = Join(change, each.change);
  }
  out.change = change;
  out.remedy = DoctorCommand(subject.scene, out.file);
  return out;
}

std::optional<Mistake> FindInSubject(const Subject& subject, const std::vector<SelectedParameter>& requested) {
  Mistake plain;
  plain.file = subject.recording.file;
  RecordingChange none;
  const SpatialTrack recorded = subject.Track(none);
  if (subject.alone && !IsPushedSideways(subject) && StandsStill(recorded)) {
    plain.check = "motion";
    constexpr double kExact = 1e-9;  // [m]: the least noise of a track
    plain.problem = recorded.noise_position > kExact
                        ? fmt::format("the body never moves: all {} rows agree to within their noise of {:.2g} mm.",
                                      recorded.size(), 1e3 * recorded.noise_position)
                        : fmt::format("the body never moves: all {} rows are the same.", recorded.size());
    plain.remedy = "Record a motion with impacts, or check that the right body was tracked.";
    return plain;
  }
  std::vector<Suspicion> confirmed;
  RecordingChange change;
  GravityFinding gravity;
  if (std::optional<Suspicion> times = subject.flies ? FindTimes(subject, gravity) : std::nullopt) {
    change = times->change;
    confirmed.push_back(std::move(*times));
  } else {
    try {
      RefuseStrangeMotion(subject.recording.file, subject.gravity.norm(), recorded.time, recorded.position);
    } catch (const InputError& error) {
      plain.check = error.path().empty() ? "unit" : "times";
      plain.field = error.path();
      plain.problem = error.problem();
      plain.remedy = error.remedy();
      if (plain.check == "times")
        plain.remedy = fmt::format("Give times in seconds. For frame numbers at 240 frames per second, {}.",
                                   RepairByImport(subject.recording, {{"t", "t/240"}}));
      return plain;
    }
    if (subject.flies) gravity = ReadFalls(subject, FindFalls(recorded, subject.body.flight.p_BBcm));
    if (subject.flies && !gravity.right && gravity.suspicions.empty() && !subject.body.flight.p_BBcm.isZero(0)) {
      // Where the rotation is wrong, the center of mass is too; the recorded point still falls almost as it should.
      GravityFinding point = ReadFalls(subject, FindFalls(recorded, Eigen::Vector3d::Zero()));
      if (!point.right) gravity.suspicions = std::move(point.suspicions);
    }
  }
  const auto weigh = [&](const RecordingChange& by) {
    return WeighContacts(subject.Track(Join(change, by)), subject.body, subject.gravity);
  };
  const bool spins = SpinsTooFast(subject);
  const bool frame_open = Requests(subject.scene, requested, "observe.", "rotation") ||
                          Requests(subject.scene, requested, "observe.", "position") ||
                          Requests(subject.scene, requested, "observe.offset");
  const auto confirm_rotation = [&](const RecordingChange& base, const ContactEvidence& before) {
    std::optional<Suspicion> found;
    if (!frame_open) found = FindRotation(subject, Join(change, base), before);
    if (found) confirmed.push_back(std::move(*found));
    return found.has_value();
  };
  // Unit and axis by gravity, then the rotation.
  if (!gravity.suspicions.empty()) {
    Suspicion chosen = gravity.suspicions.front();
    if (subject.touches) {
      std::optional<ContactEvidence> found;
      for (const Suspicion& each : gravity.suspicions) {
        const ContactEvidence then = weigh(each.change);
        if (found && !(then.Misfit() < found->Misfit())) continue;
        found = then;
        chosen = each;
      }
      confirmed.push_back(chosen);
      if (!found->Sound()) confirm_rotation(chosen.change, *found);
      return MistakeOf(subject, confirmed);
    }
    confirmed.push_back(std::move(chosen));
    return MistakeOf(subject, confirmed);
  }
  std::optional<ContactEvidence> found;
  if (subject.touches) found = weigh(none);
  const bool doubtful = found && (found->depth > kHovers * found->size || spins || !found->Sound());
  if (doubtful && !gravity.right && confirmed.empty())
    if (std::optional<Suspicion> place = FindPlace(subject, *found)) {
      confirmed.push_back(std::move(*place));
      return MistakeOf(subject, confirmed);
    }
  if ((doubtful || (found && found->Twisted())) && confirm_rotation(none, *found)) return MistakeOf(subject, confirmed);
  const bool flies = found && found->flight_frames > 0;
  if (confirmed.empty() && gravity.unexplained && !flies && !Requests(subject.scene, requested, "gravity") &&
      !Requests(subject.scene, requested, "observe.length_scale")) {
    plain.check = plain.field = "gravity";
    plain.problem = *gravity.unexplained;
    plain.remedy =
        "Correct `gravity` in the scene; if it is right, the unit of length (observe.length_scale) or the frame "
        "rate is wrong, with whose square the acceleration changes.";
    return plain;
  }
  const std::string shape = fmt::format("bodies.{}.shape", subject.body.name);
  if (confirmed.empty() && doubtful && !Requests(subject.scene, requested, "surfaces.") &&
      !Requests(subject.scene, requested, shape) && !Requests(subject.scene, requested, "observe."))
    return FindOtherSize(subject, *found);
  if (confirmed.empty()) return std::nullopt;
  return MistakeOf(subject, confirmed);
}

/// Whether a recording that shows no mistake by itself falls with gravity only when a change is made to it.
bool SharesMistake(const Scene* scene, const Recording& recording, const RecordingChange& change) {
  try {
    for (const Subject& subject : SubjectsOf(scene, recording)) {
      if (!subject.flies) continue;
      const auto flies = [&](const RecordingChange& by) {
        SpatialTrack track = subject.Track(by);
        const FlightBody body{subject.body.flight.p_BBcm, {}};
        TossOptions options;
        options.gravity = subject.gravity;
        return !MakeToss(std::move(track), body, options).flights.empty();
      };
      return !flies({}) && flies(change);
    }
  } catch (const InputError&) {
    // What cannot be read is the reader's to report.
  }
  return false;
}

/// Rows that are missing.
std::optional<Mistake> FindMissing(const Recording& recording) {
  // A tracker sees some of its markers in some of the rows.
  if (BodiesWithPoses(recording).empty() && !PointsOfRecording(recording).empty()) return std::nullopt;
  const ClockHealth clock = CheckClock(recording.time);
  int incomplete = 0;
  for (int row = 0; row < recording.rows(); ++row)
    incomplete += std::any_of(recording.values.begin(), recording.values.end(), [&](const std::vector<double>& column) {
      return std::isnan(column[static_cast<std::size_t>(row)]);
    });
  const int dropped = clock.gaps >= 3 && clock.jitter < 0.1 ? clock.dropped_frames : 0;
  const int all = recording.rows() + dropped, missing = incomplete + dropped;
  if (missing <= kMostMissing * all) return std::nullopt;
  Mistake out;
  out.file = recording.file;
  out.check = "rows";
  out.problem = fmt::format("{} of {} rows are missing or have empty cells.", missing, all);
  out.remedy = "Leave the recording out, or record again: at least half of the rows must be complete.";
  return out;
}

}  // namespace

std::vector<Mistake> FindMistakes(const Scene* scene, const std::vector<Recording>& recordings,
                                  const std::vector<SelectedParameter>& requested) {
  std::vector<std::optional<Mistake>> found(recordings.size());
  ParallelFor(static_cast<int>(recordings.size()), [&](int i) {
    const Recording& recording = recordings[static_cast<std::size_t>(i)];
    std::optional<Mistake>& mistake = found[static_cast<std::size_t>(i)];
    if (recording.rows() < kLeastTrack) return;
    const bool points = scene != nullptr && !scene->observe.points.empty();  // some of which may be hidden
    if (!points) mistake = FindMissing(recording);
    try {
      for (const Subject& subject : SubjectsOf(scene, recording))
        if (!mistake) mistake = FindInSubject(subject, requested);
    } catch (const InputError&) {
      // What cannot be read is the reader's to report.
    }
  });
  // Gravity, scale and clock are those of the session: of several recordings, most must speak against them.
  const auto of_gravity = [](const std::optional<Mistake>& each) { return each && each->check == "gravity"; };
  if (2 * std::count_if(found.begin(), found.end(), of_gravity) <= static_cast<std::ptrdiff_t>(found.size()))
    for (std::optional<Mistake>& each : found)
      if (of_gravity(each)) each.reset();
  // Recordings of one session share units, axes and order; single ones may show too little.
  const auto shared =
      std::find_if(found.begin(), found.end(), [](const std::optional<Mistake>& each) { return each && each->change; });
  if (shared != found.end())
    ParallelFor(static_cast<int>(recordings.size()), [&](int i) {
      std::optional<Mistake>& mistake = found[static_cast<std::size_t>(i)];
      const Recording& recording = recordings[static_cast<std::size_t>(i)];
      if (mistake || recording.rows() < kLeastTrack || !SharesMistake(scene, recording, *(*shared)->change)) return;
      mistake = **shared;
      mistake->file = recording.file;
      mistake->remedy = DoctorCommand(scene, recording.file);
    });
  std::vector<Mistake> out;
  for (std::optional<Mistake>& mistake : found)
    if (mistake) out.push_back(std::move(*mistake));
  return out;
}

void RefuseMistakes(const Scene& scene, const std::vector<Recording>& recordings,
                    const std::vector<SelectedParameter>& requested) {
  const std::vector<Mistake> mistakes = FindMistakes(&scene, recordings, requested);
  if (mistakes.empty()) return;
  const Mistake& first = mistakes.front();
  throw InputError({first.file, 0, 0}, first.field,
                   first.problem + (mistakes.size() > 1 ? fmt::format(" So it is in {} of {} recordings.",
                                                                      mistakes.size(), recordings.size())
                                                        : ""),
                   first.remedy);
}

}  // namespace ricochet
