// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/number_range.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ricochet {
namespace {

constexpr double kMostFriction = 5;
constexpr double kUsualLaw = 0.3;        // friction, restitution
constexpr double kAboveExcluded = 1e-4;  // of the scale

}  // namespace

NumberRanges RangesOf(const std::vector<SelectedParameter>& wanted, const Scene& scene) {
  const auto n = static_cast<Eigen::Index>(wanted.size());
  NumberRanges out{Eigen::VectorXd(n), Eigen::VectorXd(n), Eigen::VectorXd(n), Eigen::VectorXd(n)};
  constexpr double kNone = std::numeric_limits<double>::infinity();
  for (Eigen::Index i = 0; i < n; ++i) {
    const SelectedParameter& selected = wanted[static_cast<std::size_t>(i)];
    const SceneNumber& number = scene.number(selected.numerator);
    const ParameterInfo& info = InfoOf(number.quantity);
    const double divisor = selected.denominator ? scene[selected.denominator] : 1.0;
    out.start[i] = number.value / divisor;
    out.scale[i] = out.start[i] != 0 ? std::abs(out.start[i]) : 1.0;
    out.lower[i] = std::isfinite(info.lower) ? info.lower / divisor : -kNone;
    out.upper[i] = std::isfinite(info.upper) ? info.upper / divisor : kNone;
    if (info.lower_excluded) out.lower[i] += kAboveExcluded * out.scale[i];
    const bool friction = number.quantity == Quantity::kFriction;
    if (friction || number.quantity == Quantity::kRestitution) out.scale[i] = kUsualLaw;
    if (friction) out.upper[i] = std::min(out.upper[i], kMostFriction);
  }
  return out;
}

}  // namespace ricochet
