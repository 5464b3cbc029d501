// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What an estimate says beside its numbers, so that a page can show it: the fitted motion, the contact impulses that go
// with it, and the optimizer's way. Each is judged by mechanics or by the known noise, not by stored numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "ricochet/identify.h"
#include "ricochet/report.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

using testing::DataPath;

void ExpectTrace(const Estimate& estimate) {
  ASSERT_FALSE(estimate.trace.empty());
  for (const OptimizerStage& stage : estimate.trace) {
    ASSERT_EQ(stage.cost.size(), stage.step.size()) << stage.name;
    EXPECT_EQ(stage.step.front(), 0) << stage.name;
    for (std::size_t i = 0; i < stage.cost.size(); ++i)
      EXPECT_TRUE(std::isfinite(stage.cost[i]) && std::isfinite(stage.step[i])) << stage.name << " " << i;
    EXPECT_LE(stage.cost.back(), stage.cost.front()) << stage.name;
  }
}

Identification Tosses(const std::string& method, int count) {
  Scene scene = ReadScene(testing::SourcePath("examples/box006_toss.yaml"));
  scene.initial.clear();
  std::vector<Recording> recordings;
  for (int i = 0; i < count; ++i)
    recordings.push_back(ReadRecording(DataPath("truth/box/campaign/toss_0" + std::to_string(i) + ".csv")));
  IdentifyOptions options;
  options.method = method;
  return Identify(scene, recordings, "contact.friction,contact.restitution", options);
}

/// Velocity of the center of mass over two rows of flight, to the middle between them.
std::array<double, 3> Velocity(const EstimatedMotion& motion, std::size_t row) {
  std::array<double, 3> v{};
  for (std::size_t k = 0; k < 3; ++k)
    v[k] = (motion.pose[row + 1][k] - motion.pose[row][k]) / (motion.time[row + 1] - motion.time[row]);
  return v;
}

/// The impulses of all contacts take the momentum of the flight to that of the end, against gravity (the box's frame is
/// at its center of mass, and its surface level).
TEST(FittedMotion, ImpulsesOfATossChangeItsMomentum) {
  const Identification found = Tosses("trajectory", 2);
  const Estimate estimate = ParseEstimate(FormatEstimate(found.estimate), "estimate.json");
  const Scene& scene = found.calibrated;
  const double mass = scene[scene.bodies[0].mass], g = -scene[scene.gravity.vector[2]];
  ASSERT_EQ(estimate.motions.size(), 2u);
  ExpectTrace(estimate);
  for (const EstimatedMotion& motion : estimate.motions) {
    ASSERT_GT(motion.time.size(), 20u);
    const std::size_t last = motion.time.size() - 2;
    const std::array<double, 3> before = Velocity(motion, 0), after = Velocity(motion, last);
    const double from = 0.5 * (motion.time[0] + motion.time[1]);
    const double to = 0.5 * (motion.time[last] + motion.time[last + 1]);
    double normal = 0, x = 0, y = 0;
    int impacts = 0;
    for (const EstimatedImpulse& impulse : estimate.impulses) {
      if (impulse.recording != motion.recording) continue;
      ASSERT_TRUE(impulse.point && impulse.tangential_xy);
      EXPECT_LT(std::abs((*impulse.point)[2]), 0.02) << "contact points lie on the surface";
      EXPECT_LE(impulse.tangential, 1.001 * *estimate.parameters[0].value * impulse.normal);
      // What lasts beyond the end counts by its share.
      const double share = std::clamp((to - impulse.time) / impulse.duration, 0.0, 1.0);
      normal += share * impulse.normal;
      x += share * (*impulse.tangential_xy)[0];
      y += share * (*impulse.tangential_xy)[1];
      impacts += impulse.duration < 1.5 * (motion.time[1] - motion.time[0]);
    }
    EXPECT_GE(impacts, 2);
    const double momentum = mass * g * (to - from);
    EXPECT_NEAR(normal, mass * (after[2] - before[2]) + momentum, 0.02 * momentum) << motion.recording;
    EXPECT_NEAR(x, mass * (after[0] - before[0]), 0.02 * momentum) << motion.recording;
    EXPECT_NEAR(y, mass * (after[1] - before[1]), 0.02 * momentum) << motion.recording;
  }

  // On the page, a contact that goes on is no second impact.
  const ReportData data = MakeIdentifyReport(found.calibrated,
                                             {ReadRecording(DataPath("truth/box/campaign/toss_00.csv")),
                                              ReadRecording(DataPath("truth/box/campaign/toss_01.csv"))},
                                             found);
  for (const ReportMotion& motion : data.motions) {
    std::map<std::pair<int, int>, double> end;
    bool lasting = false;
    for (const ReportContact& contact : motion.contacts) {
      EXPECT_TRUE(contact.has_point);
      const auto [at, fresh] = end.try_emplace({contact.pair, contact.contact}, -1e9);
      EXPECT_EQ(contact.impact, std::abs(at->second - contact.time) > 1e-6);
      lasting = lasting || !contact.impact;
      at->second = contact.time + contact.duration;
    }
    EXPECT_TRUE(lasting) << "the box comes to rest";
  }
}

TEST(FittedMotion, VelocityFitsShowTheirWayAndTheMotion) {
  const Identification found = Tosses("velocity", 6);
  ExpectTrace(found.estimate);
  EXPECT_FALSE(found.estimate.motions.empty());
  EXPECT_FALSE(found.estimate.impulses.empty());
}

/// Residuals of the fitted angles are the noise, 1 mrad, and the page places both mechanisms.
TEST(FittedMotion, JointsOfAMechanism) {
  const Scene scene = ReadScene(DataPath("truth/furuta/full/furuta_start.yaml"));
  const std::vector<Recording> recordings = {ReadRecording(DataPath("truth/furuta/full/release_1mrad.csv"))};
  const Identification found =
      Identify(scene, recordings,
               "bodies.A.inertia, bodies.B.inertia[1:3], joints.*.viscous, joints.*.dry.friction, gravity.tilt");
  const Estimate estimate = ParseEstimate(FormatEstimate(found.estimate), "estimate.json");
  ExpectTrace(estimate);
  ASSERT_EQ(estimate.motions.size(), 1u);
  const EstimatedMotion& motion = estimate.motions[0];
  EXPECT_EQ(motion.time, recordings[0].time);
  ASSERT_EQ(motion.joints.size(), 2u);
  for (const EstimatedJoint& joint : motion.joints) {
    const std::vector<double>& recorded =
        recordings[0].values[static_cast<std::size_t>(recordings[0].Find(joint.name + ".angle"))];
    ASSERT_EQ(joint.angle.size(), recorded.size());
    double square = 0, slope = 0;
    for (std::size_t i = 0; i < recorded.size(); ++i) {
      square += std::pow(recorded[i] - joint.angle[i], 2) / static_cast<double>(recorded.size());
      if (i == 0 || i + 1 == recorded.size()) continue;
      // Simpson's rule.
      const double dt = motion.time[i + 1] - motion.time[i - 1];
      slope = std::max(slope, std::abs((joint.angle[i + 1] - joint.angle[i - 1]) / dt -
                                       (joint.rate[i - 1] + 4 * joint.rate[i] + joint.rate[i + 1]) / 6));
    }
    EXPECT_NEAR(std::sqrt(square), 1e-3, 5e-5) << joint.name;
    EXPECT_LT(slope, 0.005) << joint.name << ": rates are those of the angles";
  }
  const ReportData data = MakeIdentifyReport(scene, recordings, found);
  ASSERT_EQ(data.motions[0].tracks.size(), 2u);
  for (const ReportTrack& track : data.motions[0].tracks) EXPECT_EQ(track.poses.size(), 2u);
}

/// Moments that no body can have, because one that was not estimated is wrong: the page shows the motion and says so.
TEST(FittedMotion, AnImpossibleBodyIsStillShown) {
  const Scene scene = ReadScene(DataPath("truth/furuta/full/furuta_start.yaml"));
  const std::vector<Recording> recordings = {ReadRecording(DataPath("truth/furuta/full/release_1mrad.csv"))};
  Identification found{{}, scene};
  found.calibrated.Set("bodies.A.inertia", {1e-4, 4e-3, 1e-2});
  found.estimate.recordings.push_back({recordings[0].file, true, "", recordings[0].rows(), 0, {}, {}, {}});
  const ReportData data = MakeIdentifyReport(scene, recordings, found);
  ASSERT_EQ(data.motions[0].tracks.size(), 1u);
  EXPECT_EQ(data.motions[0].tracks[0].poses.size(), 2u);
  EXPECT_TRUE(data.provenance.calibrated_text.empty());
  EXPECT_TRUE(std::any_of(data.summary.begin(), data.summary.end(), [](const ReportSentence& sentence) {
    return sentence.text.find("bodies.A.inertia") != std::string::npos;
  }));
}

}  // namespace
}  // namespace ricochet
