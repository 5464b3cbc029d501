// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/planar_track.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "dataset/cut_frames.h"
#include "dataset/noise.h"
#include "dataset/strange_motion.h"
#include "math/statistics.h"
#include "recording/channels.h"
#include "ricochet/error.h"

namespace ricochet {
namespace {

constexpr double kLeastSpeedNoise = 1e-7;  // [m/s], [rad/s]

/// Adds whole turns where the recorder wrapped the angle. Angles beyond one turn show that it did not.
void Unwrap(PlanarTrack& track) {
  constexpr double kTurn = 2 * std::numbers::pi;
  double low = INFINITY, high = -INFINITY;
  for (const Eigen::Vector3d& pose : track.pose) {
    low = std::min(low, pose[2]);
    high = std::max(high, pose[2]);
  }
  if (high - low > kTurn + 0.1) return;
  int wraps = 0;
  double turns = 0, rate = 0;
  for (int i = 1; i < track.size(); ++i) {
    const double dt = track.time[i] - track.time[i - 1];
    const double raw = track.pose[i][2] + turns;
    const double expected = track.pose[i - 1][2] + (std::abs(rate * dt) < std::numbers::pi ? 0.0 : rate * dt);
    const double shift = kTurn * std::round((expected - raw) / kTurn);
    if (shift != 0) ++wraps;
    turns += shift;
    track.pose[i][2] += turns;
    rate = (track.pose[i][2] - track.pose[i - 1][2]) / dt;
  }
  if (wraps > 0)
    track.log.push_back(fmt::format("{}: the angle wraps {} times; whole turns were added", track.name, wraps));
}

/// Running sums of a ballistic fit of frames first..k: positions z = p + v t, velocities u = v, with their weights.
struct ArcSums {
  Eigen::Vector3d weight, velocity_weight = Eigen::Vector3d::Zero();
  double s0 = 0, s1 = 0, s2 = 0;
  Eigen::Vector3d z = Eigen::Vector3d::Zero(), zt = Eigen::Vector3d::Zero(), zz = Eigen::Vector3d::Zero();
  Eigen::Vector3d u = Eigen::Vector3d::Zero(), uu = Eigen::Vector3d::Zero();

  void Add(double t, const Eigen::Vector3d& value, const Eigen::Vector3d& speed) {
    s0 += 1;
    s1 += t;
    s2 += t * t;
    z += value;
    zt += value * t;
    zz += value.cwiseProduct(value);
    u += speed;
    uu += speed.cwiseProduct(speed);
  }
  /// Weighted sum of squares about the best p and v.
  double Chi2() const {
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
      const double w = weight[k], q = velocity_weight[k];
      const double spread = w * (s2 - s1 * s1 / s0) + q * s0;
      const double cross = w * (zt[k] - z[k] * s1 / s0) + q * u[k];
      double rest = w * (zz[k] - z[k] * z[k] / s0) + q * uu[k];
      if (spread > 0) rest -= cross * cross / spread;
      sum += std::max(rest, 0.0);
    }
    return sum;
  }
};

}  // namespace

PlanarTrack MakePlanarTrack(const Scene& scene, const Recording& given, int body, int least, PartialRows partial) {
  PlanarTrack track;
  track.name = given.file.empty() ? "recording" : given.file;
  const Recording recording = AddPosesFromPoints(scene, given, partial);
  track.pose_recorded = recording.columns.size() == given.columns.size() ||
                        !ResolveChannels(given, scene).bodies[static_cast<std::size_t>(body)].pose.empty();
  const Channels channels = ResolveChannels(recording, scene);
  const BodyChannels columns = channels.bodies[static_cast<std::size_t>(body)];
  if (columns.pose.empty())
    throw InputError(
        {recording.file, recording.lines.empty() ? 0 : 1, 0}, "x",
        fmt::format("the recording has no pose of body {}.", scene.bodies[static_cast<std::size_t>(body)].name),
        "Give the columns t, x, y, theta (meters, radians).");
  const std::string& name = scene.bodies[static_cast<std::size_t>(body)].name;
  std::vector<const std::vector<int>*> point_columns;
  for (std::size_t i = 0; i < channels.points.size(); ++i) {
    if (scene.observe.points[i].body != name || channels.points[i].empty()) continue;
    track.points.push_back({static_cast<int>(i), {}});
    point_columns.push_back(&channels.points[i]);
  }
  const bool velocities = !columns.velocity.empty();
  for (int row = 0; row < recording.rows(); ++row) {
    Eigen::Vector3d pose, velocity;
    for (int i = 0; i < 3; ++i) {
      pose[i] = recording.values[columns.pose[i]][row];
      velocity[i] = velocities ? recording.values[columns.velocity[i]][row] : 0.0;
    }
    if (!pose.allFinite() || (velocities && !velocity.allFinite())) {
      ++track.dropped_rows;
      continue;
    }
    track.time.push_back(recording.time[row]);
    track.pose.push_back(pose);
    if (velocities) track.velocity.push_back(velocity);
    for (std::size_t i = 0; i < track.points.size(); ++i)
      track.points[i].position.emplace_back(recording.values[(*point_columns[i])[0]][row],
                                            recording.values[(*point_columns[i])[1]][row]);
  }
  if (track.size() < least)
    throw InputError(
        {recording.file, 0, 0}, "",
        fmt::format("{} complete row{} too few: a motion with an impact needs at least {}.", track.size(),
                    track.size() == 1 ? " is" : "s are", least),
        "Record the whole throw, from before the first impact.");
  double gravity = 0;
  for (const NumberId id : scene.gravity.vector) gravity = std::hypot(gravity, scene[id]);
  std::vector<Eigen::Vector3d> position;
  for (const Eigen::Vector3d& pose : track.pose) position.emplace_back(pose[0], pose[1], 0);
  RefuseStrangeMotion(track.name, gravity, track.time, position);
  if (track.dropped_rows > 0)
    track.log.push_back(fmt::format("{}: {} rows with missing values are skipped", track.name, track.dropped_rows));
  Unwrap(track);
  const Observation& observe = scene.observe;
  const auto noise_given = [&](NumberId id) { return id && scene.number(id).given && scene[id] > 0; };
  if (noise_given(observe.noise_position) && (noise_given(observe.noise_angle) || !track.pose_recorded)) {
    track.noise_position = track.noise_point = scene[observe.noise_position];
    track.noise_angle = scene[observe.noise_angle];
    track.noise_given = true;
  }
  return track;
}

int PlanarTrack::Count(ShownKind kind) const {
  int count = 0;
  for (int value = 0; value < width(); ++value) {
    if (KindOf(value) != kind) continue;
    for (int frame = 0; frame < size(); ++frame) count += std::isfinite(Shown(frame, value));
  }
  return count;
}

double PlanarTrack::NoiseOver(const PlanarTrack& other) const {
  double most = 0;
  for (const ShownKind kind : kShownKinds)
    if (Count(kind) > 0) most = std::max(most, NoiseOf(kind) / other.NoiseOf(kind));
  return most;
}

PlanarTrack FirstRows(const PlanarTrack& track, int rows) {
  PlanarTrack out = track;
  const auto count = static_cast<std::size_t>(rows);
  out.time.resize(count);
  out.pose.resize(count);
  if (!out.velocity.empty()) out.velocity.resize(count);
  for (PlanarPointTrack& point : out.points) point.position.resize(count);
  return out;
}

void EstimateNoise(const Eigen::Vector3d& acceleration, PlanarTrack& track) {
  if (track.noise_given && track.pose_recorded) return;
  std::vector<double> position, angle, speed, spin;
  double extent = 0;
  const auto collect = [](const Eigen::Vector3d& d, std::vector<double>& linear, std::vector<double>& angular) {
    linear.push_back(std::abs(d[0]));
    linear.push_back(std::abs(d[1]));
    angular.push_back(std::abs(d[2]));
  };
  for (int i = 1; i + 1 < track.size(); ++i) {
    const double before = track.time[i] - track.time[i - 1], after = track.time[i + 1] - track.time[i];
    collect(FlightDifference(track.pose[i - 1], track.pose[i], track.pose[i + 1], before, after, acceleration),
            position, angle);
    // Velocities are linear in time whatever forces act, so that a wrong mass does not pass for noise.
    if (!track.velocity.empty())
      collect(FlightDifference(track.velocity[i - 1], track.velocity[i], track.velocity[i + 1], before, after,
                               Eigen::Vector3d(Eigen::Vector3d::Zero())),
              speed, spin);
    extent = std::max(extent, (track.pose[i] - track.pose[0]).head<2>().norm());
  }
  const PoseNoise noise = NoiseFromDifferences(std::move(position), std::move(angle), extent);
  track.noise_position = noise.position;
  track.noise_angle = noise.angle;
  track.noise_velocity = std::max(QuartileDeviation(std::move(speed)), kLeastSpeedNoise);
  track.noise_rate = std::max(QuartileDeviation(std::move(spin)), kLeastSpeedNoise);
  track.log.push_back(fmt::format("{}: noise from the scatter about free flight: {:.3g} m, {:.3g} rad", track.name,
                                  track.noise_position, track.noise_angle));
  if (track.points.empty() || track.noise_given) return;
  std::vector<std::vector<Eigen::Vector3d>> points;
  for (const PlanarPointTrack& point : track.points)
    for (std::vector<Eigen::Vector3d>& rows = points.emplace_back(); const Eigen::Vector2d& p : point.position)
      rows.emplace_back(p[0], p[1], 0);
  track.noise_point = NoiseOfPoints(points, extent).value_or(track.noise_position);
  track.log.push_back(fmt::format("{}: noise of points: {:.3g} m", track.name, track.noise_point));
}

namespace {

Eigen::Vector3d PositionWeights(const PlanarTrack& track) {
  const double p = 1 / (track.noise_position * track.noise_position), a = 1 / (track.noise_angle * track.noise_angle);
  return {p, p, a};
}

Eigen::Vector3d VelocityWeights(const PlanarTrack& track) {
  if (track.velocity.empty() || track.noise_velocity <= 0) return Eigen::Vector3d::Zero();
  const double v = 1 / (track.noise_velocity * track.noise_velocity), r = 1 / (track.noise_rate * track.noise_rate);
  return {v, v, r};
}

}  // namespace

BallisticArc FitArc(const PlanarTrack& track, const Eigen::Vector3d& acceleration, int first, int last) {
  BallisticArc arc;
  arc.first = first;
  arc.last = last;
  const double count = last - first;
  for (int i = first; i < last; ++i) arc.reference += track.time[i] / count;
  const Eigen::Vector3d weight = PositionWeights(track), velocity_weight = VelocityWeights(track);
  double spread = 0;
  Eigen::Vector3d slope = Eigen::Vector3d::Zero(), mean = Eigen::Vector3d::Zero(), speed = Eigen::Vector3d::Zero();
  const auto reduced = [&](int i) {
    const double dt = track.time[i] - arc.reference;
    return Eigen::Vector3d(track.pose[i] - acceleration * (0.5 * dt * dt));
  };
  const auto reduced_velocity = [&](int i) {
    return track.velocity.empty() ? Eigen::Vector3d(Eigen::Vector3d::Zero())
                                  : Eigen::Vector3d(track.velocity[i] - acceleration * (track.time[i] - arc.reference));
  };
  for (int i = first; i < last; ++i) {
    const double dt = track.time[i] - arc.reference;
    spread += dt * dt;
    mean += reduced(i) / count;
    slope += reduced(i) * dt;
    speed += reduced_velocity(i);
  }
  arc.pose = mean;
  for (int k = 0; k < 3; ++k) {
    const double information = weight[k] * spread + velocity_weight[k] * count;
    if (information > 0) arc.velocity[k] = (weight[k] * slope[k] + velocity_weight[k] * speed[k]) / information;
    arc.velocity_variance[k] = information > 0 ? 1 / information : INFINITY;
    arc.pose_variance[k] = 1 / (weight[k] * count);
  }
  for (int i = first; i < last; ++i) {
    const Eigen::Vector3d rest = reduced(i) - arc.pose - arc.velocity * (track.time[i] - arc.reference);
    const Eigen::Vector3d other = reduced_velocity(i) - arc.velocity;
    for (int k = 0; k < 3; ++k) arc.chi2 += weight[k] * rest[k] * rest[k] + velocity_weight[k] * other[k] * other[k];
  }
  return arc;
}

std::vector<BallisticArc> CutIntoArcs(const PlanarTrack& track, const Eigen::Vector3d& acceleration) {
  const int n = track.size();
  const double penalty = 12 + 6 * std::log(std::max(2, n));
  std::vector<BallisticArc> arcs;
  const auto begin = [&](int first) {
    ArcSums sums;
    sums.weight = PositionWeights(track);
    sums.velocity_weight = VelocityWeights(track);
    return [&, first, sums](int last) mutable -> std::optional<double> {
      const double t = track.time[last - 1] - track.time[first];
      sums.Add(t, track.pose[last - 1] - track.pose[first] - acceleration * (0.5 * t * t),
               track.velocity.empty() ? Eigen::Vector3d(Eigen::Vector3d::Zero())
                                      : Eigen::Vector3d(track.velocity[last - 1] - acceleration * t));
      return sums.Chi2();
    };
  };
  for (const FrameRange& cut : CutFrames(n, penalty, 20, begin))
    arcs.push_back(FitArc(track, acceleration, cut.first, cut.last));
  return arcs;
}

}  // namespace ricochet
