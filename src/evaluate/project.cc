// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/project.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/text.h"
#include "dataset/spatial_track.h"
#include "dataset/takes/point_tracks.h"
#include "math/dense.h"
#include "math/manifold.h"
#include "math/so3.h"
#include "ricochet/error.h"

namespace ricochet {
namespace {

constexpr double kNotPlanar = 0.05;   // distance from the plane over the extent of the motion
constexpr double kLying = 0.7;        // vertical part of the normal of a plane that lies
constexpr double kLeastNoise = 1e-5;  // of positions over their extent, and of rotations [rad]
constexpr int kPredictFrom = 3;       // rows from which the place of a point is predicted

struct PointColumns {
  std::string name;
  int x = -1, y = -1, z = -1;

  Eigen::Vector3d At(const Recording& recording, int row) const {
    const auto at = [&](int column) {
      return recording.values[static_cast<std::size_t>(column)][static_cast<std::size_t>(row)];
    };
    return {at(x), at(y), at(z)};
  }
};

/// Points that are recorded in space.
std::vector<PointColumns> PointsOf(const Recording& recording) {
  std::vector<PointColumns> points;
  for (const std::string& name : PointsOfRecording(recording)) {
    const std::string prefix = name.empty() ? "" : name + ".";
    const PointColumns found{name, recording.Find(prefix + "x"), recording.Find(prefix + "y"),
                             recording.Find(prefix + "z")};
    if (found.z >= 0) points.push_back(found);
  }
  return points;
}

/// Distinguishes two points that look alike: each row continues the rows before it.
int FollowAlike(Recording& recording, const PointColumns& a, const PointColumns& b) {
  std::vector<std::pair<double, std::array<Eigen::Vector3d, 2>>> last;
  int swapped = 0;
  bool other = false;
  for (int row = 0; row < recording.rows(); ++row) {
    const Eigen::Vector3d pa = a.At(recording, row), pb = b.At(recording, row);
    if (!pa.allFinite() || !pb.allFinite()) continue;
    const double t = recording.time[static_cast<std::size_t>(row)];
    std::array<Eigen::Vector3d, 2> expected = {pa, pb};
    if (last.size() >= 2) {
      const auto& [t0, p0] = last.front();
      const auto& [t1, p1] = last.back();
      for (std::size_t k = 0; k < 2; ++k) expected[k] = p1[k] + (p1[k] - p0[k]) * ((t - t1) / (t1 - t0));
    } else if (!last.empty()) {
      expected = last.back().second;
    }
    const double kept = (pa - expected[0]).squaredNorm() + (pb - expected[1]).squaredNorm(),
                 exchanged = (pb - expected[0]).squaredNorm() + (pa - expected[1]).squaredNorm();
    const bool exchange = !last.empty() && exchanged < kept;
    if (exchange != other) ++swapped;
    other = exchange;
    if (exchange)
      for (const auto& [from, to] : {std::pair{a.x, b.x}, std::pair{a.y, b.y}, std::pair{a.z, b.z}})
        std::swap(recording.values[static_cast<std::size_t>(from)][static_cast<std::size_t>(row)],
                  recording.values[static_cast<std::size_t>(to)][static_cast<std::size_t>(row)]);
    if (last.size() == kPredictFrom) last.erase(last.begin());
    last.push_back({t, {exchange ? pb : pa, exchange ? pa : pb}});
  }
  return swapped;
}

/// Sums over everything that moves: the normal is the eigenvector of the least eigenvalue.
struct PlaneSums {
  Eigen::Matrix3d weighted = Eigen::Matrix3d::Zero();
  std::vector<std::vector<Eigen::Vector3d>> paths;  // each less its mean
  double extent = 0;

  void AddPath(std::vector<Eigen::Vector3d> path, double noise) {
    Eigen::Vector3d mean = Eigen::Vector3d::Zero();
    for (const Eigen::Vector3d& p : path) mean += p / static_cast<double>(path.size());
    for (Eigen::Vector3d& p : path) {
      p -= mean;
      extent = std::max(extent, p.norm());
      weighted += p * p.transpose() / (noise * noise);
    }
    paths.push_back(std::move(path));
  }
  /// Turns from the first rotation are about the normal.
  void AddTurns(const SpatialTrack& track, double noise) {
    const Quaternion<double> first = QuaternionConjugate<double>(track.rotation[0]);
    for (const Quaternion<double>& q : track.rotation) {
      const Eigen::Vector3d v = QuaternionProduct<double>(q, first).tail<3>();
      weighted += (v.squaredNorm() * Eigen::Matrix3d::Identity() - v * v.transpose()) / (0.5 * noise * noise);
    }
  }
};

void ChooseAxes(Eigen::Vector3d normal, PlanarProjection& result) {
  result.level = std::abs(normal.z()) > kLying;
  if (result.level) {
    result.normal = normal.z() > 0 ? normal : Eigen::Vector3d(-normal);
    result.x = (Eigen::Vector3d::UnitX() - result.normal * result.normal.x()).normalized();
    result.y = result.normal.cross(result.x);
    return;
  }
  result.y = (Eigen::Vector3d::UnitZ() - normal * normal.z()).normalized();
  result.x = result.y.cross(normal);
  // x runs along x of the recording, or along y where that is nearer.
  const double along = std::abs(result.x.x()) > 0.5 ? result.x.x() : result.x.y();
  if (along < 0) result.x = -result.x;
  result.normal = result.x.cross(result.y);
}

/// Angle in the plane of the body axis that lies in it best, over the frames of a track; the lean goes to `squares`.
std::vector<double> AnglesOf(const SpatialTrack& track, const PlanarProjection& plane, double& squares) {
  int axis = 0;
  double least = 2;
  for (int k = 0; k < 3; ++k) {
    const double off =
        std::abs(plane.normal.dot(Rotate<double>(track.rotation[0], Eigen::Vector3d(Eigen::Vector3d::Unit(k)))));
    if (off < least - 0.3) {
      least = off;
      axis = k;
    }
  }
  Eigen::Vector3d normal_B = Eigen::Vector3d::Zero();
  for (const Quaternion<double>& q : track.rotation)
    normal_B += Rotate<double>(QuaternionConjugate<double>(q), plane.normal);
  normal_B.normalize();
  std::vector<double> angles;
  for (const Quaternion<double>& q : track.rotation) {
    const Eigen::Vector3d d = Rotate<double>(q, Eigen::Vector3d(Eigen::Vector3d::Unit(axis)));
    double angle = std::atan2(plane.y.dot(d), plane.x.dot(d));
    if (!angles.empty()) angle = angles.back() + std::remainder(angle - angles.back(), 2 * std::numbers::pi);
    angles.push_back(angle);
    squares += Rotate<double>(q, normal_B).cross(plane.normal).squaredNorm();
  }
  return angles;
}

}  // namespace

PlanarProjection ProjectToPlane(const Recording& given, const ProjectionOptions& options) {
  PlanarProjection result;
  Recording recording = given;
  const auto fail = [&](const std::string& problem, const std::string& remedy) -> void {
    throw InputError({given.file, given.lines.empty() ? 0 : 1, 0}, "", problem, remedy);
  };
  std::vector<std::string> bodies;
  for (const std::string& body : BodiesWithPoses(recording))
    if (recording.Find(body.empty() ? "qw" : body + ".qw") >= 0) bodies.push_back(body);
  const std::vector<PointColumns> points = PointsOf(recording);
  if (bodies.empty() && points.empty())
    fail("has no positions in space.",
         "Columns are x,y,z,qw,qx,qy,qz of a body, or NAME.x, NAME.y, NAME.z of a point.");

  if (!options.alike.empty()) {
    std::vector<PointColumns> two;
    for (const std::string& name : options.alike)
      for (const PointColumns& point : points)
        if (point.name == name) two.push_back(point);
    if (options.alike.size() != 2 || two.size() != 2)
      fail(fmt::format("option `alike` names {}, which are not two points of the recording.", JoinList(options.alike)),
           "Name two points.");
    result.swapped = FollowAlike(recording, two[0], two[1]);
    if (result.swapped > 0)
      result.notes.push_back(fmt::format("{} and {} change places {} times; distinguished by continuity", two[0].name,
                                         two[1].name, result.swapped));
  }

  // The plane.
  PlaneSums sums;
  std::vector<SpatialTrack> tracks;
  for (const std::string& body : bodies) {
    SpatialTrack& track = tracks.emplace_back(MakeSpatialTrack(recording, body));
    sums.AddPath(track.position, std::max(track.noise_position, kLeastNoise));
    sums.AddTurns(track, std::max(track.noise_angle, kLeastNoise));
  }
  const double noise = tracks.empty() ? 1e-3 : std::max(tracks[0].noise_position, kLeastNoise);
  for (const PointColumns& point : points) {
    std::vector<Eigen::Vector3d> path;
    for (int row = 0; row < recording.rows(); ++row)
      if (const Eigen::Vector3d p = point.At(recording, row); p.allFinite()) path.push_back(p);
    if (path.size() >= 3) sums.AddPath(std::move(path), noise);
  }
  ChooseAxes(Eigen::Vector3d(EigenOfSymmetric(sums.weighted).vectors.col(0)), result);
  double squares = 0, count = 0;
  for (const std::vector<Eigen::Vector3d>& path : sums.paths)
    for (const Eigen::Vector3d& p : path) {
      squares += std::pow(result.normal.dot(p), 2);
      ++count;
    }
  result.residual = std::sqrt(squares / std::max(count, 1.0));
  if (!(result.residual <= kNotPlanar * sums.extent))
    fail(fmt::format("the motion is not planar: it leaves the best plane by {:.3g} m, {:.0f} % of its extent.",
                     result.residual, 100 * result.residual / sums.extent),
         "Use it as a recording in space.");

  // The columns.
  Recording& flat = result.recording;
  flat.file = given.file;
  flat.time = given.time;
  flat.lines = given.lines;
  std::vector<char> used(recording.columns.size(), 0);
  const auto add = [&](std::string name) -> std::vector<double>& {
    flat.columns.push_back(std::move(name));
    return flat.values.emplace_back(static_cast<std::size_t>(given.rows()), NAN);
  };
  double lean = 0, turns = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const std::string prefix = bodies[i].empty() ? "" : bodies[i] + ".";
    for (const char* name : {"x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"})
      if (const int column = recording.Find(prefix + name); column >= 0) used[static_cast<std::size_t>(column)] = 1;
    const SpatialTrack& track = tracks[i];
    const std::vector<double> angles = AnglesOf(track, result, lean);
    turns += track.size();
    std::vector<double> x(static_cast<std::size_t>(given.rows()), NAN), y = x, theta = x;
    for (int k = 0; k < track.size(); ++k) {
      const auto row = static_cast<std::size_t>(track.row[k]);
      x[row] = result.x.dot(track.position[k]);
      y[row] = result.y.dot(track.position[k]);
      theta[row] = angles[static_cast<std::size_t>(k)];
    }
    add(prefix + "x") = std::move(x);
    add(prefix + "y") = std::move(y);
    add(prefix + "theta") = std::move(theta);
  }
  for (const PointColumns& point : points) {
    for (const int column : {point.x, point.y, point.z}) used[static_cast<std::size_t>(column)] = 1;
    const std::string prefix = point.name.empty() ? "" : point.name + ".";
    for (const auto& [name, axis] : {std::pair{"x", result.x}, std::pair{"y", result.y}}) {
      std::vector<double>& values = add(prefix + name);
      for (int row = 0; row < recording.rows(); ++row)
        values[static_cast<std::size_t>(row)] = axis.dot(point.At(recording, row));
    }
  }
  for (std::size_t c = 0; c < recording.columns.size(); ++c)
    if (!used[c]) add(recording.columns[c]) = recording.values[c];
  if (turns > 0) result.residual_angle = std::sqrt(lean / turns);
  result.notes.push_back(
      fmt::format("projected on the plane with normal ({:.4f}, {:.4f}, {:.4f}): positions are off by {:.2f} mm{}",
                  result.normal.x(), result.normal.y(), result.normal.z(), 1e3 * result.residual,
                  turns > 0 ? fmt::format(", rotations by {:.2f} degrees (root mean square)",
                                          result.residual_angle * 180 / std::numbers::pi)
                            : " (root mean square)"));
  if (result.level) result.notes.push_back("the plane lies: set gravity of the scene to [0, 0]");
  return result;
}

}  // namespace ricochet
