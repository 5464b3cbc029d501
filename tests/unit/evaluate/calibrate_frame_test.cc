// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/calibrate_frame.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/support/box_take.h"

namespace ricochet {
namespace {

Eigen::Quaterniond TurnOf(const Eigen::Vector3d& phi) {
  return phi.norm() > 0 ? Eigen::Quaterniond(Eigen::AngleAxisd(phi.norm(), phi.normalized()))
                        : Eigen::Quaterniond::Identity();
}

/// The calibrated pose, or one of those that look alike, that is nearest to the truth.
FramePose Nearest(const FrameCalibration& found, const testing::BoxCamera& camera) {
  std::vector<FramePose> poses = found.symmetric;
  poses.insert(poses.begin(), found.frame);
  const Eigen::Quaterniond truth = TurnOf(camera.turned);
  return *std::min_element(poses.begin(), poses.end(), [&](const FramePose& a, const FramePose& b) {
    return TurnOf(a.rotation).angularDistance(truth) < TurnOf(b.rotation).angularDistance(truth);
  });
}

TEST(CalibrateFrame, FindsPivotAxesAndSurface) {
  int calibrated = 0;
  for (std::uint64_t seed = 700; seed < 705; ++seed) {
    testing::BoxTakeOptions options;
    options.surface_height = 0.003;
    options.surface_tilt = 0.005;
    const testing::BoxTake take = testing::MakeBoxTake(seed, options);
    const Scene scene = ParseScene(testing::BoxSceneText(take.world, 0.3, 0.3), "box.yaml");
    const FrameCalibration found = CalibrateFrame(scene, {take.recording});
    const Eigen::Vector3d& size = take.world.size;
    const double alike = std::min(
        {std::abs(size.x() / size.y() - 1), std::abs(size.y() / size.z() - 1), std::abs(size.z() / size.x() - 1)});
    if (!found.rivals.empty() && alike < 0.03) continue;  // a quarter turn changes next to nothing
    ++calibrated;
    EXPECT_TRUE(found.identifiable()) << seed << "\n" << DescribeFrameCalibration(found);
    EXPECT_EQ(found.symmetric.size(), 3u) << seed;  // a box of three lengths
    const FramePose pose = Nearest(found, take.camera);
    EXPECT_LT((pose.position - take.camera.frame).norm(), 1e-3) << seed;
    EXPECT_LT(TurnOf(pose.rotation).angularDistance(TurnOf(take.camera.turned)), 0.5 * std::numbers::pi / 180) << seed;
    EXPECT_NEAR(found.surface_moved, 0.003, std::max(5 * found.surface_moved_std, 2e-4)) << seed;
    EXPECT_LT(std::acos(std::min(1.0, found.surface_normal.normalized().dot(take.world.normal))), 2e-3) << seed;
    // The scene has all of it, and is at its place after reading it again.
    const Scene again = ParseScene(FormatScene(found.scene), "c.yaml");
    EXPECT_NEAR(again[again.observe.frames[0].position[0]], found.frame.position.x(), 1e-9);
  }
  EXPECT_GE(calibrated, 4);
}

TEST(CalibrateFrame, ListsThePosesOfACube) {
  testing::BoxTake take = testing::MakeBoxTake(710);
  testing::BoxWorld cube = take.world;
  cube.size.setConstant(0.1);
  const Scene scene = ParseScene(testing::BoxSceneText(cube, 0.3, 0.3), "cube.yaml");
  // The scene is that of a cube; the tosses need not be for its symmetries.
  const FrameCalibration found = CalibrateFrame(scene, {take.recording});
  EXPECT_EQ(found.symmetric.size(), 23u);
}

TEST(CalibrateFrame, RefusesWhatItCannotUse) {
  const Scene planar = ParseScene(
      "ricochet: 1\nspace: planar\nbodies:\n  disc: {shape: {circle: {radius: 0.1}}, mass: 1}\n"
      "surfaces:\n  floor: {line: {point: [0, 0], angle: 0}}\ncontact: {friction: 0.3, restitution: 0.3}\n"
      "simulation: {method: irc, step: 1e-3, duration: 1}\n",
      "disc.yaml");
  const std::vector<double> time = {0, 1}, x = {0, 1};
  const Recording recording = Recording::FromColumns(time, {{"x", x}});
  EXPECT_THROW(CalibrateFrame(planar, {recording}), InputError);
  const testing::BoxTake take = testing::MakeBoxTake(711, {.tosses = 1});
  const Scene scene = ParseScene(testing::BoxSceneText(take.world, 0.3, 0.3), "box.yaml");
  EXPECT_THROW(CalibrateFrame(scene, {recording}), InputError);
  // At rest all the time.
  Recording still = take.recording;
  still.time.resize(100);
  for (std::vector<double>& column : still.values) column.resize(100);
  EXPECT_THROW(CalibrateFrame(scene, {still}), NumericsError);
}

}  // namespace
}  // namespace ricochet
