// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "observation/poses_from_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "math/dense.h"
#include "observation/sensor.h"
#include "recording/channels.h"
#include "ricochet/error.h"

namespace ricochet {
namespace {

constexpr double kLine = 1e-3;  // points whose spread across their line is this part of that along it are on a line

/// Points in the body and where they are in the world; planar ones have z = 0.
struct PointPairs {
  std::vector<Eigen::Vector3d> body, world;

  Eigen::Vector3d Center(const std::vector<Eigen::Vector3d>& of) const {
    Eigen::Vector3d mean = Eigen::Vector3d::Zero();
    for (const Eigen::Vector3d& p : of) mean += p / static_cast<double>(of.size());
    return mean;
  }
  /// sum (a - mean a) (y - mean y)^T
  Eigen::Matrix3d Correlation(const std::vector<Eigen::Vector3d>& a, const std::vector<Eigen::Vector3d>& y) const {
    const Eigen::Vector3d a0 = Center(a), y0 = Center(y);
    Eigen::Matrix3d sum = Eigen::Matrix3d::Zero();
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - a0) * (y[i] - y0).transpose();
    return sum;
  }
  /// Whether the points fix a pose.
  bool Suffice(Space space) const {
    if (body.size() < 2) return false;
    const Eigen::VectorXd spread = EigenOfSymmetric(Correlation(body, body)).values;  // ascending
    return space == Space::kPlanar ? spread[2] > 0 : spread[1] > kLine * kLine * spread[2];
  }
};

PlanarPose<double> NearestPlanarPose(const PointPairs& points) {
  const Eigen::Matrix3d H = points.Correlation(points.body, points.world);
  const double angle = std::atan2(H(0, 1) - H(1, 0), H(0, 0) + H(1, 1)), c = std::cos(angle), s = std::sin(angle);
  const Eigen::Vector3d a = points.Center(points.body), y = points.Center(points.world);
  return {y[0] - (c * a[0] - s * a[1]), y[1] - (s * a[0] + c * a[1]), angle};
}

SpatialPose<double> NearestSpatialPose(const PointPairs& points) {
  const Eigen::Matrix3d H = points.Correlation(points.body, points.world);
  const Eigen::Vector3d skew(H(1, 2) - H(2, 1), H(2, 0) - H(0, 2), H(0, 1) - H(1, 0));
  Eigen::Matrix4d N;
  N(0, 0) = H.trace();
  N.block<3, 1>(1, 0) = skew;
  N.block<1, 3>(0, 1) = skew.transpose();
  N.block<3, 3>(1, 1) = H + H.transpose() - H.trace() * Eigen::Matrix3d::Identity();
  const Quaternion<double> q = EigenOfSymmetric(N).vectors.col(3);
  SpatialPose<double> pose;
  pose << points.Center(points.world) - Rotate<double>(q, points.Center(points.body)), q;
  return pose;
}

}  // namespace

Recording AddPosesFromPoints(const Scene& scene, Recording recording) {
  if (scene.observe.points.empty()) return recording;
  const Channels channels = ResolveChannels(recording, scene);
  const ObservationNumbers numbers = FindObservationNumbers(scene);
  const bool planar = scene.space == Space::kPlanar;
  const int dimension = planar ? 2 : 3;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (!channels.bodies[b].pose.empty()) continue;
    struct Seen {
      const std::vector<int>* columns;
      Eigen::Vector3d place, offset;
    };
    std::vector<Seen> seen;
    PointPairs all;
    double scale = 1;
    for (std::size_t i = 0; i < channels.points.size(); ++i) {
      const SensorNumbers& point = numbers.points[i];
      if (point.body != static_cast<int>(b) || channels.points[i].empty()) continue;
      const auto vector = [&](const std::array<NumberId, 3>& ids) {
        Eigen::Vector3d v = Eigen::Vector3d::Zero();
        for (int k = 0; k < dimension; ++k)
          if (const NumberId id = ids[static_cast<std::size_t>(k)]) v[k] = scene[id];
        return v;
      };
      seen.push_back({&channels.points[i], vector(point.place), vector(point.offset)});
      all.body.push_back(seen.back().place);
      if (point.length_scale) scale = scene[point.length_scale];
    }
    if (seen.empty()) continue;
    if (!all.Suffice(scene.space)) {
      if (channels.HasPoses() || channels.HasJoints()) continue;
      throw InputError({recording.file, recording.lines.empty() ? 0 : 1, 0}, scene.bodies[b].name,
                       fmt::format("{} recorded {} not fix the pose of the body.", seen.size(),
                                   seen.size() == 1 ? "point does" : "points do"),
                       planar ? "Record at least 2 points of it, and name them in observe.points."
                              : "Record at least 3 points of it that are not on a line, and name them in "
                                "observe.points.");
    }
    const std::vector<std::string>& names = PoseColumns(scene.space);
    const std::size_t first = recording.values.size();
    for (const std::string& name : names) recording.columns.push_back(scene.bodies[b].name + "." + name);
    recording.values.resize(first + names.size(), std::vector<double>(recording.time.size(), NAN));
    const PlanarSensor<double> planar_frame(numbers.frames[b], scene);
    const SpatialSensor<double> spatial_frame(numbers.frames[b], scene);
    for (std::size_t row = 0; row < recording.time.size(); ++row) {
      PointPairs points;
      for (const Seen& point : seen) {
        Eigen::Vector3d y = Eigen::Vector3d::Zero();
        for (int k = 0; k < dimension; ++k)
          y[k] = recording.values[static_cast<std::size_t>((*point.columns)[static_cast<std::size_t>(k)])][row];
        if (!y.allFinite()) continue;
        points.body.push_back(point.place);
        points.world.emplace_back((y - point.offset) / scale);
      }
      if (!points.Suffice(scene.space)) continue;
      const auto write = [&](const auto& pose) {
        for (std::size_t i = 0; i < names.size(); ++i)
          recording.values[first + i][row] = pose[static_cast<Eigen::Index>(i)];
      };
      if (planar)
        write(planar_frame.PoseOfBody(NearestPlanarPose(points)));
      else
        write(spatial_frame.PoseOfBody(NearestSpatialPose(points)));
    }
  }
  return recording;
}

}  // namespace ricochet
