// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/examine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/context.h"
#include "core/threads.h"
#include "dataset/takes/point_tracks.h"
#include "examine/doctor_tracks.h"
#include "examine/joint_mistakes.h"
#include "examine/mistakes.h"
#include "observation/poses_from_points.h"
#include "recording/recording_health.h"

namespace ricochet {
namespace {

std::vector<int> PoseColumnsOf(const Recording& recording, const std::string& prefix) {
  std::vector<int> columns;
  for (const char* name : {"x", "y", "z", "theta", "qw", "qx", "qy", "qz"})
    if (const int column = recording.Find(prefix.empty() ? name : prefix + "." + name); column >= 0)
      columns.push_back(column);
  return columns;
}

std::vector<int> JointColumnsOf(const Recording& recording) {
  std::vector<int> columns;
  for (std::size_t i = 0; i < recording.columns.size(); ++i)
    if (recording.columns[i].ends_with(".angle")) columns.push_back(static_cast<int>(i));
  return columns;
}

ExaminedRecording ReportClock(const Recording& recording, const std::string& body, const std::vector<int>& columns) {
  ExaminedRecording report;
  report.file = recording.file;
  report.body = body;
  report.rows = recording.rows();
  const ClockHealth clock = CheckClock(recording.time);
  report.duration = recording.time.back() - recording.time.front();
  report.rate = clock.rate;
  report.jitter = clock.jitter;
  report.dropped_frames = clock.dropped_frames;
  for (const int row : FindFrozenRows(recording, columns)) report.frozen_rows.push_back(row + 1);
  return report;
}

/// Of many markers or bodies that one recording follows, a few may seem to fly: parts of a person or a machine do not.
void ForgetFlightsOfParts(const std::vector<DoctorTrack>& tracks, GravityVote& vote, Examination& report) {
  constexpr int kMany = 5;
  std::map<std::string, std::pair<int, int>> counts;  // of each file: tracks, tracks that fly
  for (const DoctorTrack& track : tracks) {
    const ExaminedRecording& entry = report.recordings[static_cast<std::size_t>(track.report)];
    auto& [all, flying] = counts[entry.file];
    ++all;
    flying += track.flies ? 1 : 0;
  }
  bool any = false;
  for (const DoctorTrack& track : tracks) {
    ExaminedRecording& entry = report.recordings[static_cast<std::size_t>(track.report)];
    const auto [all, flying] = counts[entry.file];
    if (all >= kMany && 2 * flying < all) entry.acceleration.reset();
    any = any || entry.acceleration;
  }
  vote.found = vote.found && any;
}

/// A point is examined like a body that does not turn.
void AddPoint(const Scene* scene, const Recording& recording, const std::string& point, Examination& report,
              std::vector<DoctorTrack>& tracks, std::vector<SpatialTrack>& poses) {
  std::vector<int> columns;
  for (const char* name : {"x", "y", "z"})
    if (const int column = recording.Find(point.empty() ? name : point + "." + name); column >= 0)
      columns.push_back(column);
  ExaminedRecording entry = ReportClock(recording, point, columns);
  entry.kind = "point";
  // Frames in which a tracker does not see a marker are normal; those that show it are examined.
  try {
    SpatialTrack track = MakePointTrack(recording, point, kLeastTrack);
    entry.rows = track.size();
    entry.dropped_frames = 0;
    track.incomplete_rows = 0;
    DoctorTrack added;
    added.report = static_cast<int>(report.recordings.size());
    added.point = true;
    added.body = BodyOfScene(nullptr, "");
    if (scene != nullptr) {
      const DoctorBody stated = BodyOfScene(scene, "");
      added.body.up = stated.up;
      added.body.surface_velocity = stated.surface_velocity;
    }
    tracks.push_back(std::move(added));
    poses.push_back(std::move(track));
  } catch (const InputError& error) {
    entry.usable = false;
    entry.reasons.push_back(error.problem());
  }
  report.recordings.push_back(std::move(entry));
}

Examination ExamineAgainst(const Scene* scene, const std::vector<Recording>& recordings, const Context& context) {
  const ContextScope scope(context, "examine");
  Examination report;
  if (const std::optional<Eigen::Vector3d> g = GravityOfScene(scene)) report.gravity_expected = g->norm();
  std::vector<DoctorTrack> tracks;
  std::vector<SpatialTrack> poses;
  for (const Recording& given : recordings) {
    const Recording recording = scene != nullptr ? AddPosesFromPoints(*scene, given) : given;
    const std::vector<std::string> bodies = BodiesWithPoses(recording);
    const std::vector<int> joints = JointColumnsOf(recording);
    const std::vector<std::string> points =
        bodies.empty() && joints.empty() ? PointsOfRecording(recording) : std::vector<std::string>();
    if (bodies.empty() && joints.empty() && points.empty())
      throw InputError({recording.file, recording.lines.empty() ? 0 : 1, 0}, "",
                       "has no pose, no point and no joint angle.",
                       "Columns are t and x,y,z,qw,qx,qy,qz, or x,y,theta, or NAME.x,NAME.y,NAME.z, or NAME.angle.");
    if (scene != nullptr && !bodies.empty()) {
      const bool planar = recording.Find(bodies[0].empty() ? "theta" : bodies[0] + ".theta") >= 0;
      if (planar != (scene->space == Space::kPlanar))
        throw InputError({recording.file, recording.lines.empty() ? 0 : 1, 0}, "",
                         fmt::format("is {}, but the scene {} is {}.", planar ? "planar" : "spatial", scene->file,
                                     planar ? "spatial" : "planar"),
                         "Give the scene of this recording.");
    }
    for (const std::string& body : bodies) {
      ExaminedRecording entry = ReportClock(recording, body, PoseColumnsOf(recording, body));
      entry.kind = recording.Find(body.empty() ? "theta" : body + ".theta") >= 0 ? "planar" : "spatial";
      DoctorTrack track;
      track.report = static_cast<int>(report.recordings.size());
      track.body = BodyOfScene(scene, body);
      try {
        poses.push_back(TrackOfBody(scene, recording, body));
        // Frozen frames are not measurements.
        std::vector<char> frozen(static_cast<std::size_t>(recording.rows()), 0);
        for (const int row : entry.frozen_rows) frozen[static_cast<std::size_t>(row - 1)] = 1;
        SpatialTrack& pose = poses.back();
        SpatialTrack kept = pose;
        kept.row.clear(), kept.time.clear(), kept.position.clear(), kept.rotation.clear(), kept.outlier.clear();
        for (int k = 0; k < pose.size(); ++k) {
          if (frozen[static_cast<std::size_t>(pose.row[k])]) continue;
          kept.row.push_back(pose.row[k]);
          kept.time.push_back(pose.time[k]);
          kept.position.push_back(pose.position[k]);
          kept.rotation.push_back(pose.rotation[k]);
          kept.outlier.push_back(0);
        }
        if (kept.size() >= kLeastTrack) pose = std::move(kept);
        tracks.push_back(std::move(track));
      } catch (const InputError& error) {
        entry.usable = false;
        entry.reasons.push_back(error.problem());
      }
      report.recordings.push_back(std::move(entry));
    }
    for (const std::string& point : points) AddPoint(scene, recording, point, report, tracks, poses);
    if (!joints.empty() && bodies.empty()) {
      ExaminedRecording entry = ReportClock(recording, "", joints);
      entry.kind = "joint";
      ReportJoints(recording, joints, entry);
      report.recordings.push_back(std::move(entry));
    }
  }

  // Parabolas of all tracks, the gravity they agree on, then each toss with it; noise is refined once by the flights.
  const int count = static_cast<int>(tracks.size());
  ParallelFor(count, [&](int i) {
    DoctorTrack& track = tracks[static_cast<std::size_t>(i)];
    track.toss.track = std::move(poses[static_cast<std::size_t>(i)]);
    track.toss.stretches = CutIntoParabolas(track.toss.track, track.body.flight);
    const Eigen::Vector3d gravity = GravityOfScene(scene).value_or(GravityVote{}.gravity);
    if (track.point) track.point_flights = FindPointFlights(track.toss.track, gravity);
    track.flies = std::any_of(track.point_flights.begin(), track.point_flights.end(),
                              [&](const PointFlight& flight) { return IsCertain(track.toss.track, flight); }) ||
                  FliesIntoContact(track.toss.track, gravity);
  });
  GravityVote vote = VoteForGravity(tracks, scene);
  ParallelFor(count, [&](int i) {
    DoctorTrack& track = tracks[static_cast<std::size_t>(i)];
    TossOptions options;
    options.gravity = vote.gravity;
    options.least_jump *= vote.units_per_meter;
    options.standstill.position *= vote.units_per_meter;
    options.standstill.speed *= vote.units_per_meter;
    options.standstill.surface_velocity = track.body.surface_velocity;
    SpatialTrack pose = std::move(track.toss.track);
    pose.outlier.assign(pose.time.size(), 0);
    track.toss = MakeToss(std::move(pose), track.body.flight, options);
    ReportToss(track, vote, report.recordings[static_cast<std::size_t>(track.report)]);
  });
  ForgetFlightsOfParts(tracks, vote, report);
  report.mistakes = FindMistakes(scene, recordings);
  if (scene != nullptr)
    for (Mistake& mistake : FindJointMistakes(*scene, recordings)) report.mistakes.push_back(std::move(mistake));
  for (const Mistake& mistake : report.mistakes)
    for (ExaminedRecording& entry : report.recordings)
      if (entry.file == mistake.file) {
        entry.usable = false;
        entry.reasons.insert(entry.reasons.begin(), mistake.problem);
      }
  PoolReports(tracks, vote, scene, report);
  for (const ExaminedRecording& entry : report.recordings) report.usable += entry.usable ? 1 : 0;
  return report;
}

}  // namespace

Examination Examine(const std::vector<Recording>& recordings, const Context& context) {
  return ExamineAgainst(nullptr, recordings, context);
}

Examination Examine(const std::vector<Recording>& recordings, const Scene& scene, const Context& context) {
  return ExamineAgainst(&scene, recordings, context);
}

}  // namespace ricochet
