// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Scenes of jointed bodies for tests.
#pragma once

#include <fmt/format.h>

#include <string>

#include "ricochet/scene.h"
#include "tests/support/random_vectors.h"

namespace ricochet {

inline std::string VectorText(const Eigen::Vector3d& v) {
  return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", v[0], v[1], v[2]);
}

/// A rod on a hinge, observed by its angle. `friction` is added to the joint.
inline Scene RodOnHinge(double compliance, double viscous, double duration, const std::string& friction = "") {
  return ParseScene(
      fmt::format(
          "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.82]\n"
          "bodies:\n  rod: {{mass: 0.428, inertia: [1.0e-4, 0.0039, 0.0039]}}\n"
          "joints:\n  hinge:\n    type: hinge\n    parent: world\n    child: rod\n"
          "    parent_frame: {{point: [0, 0, 0], axis: [0, -1, 0], zero: [0, 0, -1]}}\n"
          "    child_frame: {{point: [-0.192, 0, 0], axis: [0, 1, 0], zero: [1, 0, 0]}}\n"
          "    compliance: {{linear: {0:.17g}, angular: {0:.17g}}}\n    damping: 0.02\n    viscous: {1:.17g}\n{2}"
          "observe: [hinge.angle]\nsimulation: {{method: spook, step: 1.0e-2, duration: {3:.17g}}}\n",
          compliance, viscous, friction, duration),
      "pendulum");
}

/// A chain of bodies with random masses, full inertia tensors, hinge axes and frames, hung from the world. `extra` is
/// added to every joint.
inline Scene RandomChain(RandomVectors& random, int bodies, double compliance, const std::string& extra = "",
                         const std::string& options = "") {
  std::string text = "ricochet: 1\nspace: spatial\ngravity: {magnitude: 9.81, tilt: [0.1, -0.2]}\nbodies:\n";
  std::string joints = "joints:\n", initial = "initial:\n";
  for (int i = 0; i < bodies; ++i) {
    Eigen::Matrix3d A;
    for (int k = 0; k < 3; ++k) A.col(k) = random.Vector<3>();
    // A second-moment matrix S > 0 gives an inertia tr(S) 1 - S that a body can have.
    const Eigen::Matrix3d S = 1e-3 * (A * A.transpose() + 0.2 * Eigen::Matrix3d::Identity());
    const Eigen::Matrix3d I = S.trace() * Eigen::Matrix3d::Identity() - S;
    text += fmt::format(
        "  b{}:\n    mass: {:.17g}\n    inertia: [{:.17g}, {:.17g}, {:.17g}, {:.17g}, {:.17g}, {:.17g}]\n"
        "    center_of_mass: {}\n",
        i, random.LogUniform(0.2, 2), I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2),
        VectorText(0.02 * random.Vector<3>()));
    const auto frame = [&](const Eigen::Vector3d& point) {
      const Eigen::Vector3d axis = random.Direction<3>();
      const Eigen::Vector3d zero = axis.cross(random.Direction<3>()).normalized();
      return fmt::format("{{point: {}, axis: {}, zero: {}}}", VectorText(point), VectorText(axis), VectorText(zero));
    };
    joints += fmt::format(
        "  j{}:\n    type: hinge\n    parent: {}\n    child: b{}\n    parent_frame: {}\n    child_frame: {}\n"
        "    compliance: {{linear: {:.17g}, angular: {:.17g}}}\n    damping: 0.02\n{}",
        i, i == 0 ? "world" : fmt::format("b{}", i - 1), i, frame({0.1, 0.05, -0.1}), frame({-0.1, 0, 0.08}),
        compliance, compliance, extra);
    initial +=
        fmt::format("  j{}: {{angle: {:.17g}, rate: {:.17g}}}\n", i, random.Uniform(-1, 1), random.Uniform(-2, 2));
  }
  return ParseScene(text + joints + initial + "simulation: {method: spook, step: 1.0e-3, duration: 1" + options + "}\n",
                    "chain");
}

/// A four-bar loop in a vertical plane: ground 0.3 m, crank 0.1 m, coupler 0.28 m, rocker 0.2 m; all hinges along y. In
/// space three of its rows repeat others.
inline Scene FourBar(double compliance, const std::string& options = "") {
  const auto joint = [&](const char* name, const char* parent, const char* child, double px, double cx) {
    return fmt::format(
        "  {}:\n    type: hinge\n    parent: {}\n    child: {}\n"
        "    parent_frame: {{point: [{}, 0, 0], axis: [0, -1, 0], zero: [1, 0, 0]}}\n"
        "    child_frame: {{point: [{}, 0, 0], axis: [0, -1, 0], zero: [1, 0, 0]}}\n"
        "    compliance: {{linear: {}, angular: {}}}\n    damping: 0.02\n",
        name, parent, child, px, cx, compliance, compliance);
  };
  std::string text =
      "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  crank: {mass: 0.2, inertia: [1.0e-5, 2.0e-4, 2.0e-4]}\n"
      "  coupler: {mass: 0.5, inertia: [2.0e-5, 3.3e-3, 3.3e-3]}\n"
      "  rocker: {mass: 0.4, inertia: [2.0e-5, 1.3e-3, 1.3e-3]}\njoints:\n";
  text += joint("a", "world", "crank", 0, -0.05) + joint("b", "crank", "coupler", 0.05, -0.14) +
          joint("c", "coupler", "rocker", 0.14, 0.1) + joint("d", "world", "rocker", 0.3, -0.1);
  text +=
      "initial:\n  a: {angle: 1.2, rate: 3}\nobserve: [a.angle]\nsimulation: {method: spook, step: 1.0e-3, duration: "
      "1" +
      options + "}\n";
  return ParseScene(text, "four_bar");
}

/// What is simulated has neither drag nor springs nor friction beyond the scene's: standard deviations are those of the
/// noise alone.
inline void StateThatNothingElseActs(Scene& scene) {
  for (const char* absent :
       {"bodies.*.drag.linear", "bodies.*.drag.quadratic", "joints.*.coulomb", "joints.*.drive.stiffness"})
    scene.Set(absent, {0.0});
}

}  // namespace ricochet
