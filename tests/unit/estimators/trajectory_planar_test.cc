// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `trajectory` on planar scenes: exact data give the truth, several recordings give one estimate, what is wrong with a
// recording is reported by name.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "reproduce/identification.h"
#include "reproduce/plywood.h"
#include "ricochet/identify.h"

namespace ricochet {
namespace {

constexpr char kSquare[] =
    "ricochet: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n  b: {{shape: {{rectangle: {{size: [0.06, 0.06]}}}}, "
    "mass: "
    "0.05, inertia: {}}}\nsurfaces:\n  table: {{line: {{point: [0, 0], angle: 0}}}}\ncontact: {{friction: {}, "
    "restitution: "
    "{}}}\n{}simulation: {{method: event, step: 0.005, duration: 0.5}}\n";
constexpr double kSquareRatio = 6e-4;  // s^2 / 6
constexpr char kSquarePaths[] = "bodies.b.inertia / bodies.b.mass, contact.friction, contact.restitution";

Scene SquareScene(double friction, double restitution, const std::string& initial, bool known) {
  return ParseScene(fmt::format(kSquare, known ? 0.05 * kSquareRatio : 5e-5, known ? friction : 0.4,
                                known ? restitution : 0.5, known ? initial : ""),
                    "square.yaml");
}

TEST(PlanarTrajectory, ExactDataGiveTheTruth) {
  const Recording exact = ObserveScene(PlywoodScene(0.2), 240, 0, 0, 0);
  Recording poses = exact;
  poses.columns.resize(3);
  poses.values.resize(3);
  const Estimate estimate = Identify(PlywoodBlindScene(), {poses}, kPlywoodPaths).estimate;
  ASSERT_TRUE(estimate.converged);
  EXPECT_NEAR(*estimate.parameters[0].value / kPlywoodRatio, 1, 1e-8);
  EXPECT_NEAR(*estimate.parameters[1].value, 0.2, 1e-8);
  EXPECT_NEAR(*estimate.parameters[2].value, 0.2, 1e-8);
}

/// The body is caught in flight: no motion of the scene follows that, and the part before it fits.
TEST(PlanarTrajectory, OffersThePartOfARecordingThatFits) {
  Recording caught = PlywoodRecording(0.3, 1e-3, 240, 7);
  const std::size_t rows = caught.time.size(), held = rows / 2;
  Random random(3);
  for (std::size_t c = 0; c < caught.values.size(); ++c)
    for (std::size_t i = held; i < rows; ++i)
      caught.values[c][i] = caught.values[c][held - 1] + (c == 1 ? 0.6 * (caught.time[i] - caught.time[held]) : 0) +
                            1e-3 * random.Normal();
  const Verdict verdict = Identify(PlywoodBlindScene(), {caught}, kPlywoodPaths).estimate.verdict;
  EXPECT_NE(verdict.level, VerdictLevel::kGood);
  EXPECT_TRUE(std::any_of(verdict.reasons.begin(), verdict.reasons.end(), [](const std::string& reason) {
    return reason.find("no start of the search reached the noise") != std::string::npos &&
           reason.find("; its first ") != std::string::npos;
  })) << fmt::format("{}", fmt::join(verdict.reasons, "\n"));
}

/// A wrong inertia that is held leads to other contacts; the candidate is searched again from the data.
TEST(PlanarTrajectory, AWrongHeldInertiaIsNamed) {
  const Estimate estimate =
      Identify(PlywoodBlindScene(), {PlywoodRecording(0.3, 1e-3, 240, 4)}, "contact.friction, contact.restitution")
          .estimate;
  EXPECT_EQ(estimate.verdict.level, VerdictLevel::kRejected);
  ASSERT_FALSE(estimate.verdict.explanations.empty());
  const Explanation& first = estimate.verdict.explanations.front();
  EXPECT_EQ(first.path, "bodies.ellipse.inertia");
  ASSERT_TRUE(first.residual_over_noise);
  EXPECT_LT(*first.residual_over_noise, 1.2);
  EXPECT_LT(std::abs(first.value[0] - 0.064 * kPlywoodRatio), 4 * first.std[0]);
}

/// Where the verdict widens standard deviations, it widens the intervals of profiles too.
TEST(PlanarTrajectory, ProfilesCoverWhatTheVerdictAdds) {
  Scene leaning = PlywoodBlindScene();
  leaning.Set(leaning.Find("gravity[0]"), 0.1);
  const Estimate estimate =
      Identify(leaning, {PlywoodRecording(0.3, 1e-3, 240, 4)},
               "bodies.ellipse.inertia / bodies.ellipse.mass, contact.friction, contact.restitution",
               {.profiles = {"contact.friction"}})
          .estimate;
  ASSERT_NE(estimate.verdict.level, VerdictLevel::kGood);
  const Interval interval = estimate.interval("contact.friction");
  ASSERT_TRUE(interval.lower && interval.upper);
  EXPECT_GT(*interval.upper - *interval.lower, 1.8 * 1.96 * *estimate.at("contact.friction").std);
}

/// A point that sticks to a belt shows its speed, whatever the scene says.
TEST(PlanarTrajectory, SpeedOfABeltFromHalfOfIt) {
  const auto scene = [](double speed, double inertia, double friction, double restitution, const std::string& initial) {
    return ParseScene(fmt::format("ricochet: 1\nspace: planar\nbodies:\n  b: {{shape: {{ellipse: {{semi_axes: [0.05, "
                                  "0.03]}}}}, mass: 0.1, inertia: {}}}\nsurfaces:\n  belt: {{line: {{point: [0, 0], "
                                  "angle: 0}}, velocity: [{}, 0]}}\ncontact: {{friction: {}, restitution: {}}}\n{}"
                                  "simulation: {{method: event, step: 0.002, duration: 0.6}}\n",
                                  inertia, speed, friction, restitution, initial),
                      "belt.yaml");
  };
  const Scene truth =
      scene(0.8, 6e-5, 0.35, 0.3, "initial:\n  b: {pose: [0, 0.15, 0.4], velocity: [0.3, 0], angular_velocity: 4}\n");
  const Scene blind = scene(0.4, 9e-5, 0.5, 0.5, "");
  const Estimate estimate =
      Identify(blind, {ObserveScene(truth, 240, 0.3e-3, 3e-3, 5)},
               "bodies.b.inertia / bodies.b.mass, contact.friction, contact.restitution, surfaces.belt.velocity[0]")
          .estimate;
  const EstimatedParameter& speed = estimate.parameters[3];
  ASSERT_TRUE(speed.value && speed.std);
  EXPECT_LT(std::abs(*speed.value - 0.8), 4 * *speed.std);
  EXPECT_LT(*speed.std, 0.05);
}

TEST(PlanarTrajectory, KnownForceSeparatesMassAndInertia) {
  const std::string force = "actions:\n  - {body: ellipse, force: [0.15, 0.1], torque: 0.001}\n";
  const Scene truth = ParseScene(FormatScene(PlywoodScene(0.2)) + force, "force.yaml");
  Scene blind = ParseScene(FormatScene(PlywoodBlindScene()) + force, "force.yaml");
  blind.Set(blind.Find("bodies.ellipse.mass"), 0.09);
  Recording poses = ObserveScene(truth, 240, 0, 0, 0);
  poses.columns.resize(3);
  poses.values.resize(3);
  const Estimate estimate =
      Identify(blind, {poses}, "bodies.ellipse.mass, bodies.ellipse.inertia, contact.friction, contact.restitution",
               {.method = "trajectory"})
          .estimate;
  ASSERT_TRUE(estimate.converged);
  EXPECT_NEAR(*estimate.parameters[0].value / 0.064, 1, 1e-8);
  EXPECT_NEAR(*estimate.parameters[1].value / (0.064 * kPlywoodRatio), 1, 1e-8);
}

TEST(PlanarTrajectory, RatioAndItsDenominatorInEitherOrder) {
  const std::string force = "actions:\n  - {body: ellipse, force: [0.15, 0.1], torque: 0.001}\n";
  Scene blind = ParseScene(FormatScene(PlywoodBlindScene()) + force, "force.yaml");
  blind.Set(blind.Find("bodies.ellipse.mass"), 0.09);
  const Scene truth = ParseScene(FormatScene(PlywoodScene(0.2)) + force, "force.yaml");
  Recording poses = ObserveScene(truth, 240, 0, 0, 0);
  poses.columns.resize(3);
  poses.values.resize(3);
  const auto identify = [&](const std::string& paths) {
    return Identify(blind, {poses}, paths + ", contact.friction, contact.restitution", {.method = "trajectory"});
  };
  const Identification one = identify("bodies.ellipse.inertia / bodies.ellipse.mass, bodies.ellipse.mass"),
                       other = identify("bodies.ellipse.mass, bodies.ellipse.inertia / bodies.ellipse.mass");
  ASSERT_TRUE(one.estimate.converged);
  ASSERT_TRUE(other.estimate.converged);
  const double ratio = one.estimate.parameters[0].value.value(), mass = one.estimate.parameters[1].value.value();
  EXPECT_NEAR(ratio / kPlywoodRatio, 1, 1e-8);
  EXPECT_NEAR(ratio / other.estimate.parameters[1].value.value(), 1, 1e-9);
  EXPECT_NEAR(mass / other.estimate.parameters[0].value.value(), 1, 1e-9);
  EXPECT_NEAR(one.calibrated[truth.Find("bodies.ellipse.inertia")] / (ratio * mass), 1, 1e-12);
}

TEST(PlanarTrajectory, FixedBodyListedFirstChangesNothing) {
  const Recording recording = PlywoodRecording(0.3, 1e-3, 120, 4);  // columns without a prefix: of the body that moves
  const Scene alone = PlywoodBlindScene();
  std::string text = FormatScene(alone);
  text.insert(text.find("  ellipse:"), "  post: {shape: {circle: {radius: 0.1}}, fixed: true}\n");
  text += "initial:\n  post: {pose: [9, 9, 0]}\n";
  const Scene beside = ParseScene(text, "post.yaml");
  ASSERT_TRUE(beside.bodies[0].fixed);
  const Estimate one = Identify(alone, {recording}, kPlywoodPaths).estimate,
                 other = Identify(beside, {recording}, kPlywoodPaths).estimate;
  for (std::size_t i = 0; i < one.parameters.size(); ++i) {
    EXPECT_EQ(one.parameters[i].value.value(), other.parameters[i].value.value());
    EXPECT_EQ(one.parameters[i].std.value(), other.parameters[i].std.value());
  }
}

TEST(PlanarTrajectory, SquareThatLandsOnAnEdge) {
  // It lands flat and slides on its edge, two contacts at once: friction is identifiable, the inertia is not.
  const Scene flat =
      SquareScene(0.25, 0, "initial:\n  b: {pose: [0, 0.04, 0], velocity: [0.9, 0], angular_velocity: 0}\n", true);
  const Estimate estimate =
      Identify(SquareScene(0, 0, "", false), {ObserveScene(flat, 200, 5e-4, 5e-3, 1)}, kSquarePaths).estimate;
  ASSERT_TRUE(estimate.converged) << (estimate.warnings.empty() ? "" : estimate.warnings[0]);
  ASSERT_TRUE(estimate.parameters[1].value.has_value());
  EXPECT_LT(std::abs(*estimate.parameters[1].value - 0.25), 4 * *estimate.parameters[1].std);
  EXPECT_LT(*estimate.parameters[1].std, 0.02);
}

TEST(PlanarTrajectory, SeveralRecordingsDetermineMoreAndBadOnesAreExcludedByName) {
  std::vector<Recording> recordings;
  for (int seed = 0; seed < 3; ++seed) {
    recordings.push_back(PlywoodRecording(0.3, 20e-3, 120, seed));
    recordings.back().file = fmt::format("throw{}.csv", seed);
  }
  const Estimate one = Identify(PlywoodBlindScene(), {recordings[0]}, kPlywoodPaths).estimate;
  Recording far = recordings[0];
  for (int i = 0; i < far.rows(); ++i) far.values[1][i] = 3 + 2 * far.time[i] - 4.905 * far.time[i] * far.time[i];
  far.file = "far.csv";
  recordings.insert(recordings.begin() + 1, far);
  const Estimate all = Identify(PlywoodBlindScene(), recordings, kPlywoodPaths).estimate;
  ASSERT_TRUE(all.converged);
  ASSERT_EQ(all.recordings.size(), 4u);
  EXPECT_FALSE(all.recordings[1].used);
  EXPECT_EQ(all.recordings[1].file, "far.csv");
  EXPECT_NE(all.recordings[1].reason.find("no impact"), std::string::npos) << all.recordings[1].reason;
  EXPECT_LT(*all.parameters[0].std, 0.75 * *one.parameters[0].std);
  EXPECT_LT(std::abs(*all.parameters[0].value - kPlywoodRatio), 4 * *all.parameters[0].std);
}

TEST(PlanarTrajectory, BootstrapAgreesWithTheLikelihood) {
  const Recording recording = PlywoodRecording(0.3, 20e-3, 120, 4);
  const Estimate plain = Identify(PlywoodBlindScene(), {recording}, kPlywoodPaths).estimate;
  const Estimate strapped = Identify(PlywoodBlindScene(), {recording}, kPlywoodPaths, {.bootstrap = 60}).estimate;
  EXPECT_NEAR(*plain.parameters[0].value, *strapped.parameters[0].value, 1e-12);
  // 60 repetitions determine a standard deviation to 1 / sqrt(120).
  EXPECT_NEAR(*strapped.parameters[0].std / *plain.parameters[0].std, 1, 0.3);
}

// A well-determined parameter has a parabola for its profile.
TEST(PlanarTrajectory, ProfileAgreesWithTheLikelihood) {
  for (const double noise : {1e-3, 20e-3}) {
    const Recording recording = PlywoodRecording(0.3, noise, 240, 4);
    const Estimate estimate =
        Identify(PlywoodBlindScene(), {recording}, kPlywoodPaths,
                 {.profiles = {"bodies.ellipse.inertia / bodies.ellipse.mass", "contact.friction"}})
            .estimate;
    ASSERT_EQ(estimate.profiles.size(), 2u);
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      const EstimatedProfile& profile = estimate.profiles[i];
      const EstimatedParameter& number = estimate.parameters[i];
      EXPECT_EQ(profile.path, number.path);
      ASSERT_TRUE(profile.lower && profile.upper) << profile.words;
      EXPECT_NEAR((*profile.upper - *number.value) / (1.96 * *number.std), 1, 0.05) << profile.words;
      EXPECT_NEAR((*number.value - *profile.lower) / (1.96 * *number.std), 1, 0.05) << profile.words;
      EXPECT_GE(profile.value.size(), 9u);
      EXPECT_LE(profile.value.size(), 15u);
    }
    const Estimate back = ParseEstimate(FormatEstimate(estimate), "estimate.json");
    ASSERT_EQ(back.profiles.size(), 2u);
    EXPECT_EQ(back.profiles[1].value, estimate.profiles[1].value);
    EXPECT_EQ(back.profiles[1].deviance, estimate.profiles[1].deviance);
    EXPECT_EQ(back.profiles[1].upper, estimate.profiles[1].upper);
    EXPECT_EQ(back.profiles[1].words, estimate.profiles[1].words);
  }
}

// Contacts that stick bound friction from below; the profile agrees with the bound.
TEST(PlanarTrajectory, ProfileOfFrictionThatNeverSlid) {
  const Estimate estimate = Identify(PlywoodBlindScene(), {PlywoodRecording(1.5, 5e-3, 240, 3)}, kPlywoodPaths,
                                     {.profiles = {"contact.friction"}})
                                .estimate;
  const EstimatedProfile& profile = estimate.profiles.at(0);
  ASSERT_TRUE(profile.lower && !profile.upper) << profile.words;
  ASSERT_TRUE(estimate.parameters[1].lower);
  EXPECT_NEAR(*profile.lower, *estimate.parameters[1].lower, 0.02);
  EXPECT_NE(profile.words.find("upper limit not identifiable: up to"), std::string::npos) << profile.words;
}

TEST(PlanarTrajectory, EachImpactMayHaveARestitutionOfItsOwn) {
  const Recording recording = PlywoodRecording(0.3, 1e-3, 240, 5);
  const Estimate estimate =
      Identify(PlywoodBlindScene(), {recording}, kPlywoodPaths, {.method_options = {{"impact_restitutions", "3"}}})
          .estimate;
  ASSERT_TRUE(estimate.converged);
  EXPECT_LT(std::abs(*estimate.parameters[0].value - kPlywoodRatio), 4 * *estimate.parameters[0].std);
  ASSERT_EQ(estimate.impact_restitutions.size(), 3u);
  for (const ImpactRestitution& impact : estimate.impact_restitutions)
    EXPECT_LT(std::abs(impact.value.value() - 0.2), 4 * impact.std.value()) << impact.time.value();
}

TEST(PlanarTrajectory, RawCameraPoses) {
  // Wrapped angle, dropped frames, jittered stamps, gross outliers, missing cells.
  const Scene scene = PlywoodScene(0.3);
  const Recording exact = ObserveScene(scene, 2400, 0, 0, 0);
  Recording raw;
  raw.columns = {"x", "y", "theta"};
  raw.values.resize(3);
  raw.file = "raw.csv";
  Random random(12);
  for (int i = 0; i < exact.rows(); i += 10) {
    if (i % 110 == 50) continue;
    const int row = std::min<int>(exact.rows() - 1, i + static_cast<int>(random.Below(5)));
    raw.time.push_back(exact.time[row]);
    for (int c = 0; c < 3; ++c) {
      const double value = exact.values[c][row] + (c == 2 ? 2e-3 : 1e-3) * random.Normal();
      raw.values[c].push_back(c == 2 ? std::remainder(value, 6.283185307179586) : value);
    }
  }
  raw.values[1][40] += 0.08;
  raw.values[2][70] += 0.5;
  raw.values[0][20] = NAN;
  const Estimate estimate = Identify(PlywoodBlindScene(), {raw}, kPlywoodPaths).estimate;
  ASSERT_TRUE(estimate.converged);
  EXPECT_LT(std::abs(*estimate.parameters[0].value - kPlywoodRatio), 4 * *estimate.parameters[0].std);
  EXPECT_LT(std::abs(*estimate.parameters[1].value - 0.3), 0.02);
  EXPECT_EQ(estimate.recordings[0].rejected_rows, 2);
}

}  // namespace
}  // namespace ricochet
