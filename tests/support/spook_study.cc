// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/spook_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "dynamics/energy.h"
#include "dynamics/joint_angle.h"
#include "dynamics/kinematics.h"
#include "dynamics/tree/tree_flow.h"
#include "steppers/spook/spook.h"
#include "tests/support/mechanisms.h"

namespace ricochet::testing {

namespace {

struct Furuta {
  double angle = 1, friction1 = 0, friction2 = 0;
  bool viscous = true, tilted = false;
};

std::string FurutaText(const Furuta& f, double compliance, int order) {
  const auto hinge = [&](const char* name, const char* parent, const char* child, const char* frames, double viscous,
                         double friction, double shaft) {
    std::string text = fmt::format(
        "  {}:\n    type: hinge\n    parent: {}\n    child: {}\n{}    compliance: {{linear: {}, angular: {}}}\n"
        "    damping: 0.02\n    viscous: {}\n",
        name, parent, child, frames, compliance, compliance, f.viscous ? viscous : 0.0);
    if (friction > 0) text += fmt::format("    dry: {{radius: 1.0, friction: {}, norm: l1}}\n", friction);
    if (shaft > 0) text += fmt::format("    motor: {{gain: 0.1, shaft_inertia: {}, input: u}}\n", shaft);
    return text;
  };
  const std::string bodies =
      f.tilted ? "gravity: {magnitude: 9.82, tilt: [0.1, -0.2]}\nbodies:\n"
                 "  A: {mass: 0.238, inertia: [1.4e-3, 3.0e-3, 2.8e-3, 3.0e-4, -2.0e-4, 2.0e-4], center_of_mass: "
                 "[0.01, -0.02, 0.015]}\n"
                 "  B: {mass: 0.428, inertia: [1.8e-3, 4.0e-3, 3.6e-3, -4.0e-4, 3.0e-4, 3.0e-4], center_of_mass: "
                 "[-0.01, 0.02, 0.01]}\n"
               : "gravity: [0, 0, -9.82]\nbodies:\n  A: {mass: 0.238, inertia: [1.0e-4, 3.0e-3, 3.0e-3]}\n"
                 "  B: {mass: 0.428, inertia: [1.0e-4, 4.0e-3, 4.0e-3]}\n";
  return "ricochet: 1\nspace: spatial\n" + bodies + "joints:\n" +
         hinge("hinge1", "world", "A",
               "    parent_frame: {point: [0, 0, 0], axis: [0, 0, 1], zero: [1, 0, 0]}\n"
               "    child_frame: {point: [-0.128, 0, 0], axis: [0, 0, 1], zero: [1, 0, 0]}\n",
               1e-3, f.friction1, f.tilted ? 1e-3 : 1e-4) +
         hinge("hinge2", "A", "B",
               "    parent_frame: {point: [0.12, 0, 0], axis: [1, 0, 0], zero: [0, 0, -1]}\n"
               "    child_frame: {point: [-0.192, 0, 0], axis: [0, 1, 0], zero: [1, 0, 0]}\n",
               1e-4, f.friction2, f.tilted ? 1e-3 : 0) +
         fmt::format(
             "initial:\n  hinge1: {{angle: 0, rate: {}}}\n  hinge2: {{angle: {:.17g}, rate: 0}}\n"
             "simulation: {{method: spook, step: 1.0e-3, duration: 1, options: {{order: {}}}}}\n",
             f.tilted ? 2 : 0, f.angle, order);
}

std::string PendulumText(double compliance, int order, double friction) {
  return fmt::format(
      "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.82]\nbodies:\n  rod: {{mass: 0.428, inertia: [1.0e-4, 3.9e-3, "
      "3.9e-3]}}\njoints:\n  hinge:\n    type: hinge\n    parent: world\n    child: rod\n"
      "    parent_frame: {{point: [0, 0, 0], axis: [0, -1, 0], zero: [0, 0, -1]}}\n"
      "    child_frame: {{point: [-0.192, 0, 0], axis: [0, 1, 0], zero: [1, 0, 0]}}\n"
      "    compliance: {{linear: {}, angular: {}}}\n    damping: 0.02\n    viscous: 0.0002\n"
      "    dry: {{radius: 1, friction: {}, norm: l1}}\ninitial:\n  hinge: {{angle: 3.0915926535897933, rate: 0}}\n"
      "simulation: {{method: spook, step: 1.0e-3, duration: 1, options: {{order: {}}}}}\n",
      compliance, compliance, friction, order);
}

struct Motion {
  Scene scene;
  double duration = 1;            // [s]
  double on = 0, off = 0, u = 0;  // the input is u from `on` to `off` [s]
};

Motion MakeMotion(const std::string& name, int order, double compliance) {
  const auto furuta = [&](const Furuta& f) { return ParseScene(FurutaText(f, compliance, order), name); };
  if (name == "swing") return {furuta({})};
  if (name == "release") return {furuta({.angle = M_PI - 0.03})};
  if (name == "early_pulse") return {furuta({.angle = 0}), 1, 0.2, 0.7, 1};
  if (name == "dry_swing") return {furuta({.friction1 = 6e-4, .friction2 = 2e-4})};
  if (name == "pendulum_viscous") return {ParseScene(PendulumText(compliance, order, 0), name), 2};
  if (name == "pendulum_dry") return {ParseScene(PendulumText(compliance, order, 0.0018), name), 2};
  if (name == "tilted") return {furuta({.tilted = true}), 1, 0.2, 0.7, 1};
  if (name == "tilted_dry") return {furuta({.friction1 = 6e-3, .friction2 = 2e-3, .tilted = true}), 1, 0.2, 0.7, 1};
  if (name == "chain") {
    RandomVectors random(47);
    return {RandomChain(random, 3, compliance,
                        "    viscous: 1.0e-3\n    motor: {gain: 0.1, shaft_inertia: 1.0e-3, input: u}\n",
                        fmt::format(", options: {{order: {}}}", order)),
            0.5, 0, 1, 0.2};
  }
  throw std::invalid_argument(name);
}

/// The rigid motion, piece by piece.
std::vector<FlowPiece> RigidMotion(const Motion& motion, const Model& model, TreeMechanism& mechanism) {
  const TreeConstants<double> constants = mechanism.Constants<double>(model.spatial);
  FlowOptions options;
  options.step = 2e-3;
  options.tolerance = 1e-13;
  TreeMechanism::Vector x{}, r{};
  for (int k = 0; k < mechanism.dof(); ++k) {
    options.slides.push_back(mechanism.IsDry(constants, k));
    const std::string& joint = motion.scene.joints[static_cast<size_t>(mechanism.joint(k))].name;
    for (const Initial& initial : motion.scene.initial) {
      if (initial.name == joint) x[k] = motion.scene[initial.angle], r[k] = motion.scene[initial.rate];
    }
  }
  InputSignal inputs;
  if (!model.spatial.inputs.empty()) {
    std::vector<double> time = {0};
    std::vector<std::vector<double>> rows = {{motion.on > 0 ? 0 : motion.u}};
    if (motion.on > 0) time.push_back(motion.on), rows.push_back({motion.u});
    if (motion.off > 0) time.push_back(motion.off), rows.push_back({0});
    inputs = InputSignal(std::move(time), std::move(rows), {InputSignal::Interpolation::kHold});
  }
  std::vector<FlowPiece> pieces;
  TreeFlow::End end;
  const TreeFlow flow(mechanism, constants, {}, options);
  if (!flow.Run(
          x, r, 0, motion.duration, inputs, false, [&](const FlowPiece& piece) { pieces.push_back(piece); }, end))
    throw std::runtime_error("the rigid motion could not be computed");
  return pieces;
}

}  // namespace

std::vector<std::string> SpookStudyMotions() {
  return {"swing",        "release", "early_pulse", "dry_swing", "pendulum_viscous",
          "pendulum_dry", "tilted",  "tilted_dry",  "chain"};
}

double SpookStudyError::largest() const { return *std::max_element(joints.begin(), joints.end()); }

SpookStudyError MeasureSpookError(const std::string& name, int order, double h, double compliance) {
  const Motion motion = MakeMotion(name, order, compliance);
  const Model model = CompileModel(motion.scene);
  TreeMechanism mechanism(model);
  const std::vector<FlowPiece> truth = RigidMotion(motion, model, mechanism);
  const auto workspace = Spook().MakeWorkspace(model);
  State state = InitialState(model);
  StepResult step;
  SpookStudyError out;
  out.joints.assign(static_cast<size_t>(mechanism.dof()), 0);
  size_t piece = 0;
  const long steps = std::lround(motion.duration / h);
  for (long k = 0; k < steps; ++k) {
    const double middle = (static_cast<double>(k) + 0.5) * h;
    const std::vector<double> u(model.spatial.inputs.size(),
                                middle > motion.on && middle < motion.off ? motion.u : 0.0);
    Spook().Step(model, state, {.u = u, .u_end = u, .fired = {}}, h, *workspace, step);
    out.failed_steps += step.status != StepStatus::kSolved;
    state.q = step.end.q;
    state.v = step.end.v;
    state.time = static_cast<double>(k + 1) * h;
    while (piece + 1 < truth.size() && truth[piece].end < state.time - 1e-12) ++piece;
    for (int j = 0; j < mechanism.dof(); ++j) {
      const double exact = truth[piece].Read(j, state.time).value;
      const double error = std::remainder(ReadJoint(model, state, mechanism.joint(j)).coordinate - exact, 2 * M_PI);
      out.joints[static_cast<size_t>(j)] = std::max(out.joints[static_cast<size_t>(j)], std::abs(error));
    }
  }
  return out;
}

SpookStudyEnergy MeasureSpookEnergy(bool tilted, int order, double h, double compliance, double damping,
                                    double duration) {
  Scene scene = ParseScene(FurutaText({.angle = 2, .viscous = false, .tilted = tilted}, compliance, order), "energy");
  scene.Set("joints.*.damping", {damping});
  const Model model = CompileModel(scene);
  const auto workspace = Spook().MakeWorkspace(model);
  State state = InitialState(model);
  StepResult step;
  const double scale = 0.428 * 9.82 * 0.192;
  const auto energy = [&] {
    double sum = ComputeEnergy(model, state).total();
    for (size_t j = 0; j < model.spatial.joints.size(); ++j) {
      const double rate = ReadJoint(model, state, static_cast<int>(j)).rate;
      sum += 0.5 * model.spatial.joints[j].motor_shaft_inertia * rate * rate;
    }
    return sum / scale;
  };
  const std::vector<double> u = {0};
  const long steps = std::lround(duration / h);
  const double start = energy();
  double last = 0, first_half = 0, second_half = 0;
  SpookStudyEnergy out;
  for (long k = 0; k < steps; ++k) {
    Spook().Step(model, state, {.u = u, .u_end = u, .fired = {}}, h, *workspace, step);
    out.failed_steps += step.status != StepStatus::kSolved;
    state.q = step.end.q;
    state.v = step.end.v;
    const double error = energy() - start;
    out.largest = std::max(out.largest, std::abs(error));
    if (10 * k < steps) out.first_tenth = std::max(out.first_tenth, std::abs(error));
    (2 * k < steps ? first_half : second_half) += 2 * error / static_cast<double>(steps);
    out.mean_step += std::abs(error - last) / static_cast<double>(steps);
    last = error;
  }
  out.drift = second_half - first_half;
  return out;
}

}  // namespace ricochet::testing
