// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/flight_arm.h"

#include <gtest/gtest.h>

#include "core/random.h"
#include "math/manifold.h"

namespace ricochet {
namespace {

constexpr double kGravity = 9.81, kRate = 240;

Eigen::Matrix3d MatrixOf(const Eigen::Vector3d& turn) {
  Eigen::Matrix3d R;
  for (int k = 0; k < 3; ++k) R.col(k) = Rotate<double>(ExpSO3(turn), Eigen::Vector3d(Eigen::Vector3d::Unit(k)));
  return R;
}

/// A flight of 0.4 s that turns about a fixed axis, then a slide of 0.2 s on the floor, which does not turn.
TurningFrames<3> Toss(const Eigen::Vector3d& rate, const Eigen::Vector3d& arm, double noise, std::uint64_t seed) {
  Random random(seed);
  TurningFrames<3> frames;
  for (int i = 0; i < 144; ++i) {
    const double t = i / kRate, flown = std::min(t, 0.4);
    Eigen::Vector3d center(0.5 * t, 0.1 * t, 1 + 0.3 * flown - 0.5 * kGravity * flown * flown);
    frames.time.push_back(t);
    frames.rotation.push_back(MatrixOf(rate * flown));
    frames.position.emplace_back(center + frames.rotation.back() * arm);
    for (double& x : frames.position.back()) x += noise * random.Normal();
  }
  return frames;
}

TEST(FlightArm, FoundWhereverTheFrameIs) {
  const Eigen::Vector3d gravity(0, 0, -kGravity);
  for (const Eigen::Vector3d& arm : {Eigen::Vector3d(0.03, 0, 0), Eigen::Vector3d(-0.1, 0.2, 0.15)}) {
    const auto exact = ArmFromFlight<3>({Toss({3, 1, 0}, arm, 0, 0), Toss({0, -2, 4}, arm, 0, 0)}, gravity);
    ASSERT_TRUE(exact);
    EXPECT_LT((*exact - arm).norm(), 1e-9);
    const auto noisy = ArmFromFlight<3>({Toss({3, 1, 0}, arm, 5e-4, 1), Toss({0, -2, 4}, arm, 5e-4, 2)}, gravity);
    ASSERT_TRUE(noisy);
    EXPECT_LT((*noisy - arm).norm(), 0.01);  // two short flights that turn by less than a quarter each
  }
}

TEST(FlightArm, NoneWhereTheBodyDoesNotTurn) {
  const Eigen::Vector3d gravity(0, 0, -kGravity), arm(0.03, 0.01, 0);
  EXPECT_FALSE(ArmFromFlight<3>({Toss({0, 0, 0}, arm, 5e-4, 1)}, gravity));
  // One axis of rotation leaves the arm along it open.
  EXPECT_FALSE(ArmFromFlight<3>({Toss({0, 0, 4}, arm, 5e-4, 1), Toss({0, 0, 3}, arm, 5e-4, 2)}, gravity));
}

}  // namespace
}  // namespace ricochet
