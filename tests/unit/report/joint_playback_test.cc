// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "report/joint_playback.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "report/tracks.h"
#include "ricochet/simulate.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

/// Bodies placed by recorded angles are where the simulation had them.
TEST(JointPlayback, PlacesBodiesWhereTheyWere) {
  Scene scene = ReadScene(testing::SourcePath("examples/furuta.yaml"));
  SimulateOptions options;
  options.duration = 0.1;
  options.step = 1e-4;                                          // joints of spook give way by O(h^2)
  const Recording angles = Simulate(scene, options).recording;  // hinge1.angle, hinge2.angle
  scene.observe.channels.clear();
  const Recording poses = Simulate(scene, options).recording;

  const ReportTrack track = RecordedTrack(scene, angles);
  ASSERT_EQ(track.poses.size(), 2u);
  const ReportTrack truth = RecordedTrack(scene, poses);
  ASSERT_EQ(truth.poses.size(), 2u);
  for (std::size_t b = 0; b < 2; ++b)
    for (int i = 0; i < 3; ++i) {
      const auto& placed = track.channels[static_cast<std::size_t>(track.poses[b].channels[i])];
      const auto& right = truth.channels[static_cast<std::size_t>(truth.poses[b].channels[i])];
      EXPECT_EQ(placed.group, ChannelGroup::kPlaced);
      for (std::size_t row = 0; row < track.time.size(); row += 100)
        EXPECT_NEAR(placed.values[row], right.values[row], 1e-5) << b << " " << i << " " << row;
    }
  EXPECT_TRUE(std::any_of(track.channels.begin(), track.channels.end(),
                          [](const ReportChannel& c) { return c.name == "kinetic energy"; }));
}

/// A sensor that shows 0.1 rad too much, and a scene that knows it: the bodies are in the same places.
TEST(JointPlayback, TakesOffWhatASensorAdds) {
  Scene scene = ReadScene(testing::SourcePath("examples/furuta.yaml"));
  SimulateOptions options;
  options.duration = 0.1;
  Recording angles = Simulate(scene, options).recording;
  const ReportTrack truth = RecordedTrack(scene, angles);
  scene.Set("observe.offset.hinge2.angle", {0.1});
  for (double& angle : angles.values[static_cast<std::size_t>(angles.Find("hinge2.angle"))]) angle += 0.1;
  const ReportTrack track = RecordedTrack(scene, angles);
  ASSERT_EQ(track.poses.size(), truth.poses.size());
  for (const ReportPose& pose : track.poses)
    for (const int channel : pose.channels)
      EXPECT_NEAR(track.channels[static_cast<std::size_t>(channel)].values.back(),
                  truth.channels[static_cast<std::size_t>(channel)].values.back(), 1e-12);
}

TEST(JointPlayback, LeavesAJointThatWasNotRecorded) {
  Scene scene = ReadScene(testing::SourcePath("examples/furuta.yaml"));
  SimulateOptions options;
  options.duration = 0.05;
  scene.observe.channels = {"hinge2.angle"};
  const Recording half = Simulate(scene, options).recording;
  EXPECT_TRUE(RecordedTrack(scene, half).poses.empty());
}

}  // namespace
}  // namespace ricochet
