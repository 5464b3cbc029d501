// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/spatial/frame_start.h"

#include <gtest/gtest.h>

#include <array>

#include "core/random.h"
#include "evaluate/run_output.h"
#include "observation/sensor.h"
#include "ricochet/parameter.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

/// Tosses of a box that tumble and come to rest, as a tracker of this frame sees them.
std::vector<Recording> Tosses(const Scene& truth, int count, double noise) {
  Random random(3);
  std::vector<Recording> recordings;
  for (int i = 0; i < count; ++i) {
    Scene scene = truth;
    Eigen::Vector4d q;
    for (double& x : q) x = random.Normal();
    q.normalize();
    scene.Set("initial.box.orientation", {q[0], q[1], q[2], q[3]});
    scene.Set("initial.box.position[2]", {0.45});
    scene.Set("initial.box.angular_velocity", {random.Uniform(-5, 5), random.Uniform(-5, 5), random.Uniform(-4, 4)});
    SimulateOptions options;
    options.step = 1.0 / 1440;
    options.rate = 360;
    Recording recording = SimulateRecording(scene, options, false);
    for (std::size_t c = 0; c < 3; ++c)
      for (double& value : recording.values[c]) value += noise * random.Normal();
    recordings.push_back(std::move(recording));
  }
  return recordings;
}

/// How far the start is from the truth [m], [rad].
std::pair<double, double> ErrorsOfStart(const Scene& truth, const Scene& scene, const std::vector<Recording>& tosses) {
  std::vector<std::string> log;
  const Scene started =
      WithFrameFromRecordings(ParameterMap(scene, ParsePathList(scene, "observe.frame")), tosses, log);
  const SensorNumbers numbers = FindObservationNumbers(scene).frames[0];
  const SpatialSensor<double> found(numbers, started), right(numbers, truth);
  return {(found.place() - right.place()).norm(),
          BoxMinusRotation<double>(ExpSO3(found.rotation()), ExpSO3(right.rotation())).norm()};
}

TEST(FrameStart, FlightShowsThePlaceAndRestsTheRotation) {
  const Scene scene = ReadScene(testing::SourcePath("examples/box006_toss.yaml"));
  // 30 mm off and turned by 25 degrees; then by more than half of the body, axes turned by 40.
  struct Frame {
    std::array<double, 3> place, rotation;
  };
  for (const Frame& frame :
       {Frame{{0.018, -0.02, 0.0134}, {0.15, -0.25, 0.33}}, Frame{{-0.08, 0.06, 0.04}, {0.4, 0.4, -0.4}}}) {
    Scene truth = scene;
    truth.Set("observe.frame.position", {frame.place[0], frame.place[1], frame.place[2]});
    truth.Set("observe.frame.rotation", {frame.rotation[0], frame.rotation[1], frame.rotation[2]});
    const auto [place, turn] = ErrorsOfStart(truth, scene, Tosses(truth, 6, 5e-4));
    EXPECT_LT(place, 5e-3);
    EXPECT_LT(turn, 0.01);
  }
}

TEST(FrameStart, WhatNothingShowsStaysWithTheScene) {
  // A single toss that does not turn in flight, cut before it rests.
  Scene truth = ReadScene(testing::SourcePath("examples/box006_toss.yaml"));
  truth.Set("observe.frame.position", {0.02, 0, 0});
  truth.Set("initial.box.angular_velocity", {0, 0, 0});
  truth.Set("simulation.duration", {0.25});
  SimulateOptions options;
  options.rate = 360;
  const Recording recording = SimulateRecording(truth, options, false);
  Scene scene = truth;
  scene.Set("observe.frame.position", {0, 0, 0});
  const auto [place, turn] = ErrorsOfStart(truth, scene, {recording});
  EXPECT_EQ(place, 0.02);
  EXPECT_EQ(turn, 0);
}

}  // namespace
}  // namespace ricochet
