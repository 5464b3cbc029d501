// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Friction and restitution from tosses: the campaign made with 0.40 and 0.25, and campaigns of our own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "model/parameter_map.h"
#include "reproduce/toss_campaign.h"
#include "ricochet/identify.h"
#include "ricochet/parameter.h"
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

// A toss that a fit by derivatives gets wrong by twelve standard deviations.
TEST(TossIdentification, TrajectoryOfOneToss) {
  ExpectLaw(Identify(Blind(), Campaign(1, 1), kLaw).estimate, 0.005, 0.03);
}

// A box that lands flat and slides: no start explains it to the end, and the rows that are reproduced determine the
// law.
TEST(TossIdentification, TrajectoryOfATossThatSlidesFlat) {
  const Estimate estimate = Identify(Blind(), Campaign(2, 1), kLaw).estimate;
  ExpectLaw(estimate, 0.005, 0.03);
  EXPECT_NE(estimate.recordings[0].reason.find("rows after the first contact"), std::string::npos)
      << estimate.recordings[0].reason;
}

// The minimum of the cost (18) has a restitution of 0.05 here, and half of the tosses do not lead away from it.
TEST(TossIdentification, TrajectoryWhereTheFirstSearchIsFarOff) {
  CampaignOptions options;
  options.seed = 98;
  ExpectLaw(Identify(TossScene(JongeneelBoxes()[2], 0.3, 0.1), MakeCampaign(JongeneelBoxes()[2], options), kLaw, {},
                     {.seed = 98})
                .estimate,
            0.005, 0.03);
}

/// Drops of a box on a corner.
std::vector<Recording> Drops(const JongeneelBox& box, int count) {
  CampaignOptions options;
  options.tosses = count;
  options.drops = true;
  return MakeCampaign(box, options);
}

// Box004 has most impacts on the plateau where they stick, beside a narrow valley.
TEST(TossIdentification, VelocityFromDrops) {
  IdentifyOptions identify;
  identify.method = "velocity";
  for (const std::size_t b : {std::size_t{0}, std::size_t{2}}) {
    const JongeneelBox& box = JongeneelBoxes()[b];
    const Estimate estimate = Identify(TossScene(box, 0.2, 0.6), Drops(box, 12), kLaw, identify).estimate;
    EXPECT_TRUE(estimate.converged) << box.name;
    const double truth[] = {box.friction, box.restitution};
    for (std::size_t i = 0; i < 2; ++i) {
      ASSERT_TRUE(estimate.parameters[i].value && estimate.parameters[i].std) << box.name;
      EXPECT_NEAR(*estimate.parameters[i].value, truth[i], 0.02) << box.name;
      EXPECT_LT(std::abs(*estimate.parameters[i].value - truth[i]), 4 * *estimate.parameters[i].std) << box.name;
    }
  }
}

/// Box006 with a post 9 m away, listed before the box or behind it.
Scene WithPost(bool first) {
  const std::string box =
      "  box: {shape: {box: {size: [0.205, 0.155, 0.100]}}, mass: 0.365, inertia: [1.040e-3, 1.590e-3, 2.020e-3]}\n";
  const std::string post = "  post: {shape: {box: {size: [0.2, 0.2, 0.2]}}, mass: 1, fixed: true}\n";
  return ParseScene("ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n" +
                        (first ? post + box : box + post) +
                        "surfaces: {conveyor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}}\n"
                        "contact: {friction: 0.2, restitution: 0.6, tangential_restitution: 0}\n"
                        "initial: {post: {position: [9, 0, 0.1]}}\n"
                        "simulation: {method: moreau, step: 0.002777777777777778, duration: 1.5}\n",
                    "post.yaml");
}

// The body that is tossed is the one that moves, wherever it is listed, and a fixed one stays where the scene has it.
TEST(TossIdentification, AFixedBodyFarAwayChangesNothing) {
  const std::string paths = std::string(kLaw) + ",bodies.box.inertia[0],bodies.box.mass";
  for (const char* method : {"velocity", "trajectory"}) {
    IdentifyOptions options;
    options.method = method;
    const std::vector<Recording> tosses = Campaign(0, 5);
    const Estimate alone = Identify(Blind(), tosses, paths, options).estimate;
    for (const bool first : {true, false}) {
      SCOPED_TRACE(std::string(method) + (first ? ", listed first" : ", listed last"));
      const Estimate estimate = Identify(WithPost(first), tosses, paths, options).estimate;
      ASSERT_EQ(estimate.parameters.size(), 5u);
      EXPECT_FALSE(estimate.parameters[3].value) << "mass is not identifiable";
      for (const std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{4}}) {
        ASSERT_TRUE(estimate.parameters[i].value && alone.parameters[i].value);
        EXPECT_NEAR(*estimate.parameters[i].value, *alone.parameters[i].value, 1e-3 * *alone.parameters[i].std);
      }
    }
  }
}

bool Contains(const EstimatedProfile& profile, double value) {
  return profile.lower && profile.upper && *profile.lower < value && value < *profile.upper;
}

// Resampled tosses scatter as the standard deviations say; profiles contain the truth.
TEST(TossIdentification, BootstrapAndProfileOfTrajectory) {
  const IdentifyOptions both{.bootstrap = 200, .profiles = {"contact.friction", "contact.restitution"}};
  const std::vector<Recording> tosses = Campaign(0, 6);
  const Estimate plain = Identify(Blind(), tosses, kLaw).estimate;
  const Estimate more = Identify(Blind(), tosses, kLaw, both).estimate;
  const double truth[] = {0.40, 0.25};
  ASSERT_EQ(more.profiles.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(*more.parameters[i].value, *plain.parameters[i].value);
    EXPECT_GT(*more.parameters[i].std, 0.5 * *plain.parameters[i].std);
    EXPECT_LT(*more.parameters[i].std, 3 * *plain.parameters[i].std);
    EXPECT_TRUE(Contains(more.profiles[i], truth[i])) << more.profiles[i].words;
  }
}

TEST(TossIdentification, BootstrapAndProfileOfVelocity) {
  const JongeneelBox& box = JongeneelBoxes()[2];
  const std::vector<Recording> drops = Drops(box, 8);
  IdentifyOptions options;
  options.method = "velocity";
  const Estimate plain = Identify(TossScene(box, 0.2, 0.6), drops, kLaw, options).estimate;
  options.bootstrap = 20;
  options.profiles = {"contact.friction", "contact.restitution"};
  const Estimate more = Identify(TossScene(box, 0.2, 0.6), drops, kLaw, options).estimate;
  ASSERT_EQ(more.profiles.size(), 2u);
  const double truth[] = {box.friction, box.restitution};
  for (std::size_t i = 0; i < 2; ++i) {
    const double value = *plain.parameters[i].value, deviation = *plain.parameters[i].std;
    EXPECT_EQ(*more.parameters[i].value, value);
    EXPECT_GT(*more.parameters[i].std, 0.4 * deviation);
    EXPECT_LT(*more.parameters[i].std, 3 * deviation);
    const EstimatedProfile& profile = more.profiles[i];
    ASSERT_TRUE(profile.lower && profile.upper) << profile.words;
    EXPECT_TRUE(Contains(profile, truth[i])) << profile.words;
    EXPECT_NEAR((*profile.upper - *profile.lower) / (2 * 1.96 * deviation), 1, 0.25) << profile.words;
  }
  const Estimate alone = Identify(TossScene(box, 0.2, 0.6), drops, kLaw, options, {.threads = 1}).estimate;
  EXPECT_EQ(*alone.parameters[0].std, *more.parameters[0].std);
}

// A model that does not explain the tosses: the cost (18) is minimized again on resampled tosses. A wrong moment of
// inertia is such a model.
TEST(TossIdentification, BootstrapAndProfileOfTheCost) {
  Scene scene = Blind();
  const std::string name = scene.bodies.front().name;
  scene.Set("bodies." + name + ".inertia", {0.1, 0.05, 0.1});
  const std::vector<Recording> tosses = Campaign(0, 6);
  const Estimate plain = Identify(scene, tosses, "contact.friction").estimate;
  const Estimate more =
      Identify(scene, tosses, "contact.friction", {.bootstrap = 12, .profiles = {"contact.friction"}}).estimate;
  bool statements = false;
  for (const std::string& line : more.log)
    statements = statements || line.find("cost (18) minimized again") != std::string::npos;
  EXPECT_TRUE(statements);
  EXPECT_EQ(*more.parameters[0].value, *plain.parameters[0].value);
  EXPECT_GT(*more.parameters[0].std, 0.3 * *plain.parameters[0].std);
  ASSERT_EQ(more.profiles.size(), 1u);
  EXPECT_TRUE(Contains(more.profiles[0], *more.parameters[0].value)) << more.profiles[0].words;
}

// Fits that begin at the estimate leave a number without effect where it is: that does not make it known.
TEST(TossIdentification, BootstrapDoesNotMakeANumberKnownThatHasNoEffect) {
  const JongeneelBox& box = JongeneelBoxes()[2];
  const std::string paths = std::string(kLaw) + ",surfaces.conveyor.plane.point[0]";
  IdentifyOptions options;
  options.method = "velocity";
  options.bootstrap = 6;
  const Estimate estimate = Identify(TossScene(box, 0.2, 0.6), Drops(box, 8), paths, options).estimate;
  ASSERT_EQ(estimate.parameters.size(), 3u);
  EXPECT_TRUE(estimate.parameters[0].value);
  EXPECT_FALSE(estimate.parameters[2].value) << *estimate.parameters[2].value;
  EXPECT_FALSE(estimate.parameters[2].identifiable);
}

TEST(TossIdentification, TrajectoryLeavesANumberWithoutEffectAsItWas) {
  const Identification found =
      Identify(Blind(), Campaign(0, 6), std::string(kLaw) + ",surfaces.conveyor.plane.point[0]");
  ASSERT_EQ(found.estimate.parameters.size(), 3u);
  EXPECT_FALSE(found.estimate.parameters[2].value);
  EXPECT_NE(found.estimate.parameters[2].combination.find("no effect"), std::string::npos);
  EXPECT_EQ(found.calibrated[found.calibrated.Find("surfaces.conveyor.plane.point[0]")], 0);
  ExpectLaw(found.estimate, 0.005, 0.03);
}

// Where every impact sticks friction has a lower bound and no value; restitution is estimated all the same.
TEST(TossIdentification, VelocityOfImpactsThatStick) {
  JongeneelBox box = JongeneelBoxes()[2];
  box.friction = 1.1;
  IdentifyOptions identify;
  identify.method = "velocity";
  identify.profiles = {"contact.friction"};
  const Estimate estimate = Identify(TossScene(box, 0.3, 0.1), Drops(box, 6), kLaw, identify).estimate;
  EXPECT_FALSE(estimate.parameters[0].value);
  // The profile fits the other parameters again, the bound does not.
  const EstimatedProfile& profile = estimate.profiles.at(0);
  ASSERT_TRUE(profile.lower && !profile.upper) << profile.words;
  EXPECT_NEAR(*profile.lower, *estimate.parameters[0].lower, 0.1);
  EXPECT_NE(profile.words.find("limit not identifiable"), std::string::npos) << profile.words;
  ASSERT_TRUE(estimate.parameters[0].lower && estimate.parameters[1].value);
  EXPECT_GT(*estimate.parameters[0].lower, 0.3);
  EXPECT_LT(*estimate.parameters[0].lower, 1.1);
  EXPECT_NEAR(*estimate.parameters[1].value, box.restitution, 0.02);
}

/// Every campaign of a table of bench/study_toss_coverage is within the limits, and 1.96 deviations cover the truth in
/// 90 to 99 % of the 200.
void CheckCoverage(const std::string& table, double friction_limit, double restitution_limit) {
  std::ifstream in(testing::SourcePath(table));
  std::string line;
  std::getline(in, line);
  int rows = 0, covered[2] = {0, 0};
  while (std::getline(in, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream cells(line);
    double campaign = 0, value[2], deviation[2];
    cells >> campaign >> value[0] >> deviation[0] >> value[1] >> deviation[1];
    ASSERT_TRUE(cells) << line;
    EXPECT_EQ(campaign, rows);
    const double error[] = {std::abs(value[0] - 0.40), std::abs(value[1] - 0.25)};
    EXPECT_LT(error[0], friction_limit) << line;
    EXPECT_LT(error[1], restitution_limit) << line;
    for (int i = 0; i < 2; ++i) covered[i] += error[i] <= 1.96 * deviation[i] ? 1 : 0;
    ++rows;
  }
  ASSERT_EQ(rows, 200);
  for (const int each : covered) {
    EXPECT_GE(each, 180);
    EXPECT_LE(each, 198);
  }
}

TEST(TossIdentification, DeviationsCoverTheTruth) {
  CheckCoverage("bench/study_toss_coverage.csv", 0.005, 0.03);
  CheckCoverage("bench/study_toss_coverage_velocity.csv", 0.02, 0.02);
}

TEST(TossIdentification, PredictionsFromTheFlightCoverTheRest) {
  const Scene scene = TossScene(JongeneelBoxes()[2], 0.40, 0.25);
  const Prediction prediction = Predict(scene, {}, Campaign(0, 30), {.samples = 40, .folds = 3});
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
  const Prediction one = Predict(scene, {}, {flight}, {.samples = 20, .scatter = prediction.scatter});
  ASSERT_TRUE(one.tosses[0].used) << one.tosses[0].reason;
  EXPECT_FALSE(one.tosses[0].recorded);
  EXPECT_LT((one.tosses[0].position - *prediction.tosses[0].recorded).norm(), 0.05);
}

// Motion depends on inertia over mass alone: where the ratios are known, it does not matter how well the mass is. A
// draw of the mass moves the moments with it.
TEST(TossIdentification, PredictionsDrawRatiosWithTheirDenominator) {
  const Scene scene = ReadScene(testing::SourcePath("examples/box006_toss.yaml"));
  const auto estimate_of = [&](double deviation_of_mass) {
    Estimate estimate;
    for (const std::string path : {"bodies.box.inertia[0]/bodies.box.mass", "bodies.box.mass",
                                   "bodies.box.inertia[1]/bodies.box.mass", "bodies.box.inertia[2]/bodies.box.mass"}) {
      EstimatedParameter parameter;
      parameter.path = path;
      parameter.value = ValueOf(scene, ParsePathList(scene, path).front());
      parameter.std = path == "bodies.box.mass" ? deviation_of_mass : 1e-12;
      estimate.parameters.push_back(parameter);
    }
    const Eigen::Vector4d deviations(1e-12, deviation_of_mass, 1e-12, 1e-12);
    estimate.covariance = deviations.cwiseAbs2().asDiagonal();
    return estimate;
  };
  const Estimate known = estimate_of(1e-12), open = estimate_of(0.04);
  const std::vector<Recording> tosses = Campaign(0, 2);
  const PredictOptions options{.samples = 30};
  const Prediction expected = Predict(scene, known, tosses, options), found = Predict(scene, open, tosses, options);
  for (std::size_t i = 0; i < tosses.size(); ++i) {
    EXPECT_LT((found.tosses[i].position - expected.tosses[i].position).norm(), 1e-4);
    EXPECT_NEAR(found.tosses[i].semi_axes[1] / expected.tosses[i].semi_axes[1], 1, 0.02);
  }
}

}  // namespace
}  // namespace ricochet
