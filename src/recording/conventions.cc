// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/conventions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "ricochet/error.h"

namespace ricochet {

double MetersPer(std::string_view unit) {
  const auto is = [&](std::initializer_list<std::string_view> names) {
    return std::any_of(names.begin(), names.end(),
                       [&](std::string_view name) { return EqualsIgnoringCase(unit, name); });
  };
  if (is({"m", "meter", "meters", "metre", "metres", "mete", "metr"})) return 1;  // C3D cuts units to 4 letters
  if (is({"cm", "centimeter", "centimeters", "centimetre", "centimetres", "cent"})) return 0.01;
  if (is({"mm", "millimeter", "millimeters", "millimetre", "millimetres", "mill"})) return 0.001;
  if (is({"in", "inch", "inches"})) return 0.0254;
  if (is({"ft", "foot", "feet"})) return 0.3048;
  return 0;
}

Quaternion<double> TurnUp(char up) {
  const double half = std::sqrt(0.5);
  if (up == 'y') return {half, half, 0, 0};   // +90 degrees about x: y goes to z
  if (up == 'x') return {half, 0, -half, 0};  // -90 degrees about y: x goes to z
  return IdentityQuaternion<double>();
}

Quaternion<double> FromEuler(const std::string& order, const Eigen::Vector3d& angles) {
  Quaternion<double> q = IdentityQuaternion<double>();
  for (int i = 0; i < 3; ++i) {
    const int axis = (order[static_cast<std::size_t>(i)] | 0x20) - 'x';
    q = QuaternionProduct<double>(q, ExpSO3(Eigen::Vector3d(Eigen::Vector3d::Unit(axis) * angles[i])));
  }
  return q;
}

void CheckAngles(std::string_view angles) {
  if (angles.empty() || angles == "helical") return;
  std::string order(angles.starts_with("euler-") ? angles.substr(6) : "");
  std::sort(order.begin(), order.end());
  if (order != "xyz")
    throw InputError({}, "angles", fmt::format("`{}` is not known.", Printable(std::string(angles))),
                     "Write helical, or euler- and an order such as euler-xyz.");
}

double UnitOfStamps(double stamp) {
  for (const double unit : {1e-9, 1e-6, 1e-3})
    if (stamp * unit > 5e8 && stamp * unit < 1e10) return unit;
  return 1;
}

}  // namespace ricochet
