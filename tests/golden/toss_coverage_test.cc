// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What profile, bootstrap and cross-validation say about fits of tosses, against campaigns whose truth is known. A few
// campaigns of a few tosses; bench/study_toss_coverage has 200 for the standard deviations.
#include <gtest/gtest.h>

#include <cmath>

#include "reproduce/toss_campaign.h"
#include "ricochet/identify.h"

namespace ricochet {
namespace {

constexpr char kLaw[] = "contact.friction,contact.restitution";
constexpr int kCampaigns = 4;

struct Coverage {
  int by_profile = 0, by_bootstrap = 0, of = 0;
};

/// Every recording that is used is left out once and is predicted down to its noise by the rest; every fold finds the
/// truth. Velocities behind impacts have heavier tails than the normal distribution.
void CheckCrossValidation(const Estimate& estimate, const double (&truth)[2]) {
  ASSERT_TRUE(estimate.cross_validation);
  const EstimatedCrossValidation& found = *estimate.cross_validation;
  ASSERT_EQ(found.values.size(), 2u);
  ASSERT_TRUE(found.residual_over_noise);
  EXPECT_GT(*found.residual_over_noise, 0.8);
  EXPECT_LT(*found.residual_over_noise, estimate.method == "velocity" ? 2 : 1.3);
  std::vector<int> used, seen(estimate.recordings.size(), 0);
  for (const RecordingUse& recording : estimate.recordings) used.push_back(recording.used ? 1 : 0);
  for (const HeldOutRecording& recording : found.recordings) {
    ++seen[static_cast<std::size_t>(recording.recording)];
    EXPECT_TRUE(recording.residual_over_noise);
  }
  EXPECT_EQ(seen, used);
  for (const std::vector<double>& values : found.values) {
    ASSERT_EQ(values.size(), 2u);
    // Half of the tosses: the standard deviations are larger by the root of 2, and by Student's factor.
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(values[i], truth[i], 8 * *estimate.parameters[i].std);
  }
}

Coverage CoverageOf(const std::string& method, int tosses) {
  const JongeneelBox& box = JongeneelBoxes()[2];
  const double truth[] = {box.friction, box.restitution};
  Coverage out;
  for (int k = 0; k < kCampaigns; ++k) {
    SCOPED_TRACE(method + ", campaign " + std::to_string(k));
    CampaignOptions options;
    options.tosses = tosses;
    options.drops = method == "velocity";
    options.seed = static_cast<std::uint64_t>(k);
    const Estimate estimate =
        Identify(
            TossScene(box, 0.3, 0.1), MakeCampaign(box, options), kLaw,
            {.method = method, .bootstrap = 40, .profiles = {"contact.friction", "contact.restitution"}, .folds = 2},
            {.seed = static_cast<std::uint64_t>(k)})
            .estimate;
    EXPECT_EQ(estimate.profiles.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
      const EstimatedProfile& profile = estimate.profiles.at(i);
      out.by_profile += profile.lower && *profile.lower <= truth[i] && profile.upper && truth[i] <= *profile.upper;
      const EstimatedParameter& parameter = estimate.parameters.at(i);
      out.by_bootstrap += std::abs(*parameter.value - truth[i]) <= 1.96 * *parameter.std;
      ++out.of;
    }
    CheckCrossValidation(estimate, truth);
  }
  return out;
}

// Of 8 intervals of 95 % two or more miss in one of 18 seeds.
TEST(TossCoverage, Trajectory) {
  const Coverage found = CoverageOf("trajectory", 6);
  EXPECT_GE(found.by_profile, found.of - 1);
  EXPECT_GE(found.by_bootstrap, found.of - 1);
}

TEST(TossCoverage, Velocity) {
  const Coverage found = CoverageOf("velocity", 8);
  EXPECT_GE(found.by_profile, found.of - 1);
  EXPECT_GE(found.by_bootstrap, found.of - 1);
}

// A box that is wrong by a factor: what is left out is predicted far worse than its noise, and that shows.
TEST(TossCoverage, CrossValidationOfAWrongModel) {
  const JongeneelBox& box = JongeneelBoxes()[2];
  Scene scene = TossScene(box, 0.3, 0.1);
  scene.Set("bodies." + scene.bodies.front().name + ".inertia", {0.1, 0.05, 0.1});
  CampaignOptions options;
  options.tosses = 6;
  const Estimate estimate = Identify(scene, MakeCampaign(box, options), "contact.friction", {.folds = 3}).estimate;
  ASSERT_TRUE(estimate.cross_validation && estimate.cross_validation->residual_over_noise);
  EXPECT_GT(*estimate.cross_validation->residual_over_noise, 5);
  EXPECT_EQ(estimate.cross_validation->values.size(), 3u);
}

}  // namespace
}  // namespace ricochet
