// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// spook against two independent references (tests/data/truth/furuta): a program that takes the same corrected steps,
// where everything must agree to 1e-9, and motions of the rigid mechanism in minimal coordinates, where the error must
// be what a first-order stepper with compliant joints shows (the table of the reference's README, within 20 %).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "dynamics/joint_angle.h"
#include "dynamics/kinematics.h"
#include "dynamics/tree/reduced_dynamics.h"
#include "ricochet/recording.h"
#include "ricochet/simulate.h"
#include "steppers/spook/spook.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

std::string Truth(const std::string& name) { return testing::DataPath("truth/furuta/" + name); }

void SetCompliance(Scene& scene, double value) {
  for (const char* kind : {"linear", "angular"})
    for (const NumberId id : scene.Match(std::string("joints.*.compliance.") + kind)) scene.Set(id, value);
}

void CompareSteps(Scene scene, const std::string& file, int last_step) {
  SetCompliance(scene, 1e-5);
  const Recording truth = ReadRecording(Truth(file));
  const Model model = CompileModel(scene);
  const auto workspace = Spook().MakeWorkspace(model);
  State state = InitialState(model);
  const auto at = [&](const std::string& column, int row) { return truth.values[truth.Find(column)][row]; };
  const std::vector<double> u = {0};
  StepResult step;
  for (int k = 0; k <= last_step; ++k) {
    if (k > 0) {
      Spook().Step(model, state, {.u = u, .u_end = u, .fired = {}}, 1e-2, *workspace, step);
      ASSERT_EQ(step.status, StepStatus::kSolved);
      EXPECT_LE(step.residual, 1e-10);
      state = step.end;
    }
    for (int body = 0; body < 2; ++body) {
      const std::string name = body == 0 ? "A_" : "B_";
      const char* pose[] = {"rx", "ry", "rz", "qw", "qx", "qy", "qz"};
      // A quaternion and its negative are the same orientation.
      double sign = 1;
      for (int i = 3; i < 7; ++i)
        if (std::abs(at(name + pose[i], k)) > 0.4) sign = at(name + pose[i], k) * state.q[7 * body + i] < 0 ? -1 : 1;
      for (int i = 0; i < 7; ++i)
        ASSERT_NEAR((i < 3 ? 1 : sign) * state.q[7 * body + i], at(name + pose[i], k), 1e-9)
            << name << pose[i] << " step " << k;
      const char* velocity[] = {"vx", "vy", "vz", "wx", "wy", "wz"};
      for (int i = 0; i < 6; ++i)
        ASSERT_NEAR(state.v[6 * body + i], at(name + velocity[i], k), 1e-9) << name << velocity[i] << " step " << k;
    }
    if (k == 0) continue;
    for (int i = 0; i < 10; ++i) {
      // Our last row of hinge 2 is along axis x zero = -z of B, the reference's along z.
      const double sign = i == 9 ? -1 : 1;
      ASSERT_NEAR(sign * step.multipliers[i], at("lam" + std::to_string(i + 1), k), 1e-9)
          << "lam" << i + 1 << " step " << k;
    }
    for (int i = 0; i < 2; ++i)
      ASSERT_NEAR(step.multipliers[10 + i], at("dry" + std::to_string(i + 1), k), 1e-9)
          << "dry" << i + 1 << " step " << k;
  }
}

TEST(SpookTruth, StepsOfTheDrySwing) {
  Scene scene = ReadScene(Truth("furuta_dry_swing.yaml"));
  scene.Set("initial.hinge1.angle", {0.2});
  CompareSteps(scene, "spook_steps_dry_swing.csv", 100);
}

// The release amplifies rounding 500 times in 2 s; its first half is compared.
TEST(SpookTruth, StepsOfTheRelease) {
  CompareSteps(ReadScene(Truth("furuta_release.yaml")), "spook_steps_release.csv", 50);
}

/// Largest errors of both hinge angles over the first second.
std::pair<double, double> ErrorAgainst(Scene scene, const Recording& truth, double h, double compliance, int order = 1,
                                       double duration = 1) {
  SetCompliance(scene, compliance);
  if (order == 2) {
    scene.simulation.options.push_back(
        {"order", "", scene.Add({"simulation.options.order", 2, Quantity::kPlain, {}, true}), {}});
  }
  SimulateOptions options;
  options.step = h;
  options.duration = duration;
  options.inputs = &truth;
  const SimulationResult run = Simulate(scene, options);
  EXPECT_EQ(run.summary.failed_steps, 0);
  double error[2] = {0, 0};
  for (int row = 0; row < run.recording.rows(); ++row) {
    const double t = run.recording.time[row], millis = t * 1e3;
    const int at = static_cast<int>(std::lround(millis));
    if (std::abs(millis - at) > 1e-6) continue;
    for (int j = 0; j < 2; ++j) {
      const std::string column = j == 0 ? "hinge1.angle" : "hinge2.angle";
      const double ours = run.recording.values[run.recording.Find(column)][row];
      error[j] = std::max(error[j], std::abs(ours - truth.values[truth.Find(column)][at]));
    }
  }
  return {error[0], error[1]};
}

struct Row {
  const char* name;
  double h, compliance, hinge1, hinge2;
};

class SpookAgainstRigid : public ::testing::TestWithParam<Row> {};

TEST_P(SpookAgainstRigid, ErrorIsThatOfTheTable) {
  const Row& row = GetParam();
  const Scene scene = ReadScene(Truth(std::string(row.name) + ".yaml"));
  const Recording truth = ReadRecording(Truth(std::string(row.name) + ".csv"));
  const auto [e1, e2] = ErrorAgainst(scene, truth, row.h, row.compliance);
  EXPECT_NEAR(e1, row.hinge1, 0.2 * row.hinge1);
  EXPECT_NEAR(e2, row.hinge2, 0.2 * row.hinge2);
}

INSTANTIATE_TEST_SUITE_P(Table, SpookAgainstRigid,
                         ::testing::Values(Row{"furuta_release", 1e-2, 1e-8, 0.19, 0.55},
                                           Row{"furuta_release", 1e-3, 1e-8, 0.033, 0.072},
                                           Row{"furuta_release", 1e-4, 1e-8, 0.0036, 0.0075},
                                           Row{"furuta_dry_swing", 1e-2, 1e-7, 0.035, 0.077},
                                           Row{"furuta_dry_swing", 1e-3, 1e-7, 3.8e-3, 8.1e-3},
                                           Row{"furuta_dry_swing", 2e-4, 1e-7, 7.5e-4, 1.6e-3}));

// Order 2: errors fall by about 4 when the step is halved, and are far below those of order 1.
TEST(SpookSecondOrder, ErrorsFallWithTheSquareOfTheStep) {
  for (const auto& [name, duration] :
       {std::pair{"furuta_release", 1.0}, {"furuta_pulse", 2.0}, {"furuta_dry_swing", 1.0}}) {
    const Scene scene = ReadScene(Truth(std::string(name) + ".yaml"));
    const Recording truth = ReadRecording(Truth(std::string(name) + ".csv"));
    const double coarse = ErrorAgainst(scene, truth, 1e-2, 0, 2, duration).second;
    const double fine = ErrorAgainst(scene, truth, 5e-3, 0, 2, duration).second;
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.25) << name << ": " << coarse << ", " << fine;
    EXPECT_LT(coarse, 0.12 * ErrorAgainst(scene, truth, 1e-2, 1e-8, 1, duration).second) << name;
  }
}

/// Largest errors of both hinges over the first second against minimal coordinates; u = 1 from 0.2 s to 0.7 s if
/// `pulse`.
std::pair<double, double> ErrorAgainstReduced(Scene scene, double h, double compliance, bool pulse) {
  SetCompliance(scene, compliance);
  const Model model = CompileModel(scene);
  const ReducedDynamics reduced(model);
  const auto workspace = Spook().MakeWorkspace(model);
  Eigen::VectorXd truth = reduced.InitialState();
  State state = InitialState(model);
  StepResult step;
  double error[2] = {0, 0};
  const int steps = static_cast<int>(std::lround(1 / h)), substeps = std::max(1, static_cast<int>(h / 1e-3));
  for (int k = 0; k < steps; ++k) {
    const std::vector<double> u = {pulse && k * h > 0.2 - 1e-9 && k * h < 0.7 - 1e-9 ? 1.0 : 0.0};
    Spook().Step(model, state, {.u = u, .u_end = u, .fired = {}}, h, *workspace, step);
    state = step.end;
    for (int i = 0; i < substeps; ++i) truth = reduced.Step(truth, u, h / substeps);
    for (int j = 0; j < 2; ++j)
      error[j] = std::max(error[j], std::abs(ReadJoint(model, state, j).coordinate - truth[j]));
  }
  return {error[0], error[1]};
}

std::pair<double, double> PulseError(double h) {
  return ErrorAgainstReduced(ReadScene(Truth("furuta_pulse.yaml")), h, 1e-8, true);
}

// The reference's table over step and compliance: swing from 1 rad, no dry friction.
TEST(SpookTruth, TableOverStepAndCompliance) {
  Scene scene = ReadScene(Truth("furuta_release.yaml"));
  scene.Set("initial.hinge2.angle", {1.0});
  for (const Row& row : {Row{"", 1e-2, 1e-4, 0.040, 0.11},
                         {"", 1e-2, 1e-5, 0.036, 0.084},
                         {"", 1e-2, 1e-6, 0.036, 0.081},
                         {"", 1e-2, 1e-8, 0.036, 0.081},
                         {"", 1e-3, 1e-4, 0.015, 0.036},
                         {"", 1e-3, 1e-5, 0.0037, 0.011},
                         {"", 1e-3, 1e-6, 0.0038, 0.0087},
                         {"", 1e-3, 1e-8, 0.0039, 0.0084},
                         {"", 1e-4, 1e-4, 0.012, 0.031},
                         {"", 1e-4, 1e-5, 0.0013, 0.0034},
                         {"", 1e-4, 1e-6, 0.00037, 0.0011},
                         {"", 1e-4, 1e-8, 0.00039, 0.00085}}) {
    const auto [e1, e2] = ErrorAgainstReduced(scene, row.h, row.compliance, false);
    EXPECT_NEAR(e1, row.hinge1, 0.2 * row.hinge1) << row.h << ", " << row.compliance;
    EXPECT_NEAR(e2, row.hinge2, 0.2 * row.hinge2) << row.h << ", " << row.compliance;
  }
}

// The pulse row of the reference's table belongs to this pulse, not to the recording furuta_pulse.csv, where nothing
// happens in the first second: u = 1 from 0.2 s to 0.7 s reproduces all six numbers to their two digits.
TEST(SpookTruth, PulseRowOfTheTable) {
  const auto [c1, c2] = PulseError(1e-2);
  EXPECT_NEAR(c1, 8.9e-3, 0.01 * 8.9e-3);
  EXPECT_NEAR(c2, 4.1e-3, 0.02 * 4.1e-3);
  const auto [f1, f2] = PulseError(1e-3);
  EXPECT_NEAR(f1, 8.8e-4, 0.01 * 8.8e-4);
  EXPECT_NEAR(f2, 4.0e-4, 0.02 * 4.0e-4);
}

// Against the recording, where the pulse acts from 1 s to 2 s: order 1 in the step.
TEST(SpookTruth, RecordedPulseConvergesWithTheStep) {
  const Scene scene = ReadScene(Truth("furuta_pulse.yaml"));
  const Recording truth = ReadRecording(Truth("furuta_pulse.csv"));
  const auto [c1, c2] = ErrorAgainst(scene, truth, 1e-2, 1e-8, 1, 2);
  const auto [f1, f2] = ErrorAgainst(scene, truth, 1e-3, 1e-8, 1, 2);
  EXPECT_NEAR(c1 / f1, 10, 1);
  EXPECT_NEAR(c2 / f2, 10, 1);
}

void SetOrder(Scene& scene, int order) {
  scene.simulation.options.push_back(
      {"order",
       "",
       scene.Add({"simulation.options.order", static_cast<double>(order), Quantity::kPlain, {}, true}),
       {}});
}

/// Time from which the angle stays, and that angle.
std::pair<double, double> StopOf(int order, double h) {
  Scene scene = ReadScene(Truth("pendulum_dry_l1.yaml"));
  SetOrder(scene, order);
  SimulateOptions options;
  options.step = h;
  options.duration = 40;
  const SimulationResult run = Simulate(scene, options);
  EXPECT_EQ(run.summary.failed_steps, 0);
  const auto& angle = run.recording.values[run.recording.Find("hinge.angle")];
  int last = run.recording.rows() - 1;
  while (last > 0 && std::abs(angle[last] - angle.back()) < 1e-9) --last;
  return {run.recording.time[last + 1], angle.back()};
}

// The reference stops at 32.092894577 s at -0.004350546 rad. Order 1 errs in proportion to the step, order 2 stops in
// the same step or the next.
TEST(SpookTruth, DryPendulumStopsInFiniteTime) {
  const double time = 32.092894577, angle = -0.004350546;
  const auto [coarse_time, coarse_angle] = StopOf(1, 2e-3);
  const auto [fine_time, fine_angle] = StopOf(1, 1e-3);
  EXPECT_NEAR(fine_time, time, 0.04);
  EXPECT_NEAR((coarse_time - time) / (fine_time - time), 2, 0.2);
  EXPECT_NEAR((coarse_angle - angle) / (fine_angle - angle), 2, 0.2);
  const auto [second_time, second_angle] = StopOf(2, 1e-3);
  EXPECT_NEAR(second_time, time, 2e-3);
  EXPECT_NEAR(second_angle, angle, 2e-6);
}

// The viscous pendulum over its first ten seconds: order 1, and order 2 with the option.
TEST(SpookTruth, ViscousPendulumConverges) {
  const Recording truth = ReadRecording(Truth("pendulum_viscous.csv"));
  const auto error = [&](int order, double h) {
    Scene scene = ReadScene(Truth("pendulum_viscous.yaml"));
    SetOrder(scene, order);
    SimulateOptions options;
    options.step = h;
    options.duration = 10;
    const SimulationResult run = Simulate(scene, options);
    const auto& ours = run.recording.values[run.recording.Find("hinge.angle")];
    const auto& exact = truth.values[truth.Find("hinge.angle")];
    double worst = 0;
    const int every = static_cast<int>(std::lround(1e-2 / h));
    for (int row = 0; row * every < run.recording.rows(); ++row)
      worst = std::max(worst, std::abs(ours[row * every] - exact[row]));
    return worst;
  };
  EXPECT_NEAR(error(1, 1e-3) / error(1, 5e-4), 2, 0.1);
  const double coarse = error(2, 2e-3), fine = error(2, 1e-3);
  EXPECT_NEAR(coarse / fine, 4, 0.3);
  EXPECT_LT(fine, 1e-3);
}

}  // namespace
}  // namespace ricochet
