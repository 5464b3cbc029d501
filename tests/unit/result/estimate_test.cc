// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/estimate.h"

#include <gtest/gtest.h>

#include <utility>

#include "ricochet/error.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

EstimatedCrossValidation Folds() {
  EstimatedCrossValidation out;
  out.folds = 3;
  out.residual_over_noise = 1.25;
  out.paths = {"contact.friction", "contact.restitution"};
  out.values = {{0.3, 0.2}, {}, {0.35, 0.1}};
  out.recordings = {{0, 0, 1.5}, {1, 1, std::nullopt}, {2, 2, 1.0}};
  return out;
}

TEST(Estimate, CrossValidationIsStoredAndReadBack) {
  Estimate estimate;
  EXPECT_EQ(FormatEstimate(estimate).find("cross_validation"), std::string::npos);
  estimate.cross_validation = Folds();
  const Estimate read = ParseEstimate(FormatEstimate(estimate), "estimate.json");
  ASSERT_TRUE(read.cross_validation);
  const EstimatedCrossValidation &expected = *estimate.cross_validation, &got = *read.cross_validation;
  EXPECT_EQ(got.folds, expected.folds);
  EXPECT_EQ(got.residual_over_noise, expected.residual_over_noise);
  EXPECT_EQ(got.paths, expected.paths);
  EXPECT_EQ(got.values, expected.values);
  ASSERT_EQ(got.recordings.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(got.recordings[i].recording, expected.recordings[i].recording);
    EXPECT_EQ(got.recordings[i].fold, expected.recordings[i].fold);
    EXPECT_EQ(got.recordings[i].residual_over_noise, expected.recordings[i].residual_over_noise);
  }
}

TEST(Estimate, RepetitionsOfTheBootstrapAreStoredAndReadBack) {
  Estimate estimate;
  EXPECT_EQ(FormatEstimate(estimate).find("bootstrap"), std::string::npos);
  estimate.bootstrap = EstimatedBootstrap{"a parametric bootstrap", {"contact.friction"}, {{0.1}, {1.0 / 3}}};
  const Estimate read = ParseEstimate(FormatEstimate(estimate), "estimate.json");
  ASSERT_TRUE(read.bootstrap);
  EXPECT_EQ(read.bootstrap->kind, estimate.bootstrap->kind);
  EXPECT_EQ(read.bootstrap->paths, estimate.bootstrap->paths);
  EXPECT_EQ(read.bootstrap->values, estimate.bootstrap->values);
}

TEST(Estimate, CrossValidationIsDescribedWithTheRangeOverItsFolds) {
  EXPECT_EQ(DescribeCrossValidation(Folds()),
            "cross-validation in 3 folds: residuals of held-out recordings are 1.25 times the noise; contact.friction "
            "0.3 to 0.35; contact.restitution 0.1 to 0.2; 1 of the folds gave no fit");
  Estimate estimate;
  estimate.cross_validation = Folds();
  EXPECT_NE(DescribeEstimate(estimate).find("cross-validation in 3 folds"), std::string::npos);
}

Estimate Two() {
  Estimate estimate;
  EstimatedParameter& friction = estimate.parameters.emplace_back();
  friction.path = "contact.friction";
  friction.value = 0.3;
  friction.std = 0.01;
  EstimatedParameter& ratio = estimate.parameters.emplace_back();
  ratio.path = "bodies.e.inertia/bodies.e.mass";
  ratio.lower = 0.2;
  return estimate;
}

TEST(Estimate, FindsAParameterByItsPath) {
  const Estimate estimate = Two();
  EXPECT_EQ(&estimate.at("contact.friction"), &estimate.parameters[0]);
  EXPECT_EQ(&estimate.at("bodies.e.inertia / bodies.e.mass"), &estimate.parameters[1]);
  try {
    estimate.at("contact.frictoin");
    FAIL() << "nothing was thrown";
  } catch (const InputError& error) {
    EXPECT_EQ(error.path(), "contact.frictoin");
    EXPECT_EQ(error.remedy(), "Did you mean `contact.friction`?");
  }
}

TEST(Estimate, IntervalsCoverWithTheirLevel) {
  Estimate estimate = Two();
  // Quantiles of the normal distribution from a table.
  const std::pair<double, double> quantiles[] = {{0.5, 0.67449}, {0.6827, 1.0}, {0.95, 1.95996}, {0.99, 2.57583}};
  for (const auto& [level, z] : quantiles) {
    const Interval interval = estimate.interval("contact.friction", level);
    EXPECT_NEAR(*interval.lower, 0.3 - 0.01 * z, 1e-6) << level;
    EXPECT_NEAR(*interval.upper, 0.3 + 0.01 * z, 1e-6) << level;
  }
  // One-sided limits are at 95 %; at another level nothing is known.
  const Interval limit = estimate.interval("bodies.e.inertia/bodies.e.mass");
  EXPECT_EQ(limit.lower, 0.2);
  EXPECT_FALSE(limit.upper);
  EXPECT_FALSE(estimate.interval("bodies.e.inertia/bodies.e.mass", 0.9).lower);
  // A profile is not symmetric, and goes before the standard deviation.
  EstimatedProfile& profile = estimate.profiles.emplace_back();
  profile.path = "contact.friction";
  profile.lower = 0.27;
  profile.upper = 0.34;
  EXPECT_EQ(estimate.interval("contact.friction").upper, 0.34);
  EXPECT_NEAR(*estimate.interval("contact.friction", 0.6827).upper, 0.31, 1e-5);
  EXPECT_THROW(estimate.interval("contact.friction", 1), InputError);
  EXPECT_THROW(estimate.interval("contact.friction", 95), InputError);
  EXPECT_THROW(estimate.interval("gravity"), InputError);
}

TEST(Estimate, IsWrittenWholeAndReadBack) {
  const testing::TemporaryFolder folder;
  WriteEstimate(Two(), folder.File("estimate.json"));
  EXPECT_EQ(ReadEstimate(folder.File("estimate.json")).at("contact.friction").value, 0.3);
  EXPECT_THROW(WriteEstimate(Two(), folder.File("none/estimate.json")), InputError);
}

}  // namespace
}  // namespace ricochet
