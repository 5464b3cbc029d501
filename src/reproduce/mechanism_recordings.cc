// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "reproduce/mechanism_recordings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "dynamics/tree/tree_flow.h"
#include "estimators/jointed/jointed_family.h"

namespace ricochet {

Recording RecordMechanism(const Scene& scene, const MechanismRun& run, const std::string& name) {
  const JointedFamily family(scene, {});
  const TreeMechanism& mechanism = family.mechanism();
  const JointedInstance instance = family.Compile(family.start());
  const int n = family.dof();
  const bool motor =
      std::any_of(scene.joints.begin(), scene.joints.end(), [](const Joint& joint) { return joint.motor.has_value(); });
  Recording out;
  out.file = name;
  for (int k = 0; k < n; ++k)
    out.columns.push_back(scene.joints[static_cast<std::size_t>(mechanism.joint(k))].name + ".angle");
  if (motor) out.columns.emplace_back("u");
  out.values.resize(out.columns.size());
  FlowOptions options;
  options.tolerance = 1e-10;
  options.slides = family.slides();
  const TreeFlow flow(mechanism, instance.constants, {}, options);
  Random random(run.seed, 21);
  std::vector<double> x(run.angle), r(run.rate);
  x.resize(static_cast<std::size_t>(n), 0.0);
  r.resize(static_cast<std::size_t>(n), 0.0);
  const int rows = static_cast<int>(std::lround(run.duration / run.tick)) + 1;
  for (int i = 0; i < rows; ++i) {
    const double t = i * run.tick, u = run.control ? run.control(t, x, r) : 0.0;
    out.time.push_back(t);
    for (std::size_t k = 0; k < x.size(); ++k)
      out.values[k].push_back(run.noise < 0 ? -run.noise * std::round(x[k] / -run.noise)
                                            : x[k] + random.Normal(0, run.noise));
    if (motor) out.values.back().push_back(u);
    if (i + 1 == rows) break;
    const InputSignal inputs = motor ? InputSignal({t}, {{u}}, {InputSignal::Interpolation::kHold}) : InputSignal();
    TreeMechanism::Vector from_x{}, from_r{};
    std::copy(x.begin(), x.end(), from_x.begin());
    std::copy(r.begin(), r.end(), from_r.begin());
    TreeFlow::End end;
    if (!flow.Run(from_x, from_r, t, t + run.tick, inputs, false, nullptr, end))
      throw InputError({name, 0, 0}, "", fmt::format("the motion cannot be computed beyond t = {:.4g} s.", t),
                       "Start it elsewhere.");
    std::copy(end.x.begin(), end.x.begin() + n, x.begin());
    std::copy(end.r.begin(), end.r.begin() + n, r.begin());
  }
  return out;
}

Scene StribeckPendulum() {
  return ParseScene(
      "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.82]\n"
      "bodies:\n  rod: {mass: 0.428, inertia: [1.0e-4, 0.0039, 0.0039]}\n"
      "joints:\n  hinge:\n    type: hinge\n    parent: world\n    child: rod\n"
      "    parent_frame: {point: [0, 0, 0], axis: [0, -1, 0], zero: [0, 0, -1]}\n"
      "    child_frame: {point: [-0.192, 0, 0], axis: [0, 1, 0], zero: [1, 0, 0]}\n"
      "    compliance: {linear: 1.0e-5, angular: 1.0e-5}\n    damping: 0.02\n    viscous: 2.0e-4\n"
      "    dry: {radius: 1, friction: 0.0016, norm: l1}\n    stribeck: {static: 0.0028, rate: 1.5}\n"
      "observe: [hinge.angle]\nsimulation: {method: spook, step: 1.0e-2, duration: 20}\n",
      "pendulum");
}

Scene FrictionFuruta() {
  const auto hinge = [](const char* name, const char* parent, const char* child, const char* parent_frame,
                        const char* child_frame, double viscous, double dry, const char* motor) {
    return fmt::format(
        "  {}:\n    type: hinge\n    parent: {}\n    child: {}\n    parent_frame: {}\n    child_frame: {}\n"
        "    compliance: {{linear: 1.0e-5, angular: 1.0e-5}}\n    damping: 0.02\n    viscous: {}\n"
        "    dry: {{radius: 1.0, friction: {}, norm: l1}}\n{}",
        name, parent, child, parent_frame, child_frame, viscous, dry, motor);
  };
  return ParseScene(
      "ricochet: 1\nspace: spatial\ngravity: {magnitude: 9.82, tilt: [0.012, -0.008]}\n"
      "bodies:\n  A: {mass: 0.238, inertia: [1.0e-4, 4.2e-3, 4.2e-3]}\n"
      "  B: {mass: 0.428, inertia: [3.0e-4, 4.1e-3, 3.9e-3]}\njoints:\n" +
          hinge("hinge1", "world", "A", "{point: [0, 0, 0], axis: [0, 0, 1], zero: [1, 0, 0]}",
                "{point: [-0.128, 0, 0], axis: [0, 0, 1], zero: [1, 0, 0]}", 7e-4, 5e-4,
                "    motor: {gain: 0.1, shaft_inertia: 4.0e-4, input: u}\n") +
          hinge("hinge2", "A", "B", "{point: [0.12, 0, 0], axis: [1, 0, 0], zero: [0, 0, -1]}",
                "{point: [-0.192, 0, 0], axis: [0, 1, 0], zero: [1, 0, 0]}", 8e-5, 3e-4, "") +
          "observe: [hinge1.angle, hinge2.angle]\nsimulation: {method: spook, step: 1.0e-2, duration: 10}\n",
      "furuta");
}

Controller SwingUp(const Scene& scene) {
  const Body& rod = scene.bodies.back();
  const double mass = scene[rod.mass], length = 0.192, weight = mass * 9.82 * length;
  const double inertia = scene[rod.inertia[1]] + mass * length * length;
  return [=](double t, const std::vector<double>& x, const std::vector<double>& r) {
    if (t < 0.2) return 1.0;  // a push to begin with
    const double energy = 0.5 * inertia * r[1] * r[1] - weight * std::cos(x[1]);
    const double pump = -2 * (weight - energy) * r[1] * std::cos(x[1]);
    return std::clamp(pump - 0.3 * x[0] - 0.05 * r[0], -1.5, 1.5);
  };
}

Controller SwingUpright(const Scene& scene) {
  constexpr double kSpring = 1, kPump = 0.1, kBrake = 0.02, kMore = 1.3, kNearTop = 0.15, kMost = 4;
  const Body &arm = scene.bodies.front(), &rod = scene.bodies.back();
  const Joint &first = scene.joints.front(), &second = scene.joints.back();
  const double mass = scene[rod.mass], gravity = scene[scene.gravity.magnitude];
  const double to_arm = scene[first.child_frame.point[0]], to_rod = scene[second.child_frame.point[0]];
  const double reach = scene[second.parent_frame.point[0]] - to_arm;  // from hinge 1 to hinge 2
  const double length = -to_rod, weight = mass * gravity * length;
  const double gain = scene[first.motor->gain];
  const double of_arm = scene[arm.inertia[2]] + scene[arm.mass] * to_arm * to_arm + scene[first.motor->shaft_inertia] +
                        mass * reach * reach;
  const double across = scene[rod.inertia[1]] + mass * length * length, along = scene[rod.inertia[0]];
  return [=, upright = false](double t, const std::vector<double>& x, const std::vector<double>& r) mutable {
    if (t < 0.2) return 1.0;  // a push to begin with
    const double s = std::sin(x[1]), c = std::cos(x[1]);
    upright = upright || c < -std::cos(kNearTop);
    const double moving = 0.5 * (of_arm + across * s * s + along * c * c) * r[0] * r[0] + 0.5 * across * r[1] * r[1] +
                          mass * reach * length * c * r[0] * r[1];
    const double energy = moving - weight * c + 0.5 * kSpring * x[0] * x[0];
    const double torque = (upright ? -kBrake : kPump * (kMore * weight - energy)) * r[0] - kSpring * x[0];
    return std::clamp(torque / gain, -kMost, kMost);
  };
}

}  // namespace ricochet
