// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Rows of the tables bench/study_spook_*.csv: errors of `spook` over step and compliance against minimal coordinates
// (dynamics/reduced_dynamics.h), of the second order with what makes a motion less smooth, and energy over 100 s. The
// study writes all rows, tests recompute some of them.
//
// Mechanisms: `furuta`, the pendulum of Spook table G.5 (l2 = 0.192 m), released at 1 rad, and `tilted_2`, `tilted_3`,
// chains of hinges with random axes and frames, full inertia tensors and tilted gravity, driven by a motor.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "dynamics/energy.h"
#include "dynamics/joint_angle.h"
#include "dynamics/kinematics.h"
#include "dynamics/reduced_dynamics.h"
#include "steppers/spook.h"
#include "tests/support/mechanisms.h"

namespace ricochet {

struct SpookStudyCase {
  std::string mechanism = "furuta";
  double compliance = 1e-9;
  int order = 1;
  std::string friction = "viscous";  // none, viscous, dry
};

inline Scene FurutaPendulum(const SpookStudyCase& c, double angle) {
  const auto hinge = [&](const char* name, const char* parent, const char* child, const char* parent_frame,
                         const char* child_frame, double viscous, const char* motor) {
    const std::string dry = c.friction == "dry" ? "    dry: {radius: 0.01, friction: 0.1, norm: l1}\n" : "";
    return fmt::format(
        "  {}:\n    type: hinge\n    parent: {}\n    child: {}\n    parent_frame: {}\n    child_frame: {}\n"
        "    compliance: {{linear: {:.17g}, angular: {:.17g}}}\n    damping: 0.02\n    viscous: {}\n{}{}",
        name, parent, child, parent_frame, child_frame, c.compliance, c.compliance,
        c.friction == "none" ? 0.0 : viscous, dry, motor);
  };
  return ParseScene(
      "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.82]\nbodies:\n"
      "  A: {mass: 0.238, inertia: [1.0e-4, 3.0e-3, 3.0e-3]}\n"
      "  B: {mass: 0.428, inertia: [1.0e-4, 4.0e-3, 4.0e-3]}\njoints:\n" +
          hinge("hinge1", "world", "A", "{point: [0, 0, 0], axis: [0, 0, 1], zero: [1, 0, 0]}",
                "{point: [-0.128, 0, 0], axis: [0, 0, 1], zero: [1, 0, 0]}", 1e-3,
                "    motor: {gain: 0.1, shaft_inertia: 1.0e-4, input: u}\n") +
          hinge("hinge2", "A", "B", "{point: [0.12, 0, 0], axis: [1, 0, 0], zero: [0, 0, -1]}",
                "{point: [-0.192, 0, 0], axis: [0, 1, 0], zero: [1, 0, 0]}", 1e-4, "") +
          fmt::format("initial:\n  hinge1: {{angle: 0, rate: 0}}\n  hinge2: {{angle: {:.17g}, rate: 0}}\n"
                      "simulation: {{method: spook, step: 1.0e-3, duration: 1, options: {{order: {}}}}}\n",
                      angle, c.order),
      "furuta");
}

inline Scene SpookStudyScene(const SpookStudyCase& c) {
  if (c.mechanism == "furuta") return FurutaPendulum(c, 1.0);
  const int bodies = c.mechanism == "tilted_2" ? 2 : 3;
  RandomVectors random(bodies == 2 ? 47 : 53);
  std::string extra = "    motor: {gain: 0.1, shaft_inertia: 1.0e-3, input: u}\n";
  if (c.friction != "none") extra += "    viscous: 1.0e-3\n";
  if (c.friction == "dry") extra += "    dry: {radius: 0.01, friction: 0.1, norm: l1}\n";
  return RandomChain(random, bodies, c.compliance, extra, fmt::format(", options: {{order: {}}}", c.order));
}

/// Coordinates of all joints every 0.05 s, by `spook`; empty when a step fails.
inline std::vector<double> SpookAngles(const Scene& scene, double h, double duration) {
  const Model model = CompileModel(scene);
  const auto workspace = Spook().MakeWorkspace(model);
  State state = InitialState(model);
  StepResult step;
  const std::vector<double> u = {0.2};
  const long steps = std::lround(duration / h), every = std::lround(0.05 / h);
  std::vector<double> angles;
  for (long k = 1; k <= steps; ++k) {
    Spook().Step(model, state, {.u = u, .u_end = u, .fired = {}}, h, *workspace, step);
    if (step.status != StepStatus::kSolved) return {};
    state = step.end;
    if (k % every != 0) continue;
    for (size_t j = 0; j < model.spatial.joints.size(); ++j)
      angles.push_back(ReadJoint(model, state, static_cast<int>(j)).coordinate);
  }
  return angles;
}

/// The same by minimal coordinates.
inline std::vector<double> RigidAngles(const Scene& scene, double duration) {
  const Model model = CompileModel(scene);
  const ReducedDynamics reduced(model);
  const std::vector<double> u = {0.2};
  Eigen::VectorXd state = reduced.InitialState();
  const long steps = std::lround(duration / 5e-4), every = 100;
  std::vector<double> angles;
  for (long k = 1; k <= steps; ++k) {
    state = reduced.Step(state, u, 5e-4);
    if (k % every == 0) angles.insert(angles.end(), state.begin(), state.begin() + reduced.dof());
  }
  return angles;
}

/// Largest difference of angles; infinite if one of the runs failed.
inline double AngleError(const std::vector<double>& a, const std::vector<double>& b) {
  double error = a.empty() || a.size() != b.size() ? HUGE_VAL : 0.0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    error = std::max(error, std::abs(std::remainder(a[i] - b[i], 2 * M_PI)));
  return error;
}

constexpr double kSpookStudyDuration = 0.5;  // [s]

/// Largest error of a joint coordinate against minimal coordinates [rad]. With dry friction, which those do not have,
/// against the same stepper at a 16th of the step.
inline double SpookStudyError(const SpookStudyCase& c, double h) {
  const Scene scene = SpookStudyScene(c);
  const std::vector<double> ours = SpookAngles(scene, h, kSpookStudyDuration);
  return AngleError(ours, c.friction == "dry" ? SpookAngles(scene, h / 16, kSpookStudyDuration)
                                              : RigidAngles(scene, kSpookStudyDuration));
}

struct EnergyRow {
  double largest = 0;                    // |E - E(0)| / (m g l)
  double first_half = 0, last_half = 0;  // means
};

/// Energy of the frictionless pendulum, released at 2 rad without input, shafts included.
inline EnergyRow EnergyOfFuruta(int order, double h, double duration) {
  const Scene scene = FurutaPendulum({.compliance = order == 1 ? 1e-8 : 0.0, .order = order, .friction = "none"}, 2.0);
  const Model model = CompileModel(scene);
  const auto workspace = Spook().MakeWorkspace(model);
  const double shaft = model.spatial.joints[0].motor_shaft_inertia, scale = 0.428 * 9.82 * 0.192;
  const auto energy = [&](const State& state) {
    const double rate = ReadJoint(model, state, 0).rate;
    return ComputeEnergy(model, state).total() + 0.5 * shaft * rate * rate;
  };
  const std::vector<double> u = {0};
  State state = InitialState(model);
  StepResult step;
  const double start = energy(state);
  const long steps = std::lround(duration / h);
  EnergyRow row;
  for (long k = 0; k < steps; ++k) {
    Spook().Step(model, state, {.u = u, .u_end = u, .fired = {}}, h, *workspace, step);
    state = step.end;
    const double error = (energy(state) - start) / scale;
    row.largest = std::max(row.largest, step.status == StepStatus::kSolved ? std::abs(error) : HUGE_VAL);
    (k < steps / 2 ? row.first_half : row.last_half) += 2 * error / static_cast<double>(steps);
  }
  return row;
}

}  // namespace ricochet
