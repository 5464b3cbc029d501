// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The campaign of 30 tosses of Box006 made with friction 0.40 and restitution 0.25 (tests/data/truth/box/campaign).
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "ricochet/error.h"
#include "ricochet/sweep.h"
#include "ricochet/validate.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

std::vector<Recording> CampaignOf(int count = 30) {
  std::vector<Recording> recordings;
  for (int i = 0; i < count; ++i)
    recordings.push_back(ReadRecording(
        testing::DataPath("truth/box/campaign/toss_" + std::string(i < 10 ? "0" : "") + std::to_string(i) + ".csv")));
  return recordings;
}

Scene Box006() { return ReadScene(testing::SourcePath("examples/box006_toss.yaml")); }

double MeanOf(const Validation& validation, const std::string& name) {
  for (const ErrorSummary& s : validation.summary) {
    if (s.name == name) return s.mean;
  }
  ADD_FAILURE() << name;
  return 0;
}

TEST(TossCampaign, TheTruthPredictsTheRestPose) {
  const Validation validation = Validate(Box006(), CampaignOf());
  for (const ValidatedRecording& r : validation.recordings) {
    EXPECT_TRUE(r.used) << r.file << ": " << r.reason;
    EXPECT_TRUE(r.solved) << r.file;
  }
  EXPECT_LT(MeanOf(validation, "rest_position_error"), 3e-3);
  EXPECT_LT(MeanOf(validation, "rest_yaw_error"), 2 * 0.01745);
  EXPECT_EQ(MeanOf(validation, "rest_face_correct"), 1);
  EXPECT_LT(MeanOf(validation, "trajectory_loss"), 0.02);
}

// What the reference program found when numbers are wrong: restitution 0 costs 8 mm and 5.8 degrees, friction 0.05 more
// costs 94 mm and 2.5 degrees.
TEST(TossCampaign, WrongNumbersCostWhatTheReferenceSays) {
  Scene scene = Box006();
  scene.Set("contact.restitution", {0.0});
  const Validation without = Validate(scene, CampaignOf());
  EXPECT_NEAR(MeanOf(without, "rest_position_error"), 8e-3, 3e-3);
  EXPECT_NEAR(MeanOf(without, "rest_yaw_error"), 5.8 * 0.01745, 1.5 * 0.01745);
  scene.Set("contact.restitution", {0.25});
  scene.Set("contact.friction", {0.45});
  EXPECT_NEAR(MeanOf(Validate(scene, CampaignOf()), "rest_position_error"), 94e-3, 15e-3);
}

// The state at the end of the arc is less certain than in its middle, which costs a few millimeters at rest.
TEST(TossCampaign, StartsAtTheLastFrameOfTheFlight) {
  ValidateOptions options;
  options.start = {RollStart::Kind::kContact, 0};
  const Validation validation = Validate(Box006(), CampaignOf(), options);
  EXPECT_LT(MeanOf(validation, "rest_position_error"), 6e-3);
  for (const ValidatedRecording& r : validation.recordings) EXPECT_GT(r.start, 0) << r.file;
}

RecordingSource SourceOf(std::vector<Recording> recordings, int times = 1) {
  const std::size_t count = recordings.size() * static_cast<std::size_t>(times);
  return {.count = count,
          .read = [recordings = std::move(recordings)](std::size_t i) { return recordings[i % recordings.size()]; },
          .hash = [](std::size_t i) { return std::to_string(i); }};
}

class TossSweep : public ::testing::TestWithParam<std::string> {};

// The paper's grid of 0.05 finds the truth with the trajectory cost and with the velocity cost.
TEST_P(TossSweep, FindsTheTruthOnThePapersGrid) {
  const testing::TemporaryFolder folder;
  const Scene scene = Box006();
  SweepOptions options;
  options.cost = ParseSweepCost(GetParam());
  options.output = folder.File("map.csv");
  const std::vector<SweepAxis> axes = {ParseSweepAxis(scene, "contact.friction=0.3:0.5:5"),
                                       ParseSweepAxis(scene, "contact.restitution=0.1:0.4:7")};
  const SweepResult summary = Sweep(scene, SourceOf(CampaignOf()), axes, options);
  EXPECT_EQ(summary.cost.size(), 35u);
  EXPECT_EQ(summary.cells, 35);
  EXPECT_NEAR(summary.intervals[0].best, 0.40, 1e-12);
  EXPECT_NEAR(summary.intervals[1].best, 0.25, 1e-12);
  EXPECT_FALSE(std::filesystem::exists(options.output + ".part"));
}
INSTANTIATE_TEST_SUITE_P(Costs, TossSweep, ::testing::Values("trajectory", "velocity"));

TEST(TossCampaign, SweepsDoNotDependOnThreads) {
  const testing::TemporaryFolder folder;
  const Scene scene = Box006();
  const std::vector<SweepAxis> axes = {ParseSweepAxis(scene, "contact.friction=0:1:21")};
  std::vector<std::string> texts;
  for (const int threads : {1, 2, 3, 7}) {
    SweepOptions options;
    options.output = folder.File("map.csv");
    Sweep(scene, SourceOf(CampaignOf(4)), axes, options, {.threads = threads});
    std::ifstream in(options.output);
    texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  EXPECT_GT(texts[0].size(), 400u);
  for (const std::string& text : texts) EXPECT_EQ(text, texts[0]);
}

// More recordings than are held at once: costs are means over blocks, whatever the threads.
TEST(TossCampaign, SweepsRecordingsInBlocks) {
  const testing::TemporaryFolder folder;
  const Scene scene = Box006();
  const std::vector<SweepAxis> axes = {ParseSweepAxis(scene, "contact.friction=0.3:0.5:3")};
  std::vector<std::string> texts;
  std::vector<double> least;
  for (const int times : {1, 6, 6}) {
    SweepOptions options;
    options.output = folder.File("map.csv");
    const SweepResult summary =
        Sweep(scene, SourceOf(CampaignOf(7), times), axes, options, {.threads = texts.size() == 1 ? 1 : 3});
    EXPECT_EQ(summary.used, 7 * times);
    least.push_back(summary.least_cost);
    std::ifstream in(options.output);
    texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  EXPECT_NEAR(least[1], least[0], 1e-12 * least[0]);
  EXPECT_EQ(texts[1], texts[2]);
}

TEST(TossCampaign, RefusesWhatCannotBeSwept) {
  const Scene scene = Box006();
  for (const char* wrong : {"contact.friction", "contact.friction=0:1", "contact.friction=0:1:0",
                            "contact.friction=1:0:3", "contact.friction=-1:1:3", "contact.restitution=0:2:3",
                            "contact.frction=0:1:3", "contact.friction=0:x:3", "contact.friction=0:1:2.5"}) {
    EXPECT_THROW(ParseSweepAxis(scene, wrong), InputError) << wrong;
  }
  EXPECT_THROW(ParseSweepCost("beauty"), InputError);
  EXPECT_THROW(ParseRollStart("later"), InputError);
}

}  // namespace
}  // namespace ricochet
