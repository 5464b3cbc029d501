// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <array>
#include <cmath>
#include <set>

#include "math/so3.h"
#include "ricochet/examine.h"

namespace ricochet {
namespace {

/// Columns of a recording by the names that follow a prefix; -1 where there is none.
template <std::size_t N>
std::array<int, N> ColumnsOf(const Recording& recording, const std::string& prefix,
                             const std::array<const char*, N>& of) {
  std::array<int, N> columns{};
  for (std::size_t i = 0; i < N; ++i) columns[i] = recording.Find(prefix + of[i]);
  return columns;
}

/// Turns and scales a vector whose components are columns; planar ones lack z.
void ChangeVector(const std::array<int, 3>& columns, const Eigen::Matrix3d& by, bool planar, std::size_t row,
                  Recording& recording) {
  if (columns[0] < 0 || columns[1] < 0) return;
  const auto cell = [&](int i) -> double& {
    return recording.values[static_cast<std::size_t>(columns[static_cast<std::size_t>(i)])][row];
  };
  const Eigen::Vector3d v = planar ? Eigen::Vector3d(cell(0), 0, cell(1)) : Eigen::Vector3d(cell(0), cell(1), cell(2));
  const Eigen::Vector3d changed = by * v;
  cell(0) = changed[0];
  cell(1) = planar ? changed[2] : changed[1];
  if (!planar) cell(2) = changed[2];
}

}  // namespace

Recording Repair(const Recording& given, const RecordingChange& change) {
  Recording out = given;
  for (double& t : out.time) t *= change.time;
  const double rate = change.angle / change.time;
  std::set<std::string> prefixes;
  for (const std::string& column : given.columns) {
    const std::size_t dot = column.rfind('.');
    prefixes.insert(dot == std::string::npos ? "" : column.substr(0, dot + 1));
  }
  const Eigen::Matrix3d place = change.axes * change.length, speed = place / change.time,
                        spin = change.axes / change.time;
  const bool turned = !change.axes.isIdentity(0);
  const Quaternion<double> turn =
      change.axes.determinant() > 0 ? QuaternionFromMatrix<double>(change.axes) : Quaternion<double>(1, 0, 0, 0);
  for (const std::string& prefix : prefixes) {
    const auto position = ColumnsOf<3>(out, prefix, {"x", "y", "z"}),
               velocity = ColumnsOf<3>(out, prefix, {"vx", "vy", "vz"}),
               angular = ColumnsOf<3>(out, prefix, {"wx", "wy", "wz"});
    const auto quaternion = ColumnsOf<4>(out, prefix, {"qw", "qx", "qy", "qz"});
    const bool planar = position[2] < 0;
    for (std::size_t row = 0; row < out.time.size(); ++row) {
      ChangeVector(position, place, planar, row, out);
      ChangeVector(velocity, speed, velocity[2] < 0, row, out);
      if (angular[2] >= 0) ChangeVector(angular, spin, false, row, out);
      if (quaternion[0] < 0 || quaternion[3] < 0) continue;
      const auto cell = [&](int i) -> double& {
        return out.values[static_cast<std::size_t>(quaternion[static_cast<std::size_t>(i)])][row];
      };
      Quaternion<double> q(cell(0), cell(1), cell(2), cell(3));
      if (change.real_last) q = {cell(3), cell(0), cell(1), cell(2)};
      q.tail<3>() = q.tail<3>().cwiseProduct(change.turn_signs).eval();
      if (turned) q = QuaternionProduct<double>(turn, q);
      for (int i = 0; i < 4; ++i) cell(i) = q[i];
    }
    // Angles of the plane turn with its axes, those of joints do not.
    const double shift = turned && change.axes.determinant() > 0 ? std::atan2(change.axes(2, 0), change.axes(0, 0)) : 0;
    if (const int theta = out.Find(prefix + "theta"); theta >= 0)
      for (double& angle : out.values[static_cast<std::size_t>(theta)]) angle = change.angle * angle + shift;
    if (const int angle = out.Find(prefix + "angle"); angle >= 0 && !prefix.empty())
      for (double& value : out.values[static_cast<std::size_t>(angle)]) value *= change.angle;
    for (const char* name : {"omega", "rate"})
      if (const int column = out.Find(prefix + name); column >= 0)
        for (double& value : out.values[static_cast<std::size_t>(column)]) value *= rate;
  }
  return out;
}

}  // namespace ricochet
