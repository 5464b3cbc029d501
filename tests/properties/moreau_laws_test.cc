// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Laws of `moreau` on seeded random tosses: complementarity, cone, dissipation, momentum, invariance.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include "core/random.h"
#include "dynamics/energy.h"
#include "rollout/rest.h"
#include "tests/support/spatial_run.h"
#include "tests/support/test_paths.h"

namespace ricochet::testing {
namespace {

constexpr double kStep = 1.0 / 360;

/// Complementarity, cone, slip direction, momentum and dissipation of one step, recomputed from the result alone.
struct Laws {
  double residual = 0;  // reported by the solver, relative
  double cone = 0;      // |P_T| - mu P_N, relative to P_N
  double negative = 0;  // -P_N, relative
  double momentum = 0;  // m (v+ - v) - m g h - sum P, relative
  double gain = 0;      // kinetic energy from free to end twist, relative
  int failed = 0;
  long contacts = 0;
};

void Check(const SpatialRun& run, const StepResult& s, bool explicit_rotation, Laws& laws) {
  const SpatialBody<double>& body = run.model().spatial.bodies[0];
  const double mu = run.model().spatial.pairs[0].law.friction;
  laws.residual = std::max(laws.residual, s.residual);
  if (s.status != StepStatus::kSolved) ++laws.failed;
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  double largest = 0;
  for (const ContactRecord& c : s.contacts) largest = std::max(largest, c.normal_impulse);
  for (const ContactRecord& c : s.contacts) {
    ++laws.contacts;
    sum += Eigen::Vector3d(c.tangential_impulse[0], c.tangential_impulse[1], c.normal_impulse);
    laws.negative = std::max(laws.negative, -c.normal_impulse / (largest + 1e-300));
    laws.cone = std::max(laws.cone, (c.tangential_impulse.norm() - mu * c.normal_impulse) / (largest + 1e-300));
  }
  if (!explicit_rotation) {
    // The explicit scheme turns the linear velocity with the body axes; only the conserving one balances exactly.
    const Eigen::Vector3d change = body.mass * (s.end.v.head<3>() - s.start.v.head<3>());
    const Eigen::Vector3d expected = sum + body.mass * run.model().spatial.gravity * s.h;
    laws.momentum = std::max(laws.momentum, (change - expected).norm() / (sum.norm() + body.mass * 9.81 * s.h));
  }
  const double kinetic = ComputeEnergy(run.model(), s.start).kinetic + 1e-6;
  laws.gain = std::max(laws.gain, -s.dissipated / kinetic);
}

TEST(MoreauLaws, ThousandTosses) {
  Laws laws;
  long steps = 0;
  for (int seed = 0; seed < 1000; ++seed) {
    SpatialRun run(RandomTossText(seed));
    for (int k = 0; k < 200; ++k, ++steps) Check(run, run.Step(kStep), true, laws);
  }
  EXPECT_LE(laws.residual, 1e-10);
  EXPECT_LE(laws.cone, 1e-10);
  EXPECT_LE(laws.negative, 0.0);
  EXPECT_EQ(laws.failed, 0);
  EXPECT_GT(laws.contacts, 10000);
}

TEST(MoreauLaws, ContactsNeverAddEnergyWithoutRestitution) {
  Laws laws;
  for (int seed = 0; seed < 200; ++seed) {
    SpatialRun run(RandomTossText(seed, {.restitution = false}));
    for (int k = 0; k < 300; ++k) Check(run, run.Step(kStep), true, laws);
  }
  EXPECT_LE(laws.gain, 1e-12);
  EXPECT_EQ(laws.failed, 0);
}

TEST(MoreauLaws, ConservingRotationNeverGainsTotalEnergyAndBalancesMomentum) {
  Laws laws;
  double growth = 0;
  for (int seed = 0; seed < 200; ++seed) {
    SpatialRun run(RandomTossText(seed, {.restitution = false, .options = "{rotation: conserving}"}));
    double energy = ComputeEnergy(run.model(), run.state()).total();
    const double scale = std::abs(energy);
    for (int k = 0; k < 300; ++k) {
      Check(run, run.Step(kStep), false, laws);
      const double next = ComputeEnergy(run.model(), run.state()).total();
      growth = std::max(growth, (next - energy) / scale);
      energy = next;
    }
  }
  EXPECT_LE(growth, 1e-12);
  EXPECT_LE(laws.momentum, 1e-9);
  EXPECT_EQ(laws.failed, 0);
}

/// How far run b is from the image of run a after each of `steps` steps.
template <class Image>
double LargestDistance(SpatialRun& a, SpatialRun& b, const Image& image, int steps) {
  double worst = 0;
  b.state() = image(a.state());
  for (int k = 0; k < steps; ++k) {
    a.Step(kStep);
    b.Step(kStep);
    const State expected = image(a.state());
    const double sign = expected.q.tail<4>().dot(b.state().q.tail<4>()) < 0 ? -1 : 1;
    worst = std::max({worst, (expected.q.head<3>() - b.state().q.head<3>()).norm(),
                      (expected.q.tail<4>() - sign * b.state().q.tail<4>()).norm(), (expected.v - b.state().v).norm()});
  }
  return worst;
}

TEST(MoreauLaws, RotatedRelabeledAndMirroredScenesMoveTheSame) {
  double turned = 0, relabeled = 0, mirrored = 0;
  for (int seed = 0; seed < 60; ++seed) {
    const std::string text = RandomTossText(seed);
    const int steps = 90;
    {
      // Turned about the normal by 1 rad.
      SpatialRun a(text), b(text);
      const Eigen::Quaterniond turn(Eigen::AngleAxisd(1.0, Eigen::Vector3d::UnitZ()));
      const auto image = [&](const State& s) {
        State t = s;
        t.q.head<3>() = turn * Eigen::Vector3d(s.q.head<3>());
        const Eigen::Quaterniond q = turn * Eigen::Quaterniond(s.q[3], s.q[4], s.q[5], s.q[6]);
        t.q.tail<4>() << q.w(), q.x(), q.y(), q.z();
        t.v.head<3>() = turn * Eigen::Vector3d(s.v.head<3>());
        t.v.tail<3>() = turn * Eigen::Vector3d(s.v.tail<3>());
        return t;
      };
      turned = std::max(turned, LargestDistance(a, b, image, steps));
    }
    {
      // The same box described in axes turned by half a turn about its z: corners change their numbers.
      SpatialRun a(text), b(text);
      SpatialBody<double>& body = b.mutable_model().spatial.bodies[0];
      const Eigen::Vector3d flip(-1, -1, 1);
      body.I_BBcm_B = flip.asDiagonal() * body.I_BBcm_B * flip.asDiagonal();
      body.p_BBcm = flip.cwiseProduct(body.p_BBcm);
      const auto image = [&](const State& s) {
        State t = s;
        const Eigen::Quaterniond q =
            Eigen::Quaterniond(s.q[3], s.q[4], s.q[5], s.q[6]) * Eigen::Quaterniond(0, 0, 0, 1);
        t.q.tail<4>() << q.w(), q.x(), q.y(), q.z();
        return t;
      };
      relabeled = std::max(relabeled, LargestDistance(a, b, image, steps));
    }
    {
      // Mirrored at the plane y = 0.
      SpatialRun a(text), b(text);
      SpatialBody<double>& body = b.mutable_model().spatial.bodies[0];
      const Eigen::Vector3d flip(1, -1, 1);
      body.I_BBcm_B = flip.asDiagonal() * body.I_BBcm_B * flip.asDiagonal();
      body.p_BBcm = flip.cwiseProduct(body.p_BBcm);
      const auto image = [&](const State& s) {
        State t = s;
        t.q[1] = -s.q[1];
        t.q[4] = -s.q[4];
        t.q[6] = -s.q[6];
        t.v[1] = -s.v[1];
        t.v[3] = -s.v[3];
        t.v[5] = -s.v[5];
        return t;
      };
      mirrored = std::max(mirrored, LargestDistance(a, b, image, steps));
    }
  }
  EXPECT_LE(turned, 1e-9);
  EXPECT_LE(relabeled, 1e-9);
  EXPECT_LE(mirrored, 1e-9);
}

/// A cube sliding flat. From gap 0 the strict test makes the first step a flight of a few micrometers; from then on the
/// discrete answer is v_(k+1) = v_k - mu g h, and the position advances by the mean of both velocities.
TEST(MoreauLaws, SlidingCubeFollowsTheDiscreteAnswer) {
  const double h = 0.01, mu = 0.12, g = 9.81, v0 = 2;
  SpatialRun run(
      "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n  cube: {shape: {box: {size: [1, 1, 1]}}, mass: "
      "1}\n"
      "surfaces:\n  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}\ncontact: {friction: 0.12}\n"
      "initial:\n  cube: {position: [0, 0, 0.5], orientation: [1, 0, 0, 0], velocity: [2, 0, 0], angular_velocity: [0, "
      "0, 0]}\n"
      "simulation: {method: moreau}\n");
  double x = 0, v = v0, z_velocity = 0;
  bool stopped = false;
  for (int k = 0; k < 250; ++k) {
    const StepResult& s = run.Step(h);
    if (k == 0) {
      EXPECT_TRUE(s.contacts.empty());
      z_velocity = -g * h;
      x += h * v;
    } else {
      // The second step also stops the fall of the first: its normal impulse is that of two steps.
      const double normal = k == 1 ? g * h - z_velocity : g * h;
      const double next = std::max(0.0, v - mu * normal);
      x += 0.5 * h * (v + next);
      stopped = stopped || next == 0;
      v = next;
    }
    EXPECT_NEAR(run.state().q[0], x, 1e-10) << "step " << k;
    EXPECT_NEAR(run.state().q[1], 0, 1e-12);
    EXPECT_NEAR(run.state().v[0], v, 1e-10);
    EXPECT_LE(run.state().v.tail<3>().norm(), 1e-10);
  }
  EXPECT_TRUE(stopped);
}

/// A ball dropped from 1 m with e = 0.5: apexes 0.25 and 0.0625 m, first order in h.
TEST(MoreauLaws, BouncingBallConvergesWithOrderH) {
  const auto apexes = [](double h) {
    SpatialRun run(
        "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n  ball: {shape: {sphere: {radius: 0.1}}, mass: "
        "1}\n"
        "surfaces:\n  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}\ncontact: {friction: 0.3, restitution: "
        "0.5}\n"
        "initial:\n  ball: {position: [0, 0, 1.1], orientation: [1, 0, 0, 0], velocity: [0, 0, 0], angular_velocity: "
        "[0, 0, 0]}\n"
        "simulation: {method: moreau}\n");
    std::vector<double> found;
    double last = run.state().v[2];
    for (double t = 0; t < 1.3 && found.size() < 2; t += h) {
      run.Step(h);
      const double v = run.state().v[2];
      if (last > 0 && v <= 0) found.push_back(run.state().q[2] - 0.1);
      last = v;
    }
    return found;
  };
  double last_error = 0;
  for (const double h : {1e-3, 1e-4, 1e-5}) {
    const std::vector<double> a = apexes(h);
    ASSERT_EQ(a.size(), 2u);
    const double error = std::max(std::abs(a[0] - 0.25), std::abs(a[1] - 0.0625));
    EXPECT_LE(error, 6 * h) << h;  // impact times are off by up to h at 4.4 m/s
    if (last_error > 0) {
      EXPECT_LE(error, 0.5 * last_error);
    }
    last_error = error;
  }
}

TEST(MoreauLaws, ConservingTumbleKeepsEnergyAndMomentum) {
  SpatialRun run(
      "ricochet: 1\nspace: spatial\ngravity: [0, 0, 0]\nbodies:\n  body: {mass: 1, inertia: [1.0e-3, 2.0e-3, 2.6e-3], "
      "shape: "
      "{box: {size: [0.1, 0.1, 0.1]}}}\ncontact: {friction: 0.1}\ninitial:\n  body: {position: [0, 0, 0], orientation: "
      "[1, 0, 0, 0], velocity: [0, 0, 0], angular_velocity: [0.1, 10, 0.1]}\n"
      "simulation: {method: moreau, options: {rotation: conserving}}\n");
  const SpatialBody<double>& body = run.model().spatial.bodies[0];
  const auto momentum = [&] {
    const State& s = run.state();
    const Eigen::Quaterniond q(s.q[3], s.q[4], s.q[5], s.q[6]);
    return Eigen::Vector3d(q * (body.I_BBcm_B * (q.conjugate() * Eigen::Vector3d(s.v.tail<3>()))));
  };
  const double energy = ComputeEnergy(run.model(), run.state()).kinetic;
  const Eigen::Vector3d start = momentum();
  for (int k = 0; k < 100000; ++k) run.Step(1e-3);
  EXPECT_LE(std::abs(ComputeEnergy(run.model(), run.state()).kinetic / energy - 1), 1e-6);
  EXPECT_LE((momentum() - start).norm() / start.norm(), 1e-6);
}

/// Of the contact steps of `bench/study_piles` no more than one in a thousand ends above 1e-10, and one in ten thousand
/// fails.
TEST(MoreauLaws, PilesOfBoxes) {
  PileCount sum;
  for (const int boxes : {2, 3, 5})
    for (const double friction : {0.2, 0.8})
      for (const double restitution : {0.0, 0.3}) RunPile({boxes, 7, friction, restitution}, sum);
  EXPECT_GT(sum.steps, 2500);
  EXPECT_GT(sum.between, 2000);
  EXPECT_EQ(sum.failed, 0);
  EXPECT_LE(sum.above, sum.steps / 1000);
  EXPECT_LE(sum.residual, 1e-9);
  EXPECT_LE(sum.cone, 1e-10);

  std::ifstream table(SourcePath("bench/study_piles.csv"));
  std::string line;
  std::getline(table, line);
  long steps = 0, above = 0, failed = 0;
  while (std::getline(table, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream cells(line);
    double boxes, friction, restitution, residual;
    long row_steps, row_above, row_failed;
    cells >> boxes >> friction >> restitution >> row_steps >> row_above >> row_failed >> residual;
    ASSERT_TRUE(cells) << line;
    steps += row_steps;
    above += row_above;
    failed += row_failed;
    if (row_failed == 0) {
      EXPECT_LE(residual, 1e-9) << line;
    }
  }
  EXPECT_GT(steps, 20000);
  EXPECT_LE(above, steps / 1000);
  EXPECT_LE(failed, steps / 10000);
}

TEST(MoreauLaws, StacksStandStill) {
  for (const int count : {2, 5, 10}) {
    std::string bodies, initial;
    for (int i = 0; i < count; ++i) {
      bodies += "  b" + std::to_string(i) + ": {shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1}\n";
      initial += "  b" + std::to_string(i) + ": {position: [0, 0, " + std::to_string(0.05 + 0.1 * i) +
                 "], orientation: [1, 0, 0, 0], velocity: [0, 0, 0], angular_velocity: [0, 0, 0]}\n";
    }
    SpatialRun run(
        "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n" + bodies +
        "surfaces:\n  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}\ncontact: {friction: 0.5}\ninitial:\n" +
        initial + "simulation: {method: moreau}\n");
    // Gaps start at exactly 0, which is open: the boxes close them one after the other, then nothing moves any more.
    for (int k = 0; k < 5 * count; ++k) run.Step(kStep);
    const Eigen::VectorXd start = run.state().q;
    for (int k = 0; k < 3600; ++k) ASSERT_EQ(run.Step(kStep).status, StepStatus::kSolved) << count << " at " << k;
    EXPECT_LE((run.state().q - start).cwiseAbs().maxCoeff(), 1e-9) << count;
    EXPECT_LE(run.state().v.cwiseAbs().maxCoeff(), 1e-9) << count;
  }
}

TEST(MoreauRest, EdgeBalanceIsNotRestAndLyingIs) {
  // A cube standing on an edge, tilted by 1e-3 from balance: slow at first, and not at rest.
  SpatialRun run(
      "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n  cube: {shape: {box: {size: [0.1, 0.1, 0.1]}}, "
      "mass: 1}\n"
      "surfaces:\n  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}\ncontact: {friction: 0.5}\n"
      "initial:\n  cube: {position: [0, 0, 0.07071], orientation: [0.92418, 0.38196, 0, 0], velocity: [0, 0, 0], "
      "angular_velocity: [0, 0, 0]}\nsimulation: {method: moreau}\n");
  const auto scratch_workspace = Moreau().MakeWorkspace(run.model());
  StepResult scratch;
  const auto rests = [&] { return IsAtRest(Moreau(), run.model(), run.state(), kStep, *scratch_workspace, scratch); };
  for (int k = 0; k < 5; ++k) {
    run.Step(kStep);
    EXPECT_FALSE(rests()) << k;
  }
  bool rested = false;
  for (int k = 0; k < 1500 && !rested; ++k) {
    run.Step(kStep);
    rested = rests();
  }
  ASSERT_TRUE(rested);
  const int face = RestingFace(run.model(), run.state(), 0, 0);
  ASSERT_GE(face, 0);
  const State at_rest = run.state();
  for (int k = 0; k < 360; ++k) run.Step(kStep);
  EXPECT_LE((run.state().q - at_rest.q).norm(), 1e-5);
  EXPECT_EQ(RestingFace(run.model(), run.state(), 0, 0), face);
}

}  // namespace
}  // namespace ricochet::testing
