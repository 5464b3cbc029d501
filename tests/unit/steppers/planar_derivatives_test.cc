// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Derivatives of planar steps against central differences, for the state and for every number of bodies, surfaces,
// contact law, gravity and loads. Steps whose modes change within the difference have no derivative and are left out.
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/kinematics.h"
#include "rollout/run.h"
#include "tests/support/random_planar.h"

namespace ricochet {
namespace {

std::vector<NumberId> PhysicalNumbers(const Scene& scene) {
  std::vector<NumberId> ids;
  for (const char* pattern : {"bodies.body.mass", "bodies.body.inertia", "bodies.body.center_of_mass",
                              "bodies.body.shape.*", "surfaces.*.*", "contact.friction", "contact.restitution",
                              "contact.tangential_restitution", "gravity", "actions[0].force", "actions[0].torque"}) {
    try {
      for (NumberId id : scene.Match(pattern)) ids.push_back(id);
    } catch (const InputError&) {
      // A scene without loads, say.
    }
  }
  return ids;
}

struct Outcome {
  Eigen::VectorXd state;
  std::vector<int> modes;
};

Outcome StepFrom(const Stepper& stepper, const Model& model, const State& start, double h) {
  StepResult result;
  const auto workspace = stepper.MakeWorkspace(model);
  stepper.Step(model, start, {}, h, *workspace, result);
  Outcome outcome{Eigen::VectorXd(result.end.q.size() + result.end.v.size()), result.modes};
  outcome.state << result.end.q, result.end.v;
  return outcome;
}

class KeepContacts final : public StepSink {
 public:
  bool OnStep(const StepResult& step) override {
    if (!step.contacts.empty() && steps.size() < 6) steps.push_back(step);
    return steps.size() < 6;
  }
  std::vector<StepResult> steps;
};

class PlanarDerivatives : public ::testing::TestWithParam<const char*> {};

TEST_P(PlanarDerivatives, AgreeWithDifferences) {
  const Stepper& stepper = FindStepper(GetParam());
  const bool restitution = std::string(GetParam()) != "igc";
  long compared = 0, skipped = 0;
  for (int seed = 0; seed < 60; ++seed) {
    const Scene scene =
        testing::RandomPlanarScene(seed, {.restitution = restitution, .moving_surfaces = true, .loads = seed % 2 == 0});
    const Model model = CompileModel(scene);
    const std::vector<NumberId> ids = PhysicalNumbers(scene);
    ASSERT_GT(ids.size(), 10u);
    KeepContacts kept;
    RunOptions run;
    run.step = scene[scene.simulation.step];
    run.steps = 600;
    ricochet::Run(stepper, model, InitialState(model), run, kept);

    for (const StepResult& step : kept.steps) {
      const auto workspace = stepper.MakeWorkspace(model);
      StepDerivatives derivatives;
      stepper.Differentiate(model, step, {}, ids, *workspace, derivatives);

      const auto compare = [&](const Eigen::VectorXd& column, const Outcome& up, const Outcome& down, double delta,
                               const std::string& what) {
        if (up.modes != step.modes || down.modes != step.modes) {
          ++skipped;
          return;
        }
        ++compared;
        const Eigen::VectorXd difference = (up.state - down.state) / (2 * delta);
        // igc divides gaps by h: their rounding stands in the difference of end velocities.
        const double rounding = 8e-16 * (1 + step.start.q.norm()) / step.h / delta;
        EXPECT_LT((difference - column).norm(), 2e-6 * (1 + column.norm()) + rounding)
            << what << ", seed " << seed << ", t = " << step.start.time;
      };

      for (int k = 0; k < 6; ++k) {
        State up = step.start, down = step.start;
        const double delta = 1e-6;
        (k < 3 ? up.q[k] : up.v[k - 3]) += delta;
        (k < 3 ? down.q[k] : down.v[k - 3]) -= delta;
        compare(derivatives.end_by_start.col(k), StepFrom(stepper, model, up, step.h),
                StepFrom(stepper, model, down, step.h), delta, "state " + std::to_string(k));
      }
      for (size_t k = 0; k < ids.size(); ++k) {
        Scene up = scene, down = scene;
        const double size = std::abs(scene[ids[k]]);
        const double delta = size > 1e-12 ? 1e-5 * size : 1e-5;
        try {
          up.Set(ids[k], scene[ids[k]] + delta);
          down.Set(ids[k], scene[ids[k]] - delta);
        } catch (const InputError&) {
          continue;  // at a bound
        }
        compare(derivatives.end_by_parameters.col(k), StepFrom(stepper, CompileModel(up), step.start, step.h),
                StepFrom(stepper, CompileModel(down), step.start, step.h), delta, scene.number(ids[k]).path);
      }
    }
  }
  EXPECT_GT(compared, 3000);
  EXPECT_LT(skipped, compared) << "most differences crossed a change of mode";
}

INSTANTIATE_TEST_SUITE_P(Methods, PlanarDerivatives, ::testing::Values("irc", "lcp", "igc"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace ricochet
