// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/rollout_batch.h"

#include <gtest/gtest.h>

#include "ricochet/simulator.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

Scene Ellipse() { return ReadScene(testing::SourcePath("examples/ellipse_throw.yaml")); }

TEST(RolloutBatch, IsItsSimulationsOneByOne) {
  const Scene scene = Ellipse();
  Eigen::MatrixXd values(3, 2);
  values << 0.1, 0.0, 0.3, 0.2, 0.6, 0.4;
  const RolloutBatch batch = RollOut(scene, "contact.friction, contact.restitution", values, Eigen::MatrixXd(),
                                     {.duration = 0.8, .every = 200});
  ASSERT_EQ(batch.time.size(), 5u);
  for (int i = 0; i < 3; ++i) {
    Scene own = scene;
    own.Set("contact.friction", {values(i, 0)});
    own.Set("contact.restitution", {values(i, 1)});
    Simulator simulator(own);
    for (std::size_t row = 0; row < batch.time.size(); ++row) {
      EXPECT_EQ(simulator.state(), batch.State(static_cast<std::size_t>(i), row));
      for (int step = 0; step < 200; ++step) simulator.Step();
    }
    EXPECT_EQ(batch.solved[static_cast<std::size_t>(i)], 1);
  }
}

TEST(RolloutBatch, HasTheDerivativesOfItsSimulations) {
  const Scene scene = Ellipse();
  Simulator simulator(scene);
  Eigen::MatrixXd starts(2, simulator.state_size());
  starts.row(0) = starts.row(1) = simulator.state();
  starts(1, 3) += 0.5;
  const RolloutBatch batch = RollOut(scene, "contact.friction", Eigen::MatrixXd::Constant(2, 1, 0.3), starts,
                                     {.duration = 0.7, .derivatives = true});
  simulator.SetState(starts.row(1).transpose());
  simulator.TrackDerivatives("contact.friction");
  simulator.AdvanceTo(0.7 - 1e-9);
  const MotionDerivatives expected = simulator.tracked_derivatives();
  const std::size_t n = 6;
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < n; ++c) EXPECT_EQ(batch.by_start[n * n + r * n + c], expected.by_start(r, c));
    EXPECT_EQ(batch.by_parameters[n + r], expected.by_parameters(r, 0));
  }
}

TEST(RolloutBatch, DoesNotDependOnThreads) {
  const Eigen::MatrixXd values = Eigen::VectorXd::LinSpaced(30, 0.05, 0.9);
  const auto states = [&](int threads) {
    return RollOut(Ellipse(), "contact.friction", values, Eigen::MatrixXd(), {.duration = 0.9}, {.threads = threads})
        .states;
  };
  EXPECT_EQ(states(1), states(2));
}

TEST(RolloutBatch, NamesTheRowThatIsWrong) {
  Eigen::MatrixXd values(2, 1);
  values << 0.1, -1;
  try {
    RollOut(Ellipse(), "contact.friction", values, Eigen::MatrixXd());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.path(), "parameters[1]");
  }
  EXPECT_THROW(RollOut(Ellipse(), "contact.friction", Eigen::MatrixXd::Zero(1, 2), Eigen::MatrixXd()), InputError);
  EXPECT_THROW(RollOut(Ellipse(), "", Eigen::MatrixXd(), Eigen::MatrixXd::Zero(2, 5)), InputError);
  EXPECT_THROW(RollOut(Ellipse(), "bodies.ellipse.inertia / bodies.ellipse.mass", Eigen::MatrixXd::Ones(1, 1),
                       Eigen::MatrixXd()),
               InputError);
}

}  // namespace
}  // namespace ricochet
