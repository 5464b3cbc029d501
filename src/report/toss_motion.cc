// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "report/toss_motion.h"

#include <algorithm>
#include <array>

#include "dynamics/kinematics.h"
#include "estimators/tosses/toss_rollout.h"
#include "report/contact_points.h"
#include "report/outline.h"
#include "report/run_collector.h"
#include "report/tracks.h"
#include "ricochet/parameter.h"

namespace ricochet {
namespace {

RestPose FromAbove(const Model& model, const PreparedToss& toss, const std::array<double, 7>& pose) {
  const SpatialSurface<double>& surface = model.spatial.surfaces[static_cast<std::size_t>(toss.surface)];
  const Eigen::Vector3d p = surface.R_WS.transpose() * (Eigen::Vector3d(pose[0], pose[1], pose[2]) - surface.point);
  return {p.x(), p.y(), Heading(surface, pose),
          OutlineFromAbove(model.spatial.bodies[static_cast<std::size_t>(toss.body)].shape, surface, pose)};
}

bool ShowsRest(const PreparedToss& toss) {
  return toss.problem.empty() && toss.toss.rest == toss.end && toss.surface >= 0;
}

std::optional<RestPose> MeasuredRest(const Model& model, const PreparedToss& toss) {
  if (!ShowsRest(toss)) return std::nullopt;
  const SpatialPose<double> pose = RecordedRest(model, toss);
  std::array<double, 7> values{};
  std::copy(pose.begin(), pose.end(), values.begin());
  return FromAbove(model, toss, values);
}

/// The rollout of the toss at the times of its recording; true when all steps were solved. The last state is left in
/// `state`.
bool Roll(const Model& model, const PreparedToss& toss, const ValidateOptions& options, StepSink* sink, State& state) {
  const std::vector<double>& time = toss.toss.track.time;
  Rollout rollout(StepperOf(*model.scene), model);
  rollout.SetSink(sink);
  State start = StartState(model, toss);
  start.time = time[static_cast<std::size_t>(toss.start)];
  rollout.Start(start, StepOf(model, toss, options.step.value_or(0)));
  const bool solved = rollout.AdvanceTo(time[static_cast<std::size_t>(toss.end)]);
  state = rollout.state();
  return solved;
}

std::optional<RestPose> RestOf(const Model& model, const PreparedToss& toss, const State& state) {
  if (!ShowsRest(toss)) return std::nullopt;
  std::array<double, 7> pose{};
  BodyPose(model, state, toss.body, pose);
  return FromAbove(model, toss, pose);
}

}  // namespace

TossMotion MakeTossMotion(const Model& model, const Recording& recording, const ValidateOptions& options) {
  TossMotion out;
  const PreparedToss toss = PrepareToss(model, recording, options.start);
  ReportTrack recorded = RecordedTrack(*model.scene, recording);
  if (toss.problem.empty()) {
    RunCollector collector(*model.scene);
    State state;
    if (!Roll(model, toss, options, &collector, state))
      out.motion.note = "the rollout was not solved to the end";
    else
      out.predicted = RestOf(model, toss, state);
    out.measured = MeasuredRest(model, toss);
    ReportMotion rolled = collector.TakeMotion(TrackKind::kPredicted, out.pairs);
    out.motion.tracks = std::move(rolled.tracks);
    out.motion.contacts = std::move(rolled.contacts);
    // Positions in the scene's lengths, as they were compared.
    for (const ReportPose& pose : recorded.poses) {
      if (pose.body != toss.body || toss.toss.track.size() != static_cast<int>(recorded.time.size())) continue;
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t row = 0; row < recorded.time.size(); ++row)
          recorded.channels[static_cast<std::size_t>(pose.channels[i])].values[row] =
              toss.toss.track.position[row][static_cast<Eigen::Index>(i)];
    }
  } else {
    out.motion.used = false;
    out.motion.note = toss.problem;
  }
  out.motion.name = recording.file;
  out.motion.tracks.insert(out.motion.tracks.begin(), std::move(recorded));
  return out;
}

std::optional<RestFan> MakeRestFan(const Scene& scene, const Recording& recording, const std::string& path,
                                   const std::vector<double>& values, const ValidateOptions& options) {
  RestFan fan;
  fan.recording = recording.file;
  fan.path = path;
  fan.unit = std::string(InfoOf(scene.number(scene.Match(path).front()).quantity).unit);
  for (const double value : values) {
    Scene varied = scene;
    varied.Set(path, {value});
    const Model model = CompileModel(varied);
    const PreparedToss toss = PrepareToss(model, recording, options.start);
    if (!ShowsRest(toss)) return std::nullopt;
    if (!fan.measured) fan.measured = MeasuredRest(model, toss);
    State state;
    if (!Roll(model, toss, options, nullptr, state)) continue;
    fan.values.push_back(value);
    fan.poses.push_back(*RestOf(model, toss, state));
  }
  return fan.values.empty() ? std::nullopt : std::optional(fan);
}

void AddTossMotion(TossMotion toss, ReportData& data) {
  std::vector<int> index;
  for (const std::string& pair : toss.pairs) index.push_back(PairIndex(pair, data.pairs));
  for (ReportContact& contact : toss.motion.contacts) contact.pair = index[static_cast<std::size_t>(contact.pair)];
  data.motions.push_back(std::move(toss.motion));
}

}  // namespace ricochet
