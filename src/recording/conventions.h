// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Units and axes of other programs.
#pragma once

#include <Eigen/Core>
#include <string>
#include <string_view>

#include "math/se3.h"

namespace ricochet {

/// Meters per unit for m, meters, meter, cm, centimeters, mm, millimeters, in, inches, ft, feet in any case; 0 when
/// unknown.
double MetersPer(std::string_view unit);

/// Rotation that turns the given axis up: R takes the file's axes to z-up axes.
Quaternion<double> TurnUp(char up);

/// Rotation from three angles [rad] about the axes named by `order`, intrinsic: order "xyz" is Rx(a) Ry(b) Rz(c).
Quaternion<double> FromEuler(const std::string& order, const Eigen::Vector3d& angles);

/// Throws InputError unless ImportOptions::angles is empty, `helical`, or `euler-` and an order such as `euler-xyz`.
void CheckAngles(std::string_view angles);

/// Seconds per unit of timestamps that count from 1970: 1e9 s, 1e12 ms, 1e15 us, 1e18 ns are of our time. 1 for others.
double UnitOfStamps(double stamp);

}  // namespace ricochet
