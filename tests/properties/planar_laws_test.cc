// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Laws that every planar step obeys, over 1000 seeded random scenes per stepper: momentum, energy, complementarity,
// friction cone. Each is derived again from the recorded impulses and contact points, not read from the stepper.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "dynamics/energy.h"
#include "dynamics/kinematics.h"
#include "rollout/run.h"
#include "tests/support/random_planar.h"

namespace ricochet {
namespace {

constexpr int kScenes = 1000;
constexpr int kSteps = 250;

double Cross2(const Eigen::Vector2d& a, const Eigen::Vector2d& b) { return a.x() * b.y() - a.y() * b.x(); }

struct Worst {
  double momentum = 0, energy_balance = 0, residual = 0, cone = 0, direction = 0, growth = 0, pull = 0;
  long contacts = 0, failed = 0;
};

/// Checks one run and keeps the worst relative violations.
class LawSink final : public StepSink {
 public:
  LawSink(const Model& model, Worst& worst) : model_(model), worst_(worst) {}

  bool OnStep(const StepResult& step) override {
    const auto& body = model_.planar.bodies[0];
    const Eigen::Vector3d inertia(body.mass, body.mass, body.inertia);
    const Eigen::Vector3d v = step.start.v, v_end = step.end.v;
    Eigen::Vector3d impulse = Eigen::Vector3d::Zero();
    double normal_work = 0;
    for (const ContactRecord& contact : step.contacts) {
      ++worst_.contacts;
      const auto& pair = model_.planar.pairs[contact.pair];
      const auto& surface = model_.planar.surfaces[pair.surface];
      const Eigen::Vector2d r = contact.p_WC.head<2>() - step.start.q.head<2>();
      const Eigen::Vector2d force =
          contact.normal_impulse * surface.normal + contact.tangential_impulse.x() * surface.tangent;
      impulse += Eigen::Vector3d(force.x(), force.y(), Cross2(r, force));
      const Eigen::Vector3d N(surface.normal.x(), surface.normal.y(), Cross2(r, surface.normal));
      const Eigen::Vector3d T(surface.tangent.x(), surface.tangent.y(), Cross2(r, surface.tangent));
      normal_work += contact.normal_impulse * std::max(0.0, N.dot(v_end));

      // Friction lies in its cone and against the slip.
      const double cn = contact.normal_impulse, ct = contact.tangential_impulse.x(), bound = pair.law.friction * cn;
      worst_.pull = std::max(worst_.pull, -cn);
      if (cn > 0) worst_.cone = std::max(worst_.cone, (std::abs(ct) - bound) / cn);
      const double slip = T.dot(v_end) - surface.tangent.dot(surface.velocity) +
                          pair.law.tangential_restitution * (T.dot(v) - surface.tangent.dot(surface.velocity));
      const double speed = v.norm() + v_end.norm() + 1e-3;
      if (cn > 0) worst_.direction = std::max(worst_.direction, ct * slip / (cn * speed));
    }

    // M (v+ - v) = h f + impulses.
    const Eigen::Vector3d weight(body.mass * model_.planar.gravity.x(), body.mass * model_.planar.gravity.y(), 0);
    const Eigen::Vector3d change = inertia.cwiseProduct(v_end - v);
    const double scale = inertia.cwiseProduct(v.cwiseAbs() + v_end.cwiseAbs()).norm() + impulse.norm();
    worst_.momentum = std::max(worst_.momentum, (change - step.h * weight - impulse).norm() / scale);

    // dE = v+.(N cn + T ct) - |v+ - v|^2_M / 2 with gravity's potential.
    const Energy before = ComputeEnergy(model_, step.start), after = ComputeEnergy(model_, step.end);
    const double expected = v_end.dot(impulse) - 0.5 * (v_end - v).dot(change);
    const double energy_scale = before.kinetic + after.kinetic + std::abs(before.potential) + std::abs(after.potential);
    worst_.energy_balance =
        std::max(worst_.energy_balance, std::abs(after.total() - before.total() - expected) / energy_scale);
    worst_.growth =
        std::max(worst_.growth, (after.total() - before.total() - (gap_rule ? normal_work : 0)) / energy_scale);
    worst_.residual = std::max(worst_.residual, step.residual);
    worst_.failed += step.status == StepStatus::kFailed;
    return true;
  }

  bool gap_rule = false;

 private:
  const Model& model_;
  Worst& worst_;
};

Worst RunScenes(const char* method, const testing::RandomPlanarOptions& options) {
  const Stepper& stepper = FindStepper(method);
  Worst worst;
  for (int seed = 0; seed < kScenes; ++seed) {
    const Scene scene = testing::RandomPlanarScene(seed, options);
    const Model model = CompileModel(scene);
    LawSink sink(model, worst);
    sink.gap_rule = std::string(method) == "igc";
    RunOptions run;
    run.step = scene[scene.simulation.step];
    run.steps = kSteps;
    ricochet::Run(stepper, model, InitialState(model), run, sink);
  }
  return worst;
}

void ExpectLaws(const Worst& worst) {
  EXPECT_GT(worst.contacts, 10000);
  EXPECT_EQ(worst.failed, 0);
  EXPECT_LE(worst.residual, 1e-9);
  EXPECT_LE(worst.cone, 1e-12);
  EXPECT_LE(worst.direction, 1e-9);
  EXPECT_LE(worst.pull, 0);
  EXPECT_LE(worst.momentum, 1e-12);
  EXPECT_LE(worst.energy_balance, 1e-12);
}

class PlanarLaws : public ::testing::TestWithParam<const char*> {};

TEST_P(PlanarLaws, HoldForInelasticContact) {
  const Worst worst = RunScenes(GetParam(), {.restitution = false});
  ExpectLaws(worst);
  EXPECT_LE(worst.growth, 1e-12) << "energy grew in a step";
}

TEST_P(PlanarLaws, HoldForRestitutionAndMovingSurfaces) {
  if (std::string(GetParam()) == "igc") return;  // has no restitution: see IgcRefusesRestitution
  const Worst worst = RunScenes(GetParam(), {.restitution = true, .moving_surfaces = true});
  ExpectLaws(worst);
}

INSTANTIATE_TEST_SUITE_P(Methods, PlanarLaws, ::testing::Values("irc", "lcp", "igc"),
                         [](const auto& test) { return std::string(test.param); });

TEST(PlanarSteppers, IgcRefusesRestitution) {
  Scene scene = testing::RandomPlanarScene(1, {.restitution = false});
  scene.Set("contact.restitution", {0.5});
  EXPECT_THROW(FindStepper("igc").Check(CompileModel(scene)), InputError);
}

/// The same scene turned by an angle about the origin.
Scene Turned(const Scene& scene, double angle) {
  Scene out = scene;
  const auto turn = [&](const std::vector<NumberId>& ids) {
    const double x = scene[ids[0]], y = scene[ids[1]], c = std::cos(angle), s = std::sin(angle);
    out.Set(ids[0], c * x - s * y);
    out.Set(ids[1], s * x + c * y);
  };
  turn(scene.gravity.vector);
  for (const Surface& surface : scene.surfaces) {
    turn(surface.point);
    turn(surface.velocity);
    out.Set(surface.angle, scene[surface.angle] + angle);
  }
  turn(scene.initial[0].position);
  turn(scene.initial[0].velocity);
  out.Set(scene.initial[0].orientation[0], scene[scene.initial[0].orientation[0]] + angle);
  return out;
}

class LastState final : public StepSink {
 public:
  bool OnStep(const StepResult& step) override {
    state = step.end;
    return true;
  }
  State state;
};

TEST_P(PlanarLaws, TurningTheSceneTurnsTheMotion) {
  const Stepper& stepper = FindStepper(GetParam());
  for (int seed = 0; seed < 50; ++seed) {
    const Scene scene = testing::RandomPlanarScene(seed, {.restitution = std::string(GetParam()) != "igc"});
    const double angle = 0.1 + 0.05 * seed;
    LastState plain, turned;
    RunOptions run;
    run.step = scene[scene.simulation.step];
    run.steps = 150;
    const Model a = CompileModel(scene), b = CompileModel(Turned(scene, angle));
    ricochet::Run(stepper, a, InitialState(a), run, plain);
    ricochet::Run(stepper, b, InitialState(b), run, turned);
    const Eigen::Rotation2Dd R(angle);
    const double scale = 1 + plain.state.q.norm() + plain.state.v.norm();
    EXPECT_LT((R * plain.state.q.head<2>() - turned.state.q.head<2>()).norm(), 1e-7 * scale) << "seed " << seed;
    EXPECT_LT((R * plain.state.v.head<2>() - turned.state.v.head<2>()).norm(), 1e-7 * scale) << "seed " << seed;
    EXPECT_NEAR(plain.state.q[2] + angle, turned.state.q[2], 1e-7 * scale) << "seed " << seed;
  }
}

}  // namespace
}  // namespace ricochet
