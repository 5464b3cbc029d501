// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dynamics/tree/tree_mechanism.h"

#include <gtest/gtest.h>

#include "dynamics/tree/tree_flow.h"
#include "reproduce/mechanism_recordings.h"
#include "ricochet/recording.h"
#include "tests/support/mechanisms.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

constexpr const char* kDry =
    "    viscous: 0.01\n    coulomb: 0.02\n    dry: {radius: 0.02, friction: 0.05, norm: l1}\n    stribeck: {static: "
    "0.08, rate: 0.7}\n"
    "    motor: {gain: 0.3, shaft_inertia: 0.002, input: u}\n";

/// Air drag on every body.
Scene WithDrag(Scene scene) {
  scene.Set("bodies.*.drag.linear", {0.3});
  scene.Set("bodies.*.drag.quadratic", {0.2});
  return scene;
}

struct Sample {
  Scene scene;
  Model model;
  TreeMechanism mechanism;
  TreeConstants<double> constants;
  TreeMechanism::Vector x{}, r{};
  TreeMechanism::Modes modes{};

  explicit Sample(const Scene& from)
      : scene(WithDrag(from)),
        model(CompileModel(scene)),
        mechanism(model),
        constants(mechanism.Constants<double>(model.spatial)) {
    RandomVectors random(7);
    modes.fill(1);
    for (int k = 0; k < mechanism.dof(); ++k) {
      x[k] = random.Uniform(-1, 1);
      r[k] = random.Uniform(-2, 2);
      modes[k] = r[k] < 0 ? -1 : 1;
    }
  }
};

TEST(TreeMechanism, AccelerationsMakeTheResidualVanish) {
  for (const int bodies : {1, 2, 4}) {
    RandomVectors random(static_cast<std::uint64_t>(bodies));
    const Sample sample(RandomChain(random, bodies, 1e-8, kDry));
    TreeWorkspace ws;
    TreeMechanism::Vector a{}, E{};
    const std::vector<double> u = {0.4};
    sample.mechanism.Accelerate(sample.constants, sample.x.data(), sample.r.data(), u, sample.modes, a.data(), ws);
    sample.mechanism.TreeResidual<double>(sample.constants, sample.x.data(), sample.r.data(), a.data(), u, sample.modes,
                                          E.data());
    for (int k = 0; k < bodies; ++k) EXPECT_NEAR(E[k], 0, 1e-12) << bodies;
  }
}

TEST(TreeMechanism, DerivativesByStateAreThoseOfTheAccelerations) {
  for (const char* norm : {"l1", "euclidean"}) {
    RandomVectors random(3);
    std::string law = kDry;
    law.replace(law.find("l1"), 2, norm);
    Sample sample(RandomChain(random, 3, 1e-8, law));
    const int n = sample.mechanism.dof();
    TreeWorkspace ws;
    const std::vector<double> u = {0.4};
    const auto accelerate = [&](const TreeMechanism::Vector& x, const TreeMechanism::Vector& r) {
      TreeMechanism::Vector a{};
      sample.mechanism.Accelerate(sample.constants, x.data(), r.data(), u, sample.modes, a.data(), ws);
      return a;
    };
    const TreeMechanism::Vector a = accelerate(sample.x, sample.r);
    TreeRows D;
    sample.mechanism.Differentiate(sample.constants, sample.x.data(), sample.r.data(), a.data(), u, sample.modes, {},
                                   ws, D);
    const double h = 1e-5;
    for (int l = 0; l < 2 * n; ++l) {
      TreeMechanism::Vector x1 = sample.x, x0 = sample.x, r1 = sample.r, r0 = sample.r;
      (l < n ? x1[l] : r1[l - n]) += h;
      (l < n ? x0[l] : r0[l - n]) -= h;
      const TreeMechanism::Vector a1 = accelerate(x1, r1), a0 = accelerate(x0, r0);
      for (int k = 0; k < n; ++k) {
        const double difference = (a1[k] - a0[k]) / (2 * h);
        EXPECT_NEAR(D(k, l), difference, 1e-6 * (1 + std::abs(difference))) << norm << " " << k << " by " << l;
      }
    }
  }
}

/// Largest error of the angles of a truth over its first `seconds`.
double ErrorOf(const std::string& name, double seconds, double step) {
  const Scene scene = ReadScene(testing::DataPath("truth/furuta/" + name + ".yaml"));
  const Recording truth = ReadRecording(testing::DataPath("truth/furuta/" + name + ".csv"));
  const Model model = CompileModel(scene);
  const TreeMechanism mechanism(model);
  const TreeConstants<double> constants = mechanism.Constants<double>(model.spatial);
  const InputSignal inputs(truth, model, InputSignal::MissingColumn::kZero);
  FlowOptions options;
  options.step = step;
  TreeMechanism::Vector x{}, r{};
  std::vector<int> columns;
  for (int k = 0; k < mechanism.dof(); ++k) {
    const std::string& joint = scene.joints[static_cast<std::size_t>(mechanism.joint(k))].name;
    columns.push_back(truth.Find(joint + ".angle"));
    options.slides.push_back(mechanism.IsDry(constants, k));
    for (const Initial& initial : scene.initial)
      if (initial.name == joint) x[k] = scene[initial.angle], r[k] = scene[initial.rate];
  }
  const TreeFlow flow(mechanism, constants, {}, options);
  TreeFlow::End end;
  double worst = 0;
  std::size_t row = 0;
  const bool ok = flow.Run(
      x, r, 0, std::min(seconds, truth.time.back()), inputs, false,
      [&](const FlowPiece& piece) {
        for (; row < truth.time.size() && truth.time[row] <= piece.end + 1e-12; ++row)
          for (int k = 0; k < mechanism.dof(); ++k)
            worst = std::max(worst, std::abs(piece.Read(k, truth.time[row]).value -
                                             truth.values[static_cast<std::size_t>(columns[k])][row]));
      },
      end);
  return ok && row > 10 ? worst : INFINITY;
}

TEST(TreeFlow, FollowsTheRigidTruths) {
  EXPECT_LT(ErrorOf("furuta_release", 1, 0.01), 2e-8);
  EXPECT_LT(ErrorOf("furuta_release", 10, 0.01), 5e-7);
  EXPECT_LT(ErrorOf("furuta_pulse", 10, 0.01), 1e-9);
  EXPECT_LT(ErrorOf("pendulum_viscous", 20, 0.01), 1e-8);
}

TEST(TreeFlow, DryFrictionSwitchesWhereTheTruthsSwitch) {
  EXPECT_LT(ErrorOf("furuta_dry_swing", 1, 0.01), 1e-6);
  EXPECT_LT(ErrorOf("furuta_dry_swing", 10, 0.01), 1e-5);
  EXPECT_LT(ErrorOf("pendulum_dry_l1", 60, 0.01), 5e-8);  // stops at 32.1 s and stays
}

// Rests, kinks and changes of the input included.
TEST(TreeFlow, ARepeatedPathIsTheSameMotionWithItsDerivatives) {
  RandomVectors random(5);
  Sample sample(RandomChain(random, 2, 1e-8, kDry));
  const int n = sample.mechanism.dof();
  const InputSignal inputs({0, 0.33}, {{0.4}, {-0.2}}, {InputSignal::Interpolation::kHold});
  FlowOptions options;
  options.slides.assign(static_cast<std::size_t>(n), 1);
  const TreeFlow flow(sample.mechanism, sample.constants, {}, options);
  TreeFlow::End values, direct, repeated, read;
  FlowPath path;
  ASSERT_TRUE(flow.Run(sample.x, sample.r, 0, 0.8, inputs, false, nullptr, values, &path));
  ASSERT_EQ(static_cast<int>(path.steps.size()), values.pieces);
  const FlowPath known = path;
  ASSERT_TRUE(flow.Run(sample.x, sample.r, 0, 0.8, inputs, true, nullptr, direct));
  ASSERT_TRUE(flow.Run(sample.x, sample.r, 0, 0.8, inputs, true, nullptr, repeated, &path));
  double latest = 0;
  const auto see = [&](const FlowPiece& piece) {
    EXPECT_EQ(piece.start, latest);
    latest = piece.end;
  };
  ASSERT_TRUE(flow.Run(sample.x, sample.r, 0, 0.8, inputs, false, see, read, &path));
  EXPECT_NEAR(latest, 0.8, 1e-12);
  EXPECT_EQ(path.steps.size(), known.steps.size());
  EXPECT_EQ(repeated.pieces, values.pieces);
  for (const TreeFlow::End* end : {&repeated, &read}) {
    EXPECT_EQ(end->x, values.x);
    EXPECT_EQ(end->r, values.r);
  }
  EXPECT_LT((repeated.Sx - direct.Sx).norm(), 1e-9 * direct.Sx.norm());
  EXPECT_LT((repeated.Sr - direct.Sr).norm(), 1e-9 * direct.Sr.norm());
}

TEST(TreeFlow, DerivativesAreThoseOfTheMotion) {
  RandomVectors random(5);
  Sample sample(RandomChain(random, 2, 1e-8, kDry));
  const int n = sample.mechanism.dof();
  const InputSignal inputs({0, 0.33}, {{0.4}, {-0.2}}, {InputSignal::Interpolation::kHold});
  FlowOptions options;
  options.step = 0.005;
  options.tolerance = 1e-12;
  options.slides.assign(static_cast<std::size_t>(n), 1);
  const TreeFlow flow(sample.mechanism, sample.constants, {}, options);
  TreeFlow::End end;
  int rests = 0;
  TreeMechanism::Vector last = sample.r;
  ASSERT_TRUE(flow.Run(
      sample.x, sample.r, 0, 0.8, inputs, true,
      [&](const FlowPiece& piece) {
        for (int k = 0; k < n; ++k) rests += last[k] * piece.r1[k] <= 0;
        last = piece.r1;
      },
      end));
  EXPECT_GT(rests, 0) << "the case has no friction that turns round";
  const double h = 1e-5;
  for (int l = 0; l < 2 * n; ++l) {
    TreeFlow::End up, down;
    TreeMechanism::Vector x1 = sample.x, x0 = sample.x, r1 = sample.r, r0 = sample.r;
    (l < n ? x1[l] : r1[l - n]) += h;
    (l < n ? x0[l] : r0[l - n]) -= h;
    ASSERT_TRUE(flow.Run(x1, r1, 0, 0.8, inputs, false, nullptr, up));
    ASSERT_TRUE(flow.Run(x0, r0, 0, 0.8, inputs, false, nullptr, down));
    for (int k = 0; k < n; ++k) {
      EXPECT_NEAR(end.Sx(k, l), (up.x[k] - down.x[k]) / (2 * h), 2e-4) << k << " by " << l;
      EXPECT_NEAR(end.Sr(k, l), (up.r[k] - down.r[k]) / (2 * h), 2e-3) << k << " by " << l;
    }
  }
}

/// Several events may lie in one step (a joint turns round while a reaction changes sign): each is met in its order,
/// so rates are continuous.
TEST(TreeFlow, RatesDoNotJump) {
  const Sample sample(FrictionFuruta());
  RandomVectors random(11);
  FlowOptions options;
  options.step = 0.025;
  options.tolerance = 1e-8;
  options.slides = {1, 1};
  const TreeFlow flow(sample.mechanism, sample.constants, {}, options);
  // Near the horizontal reactions change sign, and slow joints turn round there.
  for (int run = 0; run < 5000; ++run) {
    const InputSignal inputs({0}, {{random.Uniform(-3, 3)}}, {InputSignal::Interpolation::kHold});
    const TreeMechanism::Vector x{random.Uniform(-1, 1), M_PI_2 + random.Uniform(-0.1, 0.1)},
        r{random.Uniform(-1, 1), random.Uniform(-0.3, 0.3)};
    TreeMechanism::Vector last = r;
    TreeFlow::End end;
    ASSERT_TRUE(flow.Run(
        x, r, 0, 0.05, inputs, false,
        [&](const FlowPiece& piece) {
          for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(piece.r0[k], last[k], 1e-8) << run << " " << piece.start;
          last = piece.r1;
        },
        end));
  }
}

/// A joint that sticks at the start stops whatever small rate it is given.
TEST(TreeFlow, DerivativesOfAJointThatBeginsAtRest) {
  Scene scene = FrictionFuruta();
  scene.Set("joints.*.dry.friction", {0.01});
  const Sample sample(scene);
  FlowOptions options;
  options.slides = {1, 1};
  const TreeFlow flow(sample.mechanism, sample.constants, {}, options);
  const InputSignal inputs;
  TreeFlow::End end;
  ASSERT_TRUE(flow.Run({0.1, 0.0}, {0.0, 0.0}, 0, 0.5, inputs, true, nullptr, end));
  ASSERT_EQ(end.r[0], 0);
  ASSERT_EQ(end.r[1], 0);
  EXPECT_NEAR((end.Sx.leftCols(2) - Eigen::Matrix2d::Identity()).norm(), 0, 1e-12);
  EXPECT_NEAR(end.Sx.middleCols(2, 2).norm(), 0, 1e-12);
  EXPECT_NEAR(end.Sr.leftCols(4).norm(), 0, 1e-12);
}

TEST(TreeMechanism, RefusesByName) {
  try {
    const TreeMechanism mechanism(CompileModel(FourBar(1e-8)));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("closed loops"), std::string::npos);
  }
}

}  // namespace
}  // namespace ricochet
