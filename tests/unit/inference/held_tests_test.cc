// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "inference/held_tests.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/polynomial_problem.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

using testing::PolynomialProblem;

std::vector<HeldGroup> Groups(const FitProblem& problem) {
  const Scene& scene = problem.parameters().scene();
  return {{"gravity.tilt", ParsePathList(scene, "gravity.tilt"), {0.01}},  // without effect
          {"contact.restitution", ParsePathList(scene, "contact.restitution"), {0.1}}};
}

TEST(HeldTests, PredictExactlyWhatALinearFitFinds) {
  Random random(1);
  PolynomialProblem problem({.c = 0.37, .recordings = 3}, 0.01, random);
  const Fit fit = problem.Search();
  const std::vector<HeldTest> tests = TestHeld(problem, fit, Groups(problem));
  ASSERT_EQ(tests.size(), 1u);  // what has no effect is not tested
  const std::unique_ptr<FitProblem> larger = problem.With(Groups(problem)[1].parameters);
  const Fit better = larger->Search();
  EXPECT_EQ(tests[0].group, 1);
  EXPECT_NEAR(tests[0].value[0], better.point.values[1], 1e-9);
  EXPECT_NEAR(tests[0].gain, fit.cost() - better.cost(), 1e-6 * fit.cost());
  EXPECT_NEAR(tests[0].shift[0], better.point.values[0] - fit.point.values[0], 1e-9);
  EXPECT_NEAR(tests[0].residual, std::sqrt(better.cost() / fit.cost()), 1e-9);
  const double freedom = 300 - 3 - 2;
  EXPECT_NEAR(tests[0].std[0], std::sqrt(better.covariance(1, 1) * better.cost() / freedom), 1e-9);
  EXPECT_LT(tests[0].p_value, 1e-10);
}

TEST(HeldTests, ProbabilitiesAreThoseOfChance) {
  int unlikely = 0;
  constexpr int kSeeds = 400;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    Random random(seed);
    PolynomialProblem problem({.noise = 0.03, .recordings = 2}, 0.01, random);  // the size of the noise does not matter
    unlikely += TestHeld(problem, problem.Search(), Groups(problem))[0].p_value < 0.05;
  }
  EXPECT_NEAR(unlikely, 0.05 * kSeeds, 15);
}

TEST(HeldTests, ValuesBeyondTheirBoundsExplainNothing) {
  Random random(2);
  PolynomialProblem problem({.c = -0.5}, 0.01, random);  // a restitution is not negative
  const std::vector<HeldTest> tests = TestHeld(problem, problem.Search(), Groups(problem));
  ASSERT_EQ(tests.size(), 1u);
  EXPECT_FALSE(tests[0].possible);
}

TEST(HeldTests, WhatTheDataCannotSeeIsAssumed) {
  Random random(1);
  PolynomialProblem problem({.recordings = 3}, 0.01, random);
  const Fit fit = problem.Search();
  std::vector<HeldGroup> groups = Groups(problem);
  const HeldTest seen = TestHeld(problem, fit, groups)[0];
  EXPECT_EQ(seen.assumed[0], 0);
  groups[1].plausible = {1e-6};  // far below what the data can see
  const HeldTest hidden = TestHeld(problem, fit, groups)[0];
  EXPECT_NEAR(hidden.assumed[0], 1e-6 * std::abs(seen.shift[0] / (seen.value[0] - 0.3)), 1e-9);
}

// Estimated parameters that imitate an effect which the scene leaves out may hide it: as much of it as the data do not
// exclude, in the direction that an effect has.
TEST(HeldTests, WhatASceneLeavesOutMayActUnseen) {
  for (const double c : {0.27, 0.28, 0.31, 0.36}) {
    Random random(3);
    PolynomialProblem problem({.c = c, .noise = 0.03, .recordings = 1}, 0.03, random);
    const Fit fit = problem.Search();
    std::vector<HeldGroup> groups = Groups(problem);
    EXPECT_EQ(TestHeld(problem, fit, groups)[0].unseen[0], 0);
    groups[1].left_out = true;
    const HeldTest test = TestHeld(problem, fit, groups)[0];
    const double value = test.value[0] - 0.3, std = test.std[0], by = std::abs(test.shift[0] / value);
    double squares = 0, weights = 0;
    for (double size = 0; size < 12 * std; size += 1e-3 * std) {
      const double weight = std::exp(-0.5 * std::pow((size - value) / std, 2));
      squares += weight * size * size, weights += weight;
    }
    EXPECT_NEAR(test.unseen[0], by * std::sqrt(squares / weights), 0.01 * test.unseen[0]) << c;
    EXPECT_NEAR(test.blur[0], by * std, 1e-9 * test.blur[0]) << c;
  }
}

// What estimated parameters imitate completely has the room that their bounds leave.
TEST(HeldTests, UnseenEffectsEndAtBounds) {
  Random random(5);
  PolynomialProblem problem({.b = 0.04, .noise = 5}, 5, random);
  Fit fit = problem.Search();
  fit.point.values[0] = 0.04;  // a friction that is not negative
  std::vector<HeldGroup> groups = Groups(problem);
  groups[1].left_out = true;
  const HeldTest test = TestHeld(problem, fit, groups)[0];
  EXPECT_NEAR(test.blur[0], 0.04 / std::sqrt(12.0), 1e-9);
  EXPECT_LE(test.unseen[0], 0.04 / std::sqrt(12.0) + 1e-9);
  EXPECT_GT(test.unseen[0], 0);
}

TEST(HeldGroups, ListWhatASceneHolds) {
  const Scene scene = ReadScene(testing::SourcePath("examples/plywood_blind.yaml"));
  const std::vector<HeldGroup> groups =
      HeldGroupsOf(scene, ParsePathList(scene, "bodies.ellipse.inertia / bodies.ellipse.mass, contact.friction"));
  const auto find = [&](std::string_view path) {
    const auto at = std::find_if(groups.begin(), groups.end(), [&](const HeldGroup& g) { return g.path == path; });
    return at == groups.end() ? 0 : static_cast<int>(at->parameters.size());
  };
  EXPECT_EQ(find("observe.frame.position"), 2);
  EXPECT_EQ(find("bodies.ellipse.center_of_mass"), 2);
  EXPECT_EQ(find("surfaces.bar.line.point[1]"), 1);  // along the line a point has no effect
  EXPECT_EQ(find("surfaces.bar.velocity[0]"), 1);
  EXPECT_EQ(find("gravity.tilt"), 1);
  EXPECT_EQ(find("contact.restitution"), 1);
  EXPECT_EQ(find("contact.friction"), 0);        // estimated
  EXPECT_EQ(find("bodies.ellipse.inertia"), 0);  // in a ratio that is
  EXPECT_EQ(find("simulation.step"), 0);
}

// An effect that a scene states is known; one that it does not mention may be there.
TEST(HeldGroups, EffectsThatASceneLeavesOut) {
  Scene scene = ReadScene(testing::SourcePath("examples/pendulum.yaml"));
  const auto drag = [&] {
    for (HeldGroup& group : HeldGroupsOf(scene, ParsePathList(scene, "joints.hinge.viscous")))
      if (group.path == "bodies.rod.drag.quadratic") return group;
    return HeldGroup{};
  };
  EXPECT_TRUE(drag().left_out);
  ASSERT_EQ(drag().plausible.size(), 1u);
  EXPECT_NEAR(drag().plausible[0], 0.066 * 12 * 0.0039 / 0.428, 1e-4);  // of a rod in air
  scene.Set("bodies.rod.drag.quadratic", {0.0});
  EXPECT_FALSE(drag().left_out);
  EXPECT_EQ(drag().plausible[0], 0);  // known to be absent
}

}  // namespace
}  // namespace ricochet
