// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <cmath>
#include <limits>

#include "ricochet/parameter.h"

namespace ricochet {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

constexpr ParameterInfo Free(std::string_view unit, std::string_view remedy) {
  return {unit, -kInf, kInf, false, Chart::kIdentity, "", remedy};
}
constexpr ParameterInfo Positive(std::string_view unit, std::string_view statement, std::string_view remedy) {
  return {unit, 0, kInf, true, Chart::kLog, statement, remedy};
}
constexpr ParameterInfo NonNegative(std::string_view unit, std::string_view statement, std::string_view remedy) {
  return {unit, 0, kInf, false, Chart::kIdentity, statement, remedy};
}

ParameterInfo MakeInfo(Quantity quantity) {
  switch (quantity) {
    case Quantity::kMass:
      return Positive("kg", "mass must be positive", "Give the mass in kilograms.");
    case Quantity::kNonNegativeMass:
      return NonNegative("kg", "mass must be at least 0", "Give the mass in kilograms.");
    case Quantity::kInertia:
      return Positive("kg m^2", "a moment of inertia must be positive",
                      "Give the moment about the center of mass, or leave `inertia` out for uniform density.");
    case Quantity::kNonNegativeInertia:
      return NonNegative("kg m^2", "a moment of inertia must be at least 0", "Give the moment in kg m^2.");
    case Quantity::kProductOfInertia:
      return Free("kg m^2", "Give the entry of the inertia matrix.");
    case Quantity::kLength:
      return Positive("m", "a length must be positive", "Give the length in meters.");
    case Quantity::kNonNegativeLength:
      return NonNegative("m", "a length must be at least 0", "Give the length in meters.");
    case Quantity::kPosition:
      return Free("m", "Give the position in meters.");
    case Quantity::kDirection:
      return Free("-", "Give the components of the direction.");
    case Quantity::kAngle:
      return Free("rad", "Give the angle in radians, or as `30 deg`.");
    case Quantity::kNonNegativeAngle:
      return NonNegative("rad", "the size of an angle must be at least 0", "Give it in radians, or as `1 deg`.");
    case Quantity::kVelocity:
      return Free("m/s", "Give the velocity in m/s.");
    case Quantity::kAngularVelocity:
      return Free("rad/s", "Give the angular velocity in rad/s.");
    case Quantity::kAcceleration:
      return Free("m/s^2", "Give the acceleration in m/s^2.");
    case Quantity::kNonNegativeAcceleration:
      return NonNegative("m/s^2", "a magnitude must be at least 0", "Turn the direction with `tilt` instead.");
    case Quantity::kForce:
      return Free("N", "Give the force in newtons.");
    case Quantity::kTorque:
      return Free("N m", "Give the torque in newton meters.");
    case Quantity::kImpulse:
      return Free("N s", "Give the impulse in newton seconds.");
    case Quantity::kAngularImpulse:
      return Free("N m s", "Give the angular impulse in N m s.");
    case Quantity::kFriction:
      return NonNegative("-", "friction must be at least 0", "Give 0 for no friction.");
    case Quantity::kRestitution:
      return {"-",
              0,
              1,
              false,
              Chart::kIdentity,
              "restitution must be between 0 and 1",
              "Give 0 for no rebound and 1 for a full rebound."};
    case Quantity::kTime:
      return Free("s", "Give the time in seconds.");
    case Quantity::kPositiveTime:
      return Positive("s", "a time step must be positive", "Give the time in seconds, such as 1.0e-3.");
    case Quantity::kNonNegativeTime:
      return NonNegative("s", "a duration must be at least 0", "Give the time in seconds.");
    case Quantity::kLinearCompliance:
      return NonNegative("m/N", "a compliance must be at least 0", "Give 0 for a rigid joint.");
    case Quantity::kAngularCompliance:
      return NonNegative("rad/(N m)", "a compliance must be at least 0", "Give 0 for a rigid joint.");
    case Quantity::kViscous:
      return NonNegative("N m s", "viscous friction must be at least 0", "Give 0 for none.");
    case Quantity::kLinearViscous:
      return NonNegative("N s/m", "viscous friction must be at least 0", "Give 0 for none.");
    case Quantity::kCoulomb:
      return NonNegative("N m", "a friction torque must be at least 0", "Give 0 for none.");
    case Quantity::kLinearCoulomb:
      return NonNegative("N", "a friction force must be at least 0", "Give 0 for none.");
    case Quantity::kDrag:
      return NonNegative("N s/m", "drag must be at least 0", "Give 0 for none.");
    case Quantity::kQuadraticDrag:
      return NonNegative("N s^2/m^2", "drag must be at least 0", "Give 0 for none.");
    case Quantity::kStiffness:
      return NonNegative("N m/rad", "a stiffness must be at least 0", "Give 0 for a drive of the rate alone.");
    case Quantity::kLinearStiffness:
      return NonNegative("N/m", "a stiffness must be at least 0", "Give 0 for a drive of the rate alone.");
    case Quantity::kStribeckRate:
      return Positive("rad/s", "the rate at which friction falls must be positive", "Leave `stribeck` out for none.");
    case Quantity::kLinearStribeckRate:
      return Positive("m/s", "the rate at which friction falls must be positive", "Leave `stribeck` out for none.");
    case Quantity::kMotorGain:
      return Free("N m", "Give the torque per unit of input.");
    case Quantity::kLinearMotorGain:
      return Free("N", "Give the force per unit of input.");
    case Quantity::kScale:
      return Positive("-", "a scale must be positive", "Give 1 for no change.");
    case Quantity::kTolerance:
      return Positive("-", "a tolerance must be positive", "Give a small number, such as 1.0e-10.");
    case Quantity::kContactCompliance:
      return Positive("m/N", "the compliance of a contact must be positive", "Leave it out for hard contact.");
    case Quantity::kPositiveSpeed:
      return Positive("m/s", "a speed must be positive", "Give the speed in m/s.");
    case Quantity::kPlain:
      return Free("-", "Give a number.");
  }
  return Free("-", "Give a number.");
}

}  // namespace

const ParameterInfo& InfoOf(Quantity quantity) {
  static const std::vector<ParameterInfo> table = [] {
    std::vector<ParameterInfo> all;
    for (int i = 0; i <= static_cast<int>(Quantity::kPlain); ++i) all.push_back(MakeInfo(static_cast<Quantity>(i)));
    return all;
  }();
  return table[static_cast<std::size_t>(quantity)];
}

bool IsAllowed(Quantity quantity, double value) {
  const ParameterInfo& info = InfoOf(quantity);
  return std::isfinite(value) && value <= info.upper &&
         (info.lower_excluded ? value > info.lower : value >= info.lower);
}

}  // namespace ricochet
