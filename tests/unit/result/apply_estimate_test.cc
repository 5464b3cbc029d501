// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/estimate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ricochet/error.h"
#include "ricochet/scene.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

Estimate EstimateOf(const std::vector<std::pair<std::string, std::optional<double>>>& values) {
  Estimate estimate;
  for (const auto& [path, value] : values) {
    EstimatedParameter parameter;
    parameter.path = path;
    parameter.value = value;
    estimate.parameters.push_back(parameter);
  }
  return estimate;
}

Scene Box() { return ReadScene(testing::SourcePath("examples/box006_toss.yaml")); }

double At(const Scene& scene, std::string_view path) { return scene[scene.Find(path)]; }

// A ratio uses the denominator that the estimate has, whichever of the two comes first.
TEST(Apply, ARatioAndItsDenominatorInEitherOrder) {
  Estimate estimate = EstimateOf({{"bodies.box.inertia[0]/bodies.box.mass", 3e-3}, {"bodies.box.mass", 0.5}});
  for (int order = 0; order < 2; ++order) {
    const Scene scene = Apply(Box(), estimate);
    EXPECT_DOUBLE_EQ(At(scene, "bodies.box.mass"), 0.5);
    EXPECT_DOUBLE_EQ(At(scene, "bodies.box.inertia[0]"), 1.5e-3);
    std::reverse(estimate.parameters.begin(), estimate.parameters.end());
  }
}

TEST(Apply, LeavesWhatIsNotIdentifiable) {
  const Scene scene = Apply(Box(), EstimateOf({{"bodies.box.mass", {}}, {"contact.friction", 0.33}}));
  EXPECT_DOUBLE_EQ(At(scene, "bodies.box.mass"), 0.365);
  EXPECT_DOUBLE_EQ(At(scene, "contact.friction"), 0.33);
}

// The first term of a sum takes what the other terms leave, whatever the entry is called.
TEST(Apply, ASumSetsItsFirstTerm) {
  Estimate estimate = EstimateOf({{"a sum", 0.9}, {"contact.restitution", 0.2}});
  estimate.parameters[0].terms = {{"contact.friction", 1}, {"bodies.box.mass", 2}};
  for (int order = 0; order < 2; ++order) {
    const Scene scene = Apply(Box(), ParseEstimate(FormatEstimate(estimate), "estimate"));
    EXPECT_DOUBLE_EQ(At(scene, "contact.friction"), 0.9 - 2 * 0.365);
    EXPECT_DOUBLE_EQ(At(scene, "bodies.box.mass"), 0.365);
    EXPECT_DOUBLE_EQ(At(scene, "contact.restitution"), 0.2);
    std::reverse(estimate.parameters.begin(), estimate.parameters.end());
  }
}

// An estimate of one moment stays; the others give way as far as a body needs.
TEST(Apply, MomentsThatWereNotEstimatedGiveWay) {
  const Scene scene = Apply(Box(), EstimateOf({{"bodies.box.inertia[0]", 1.0}}));
  EXPECT_DOUBLE_EQ(At(scene, "bodies.box.inertia[0]"), 1.0);
  EXPECT_NEAR(At(scene, "bodies.box.inertia[1]") + At(scene, "bodies.box.inertia[2]"), 1.0, 1e-9);
  const Scene small = Apply(Box(), EstimateOf({{"bodies.box.inertia[0]", 1e-6}}));
  EXPECT_DOUBLE_EQ(At(small, "bodies.box.inertia[0]"), 1e-6);
  EXPECT_LE(std::abs(At(small, "bodies.box.inertia[1]") - At(small, "bodies.box.inertia[2]")), 1e-6 * (1 + 1e-6));
}

TEST(Apply, RefusesWhatNoSceneHas) {
  EXPECT_THROW(Apply(Box(), EstimateOf({{"contact.frictoin", 0.3}})), InputError);
  EXPECT_THROW(Apply(Box(), EstimateOf({{"contact.friction", -0.3}})), InputError);
  EXPECT_THROW(Apply(Box(), EstimateOf({{"bodies.box.inertia[0]", 1.0},
                                        {"bodies.box.inertia[1]", 1e-3},
                                        {"bodies.box.inertia[2]", 1e-3}})),
               InputError);
  Estimate sum = EstimateOf({{"contact.friction + bodies.box.mass", 0.1}});
  sum.parameters[0].terms = {{"contact.friction", 1}, {"bodies.box.mass", 1}};  // friction would be negative
  EXPECT_THROW(Apply(Box(), sum), InputError);
}

}  // namespace
}  // namespace ricochet
