// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "observation/poses_from_points.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "math/dense.h"
#include "math/nearest_rotation.h"
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

/// The pose of this angle whose points are nearest.
PlanarPose<double> PlacedByPoints(const PointPairs& points, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  const Eigen::Vector3d a = points.Center(points.body), y = points.Center(points.world);
  return {y[0] - (c * a[0] - s * a[1]), y[1] - (s * a[0] + c * a[1]), angle};
}

PlanarPose<double> NearestPlanarPose(const PointPairs& points) {
  const Eigen::Matrix3d H = points.Correlation(points.body, points.world);
  return PlacedByPoints(points, std::atan2(H(0, 1) - H(1, 0), H(0, 0) + H(1, 1)));
}

SpatialPose<double> NearestSpatialPose(const PointPairs& points) {
  // A single point fixes no rotation.
  const Quaternion<double> q = points.body.size() == 1 ? IdentityQuaternion<double>()
                                                       : NearestRotation(points.Correlation(points.body, points.world));
  SpatialPose<double> pose;
  pose << points.Center(points.world) - Rotate<double>(q, points.Center(points.body)), q;
  return pose;
}

/// The recorded points of one body.
class BodyPoints {
 public:
  BodyPoints(const Scene& scene, const Recording& recording, const Channels& channels,
             const ObservationNumbers& numbers, int body)
      : recording_(recording), space_(scene.space) {
    const int dimension = space_ == Space::kPlanar ? 2 : 3;
    const auto vector = [&](const std::array<NumberId, 3>& ids) {
      Eigen::Vector3d v = Eigen::Vector3d::Zero();
      for (int k = 0; k < dimension; ++k)
        if (const NumberId id = ids[static_cast<std::size_t>(k)]) v[k] = scene[id];
      return v;
    };
    PointPairs all;
    for (std::size_t i = 0; i < channels.points.size(); ++i) {
      const SensorNumbers& point = numbers.points[i];
      if (point.body != body || channels.points[i].empty()) continue;
      points_.push_back({channels.points[i], vector(point.place), vector(point.offset)});
      all.body.push_back(points_.back().place);
      if (point.length_scale) scale_ = scene[point.length_scale];
    }
    const std::optional<Shape>& shape = scene.bodies[static_cast<std::size_t>(body)].shape;
    const bool round = shape && (shape->type == ShapeType::kCircle || shape->type == ShapeType::kSphere);
    const Eigen::Vector3d center = vector(numbers.frames[static_cast<std::size_t>(body)].center_of_mass);
    center_alone_ = round && points_.size() == 1 && center.isZero() && points_[0].place.isZero();
    sufficient_ = center_alone_ || all.Suffice(space_);
  }

  int size() const { return static_cast<int>(points_.size()); }
  bool sufficient() const { return sufficient_; }

  /// The points that a row shows, in the scene's lengths.
  PointPairs Seen(int row) const {
    PointPairs seen;
    for (const Point& point : points_) {
      Eigen::Vector3d y = Eigen::Vector3d::Zero();
      for (std::size_t k = 0; k < point.columns.size(); ++k)
        y[static_cast<Eigen::Index>(k)] =
            recording_.values[static_cast<std::size_t>(point.columns[k])][static_cast<std::size_t>(row)];
      if (!y.allFinite()) continue;
      seen.body.push_back(point.place);
      seen.world.emplace_back((y - point.offset) / scale_);
    }
    return seen;
  }
  /// Whether they fix the pose of the body.
  bool Fix(const PointPairs& seen) const { return center_alone_ ? !seen.body.empty() : seen.Suffice(space_); }

 private:
  struct Point {
    std::vector<int> columns;
    Eigen::Vector3d place, offset;
  };
  const Recording& recording_;
  Space space_;
  std::vector<Point> points_;
  double scale_ = 1;
  bool center_alone_ = false, sufficient_ = false;
};

/// Poses of the body frame, NaN where a row does not fix them.
std::vector<PlanarPose<double>> PlanarPoses(const BodyPoints& points, const std::vector<double>& time,
                                            PartialRows partial) {
  const int rows = static_cast<int>(time.size());
  std::vector<PlanarPose<double>> poses(time.size(), PlanarPose<double>::Constant(NAN));
  int before = -1;  // last row with a pose
  for (int row = 0; row < rows; ++row) {
    const PointPairs seen = points.Seen(row);
    if (!points.Fix(seen)) continue;
    PlanarPose<double>& pose = poses[static_cast<std::size_t>(row)];
    pose = NearestPlanarPose(seen);
    if (before >= 0 && partial == PartialRows::kInterpolated) {
      const PlanarPose<double>& last = poses[static_cast<std::size_t>(before)];
      const double turn = std::remainder(pose[2] - last[2], 2 * std::numbers::pi);
      const double begin = time[static_cast<std::size_t>(before)], span = time[static_cast<std::size_t>(row)] - begin;
      for (int k = before + 1; k < row; ++k)
        if (const PointPairs some = points.Seen(k); !some.body.empty())
          poses[static_cast<std::size_t>(k)] =
              PlacedByPoints(some, last[2] + turn * (time[static_cast<std::size_t>(k)] - begin) / span);
    }
    before = row;
  }
  return poses;
}

std::vector<SpatialPose<double>> SpatialPoses(const BodyPoints& points, int rows) {
  std::vector<SpatialPose<double>> poses(static_cast<std::size_t>(rows), SpatialPose<double>::Constant(NAN));
  for (int row = 0; row < rows; ++row)
    if (const PointPairs seen = points.Seen(row); points.Fix(seen))
      poses[static_cast<std::size_t>(row)] = NearestSpatialPose(seen);
  return poses;
}

}  // namespace

Recording AddPosesFromPoints(const Scene& scene, Recording recording, PartialRows partial) {
  if (scene.observe.points.empty()) return recording;
  const Channels channels = ResolveChannels(recording, scene);
  const ObservationNumbers numbers = FindObservationNumbers(scene);
  const bool planar = scene.space == Space::kPlanar;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (!channels.bodies[b].pose.empty()) continue;
    const BodyPoints points(scene, recording, channels, numbers, static_cast<int>(b));
    if (points.size() == 0) continue;
    if (!points.sufficient()) {
      if (channels.HasPoses() || channels.HasJoints()) continue;
      throw InputError({recording.file, recording.lines.empty() ? 0 : 1, 0}, scene.bodies[b].name,
                       fmt::format("{} recorded {} not fix the pose of the body.", points.size(),
                                   points.size() == 1 ? "point does" : "points do"),
                       planar ? "Record at least 2 points of it, and name them in observe.points."
                              : "Record at least 3 points of it that are not on a line, and name them in "
                                "observe.points.");
    }
    const std::vector<std::string>& names = PoseColumns(scene.space);
    std::vector<std::vector<double>> columns(names.size());
    const auto write = [&](const auto& poses, const auto& sensor) {
      for (const auto& pose : poses) {
        const auto recorded = sensor.PoseOfBody(pose);
        for (std::size_t i = 0; i < names.size(); ++i) columns[i].push_back(recorded[static_cast<Eigen::Index>(i)]);
      }
    };
    if (planar)
      write(PlanarPoses(points, recording.time, partial), PlanarSensor<double>(numbers.frames[b], scene));
    else
      write(SpatialPoses(points, recording.rows()), SpatialSensor<double>(numbers.frames[b], scene));
    for (std::size_t i = 0; i < names.size(); ++i) {
      recording.columns.push_back(scene.bodies[b].name + "." + names[i]);
      recording.values.push_back(std::move(columns[i]));
    }
  }
  return recording;
}

}  // namespace ricochet
