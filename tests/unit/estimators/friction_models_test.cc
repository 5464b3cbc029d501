// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Viscous, dry and Stribeck friction are distinguished on recordings made with each.
#include "estimators/mechanism/friction_models.h"

#include <gtest/gtest.h>

#include <string>

#include "reproduce/mechanism_recordings.h"
#include "ricochet/identify.h"

namespace ricochet {
namespace {

Scene MadeWith(const std::string& model) {
  Scene scene = StribeckPendulum();
  if (model == "viscous") scene.Set("joints.hinge.viscous", {1.2e-3});
  if (model == "viscous") scene.joints[0].dry.reset();
  if (model != "stribeck") scene.joints[0].stribeck.reset();
  return scene;
}

std::vector<Recording> Series(const Scene& scene, int count) {
  std::vector<Recording> out;
  for (int i = 0; i < count; ++i)
    out.push_back(RecordMechanism(
        scene, {.angle = {2.9 - 0.15 * i}, .rate = {0.0}, .duration = 9, .seed = static_cast<std::uint64_t>(70 + i)},
        "series"));
  return out;
}

class FrictionModels : public ::testing::TestWithParam<const char*> {};

TEST_P(FrictionModels, TheRightOneIsRecommended) {
  const Scene start = StribeckPendulum();
  const FrictionComparison found =
      CompareFriction(start, Series(MadeWith(GetParam()), 3), ParsePathList(start, "bodies.rod.inertia[1]"));
  ASSERT_EQ(found.models.size(), 3U);
  EXPECT_EQ(found.models[static_cast<std::size_t>(found.recommended)].model, GetParam()) << found.words;
  EXPECT_NEAR(found.models[static_cast<std::size_t>(found.recommended)].held_out_cost, 1, 0.15);
  EXPECT_NE(found.words.find(std::string(GetParam()) + " friction is recommended"), std::string::npos) << found.words;
  // A model fits no worse than one that it contains, but for what a number that is held costs: a rod that never stuck
  // must not stick near its top.
  for (std::size_t m = 1; m < found.models.size(); ++m)
    EXPECT_LE(found.models[m].cost, 1.05 * found.models[m - 1].cost) << found.words;
}

INSTANTIATE_TEST_SUITE_P(Each, FrictionModels, ::testing::Values("viscous", "dry", "stribeck"));

/// One recording is cut into halves; the user gets the words and the numbers of the model.
TEST(FrictionModels, IdentifyComparesWhenAsked) {
  IdentifyOptions options;
  options.method = "inverse-dynamics";
  options.method_options["compare_friction"] = "true";
  const Estimate estimate =
      Identify(StribeckPendulum(), Series(MadeWith("dry"), 1), "bodies.rod.inertia[1]", options).estimate;
  ASSERT_FALSE(estimate.log.empty());
  EXPECT_NE(estimate.log.front().find("dry friction is recommended"), std::string::npos) << estimate.log.front();
  ASSERT_EQ(estimate.parameters.size(), 3U);
  EXPECT_EQ(estimate.parameters[2].path, "joints.hinge.dry.friction");
  ASSERT_TRUE(estimate.parameters[2].value);
  EXPECT_NEAR(*estimate.parameters[2].value, 0.0016, 4 * *estimate.parameters[2].std);
}

TEST(FrictionModels, NeedsADryPart) {
  const Scene scene = MadeWith("viscous");
  EXPECT_THROW(CompareFriction(scene, Series(scene, 2), ParsePathList(scene, "bodies.rod.inertia[1]")), InputError);
}

}  // namespace
}  // namespace ricochet
