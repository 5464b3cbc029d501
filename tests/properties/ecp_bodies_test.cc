// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `ecp` with several bodies and contacts: momentum, stacks, obstacles, corners, moving surfaces.
#include <gtest/gtest.h>

#include "steppers/ecp/ecp_patch.h"
#include "tests/support/ecp_run.h"

namespace ricochet {
namespace {

using Vec = Vector3<double>;

Scene Parse(const std::string& gravity, const std::string& bodies, const std::string& rest) {
  return ParseScene("ricochet: 1\nspace: spatial\ngravity: " + gravity + "\nbodies:\n" + bodies + rest +
                        "simulation: {method: ecp, step: 0.005, duration: 1}\n",
                    "bodies.yaml");
}

TEST(EcpBodies, CollidingBodiesKeepMomentumAndLoseEnergy) {
  const char* shapes[] = {"{box: {size: [0.3, 0.4, 0.5]}}", "{cylinder: {radius: 0.2, length: 0.4}}",
                          "{sphere: {radius: 0.25}}", "{ellipsoid: {semi_axes: [0.3, 0.2, 0.25]}}"};
  for (const char* a : shapes) {
    for (const char* b : shapes) {
      EcpRun run(Parse("[0, 0, 0]", std::string("  a: {shape: ") + a + ", mass: 2}\n  b: {shape: " + b + ", mass: 1}\n",
                       "contact: {friction: 0.4, patch: [1, 1, 0.1]}\n"
                       "initial:\n"
                       "  a: {position: [-0.5, 0.03, 0.02], orientation: [0.9, 0.1, 0.2, 0.3], velocity: [1.5, 0, "
                       "0.1], angular_velocity: [1, 2, -1]}\n"
                       "  b: {position: [0.4, -0.02, 0], orientation: [0.8, -0.3, 0.1, 0.2], velocity: [-1, 0.2, 0], "
                       "angular_velocity: [0, 1, 2]}\n"));
      const auto momentum = [&] { return Vec(2 * run.velocity(0) + run.velocity(1)); };
      const Vec before = momentum();
      const double energy = ComputeEnergy(run.model, run.state).kinetic;
      int touching = 0;
      double last = energy;
      for (int k = 0; k < 120; ++k) {
        const StepResult& step = run.Step(0.005);
        ASSERT_EQ(step.status, StepStatus::kSolved) << a << " " << b << " step " << k;
        EXPECT_LE(step.residual, 1e-10);
        touching += !step.contacts.empty();
        const double now = ComputeEnergy(run.model, run.state).kinetic;
        double bound = 0;
        // The record of a step in halves is that of the half in which the bodies touch.
        if (!step.contacts.empty() && !run.ecp().solution.closed.empty()) {
          const ContactRecord& contact = step.contacts[0];
          EXPECT_GE(contact.gap, -1e-9);
          // The point is where both bodies have it.
          EXPECT_LT((run.position(0) + Rotate<double>(run.orientation(0), contact.p_BC) - contact.p_WC).norm(), 1e-12);
          EXPECT_LT((run.position(1) + Rotate<double>(run.orientation(1), contact.p_OC) - contact.p_WC).norm(), 1e-12);
          // Friction in its ellipsoid; energy grows by no more than p_n n . (v_F - v_G) at the contact point.
          const double reach =
              Vec(contact.tangential_impulse[0], contact.tangential_impulse[1], contact.torsional_impulse / 0.1).norm();
          EXPECT_LE(reach, 0.4 * contact.normal_impulse * (1 + 1e-9) + 1e-12);
          const EcpProblem<double>& problem = run.ecp().problem;
          const EcpClosed& closed = run.ecp().solution.closed[0];
          const EcpEnd<double> G = EndOf(problem.bodies[1], problem.h, run.ecp().solution.velocities.data());
          const Vec n = NormalOf(problem, G, closed).n;
          const auto at = [&](int body) {
            return Vec(run.velocity(body) + run.spin(body).cross(contact.p_WC - run.position(body)));
          };
          bound = contact.normal_impulse * n.dot(at(0) - at(1));
        }
        EXPECT_LE(now - last, bound + 1e-11) << a << " " << b << " step " << k;
        last = now;
        EXPECT_LT((momentum() - before).norm(), 1e-11);
      }
      EXPECT_GT(touching, 0) << a << " " << b;
      EXPECT_LT(ComputeEnergy(run.model, run.state).kinetic, energy) << a << " " << b;
    }
  }
}

TEST(EcpBodies, StackStandsStill) {
  EcpRun run(Parse(
      "[0, 0, -9.8]",
      "  low: {shape: {box: {size: [0.6, 0.6, 0.2]}}, mass: 2}\n  high: {shape: {cylinder: {radius: 0.2, length: "
      "0.3}}, mass: 1}\n",
      "surfaces:\n  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}\n"
      "contact: {friction: 0.5, patch: [1, 1, 0.1]}\n"
      "initial:\n"
      "  low: {position: [0, 0, 0.1], orientation: [1, 0, 0, 0], velocity: [0, 0, 0], angular_velocity: [0, 0, 0]}\n"
      "  high: {position: [0.05, 0.02, 0.35], orientation: [1, 0, 0, 0], velocity: [0, 0, 0], angular_velocity: [0, 0, "
      "0]}\n"));
  for (int k = 0; k < 40; ++k) {
    const StepResult& step = run.Step(0.005);
    ASSERT_EQ(step.status, StepStatus::kSolved) << k;
    ASSERT_EQ(step.contacts.size(), 2u);
    for (const ContactRecord& contact : step.contacts) {
      const bool floor = run.model.spatial.pairs[contact.pair].surface >= 0;
      EXPECT_NEAR(contact.normal_impulse, (floor ? 3 : 1) * 9.8 * 0.005, 1e-9);
      EXPECT_EQ(contact.kind, ContactKind::kSurface);
      // Moments balance: the upper patch is loaded under the upper center, the lower under the common one.
      EXPECT_NEAR(contact.p_WC.x(), floor ? 0.05 / 3 : 0.05, 1e-9);
    }
    EXPECT_LT(run.state.v.norm(), 1e-10);
  }
}

TEST(EcpBodies, BoxPushedAgainstAnObstacleStopsAtIt) {
  EcpRun run(Parse(
      "[0, 0, -9.8]",
      "  box: {shape: {box: {size: [0.2, 0.2, 0.2]}}, mass: 1}\n  wall: {shape: {box: {size: [0.2, 1, 1]}}, fixed: "
      "true}\n",
      "surfaces:\n  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}\n"
      "contact: {friction: 0.2, patch: [1, 1, 0.08]}\n"
      "initial:\n"
      "  box: {position: [0, 0, 0.1], orientation: [1, 0, 0, 0], velocity: [2, 0, 0], angular_velocity: [0, 0, 0]}\n"
      "  wall: {position: [0.5, 0, 0.5], orientation: [1, 0, 0, 0]}\n"
      "actions:\n  - {body: box, force: [5, 0, 0]}\n"));
  bool both = false;
  for (int k = 0; k < 120; ++k) {
    const StepResult& step = run.Step(0.005);
    ASSERT_EQ(step.status, StepStatus::kSolved) << k;
    EXPECT_LE(run.position().x(), 0.3 + 1e-9);
    both = both || step.contacts.size() == 2;
  }
  EXPECT_TRUE(both);
  EXPECT_NEAR(run.position().x(), 0.3, 1e-9);
  EXPECT_LT(run.state.v.norm(), 1e-9);
}

TEST(EcpBodies, ConveyorCarriesTheBoxAlong) {
  EcpRun run(Parse("[0, 0, -9.8]", "  box: {shape: {box: {size: [0.2, 0.2, 0.2]}}, mass: 1}\n",
                   "surfaces:\n  belt: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}, velocity: [0.5, 0, 0]}\n"
                   "contact: {friction: 0.2, patch: [1, 1, 0.08]}\n"
                   "initial:\n  box: {position: [0, 0, 0.1], orientation: [1, 0, 0, 0], velocity: [0, 0, 0], "
                   "angular_velocity: [0, 0, 0]}\n"));
  // Accelerates by mu g until it has the belt's speed at 0.5 / 1.96 = 0.2551 s.
  for (int k = 1; k <= 100; ++k) {
    run.Step(0.005);
    EXPECT_NEAR(run.velocity().x(), std::min(0.5, 1.96 * 0.005 * k), 1e-10);
  }
}

TEST(EcpBodies, SlopeDecidesBetweenStickAndSlide) {
  for (const double friction : {0.3, 0.7}) {
    // tan 30 degrees = 0.577: acceleration g (sin - mu cos) or rest.
    const std::string tilt = "{magnitude: 9.8, tilt: [0.5235987755982988, 0]}";
    EcpRun run(Parse(tilt, "  box: {shape: {box: {size: [0.4, 0.4, 0.1]}}, mass: 1}\n",
                     "surfaces:\n  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}\n"
                     "contact: {friction: " +
                         std::to_string(friction) +
                         ", patch: [1, 1, 0.15]}\n"
                         "initial:\n  box: {position: [0, 0, 0.05], orientation: [1, 0, 0, 0], velocity: [0, 0, 0], "
                         "angular_velocity: [0, 0, 0]}\n"));
    for (int k = 1; k <= 50; ++k) {
      run.Step(0.005);
      const double slope = 0.5 - friction * std::sqrt(0.75);
      EXPECT_NEAR(run.velocity().x(), slope > 0 ? 9.8 * slope * 0.005 * k : 0.0, 1e-9);
    }
  }
}

}  // namespace
}  // namespace ricochet
