// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Derivatives of a step of `spook` against central differences, for chosen numbers of the scene or for all of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "dynamics/kinematics.h"
#include "math/manifold.h"
#include "steppers/spook/spook.h"
#include "tests/support/derivative_check.h"

namespace ricochet {

inline State Moved(const State& state, const Eigen::VectorXd& d) {
  State out = state;
  const int n = static_cast<int>(state.v.size()) / 6;
  for (int i = 0; i < n; ++i) {
    const SpatialPose<double> pose = state.q.segment<7>(7 * i);
    out.q.segment<7>(7 * i) = BoxPlus<double>(pose, Vector6<double>(d.segment<6>(6 * i)));
  }
  out.v += d.tail(6 * n);
  return out;
}

inline Eigen::VectorXd Difference(const State& a, const State& b) {
  const int n = static_cast<int>(a.v.size()) / 6;
  Eigen::VectorXd d(12 * n);
  for (int i = 0; i < n; ++i) {
    const SpatialPose<double> pa = a.q.segment<7>(7 * i), pb = b.q.segment<7>(7 * i);
    d.segment<6>(6 * i) = BoxMinus<double>(pa, pb);
  }
  d.tail(6 * n) = a.v - b.v;
  return d;
}

/// A state `steps` into the motion, where nothing is special.
inline State LaterState(const Model& model, double h, int steps = 5) {
  const auto workspace = Spook().MakeWorkspace(model);
  const std::vector<double> u(model.spatial.inputs.size(), 0.3);
  StepResult step;
  State state = InitialState(model);
  for (int k = 0; k < steps; ++k) {
    Spook().Step(model, state, {.u = u, .u_end = u, .fired = {}}, h, *workspace, step);
    state = step.end;
  }
  return state;
}

/// Numbers written in a scene that a step depends on: all but those of the start, the simulation and the measurement.
/// Defaults are often at the end of what is allowed and derived ones (the other form of gravity) do not count.
inline std::vector<NumberId> NumbersOfStep(const Scene& scene) {
  std::vector<NumberId> out;
  for (int i = 0; i < static_cast<int>(scene.numbers().size()); ++i) {
    const std::string& path = scene.numbers()[i].path;
    const auto begins = [&](const char* with) { return path.rfind(with, 0) == 0; };
    if (!scene.numbers()[i].given) continue;
    if (!begins("initial") && !begins("simulation") && !begins("observe")) out.push_back(NumberId{i});
  }
  return out;
}

/// Derivatives of the step after `steps` steps with respect to the state and to `parameters`, against central
/// differences. `what` is called with the step, to assert that it is of the kind meant.
template <class What>
void CheckStepByNumbers(const Scene& scene, const std::vector<NumberId>& parameters, double tolerance, int steps,
                        const What& what) {
  const double h = 5e-3;
  const Model model = CompileModel(scene);
  const State state = LaterState(model, h, steps);
  const std::vector<double> u(model.spatial.inputs.size(), 0.3);
  const StepInputs inputs{.u = u, .u_end = u, .fired = {}};
  const auto workspace = Spook().MakeWorkspace(model);
  const auto end = [&](const State& s) {
    StepResult step;
    Spook().Step(model, s, inputs, h, *workspace, step);
    return step.end;
  };
  StepResult step;
  Spook().Step(model, state, inputs, h, *workspace, step);
  ASSERT_EQ(step.status, StepStatus::kSolved);
  what(step);
  StepDerivatives derivatives;
  Spook().Differentiate(model, step, inputs, parameters, *workspace, derivatives);
  EXPECT_TRUE(IsJacobian(derivatives.end_by_start, end, state, Moved, static_cast<int>(2 * state.v.size()), Difference,
                         {.step = 1e-6, .tolerance = tolerance}));
  ASSERT_EQ(derivatives.end_by_parameters.cols(), static_cast<Eigen::Index>(parameters.size()));
  for (size_t k = 0; k < parameters.size(); ++k) {
    const double value = scene[parameters[k]], d = 1e-4 * std::max(1e-3, std::abs(value));
    const auto at = [&](double x) {
      Scene other = scene;
      other.Set(parameters[k], x);
      const Model changed = CompileModel(other);
      const auto own = Spook().MakeWorkspace(changed);
      StepResult result;
      Spook().Step(changed, state, inputs, h, *own, result);
      return result.end;
    };
    const Eigen::VectorXd numeric = Difference(at(value + d), at(value - d)) / (2 * d);
    const double scale = std::max(1.0, numeric.cwiseAbs().maxCoeff());
    EXPECT_LE((derivatives.end_by_parameters.col(k) - numeric).cwiseAbs().maxCoeff(), 100 * tolerance * scale)
        << scene.number(parameters[k]).path;
  }
}

inline void CheckStep(const Scene& scene, const std::vector<std::string>& paths, double tolerance) {
  std::vector<NumberId> parameters;
  for (const std::string& path : paths)
    for (const NumberId id : scene.Match(path)) parameters.push_back(id);
  CheckStepByNumbers(scene, parameters, tolerance, 5, [](const StepResult&) {});
}

}  // namespace ricochet
