// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Impulses of the scene's actions over one step.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <span>
#include <vector>

#include "dynamics/state.h"
#include "model/load.h"
#include "model/model.h"

namespace ricochet {

/// Impulse [N s, N m s] that the loads on `body` give it between t and t + h. Forces act over the part of the step
/// inside their interval. An impulse at time `at` acts in the step with t <= at < t + h, up to a rounding of 1e-9 h
/// toward the later step, so that times that are multiples of h mean what they say. `fired` lists the triggers that
/// fire in this step.
template <class T>
Eigen::Matrix<T, 6, 1> LoadImpulse(std::span<const Load<T>> loads, int body, double t, double h,
                                   std::span<const char> fired) {
  Eigen::Matrix<T, 6, 1> sum = Eigen::Matrix<T, 6, 1>::Zero();
  const double slack = 1e-9 * h;
  for (const Load<T>& load : loads) {
    if (load.body != body) continue;
    const double overlap = std::min(t + h, load.until) - std::max(t, load.from);
    if (overlap > 0) sum += load.force * T(overlap);
    const bool now = load.at >= t - slack && load.at < t + h - slack;
    const bool triggered = load.trigger >= 0 && load.trigger < static_cast<int>(fired.size()) && fired[load.trigger];
    if (now || triggered) sum += load.impulse;
  }
  return sum;
}

/// Which triggers fire in the next step, given the states before and after the step that just ended.
void UpdateTriggers(const Model& model, const State& before, const State& after, std::vector<char>& fired);

}  // namespace ricochet
