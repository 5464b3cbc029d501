// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/estimate.h"

#include <gtest/gtest.h>

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

TEST(Estimate, CrossValidationIsDescribedWithTheRangeOverItsFolds) {
  EXPECT_EQ(DescribeCrossValidation(Folds()),
            "cross-validation in 3 folds: residuals of held-out recordings are 1.25 times the noise; contact.friction "
            "0.3 to 0.35; contact.restitution 0.1 to 0.2; 1 of the folds gave no fit");
  Estimate estimate;
  estimate.cross_validation = Folds();
  EXPECT_NE(DescribeEstimate(estimate).find("cross-validation in 3 folds"), std::string::npos);
}

}  // namespace
}  // namespace ricochet
