// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Friction and restitution from tosses: the campaign made with 0.40 and 0.25, and campaigns of our own.
#include <gtest/gtest.h>

#include <cmath>

#include "reproduce/toss_campaign.h"
#include "ricochet/identify.h"
#include "ricochet/predict.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

constexpr char kLaw[] = "contact.friction,contact.restitution";

std::vector<Recording> Campaign(int first, int count) {
  std::vector<Recording> recordings;
  for (int i = first; i < first + count; ++i)
    recordings.push_back(ReadRecording(
        testing::DataPath("truth/box/campaign/toss_" + std::string(i < 10 ? "0" : "") + std::to_string(i) + ".csv")));
  return recordings;
}

/// Box006 as someone has it who does not know the contact.
Scene Blind() {
  Scene scene = ReadScene(testing::SourcePath("examples/box006_toss.yaml"));
  scene.Set("contact.friction", {0.2});
  scene.Set("contact.restitution", {0.6});
  scene.initial.clear();
  return scene;
}

void ExpectLaw(const Estimate& estimate, double friction_limit, double restitution_limit) {
  EXPECT_TRUE(estimate.converged);
  ASSERT_TRUE(estimate.parameters[0].value && estimate.parameters[1].value);
  EXPECT_NEAR(*estimate.parameters[0].value, 0.40, friction_limit) << *estimate.parameters[0].std;
  EXPECT_NEAR(*estimate.parameters[1].value, 0.25, restitution_limit) << *estimate.parameters[1].std;
  EXPECT_LT(std::abs(*estimate.parameters[0].value - 0.40), 4 * *estimate.parameters[0].std);
  EXPECT_LT(std::abs(*estimate.parameters[1].value - 0.25), 4 * *estimate.parameters[1].std);
}

TEST(TossIdentification, TrajectoryOfTheCampaign) {
  ExpectLaw(Identify(Blind(), Campaign(0, 8), kLaw).estimate, 0.005, 0.03);
}

// A toss that a fit by derivatives gets wrong by twelve standard deviations, and one that no start explains to the end:
// right, or said to be not converged.
TEST(TossIdentification, TrajectoryOfOneToss) {
  const Estimate one = Identify(Blind(), Campaign(1, 1), kLaw).estimate;
  ExpectLaw(one, 0.005, 0.03);
  const Estimate lost = Identify(Blind(), Campaign(2, 1), kLaw).estimate;
  if (lost.converged) ExpectLaw(lost, 0.005, 0.03);
  if (!lost.converged) {
    EXPECT_FALSE(lost.warnings.empty());
  }
}

TEST(TossIdentification, VelocityFromDrops) {
  const JongeneelBox& box = JongeneelBoxes()[2];
  CampaignOptions options;
  options.tosses = 20;
  options.drops = true;
  IdentifyOptions identify;
  identify.method = "velocity";
  ExpectLaw(Identify(Blind(), MakeCampaign(box, options), kLaw, identify).estimate, 0.02, 0.02);
}

TEST(TossIdentification, PredictionsFromTheFlightCoverTheRest) {
  const Scene scene = TossScene(JongeneelBoxes()[2], 0.40, 0.25);
  const Prediction prediction = Predict(scene, nullptr, Campaign(0, 30), {.samples = 40, .folds = 3});
  EXPECT_EQ(prediction.checked, 30);
  ASSERT_TRUE(prediction.coverage && prediction.face_correct);
  EXPECT_GE(*prediction.coverage, 0.8);
  EXPECT_EQ(*prediction.face_correct, 1);
  // A recording that ends in flight is predicted too.
  Recording flight = Campaign(0, 1).front();
  const int rows = 25;
  flight.time.resize(rows);
  for (std::vector<double>& column : flight.values) column.resize(rows);
  if (!flight.lines.empty()) flight.lines.resize(rows);
  const Prediction one = Predict(scene, nullptr, {flight}, {.samples = 20}, prediction.scatter);
  ASSERT_TRUE(one.tosses[0].used) << one.tosses[0].reason;
  EXPECT_FALSE(one.tosses[0].recorded);
  EXPECT_LT((one.tosses[0].position - *prediction.tosses[0].recorded).norm(), 0.05);
}

}  // namespace
}  // namespace ricochet
