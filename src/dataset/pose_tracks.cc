// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/pose_tracks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "dataset/noise.h"
#include "dataset/recorded_poses.h"
#include "dataset/strange_motion.h"
#include "math/dense.h"
#include "observation/poses_from_points.h"
#include "recording/channels.h"

namespace ricochet {
namespace {

constexpr int kMostStartRows = 40;

}  // namespace

PoseTracks MakePoseTracks(const Scene& scene, const Recording& original, std::vector<int> bodies, int least) {
  PoseTracks track;
  track.name = original.file.empty() ? "recording" : original.file;
  track.bodies = std::move(bodies);
  const Recording recording = AddPosesFromPoints(scene, original);
  const Channels channels = ResolveChannels(recording, scene), own = ResolveChannels(original, scene);
  for (const int body : track.bodies)
    if (channels.bodies[static_cast<std::size_t>(body)].pose.empty())
      throw InputError(
          {recording.file, recording.lines.empty() ? 0 : 1, 0}, "",
          fmt::format("the recording has no pose of body {}.", scene.bodies[static_cast<std::size_t>(body)].name),
          "Give the columns t, x, y, z, qw, qx, qy, qz (meters); with several bodies `body.x` and so on.");
  const std::size_t count = track.bodies.size();
  std::vector<const std::vector<int>*> point_columns;
  for (std::size_t b = 0; b < count; ++b) {
    const auto body = static_cast<std::size_t>(track.bodies[b]);
    track.pose_recorded.push_back(!own.bodies[body].pose.empty());
    for (std::size_t i = 0; i < channels.points.size(); ++i) {
      if (scene.observe.points[i].body != scene.bodies[body].name || channels.points[i].empty()) continue;
      track.points.push_back({static_cast<int>(i), static_cast<int>(b), {}});
      point_columns.push_back(&channels.points[i]);
    }
  }
  std::vector<RecordedPoses> recorded;
  for (const int body : track.bodies) {
    recorded.push_back(ReadPoses(recording, Space::kSpatial, channels.bodies[static_cast<std::size_t>(body)].pose));
    track.dropped_rows += recorded.back().incomplete_rows;
  }
  int complete = 0;
  std::vector<int> next(count, 0);  // pose of each body at or after the row
  for (int row = 0; row < recording.rows(); ++row) {
    std::vector<SpatialPose<double>> poses(count, SpatialPose<double>::Zero());
    std::vector<char> present(count, 0);
    for (std::size_t b = 0; b < count; ++b) {
      if (next[b] == recorded[b].size() || recorded[b].row[static_cast<std::size_t>(next[b])] != row) continue;
      poses[b] = recorded[b].pose[static_cast<std::size_t>(next[b]++)];
      present[b] = 1;
    }
    std::vector<Eigen::Vector3d> points;
    for (const std::vector<int>* columns : point_columns) {
      Eigen::Vector3d& p = points.emplace_back();
      for (std::size_t k = 0; k < 3; ++k)
        p[static_cast<Eigen::Index>(k)] =
            recording.values[static_cast<std::size_t>((*columns)[k])][static_cast<std::size_t>(row)];
    }
    if (std::none_of(present.begin(), present.end(), [](char p) { return p; }) &&
        std::none_of(points.begin(), points.end(), [](const Eigen::Vector3d& p) { return p.allFinite(); }))
      continue;
    // The motion starts where every body is seen.
    const bool whole = std::all_of(present.begin(), present.end(), [](char p) { return p; });
    if (complete == 0 && !whole) continue;
    complete += whole;
    track.time.push_back(recording.time[static_cast<std::size_t>(row)]);
    track.pose.insert(track.pose.end(), poses.begin(), poses.end());
    track.present.insert(track.present.end(), present.begin(), present.end());
    for (std::size_t i = 0; i < points.size(); ++i) track.points[i].position.push_back(points[i]);
    if (track.rows() > 1) continue;
    for (std::size_t b = 0; b < count; ++b) {
      const std::vector<int>& columns = channels.bodies[static_cast<std::size_t>(track.bodies[b])].velocity;
      Vector6<double> velocity;
      for (std::size_t i = 0; i < columns.size(); ++i)
        velocity[static_cast<Eigen::Index>(i)] =
            recording.values[static_cast<std::size_t>(columns[i])][static_cast<std::size_t>(row)];
      if (columns.size() == 6 && velocity.allFinite()) track.velocity.push_back(velocity);
    }
    if (track.velocity.size() != count) track.velocity.clear();
  }
  if (complete < least)
    throw InputError({recording.file, 0, 0}, "",
                     fmt::format("{} complete row{} too few: a motion in space needs at least {}.", complete,
                                 complete == 1 ? " is" : "s are", least),
                     "Record the motion from before the first contact to the end.");
  double gravity = 0;
  for (const NumberId id : scene.gravity.vector) gravity = std::hypot(gravity, scene[id]);
  std::vector<Eigen::Vector3d> position;
  std::vector<double> time;
  for (int row = 0; row < track.rows(); ++row) {
    if (!track.present[track.At(row, 0)] && !track.points.empty()) continue;
    time.push_back(track.time[static_cast<std::size_t>(row)]);
    position.emplace_back(track.pose[track.At(row, 0)].head<3>());
  }
  RefuseStrangeMotion(track.name, gravity, time, position);
  if (track.dropped_rows > 0)
    track.log.push_back(fmt::format("{}: {} poses with missing values are skipped", track.name, track.dropped_rows));
  const Observation& observe = scene.observe;
  const auto given = [&](NumberId id) { return id && scene.number(id).given && scene[id] > 0; };
  const bool any_pose = std::any_of(track.pose_recorded.begin(), track.pose_recorded.end(), [](char p) { return p; });
  if (given(observe.noise_position) && (given(observe.noise_angle) || !any_pose)) {
    track.noise_position = track.noise_point = scene[observe.noise_position];
    track.noise_angle = scene[observe.noise_angle];
    track.noise_given = true;
  }
  return track;
}

std::vector<PoseTracks::Value> PoseTracks::Values() const {
  std::vector<Value> values;
  for (int b = 0; b < static_cast<int>(bodies.size()); ++b) {
    if (!pose_recorded[static_cast<std::size_t>(b)]) continue;
    for (int k = 0; k < 6; ++k) values.push_back({k < 3 ? ShownKind::kPosition : ShownKind::kAngle, b, -1, k % 3});
  }
  for (int i = 0; i < static_cast<int>(points.size()); ++i)
    for (int k = 0; k < 3; ++k) values.push_back({ShownKind::kPoint, points[static_cast<std::size_t>(i)].body, i, k});
  return values;
}

void EstimateNoise(PoseTracks& track) {
  const bool poses_given = track.noise_given && track.noise_angle > 0;
  if (poses_given) return;
  PoseDifferences differences;
  double extent = 0;
  const int bodies = static_cast<int>(track.bodies.size());
  for (int b = 0; b < bodies; ++b) {
    for (int i = 0; i + 3 < track.rows(); ++i) {
      bool usable = true;
      const double dt = track.time[static_cast<std::size_t>(i + 1)] - track.time[static_cast<std::size_t>(i)];
      for (int k = 0; k < 4; ++k) {
        usable = usable && track.present[track.At(i + k, b)];
        if (k == 0) continue;
        const double gap =
            track.time[static_cast<std::size_t>(i + k)] - track.time[static_cast<std::size_t>(i + k - 1)];
        usable = usable && std::abs(gap - dt) < 1e-3 * dt;
      }
      if (!usable) continue;
      const auto pose = [&](int k) -> const SpatialPose<double>& { return track.pose[track.At(i + k, b)]; };
      const auto place = [&](int k) { return Vector3<double>(pose(k).head<3>()); };
      const auto rotation = [&](int k) { return Quaternion<double>(pose(k).tail<4>()); };
      differences.Add({place(0), place(1), place(2), place(3)}, {rotation(0), rotation(1), rotation(2), rotation(3)});
      extent = std::max(extent, (pose(3).head<3>() - track.pose[track.At(0, b)].head<3>()).norm());
    }
  }
  const PoseNoise noise = differences.Noise(extent);
  track.noise_position = noise.position;
  track.noise_angle = noise.angle;
  track.log.push_back(fmt::format("{}: noise from third differences: {:.3g} m, {:.3g} rad", track.name,
                                  track.noise_position, track.noise_angle));
  if (track.points.empty() || track.noise_given) return;
  std::optional<double> least;
  for (int b = 0; b < bodies; ++b) {
    std::vector<std::vector<Eigen::Vector3d>> points;
    for (const SpatialPointTrack& point : track.points)
      if (point.body == b) points.push_back(point.position);
    if (const std::optional<double> own = NoiseOfPoints(points, extent)) least = std::min(*own, least.value_or(*own));
  }
  track.noise_point = least.value_or(track.noise_position);
  track.log.push_back(fmt::format("{}: noise of points: {:.3g} m", track.name, track.noise_point));
}

SpatialStart FitSpatialStart(const PoseTracks& track, int body, const Vector3<double>& p_BBcm) {
  SpatialStart best;
  std::vector<int> rows;
  for (int i = 0; i < track.rows() && static_cast<int>(rows.size()) < kMostStartRows; ++i)
    if (track.present[track.At(i, body)]) rows.push_back(i);
  const auto quaternion = [&](int row) { return Quaternion<double>(track.pose[track.At(row, body)].tail<4>()); };
  const auto center = [&](int row) {
    return Vector3<double>(track.pose[track.At(row, body)].head<3>() + Rotate<double>(quaternion(row), p_BBcm));
  };
  const double t0 = track.time[0];
  const double noise = std::hypot(track.noise_position, p_BBcm.norm() * track.noise_angle);
  for (int n = 2; n <= static_cast<int>(rows.size()); n = n < 8 ? n + 1 : n + 4) {
    const int degree = n >= 4 ? 2 : 1;
    const Quaternion<double> reference = quaternion(rows[static_cast<std::size_t>(n / 2)]);
    Eigen::MatrixXd powers(n, degree + 1), values(n, 6);
    for (int i = 0; i < n; ++i) {
      const int row = rows[static_cast<std::size_t>(i)];
      const double t = track.time[static_cast<std::size_t>(row)] - t0;
      for (int k = 0; k <= degree; ++k) powers(i, k) = std::pow(t, k);
      values.row(i) << center(row).transpose(), BoxMinusRotation<double>(quaternion(row), reference).transpose();
    }
    const Eigen::MatrixXd fit = SolveLeastNorm(powers, values);
    const Eigen::MatrixXd rest = values - powers * fit;
    const double chi2 =
        (rest.leftCols(3) / noise).squaredNorm() + (rest.rightCols(3) / track.noise_angle).squaredNorm();
    // Longer parabolas only as long as they describe the motion; a fast tumble bends the rotation vector.
    if (n > 4 && (chi2 > 3.0 * 6 * (n - degree - 1) || values.rightCols(3).rowwise().norm().maxCoeff() > 1.2)) break;
    best.rows = rows[static_cast<std::size_t>(n - 1)] + 1;
    const Vector3<double> turn = fit.row(0).tail<3>().transpose(), rate = fit.row(1).tail<3>().transpose();
    best.pose << fit.row(0).head<3>().transpose(), BoxPlusRotation<double>(reference, turn);
    // d/dt exp(phi) R = (J_l phi') x exp(phi) R.
    best.velocity << fit.row(1).head<3>().transpose(), LeftJacobianSO3(turn) * rate;
  }
  if (!track.velocity.empty()) best.velocity = track.velocity[static_cast<std::size_t>(body)];
  return best;
}

}  // namespace ricochet
