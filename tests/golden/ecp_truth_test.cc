// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `ecp` against the reference motions of tests/data/truth/patch: exact solutions of the discrete step (Xie eq. 7-9) to
// 1e-9, exact motions in continuous time with order h.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "ricochet/recording.h"
#include "tests/support/ecp_run.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

std::string Truth(const std::string& name) { return testing::DataPath("truth/patch/" + name); }

/// Nearest angle to `reference` that is equal to `angle` modulo 2 pi.
double Unwrapped(double angle, double reference) { return reference + std::remainder(angle - reference, 2 * M_PI); }

class EcpDiscreteTruth : public ::testing::TestWithParam<const char*> {};

TEST_P(EcpDiscreteTruth, EveryStepWithin1e9) {
  const Scene scene = ReadScene(Truth(std::string(GetParam()) + ".yaml"));
  const Recording truth = ReadRecording(Truth(std::string(GetParam()) + ".csv"));
  const auto at = [&](const char* column, int row) { return truth.values[truth.Find(column)][row]; };
  const double h = scene[scene.simulation.step];
  EcpRun run(scene);
  for (int row = 1; row < truth.rows(); ++row) {
    const StepResult& step = run.Step(h);
    ASSERT_EQ(step.status, StepStatus::kSolved);
    ASSERT_EQ(step.attempts, 1);
    ASSERT_EQ(step.contacts.size(), 1u);
    EXPECT_EQ(step.contacts[0].kind, ContactKind::kSurface);
    EXPECT_EQ(step.contacts[0].active_facets, 1);
    EXPECT_NEAR(run.position().x(), at("x", row), 1e-9) << row;
    EXPECT_NEAR(run.position().y(), at("y", row), 1e-9) << row;
    EXPECT_NEAR(Unwrapped(run.yaw(), at("angle", row)), at("angle", row), 1e-9) << row;
    EXPECT_NEAR(run.velocity().x(), at("vx", row), 1e-9) << row;
    EXPECT_NEAR(run.velocity().y(), at("vy", row), 1e-9) << row;
    EXPECT_NEAR(run.spin().z(), at("wz", row), 1e-9) << row;
    EXPECT_NEAR(step.contacts[0].p_WC.x(), at("ecp_x", row), 1e-9) << row;
    EXPECT_NEAR(step.contacts[0].p_WC.y(), at("ecp_y", row), 1e-9) << row;
    EXPECT_NEAR(step.contacts[0].p_WC.z(), 0, 1e-9) << row;
  }
}

INSTANTIATE_TEST_SUITE_P(Patch, EcpDiscreteTruth, ::testing::Values("sliding_cube", "cube_spin_er1", "puck_thick"));

TEST(EcpTruth, SlidingCubeHasItsContactPointAheadAndStopsForGood) {
  const Scene scene = ReadScene(Truth("sliding_cube.yaml"));
  EcpRun run(scene);
  for (int k = 1; k <= 500; ++k) {
    const StepResult& step = run.Step(0.01);
    const Vector3<double> offset = step.contacts[0].p_WC - run.position();
    // mu times the height of the center, along the motion (4, 3) / 5, as long as it slides: 5 / (0.12 9.8) = 4.2517 s.
    if (k <= 425) {
      EXPECT_NEAR(offset.x(), 0.048, 1e-9);
      EXPECT_NEAR(offset.y(), 0.036, 1e-9);
      EXPECT_EQ(step.contacts[0].slip, SlipState::kSlide);
    } else {
      EXPECT_LT(offset.head<2>().norm(), 0.06);
      EXPECT_EQ(step.contacts[0].slip, SlipState::kStick);
      EXPECT_EQ(run.velocity().norm(), 0);
    }
  }
}

TEST(EcpTruth, SlidingAndSpinningStopInTheSameStep) {
  for (const char* name : {"cube_spin_er1", "puck_thick"}) {
    const Scene scene = ReadScene(Truth(std::string(name) + ".yaml"));
    EcpRun run(scene);
    const double h = scene[scene.simulation.step];
    bool moving = true;
    for (int k = 0; k < 450; ++k) {
      run.Step(h);
      const bool slides = run.velocity().norm() > 0, spins = run.spin().norm() > 0;
      EXPECT_EQ(slides, spins) << name << " step " << k;
      EXPECT_TRUE(moving || !slides) << name << " starts again in step " << k;
      moving = slides;
    }
    EXPECT_FALSE(moving) << name;
  }
}

/// Largest distance to the continuous motion in the given columns up to `until`.
double ContinuousError(const std::string& name, double h, double until) {
  const Scene scene = ReadScene(Truth(name + ".yaml"));
  const Recording truth = ReadRecording(Truth(name + "_continuous.csv"));
  const bool rolls = name == "cylinder";
  EcpRun run(scene);
  double worst = 0;
  int row = 1;
  while (row < truth.rows() && truth.time[row] < until) {
    run.Step(h);
    if (run.state.time < truth.time[row] - 1e-9) continue;
    const auto at = [&](const char* column) { return truth.values[truth.Find(column)][row]; };
    worst = std::max({worst, std::abs(run.position().x() - at("x")), std::abs(run.position().y() - at("y")),
                      std::abs(run.velocity().x() - at("vx")), std::abs(run.velocity().y() - at("vy")),
                      std::abs(run.spin().z() - at("wz"))});
    if (rolls) {
      // Along the line of contact and across it (Xie sec. VI-B).
      const Vector3<double> offset = run.result.contacts.at(0).p_WC - run.position();
      const Vector3<double> axis = RotationMatrix<double>(run.orientation()).col(0);
      worst = std::max(worst, std::abs(offset.dot(axis) - at("L")));
      EXPECT_NEAR(axis.x() * offset.y() - axis.y() * offset.x(), 0, 1e-9);
      EXPECT_EQ(run.result.contacts[0].kind, ContactKind::kLine);
    } else {
      worst = std::max(worst, std::abs(run.result.contacts.at(0).p_WC.x() - at("ecp_x")));
    }
    ++row;
  }
  return worst;
}

TEST(EcpTruth, ConvergesToTheContinuousMotionsWithOrderH) {
  const std::map<std::string, double> cases = {{"cube_spin_er1", 1.0}, {"puck_thick", 0.28}, {"cylinder", 0.25}};
  for (const auto& [name, until] : cases) {
    const double coarse = name == "cylinder" ? 5e-3 : 1e-2;
    const double e1 = ContinuousError(name, coarse, until), e2 = ContinuousError(name, coarse / 2, until);
    const double e4 = ContinuousError(name, coarse / 4, until);
    RecordProperty(name + "_errors", std::to_string(e1) + " " + std::to_string(e2) + " " + std::to_string(e4));
    EXPECT_NEAR(std::log2(e1 / e2), 1, 0.15) << name << ": " << e1 << " " << e2 << " " << e4;
    EXPECT_NEAR(std::log2(e2 / e4), 1, 0.10) << name << ": " << e1 << " " << e2 << " " << e4;
  }
}

TEST(EcpTruth, CylinderIsKickedEachTimeItsSpinDies) {
  // In continuous time the yaw stops at 0.2683872932 s and then 0.10206646 s after every kick of 3 N m s.
  const Scene scene = ReadScene(Truth("cylinder.yaml"));
  const double h = scene[scene.simulation.step];
  EcpRun run(scene);
  std::vector<double> stops;
  for (int k = 0; k < 2000; ++k) {
    const double before = run.spin().z();
    run.Step(h);
    if (before > 0 && run.spin().z() <= 0) {
      EXPECT_EQ(run.spin().z(), 0);
      stops.push_back(run.state.time);
    }
    ASSERT_EQ(run.result.attempts, 1) << k;
  }
  ASSERT_GT(stops.size(), 10u);
  EXPECT_NEAR(stops[0], 0.2683872932, 3 * h);
  for (std::size_t i = 2; i < stops.size(); ++i) EXPECT_NEAR(stops[i] - stops[i - 1], 0.10206646, 3 * h);
}

TEST(EcpTruth, CubeOnItsVertexSlipsAndLandsOnItsEdgeWhenItShould) {
  // Continuous: sticks until 0.2323154979 s, the edge lands at 0.4403986291 s.
  Scene scene = ReadScene(testing::SourcePath("examples/cube_topple.yaml"));
  double error[2];
  int index = 0;
  for (const double h : {1e-3, 5e-4}) {
    EcpRun run(scene);
    double slips = 0, lands = 0;
    while (run.state.time < 0.6 && lands == 0) {
      const StepResult& step = run.Step(h);
      ASSERT_EQ(step.status, StepStatus::kSolved);
      ASSERT_EQ(step.contacts.size(), 1u);
      if (slips == 0 && step.contacts[0].slip == SlipState::kSlide) slips = run.state.time;
      if (step.contacts[0].kind != ContactKind::kPoint) lands = run.state.time;
      // It keeps its mirror plane x = y.
      EXPECT_NEAR(run.position().x(), run.position().y(), 1e-9);
    }
    EXPECT_NEAR(slips, 0.2323154979, 6 * h) << h;
    EXPECT_NEAR(lands, 0.4403986291, 6 * h) << h;
    EXPECT_EQ(run.result.contacts[0].kind, ContactKind::kLine);
    EXPECT_EQ(run.result.contacts[0].active_facets, 2);
    error[index++] = std::abs(lands - 0.4403986291);
  }
  EXPECT_LT(error[1], 0.7 * error[0] + 5e-4);
}

}  // namespace
}  // namespace ricochet
