// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/estimate_report.h"

#include <gtest/gtest.h>

#include <cmath>

#include "estimators/assess_fit.h"
#include "ricochet/error.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

/// Mass, friction and inertia of the plywood ellipse, from some recordings without rows.
struct Request {
  Scene scene = ReadScene(testing::SourcePath("examples/plywood_blind.yaml"));
  std::vector<Recording> recordings;
  IdentifyRequest request{
      scene, recordings, ParsePathList(scene, "bodies.ellipse.mass,contact.friction,bodies.ellipse.inertia"), {}};

  explicit Request(int count) : recordings(static_cast<std::size_t>(count)) {
    for (int i = 0; i < count; ++i) recordings[static_cast<std::size_t>(i)].file = "r" + std::to_string(i) + ".csv";
  }
};

TEST(EstimateReport, RefusedNumbersAreNamedAndTheirRatioIsAppendedWithItsCovariance) {
  const Request given(1);
  const MassRefusal refusal = RefuseMass(given.request);
  ASSERT_EQ(refusal.parameters.size(), 2u);
  std::vector<EstimatedParameter> found;
  Estimate estimate = EmptyEstimate(given.request, "trajectory");
  for (std::size_t i = 0; i < 2; ++i) {
    found.push_back(UnidentifiedParameter(given.scene, refusal.parameters[i], 0.5));
    GiveValue(1.0 + static_cast<double>(i), 0.1, 0, 10, found.back(), estimate);
  }
  const Eigen::Matrix2d covariance{{4, 1}, {1, 9}};
  PlaceEstimates(refusal, found, covariance, estimate);

  ASSERT_EQ(estimate.parameters.size(), 4u);
  const std::string ratio = "bodies.ellipse.inertia/bodies.ellipse.mass";
  for (const std::size_t refused : {0u, 2u}) {
    EXPECT_FALSE(estimate.parameters[refused].value);
    EXPECT_FALSE(estimate.parameters[refused].identifiable);
    EXPECT_EQ(estimate.parameters[refused].combination.find(ratio), 0u) << estimate.parameters[refused].combination;
  }
  EXPECT_EQ(estimate.parameters[3].path, ratio);
  const int ratio_at = refusal.index[1] == 0 ? 1 : 0;
  EXPECT_EQ(*estimate.parameters[3].value, 1.0 + ratio_at);
  EXPECT_EQ(estimate.parameters[1].start, given.scene[given.request.parameters[1].numerator]);
  ASSERT_EQ(estimate.covariance.rows(), 4);
  EXPECT_EQ(estimate.covariance(1, 3), 1);
  EXPECT_EQ(estimate.covariance(3, 3), covariance(ratio_at, ratio_at));
  EXPECT_TRUE(std::isnan(estimate.covariance(0, 0)) && std::isnan(estimate.covariance(0, 3)));
  ASSERT_EQ(estimate.warnings.size(), 1u);
  EXPECT_NE(estimate.warnings[0].find(ratio), std::string::npos);
}

TEST(EstimateReport, ANumberAtItsBoundIsWarnedAbout) {
  Estimate estimate;
  EstimatedParameter inside, at;
  inside.path = "inside", at.path = "contact.friction";
  GiveValue(0.3, std::nullopt, 0, 1, inside, estimate);
  EXPECT_TRUE(estimate.warnings.empty());
  EXPECT_TRUE(inside.identifiable && !inside.std);
  GiveValue(0.0, 0.1, 0, 1, at, estimate);
  ASSERT_EQ(estimate.warnings.size(), 1u);
  EXPECT_EQ(estimate.warnings[0], "contact.friction is at its bound 0");
  EXPECT_EQ(*at.std, 0.1);
}

TEST(EstimateReport, RecordingsThatCannotBeUsedAreExcludedByName) {
  const Request three(3);
  Estimate estimate;
  const auto use = [](int i, RecordingUse& entry) {
    if (i == 1) throw InputError({entry.file, 0, 0}, "", "it has no pose.", "Record one.");
    entry.used = i == 2;
    if (!entry.used) entry.reason = "it has no impact";
  };
  UseRecordings(three.request, "Record more.", use, estimate);
  ASSERT_EQ(estimate.recordings.size(), 3u);
  EXPECT_EQ(estimate.recordings[0].reason, "it has no impact");
  EXPECT_EQ(estimate.recordings[1].reason, "it has no pose.");
  EXPECT_FALSE(estimate.recordings[1].used);
  EXPECT_TRUE(estimate.recordings[2].used);

  // None is used, or the only one throws.
  const Request two(2), one(1);
  for (const Request* request : {&two, &one}) {
    Estimate none;
    try {
      UseRecordings(request->request, "Record more.", use, none);
      ADD_FAILURE() << "must throw";
    } catch (const InputError& error) {
      EXPECT_NE(error.problem().find("it has no impact"), std::string::npos) << error.problem();
      EXPECT_EQ(error.problem().find("none of the 2") != std::string::npos, request == &two);
    }
  }
  Estimate thrown;
  const auto refuse = [](int, RecordingUse& entry) { throw InputError({entry.file, 0, 0}, "", "no pose.", "Record."); };
  EXPECT_THROW(UseRecordings(one.request, "Record more.", refuse, thrown), InputError);
}

TEST(EstimateReport, ProfilesNameParametersThatAreNotEstimated) {
  const Scene scene = ReadScene(testing::SourcePath("examples/plywood_blind.yaml"));
  const std::vector<Recording> recordings;
  IdentifyRequest request{scene, recordings, ParsePathList(scene, "contact.friction, contact.restitution"), {}};
  request.options.profiles = {"contact.restitution", "contact.friction", "contact.restitution"};
  EXPECT_EQ(ProfiledParameters(request, request.parameters), (std::vector<int>{1, 0}));
  request.options.profiles = {"bodies.ellipse.inertia / bodies.ellipse.mass"};
  try {
    ProfiledParameters(request, request.parameters);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("bodies.ellipse.inertia/bodies.ellipse.mass` is not among"),
              std::string::npos)
        << error.what();
  }
}

TEST(EstimateReport, CalibratedScenesHaveExactlyWhatWasEstimated) {
  const Scene scene = ReadScene(testing::SourcePath("examples/plywood_blind.yaml"));
  const Request given(1);
  Identification result{EmptyEstimate(given.request, "trajectory"), scene};
  result.estimate.parameters[1].value = 0.123456789;  // friction, which the scene has otherwise
  KeepEstimates(scene, result);
  EXPECT_EQ(result.calibrated[result.calibrated.Find("contact.friction")], 0.123456789);
  EXPECT_TRUE(result.estimate.warnings.empty());
  // No scene can have this one: that is said, with both values.
  result.estimate.parameters[0].value = -1;
  KeepEstimates(scene, result);
  ASSERT_EQ(result.estimate.warnings.size(), 1u);
  EXPECT_NE(result.estimate.warnings[0].find("bodies.ellipse.mass = 0.064 in place of -1"), std::string::npos)
      << result.estimate.warnings[0];
}

}  // namespace
}  // namespace ricochet
