// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What columns of other programs mean, by their names: `pose.position.x` of ROS, `p_RS_R_x [m]` of EuRoC,
// `Position (mm) X`, `t_ms`, `theta_deg`.
#pragma once

#include <string>
#include <string_view>

namespace ricochet {

struct ColumnMeaning {
  std::string quantity;  // t, frame, x, y, z, qw, qx, qy, qz, theta, roll, pitch, yaw; empty: not known
  std::string unit;      // as the name states it: "mm", "deg", "ns"; empty: not stated
};

ColumnMeaning GuessColumn(std::string_view name);

/// Seconds per unit of time (s, ms, us, ns, min), 0 when unknown.
double SecondsPer(std::string_view unit);
/// Radians per unit of an angle (rad, deg, turn), 0 when unknown.
double RadiansPer(std::string_view unit);

}  // namespace ricochet
