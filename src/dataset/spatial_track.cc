// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/spatial_track.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dataset/noise.h"
#include "dataset/recorded_poses.h"
#include "math/manifold.h"
#include "math/so3.h"
#include "math/statistics.h"
#include "recording/channels.h"

namespace ricochet {
namespace {

std::string Prefixed(const std::string& prefix, const std::string& name) {
  return prefix.empty() ? name : prefix + "." + name;
}

bool HasAll(const Recording& recording, const std::string& prefix, Space space) {
  const std::vector<std::string>& names = PoseColumns(space);
  return std::all_of(names.begin(), names.end(),
                     [&](const std::string& name) { return recording.Find(Prefixed(prefix, name)) >= 0; });
}

double MedianInterval(const std::vector<double>& time) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < time.size(); ++i) steps.push_back(time[i] - time[i - 1]);
  if (steps.empty()) return 0;
  return Median(std::move(steps));
}

}  // namespace

std::vector<std::string> BodiesWithPoses(const Recording& recording) {
  std::vector<std::string> prefixes;
  for (const std::string& column : recording.columns) {
    const std::size_t dot = column.find('.');
    const std::string prefix = dot == std::string::npos ? "" : column.substr(0, dot);
    if (std::find(prefixes.begin(), prefixes.end(), prefix) != prefixes.end()) continue;
    if (HasAll(recording, prefix, Space::kSpatial) || HasAll(recording, prefix, Space::kPlanar))
      prefixes.push_back(prefix);
  }
  return prefixes;
}

SpatialTrack MakeSpatialTrack(const Recording& recording, const std::string& prefix, int least) {
  SpatialTrack track;
  track.name = recording.file.empty() ? "recording" : recording.file;
  const Space space = HasAll(recording, prefix, Space::kSpatial) ? Space::kSpatial : Space::kPlanar;
  track.planar = space == Space::kPlanar;
  std::vector<int> columns;
  for (const std::string& name : PoseColumns(space)) {
    columns.push_back(recording.Find(Prefixed(prefix, name)));
    if (columns.back() < 0)
      throw InputError({recording.file, recording.lines.empty() ? 0 : 1, 0}, Prefixed(prefix, name),
                       "the recording has no such column.",
                       "A pose is x,y,z,qw,qx,qy,qz in space and x,y,theta in the plane (meters, radians).");
  }
  RecordedPoses recorded = ReadPoses(recording, space, columns);
  track.row = std::move(recorded.row);
  track.time = std::move(recorded.time);
  for (const SpatialPose<double>& pose : recorded.pose) {
    track.position.emplace_back(pose.head<3>());
    track.rotation.emplace_back(pose.tail<4>());
  }
  track.incomplete_rows = recorded.incomplete_rows;
  track.sign_flips = recorded.sign_flips;
  track.norm_error = recorded.norm_error;
  if (track.size() < least)
    throw InputError({recording.file, 0, 0}, "",
                     fmt::format("{} complete row{} too few; at least {} are needed.", track.size(),
                                 track.size() == 1 ? " is" : "s are", least),
                     "Record the whole motion, from before the first impact until rest.");
  track.outlier.assign(track.time.size(), 0);
  track.interval = MedianInterval(track.time);
  if (track.incomplete_rows > 0)
    track.log.push_back(fmt::format("{} rows with missing values are skipped", track.incomplete_rows));
  if (track.sign_flips > 0) track.log.push_back(fmt::format("{} quaternions change sign; corrected", track.sign_flips));
  EstimateNoise(track);
  return track;
}

std::optional<Vector6<double>> CentralVelocity(const SpatialTrack& track, int k) {
  if (k < 1 || k + 1 >= track.size() || !track.Adjacent(k - 1, k) || !track.Adjacent(k, k + 1)) return std::nullopt;
  const double span = track.time[k + 1] - track.time[k - 1];
  const Quaternion<double> inverse = QuaternionConjugate<double>(track.rotation[k]);
  const auto body_log = [&](int other) {
    return LogSO3<double>(QuaternionProduct<double>(inverse, track.rotation[other]));
  };
  Vector6<double> velocity;
  velocity << (track.position[k + 1] - track.position[k - 1]) / span,
      Rotate<double>(track.rotation[k], Eigen::Vector3d((body_log(k + 1) - body_log(k - 1)) / span));
  return velocity;
}

std::vector<Eigen::Vector3d> UnwrappedRotation(const SpatialTrack& track, int first, int last) {
  std::vector<Eigen::Vector3d> angle(static_cast<std::size_t>(last - first), Eigen::Vector3d::Zero());
  for (int k = first + 1; k < last; ++k)
    angle[static_cast<std::size_t>(k - first)] = angle[static_cast<std::size_t>(k - first - 1)] +
                                                 BoxMinusRotation<double>(track.rotation[k], track.rotation[k - 1]);
  return angle;
}

void EstimateNoise(SpatialTrack& track) {
  const int moving = StandstillAtEnd(track);
  const int end = moving < 12 ? track.size() : moving;
  PoseDifferences differences;
  for (int k = 0; k + 3 < end; ++k) {
    // Third differences need equal spacing.
    bool even = true;
    for (int i = k; i < k + 3; ++i)
      even = even && std::abs(track.time[i + 1] - track.time[i] - track.interval) < 0.1 * track.interval;
    if (!even) continue;
    const auto& p = track.position;
    const auto& q = track.rotation;
    differences.Add({p[k], p[k + 1], p[k + 2], p[k + 3]}, {q[k], q[k + 1], q[k + 2], q[k + 3]}, track.planar);
  }
  double extent = 0;
  for (const Eigen::Vector3d& p : track.position) extent = std::max(extent, (p - track.position[0]).norm());
  const PoseNoise noise = differences.Noise(extent);
  track.noise_position = noise.position;
  track.noise_angle = noise.angle;
}

MeanPose AveragePose(const SpatialTrack& track, int first, int last) {
  MeanPose mean;
  const double count = last - first;
  for (int k = first; k < last; ++k) mean.position += track.position[k] / count;
  mean.rotation = track.rotation[first];
  for (int iteration = 0; iteration < 20; ++iteration) {
    Eigen::Vector3d step = Eigen::Vector3d::Zero();
    for (int k = first; k < last; ++k) step += BoxMinusRotation<double>(track.rotation[k], mean.rotation) / count;
    mean.rotation = BoxPlusRotation<double>(mean.rotation, step);
    if (step.norm() < 1e-12) break;
  }
  return mean;
}

namespace {

/// Whether frames [first, last) stand still: close to their mean line, and the line nearly level.
bool StandsStill(const SpatialTrack& track, int first, int last, const StandstillOptions& options) {
  const double farthest = std::max(options.position, 5 * track.noise_position),
               farthest_turn = std::max(options.angle, 5 * track.noise_angle);
  // Frames within that of their mean are within twice that of each other. Of a body that moves, the last and the first
  // one are not.
  constexpr double kRounding = 1 + 1e-9;
  const auto place_of = [&](int k) -> Eigen::Vector3d {
    return track.position[k] - options.surface_velocity * (track.time[k] - track.time[first]);
  };
  const auto turn_of = [&](int k) { return BoxMinusRotation<double>(track.rotation[k], track.rotation[first]); };
  if ((place_of(last - 1) - place_of(first)).norm() > 2 * kRounding * farthest ||
      turn_of(last - 1).norm() > 2 * kRounding * farthest_turn)
    return false;
  const double count = last - first;
  double mean_time = 0, spread = 0;
  Eigen::Vector3d mean = Eigen::Vector3d::Zero(), turned = Eigen::Vector3d::Zero();
  std::vector<Eigen::Vector3d> place, turn;
  for (int k = first; k < last; ++k) {
    mean_time += track.time[k] / count;
    place.push_back(place_of(k));
    turn.push_back(turn_of(k));
    mean += place.back() / count;
    turned += turn.back() / count;
  }
  Eigen::Vector3d slope = Eigen::Vector3d::Zero(), rate = Eigen::Vector3d::Zero();
  for (int k = first; k < last; ++k) {
    const double dt = track.time[k] - mean_time;
    spread += dt * dt;
    slope += (place[static_cast<std::size_t>(k - first)] - mean) * dt;
    rate += (turn[static_cast<std::size_t>(k - first)] - turned) * dt;
  }
  if (spread <= 0) return false;
  const double unit = 3 / std::sqrt(spread);
  for (std::size_t i = 0; i < place.size(); ++i) {
    if ((place[i] - mean).norm() > farthest) return false;
    if ((turn[i] - turned).norm() > farthest_turn) return false;
  }
  return slope.norm() / spread < std::max(options.speed, unit * track.noise_position) &&
         rate.norm() / spread < std::max(options.rate, unit * track.noise_angle);
}

}  // namespace

int FindStandstill(const SpatialTrack& track, int from, const StandstillOptions& options) {
  const int frames =
      std::max(options.least_frames, static_cast<int>(std::ceil(options.duration / std::max(track.interval, 1e-9))));
  for (int k = std::max(from, 0); k + options.least_frames <= track.size(); ++k) {
    // Toward the end of the recording a shorter stretch has to do.
    const int last = std::min(track.size(), k + frames);
    if (StandsStill(track, k, last, options)) return k;
  }
  return -1;
}

int StandstillAtEnd(const SpatialTrack& track, const StandstillOptions& options) {
  const int n = track.size();
  if (n < options.least_frames) return n;
  const double position = std::max(options.position, 5 * track.noise_position),
               angle = std::max(options.angle, 5 * track.noise_angle);
  int first = n;
  for (int k = n - 1; k >= 0; --k) {
    const Eigen::Vector3d moved =
        track.position[k] - track.position[n - 1] + options.surface_velocity * (track.time[n - 1] - track.time[k]);
    if (moved.norm() > position) break;
    if (BoxMinusRotation<double>(track.rotation[k], track.rotation[n - 1]).norm() > angle) break;
    first = k;
  }
  return n - first >= options.least_frames ? first : n;
}

}  // namespace ricochet
