// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/recorded_poses.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ricochet/error.h"

namespace ricochet {
namespace {

constexpr double kNormTolerance = 0.05;

}  // namespace

RecordedPoses ReadPoses(const Recording& recording, Space space, const std::vector<int>& columns) {
  RecordedPoses out;
  std::array<double, 7> cell{};
  for (int row = 0; row < recording.rows(); ++row) {
    bool complete = true;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      cell[c] = recording.values[static_cast<std::size_t>(columns[c])][static_cast<std::size_t>(row)];
      complete = complete && std::isfinite(cell[c]);
    }
    if (!complete) {
      ++out.incomplete_rows;
      continue;
    }
    SpatialPose<double> pose;
    if (space == Space::kPlanar) {
      pose << cell[0], 0, cell[1], ExpSO3(Eigen::Vector3d(0, -cell[2], 0));
    } else {
      pose = Eigen::Map<const SpatialPose<double>>(cell.data());
      const double norm = pose.tail<4>().norm();
      if (!(std::abs(norm - 1) < kNormTolerance))
        throw InputError(
            {recording.file, recording.lines.empty() ? 0 : recording.lines[static_cast<std::size_t>(row)], 0},
            recording.columns[static_cast<std::size_t>(columns[3])],
            fmt::format("the quaternion has length {:.4g}, which is not a rotation.", pose.tail<4>().stableNorm()),
            "Columns qw, qx, qy, qz hold a unit quaternion, real part first; check their order and unit.");
      out.norm_error = std::max(out.norm_error, std::abs(norm - 1));
      pose.tail<4>() /= norm;
    }
    if (!out.pose.empty() && pose.tail<4>().dot(out.pose.back().tail<4>()) < 0) {
      pose.tail<4>() *= -1;
      if (space == Space::kSpatial) ++out.sign_flips;
    }
    out.row.push_back(row);
    out.time.push_back(recording.time[static_cast<std::size_t>(row)]);
    out.pose.push_back(pose);
  }
  return out;
}

void PoseDifferences::Add(const std::array<Eigen::Vector3d, 4>& p, const std::array<Quaternion<double>, 4>& q,
                          bool lifted) {
  const Eigen::Vector3d place = ThirdDifference(p[0], p[1], p[2], p[3]);
  const Eigen::Vector3d turn = ThirdDifferenceOfRotations(q[0], q[1], q[2], q[3]);
  for (int axis = 0; axis < 3; ++axis) {
    if (!lifted || axis != 1) position_.push_back(std::abs(place[axis]));
    if (!lifted || axis == 1) angle_.push_back(std::abs(turn[axis]));
  }
}

}  // namespace ricochet
