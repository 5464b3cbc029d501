// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "steppers/moreau.h"

#include <gtest/gtest.h>

#include <cmath>

#include "math/manifold.h"
#include "tests/support/allocation_count.h"
#include "tests/support/spatial_run.h"

namespace ricochet::testing {
namespace {

constexpr double kStep = 1.0 / 360;

TEST(Moreau, NoAllocationInTheLongRun) {
  SpatialRun run(RandomTossText(3));
  for (int k = 0; k < 300; ++k) run.Step(kStep);
  // Steps of the same run again, everything warm. States are plain vectors, so only the step itself is watched.
  StepResult out;
  State state = InitialState(run.model());
  for (int k = 0; k < 100; ++k) {
    Moreau().Step(run.model(), state, {}, kStep, run.workspace(), out);
    std::swap(state, out.end);
  }
  state = InitialState(run.model());
  const AllocationCount count;
  for (int k = 0; k < 60; ++k) {
    Moreau().Step(run.model(), state, {}, kStep, run.workspace(), out);
    std::swap(state, out.end);
  }
  EXPECT_EQ(count.allocations(), 0);
}

TEST(Moreau, RecoversPenetrationOnRequest) {
  const auto depth_after = [](const std::string& options) {
    SpatialRun run(
        "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n  cube: {shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1}\n"
        "surfaces:\n  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}\ncontact: {friction: 0.5}\ninitial:\n  cube: "
        "{position: [0, 0, 0.052], orientation: [1, 0, 0, 0], velocity: [0, 0, -1], angular_velocity: [0, 0, 0]}\n"
        "simulation: {method: moreau, options: " + options + "}\n");
    for (int k = 0; k < 100; ++k) run.Step(kStep);
    return 0.05 - run.state().q[2];
  };
  EXPECT_GT(depth_after("{}"), 1e-4);
  EXPECT_LE(depth_after("{penetration: recover}"), 1.1e-5);
}

TEST(Moreau, RefusesWhatItCannotDoByName) {
  EXPECT_THROW(SpatialRun(RandomTossText(1, {.options = "{rotation: magic}"})), InputError);
  EXPECT_THROW(SpatialRun(RandomTossText(1, {.options = "{rotatoin: explicit}"})), InputError);
}

}  // namespace
}  // namespace ricochet::testing
