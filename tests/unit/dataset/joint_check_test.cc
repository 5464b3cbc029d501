// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/joint_check.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "reproduce/mechanism_recordings.h"
#include "ricochet/examine.h"
#include "ricochet/identify.h"
#include "tests/support/mechanisms.h"

namespace ricochet {
namespace {

Recording Swing(double tick = 0.01, double duration = 6) {
  MechanismRun run;
  run.angle = {1.2};
  run.rate = {0.0};
  run.duration = duration;
  run.tick = tick;
  run.seed = 3;
  return RecordMechanism(RodOnHinge(1e-5, 1e-3, 4, ""), run, "swing.csv");
}

/// What `identify` says, which must come within a second.
std::string ProblemOf(const Recording& recording) {
  const Scene scene = RodOnHinge(1e-5, 1e-3, 4, "");
  IdentifyOptions options;
  options.method = "inverse-dynamics";
  const auto began = std::chrono::steady_clock::now();
  std::string problem = "(accepted)";
  try {
    Identify(scene, {recording}, "joints.hinge.viscous, bodies.rod.inertia[1]", options);
  } catch (const InputError& error) {
    problem = error.what();
  }
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(), 1);
  // `doctor` says the same.
  const Examination examined = Examine({recording}, scene);
  EXPECT_EQ(examined.mistakes.empty(), problem == "(accepted)");
  EXPECT_EQ(examined.usable == 1, problem == "(accepted)");
  for (const Mistake& mistake : examined.mistakes)
    EXPECT_NE(problem.find(mistake.problem), std::string::npos) << problem << "\n" << mistake.problem;
  return problem;
}

void ExpectProblem(const Recording& recording, const std::string& words) {
  const std::string problem = ProblemOf(recording);
  EXPECT_NE(problem.find(words), std::string::npos) << problem;
}

TEST(JointCheck, GoodRecordingsPass) {
  EXPECT_EQ(ProblemOf(Swing()), "(accepted)");
  EXPECT_EQ(ProblemOf(Swing(0.05, 20)), "(accepted)");
}

TEST(JointCheck, TimesInMilliseconds) {
  Recording recording = Swing();
  for (double& t : recording.time) t *= 1000;
  ExpectProblem(recording, "times seem to be in milliseconds. To correct it, ");
}

TEST(JointCheck, AnglesThatJumpByATurn) {
  Recording recording = Swing();
  int jumps = 0;
  double before = 0;
  for (double& x : recording.values[0]) {
    x = std::remainder(x + 2.8, 2 * M_PI);
    jumps += std::abs(x - before) > 3 ? 1 : 0;
    before = x;
  }
  ASSERT_GT(jumps, 1);
  ExpectProblem(recording, "jumps by a whole turn in " + std::to_string(jumps) + " rows");
  ExpectProblem(recording, "hinge.angle=unwrap(hinge.angle)");
}

TEST(JointCheck, AnglesThatCountFromTheOppositeDirection) {
  Recording recording = Swing();
  for (double& x : recording.values[0]) x += M_PI;
  ExpectProblem(recording, "the motion fits gravity only with half a turn added");
  ExpectProblem(recording, "write observe: {offset: {hinge.angle: 3.14159265}} into the scene");
}

TEST(JointCheck, AnglesInDegrees) {
  Recording recording = Swing();
  for (double& x : recording.values[0]) x *= 180 / M_PI;
  ExpectProblem(recording, "write observe: {scale: {hinge.angle: 57.2957795}} into the scene");
  // That scene has the right answer.
  Scene scene = RodOnHinge(1e-5, 2e-3, 4, "");
  scene.Set("observe.scale.hinge.angle", {57.2957795});
  IdentifyOptions options;
  options.method = "inverse-dynamics";
  const Estimate estimate = Identify(scene, {recording}, "joints.hinge.viscous", options).estimate;
  ASSERT_TRUE(estimate.parameters[0].value && estimate.parameters[0].std);
  EXPECT_NEAR(*estimate.parameters[0].value, 1e-3, 4 * *estimate.parameters[0].std);
}

TEST(JointCheck, TooCoarse) { ExpectProblem(Swing(0.7, 40), "neighboring rows differ as much as the whole motion"); }

TEST(JointCheck, TooFewRows) {
  Recording recording = Swing(0.01, 0.1);
  ExpectProblem(recording, "rows are too few for a motion");
}

TEST(JointCheck, TooShort) {
  Recording recording = Swing();
  for (double& t : recording.time) t *= 1e-6;
  ExpectProblem(recording, "too short for a motion");
}

TEST(JointCheck, ALargeGap) {
  Recording recording = Swing();
  for (std::size_t i = 300; i < recording.time.size(); ++i) recording.time[i] += 1e7;
  ExpectProblem(recording, "s are missing after t = 2.99 s, in a recording with a row every 0.01 s. Split");
}

}  // namespace
}  // namespace ricochet
