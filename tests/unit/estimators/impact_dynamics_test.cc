// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/regression/impact_dynamics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "estimators/regression/find_impacts.h"
#include "reproduce/plywood.h"
#include "ricochet/simulate.h"

namespace ricochet {
namespace {

/// The thrown plywood ellipse and its impacts.
struct Thrown {
  Scene scene = PlywoodScene(0.2);
  PlanarFamily family{scene, {}, 0};
  PlanarTrack track;
  Eigen::VectorXd z = Eigen::VectorXd::Zero(kTrackState);
  std::vector<ImpactSample> impacts;
  int several = 0;

  Thrown() {
    for (int i = 0; i <= 120; ++i) track.time.push_back(i / 240.0);
    track.pose.assign(track.time.size(), Eigen::Vector3d::Zero());
    track.noise_position = track.noise_angle = 1e-3;
    z << 0, 0.1, -0.785, 3, -5, 0;
    std::vector<EventRecord> records;
    EventSummary summary;
    TrackResiduals(family, track).Predict(z, track.pose, &summary, &records);
    impacts = ImpactsOfMotion(family, track, z, records, &several);
  }
};

TEST(ImpactDynamics, ImpactsOfARigidBodyAgreeOnInertiaOverMass) {
  const Thrown thrown;
  ASSERT_GE(thrown.impacts.size(), 3u);
  EXPECT_EQ(thrown.several, 0);
  const Consistency consistency = CheckConsistency(thrown.impacts);
  EXPECT_TRUE(consistency.consistent);
  ASSERT_TRUE(consistency.common.has_value());
  EXPECT_NEAR(*consistency.common / kPlywoodRatio, 1, 1e-12);
  for (const ImpactRatio& impact : consistency.impacts) {
    ASSERT_TRUE(impact.ratio.has_value());
    // An impact that hardly turns the body (0.18 of 86 rad/s) determines its ratio with as many digits less.
    EXPECT_NEAR(*impact.ratio / kPlywoodRatio, 1, 1e-10) << impact.time;
  }
}

TEST(ImpactDynamics, MatrixLosesOneRankWhenTheMotionIsConsistent) {
  Thrown thrown;
  const int n = static_cast<int>(thrown.impacts.size());
  EXPECT_EQ(DynamicsRank(DynamicsMatrix(thrown.impacts, 0.05)), 1 + 2 * n);
  // One impact with a rate that no rigid body has: full rank, and it is named.
  thrown.impacts[1].after[2] += 0.02 * (thrown.impacts[1].after[2] - thrown.impacts[1].before[2]);
  EXPECT_EQ(DynamicsRank(DynamicsMatrix(thrown.impacts, 0.05)), 2 + 2 * n);
  EXPECT_FALSE(CheckConsistency(thrown.impacts).consistent);
}

TEST(ImpactDynamics, NullVectorHoldsInertiaAndImpulsesOverMass) {
  const Thrown thrown;
  const double length = 0.05;
  const Eigen::MatrixXd a = DynamicsMatrix(thrown.impacts, length);
  Eigen::VectorXd w = Eigen::VectorXd::Zero(a.cols());
  w[0] = 1;
  w[1] = kPlywoodRatio / (length * length);
  for (std::size_t k = 0; k < thrown.impacts.size(); ++k) {
    const Eigen::Vector3d jump = thrown.impacts[k].Jump();
    const double unit = jump.head<2>().norm();
    w[static_cast<Eigen::Index>(2 + 2 * k)] = jump[1] / unit;
    w[static_cast<Eigen::Index>(3 + 2 * k)] = jump[0] / unit;
  }
  EXPECT_LT((a * w).norm(), 1e-11);
}

TEST(ImpactDynamics, MeasuredImpactsAreJudgedByTheirOwnUncertainty) {
  const Thrown thrown;
  const Recording recording = PlywoodRecording(0.2, 1e-3, 240, 1);
  const FoundImpacts found = FindImpacts(thrown.family, MakePlanarTrack(thrown.scene, recording, 0));
  ASSERT_GE(found.impacts.size(), 1u);
  const Consistency consistency = CheckConsistency(found.impacts);
  EXPECT_TRUE(consistency.consistent);
  for (const ImpactRatio& impact : consistency.impacts) {
    ASSERT_TRUE(impact.ratio.has_value() && impact.std.has_value());
    EXPECT_LT(std::abs(*impact.ratio - kPlywoodRatio), 5 * *impact.std) << impact.time;
  }
}

/// What (32) is for: a body whose mass is not where the scene says bounces in a way that no J/m explains.
TEST(ImpactDynamics, WrongCenterOfMassIsInconsistent) {
  const auto scene = [](double x) {
    return ParseScene(
        fmt::format("ricochet: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n  ellipse:\n"
                    "    shape: {{ellipse: {{semi_axes: [0.050, 0.025]}}}}\n    mass: 0.064\n    inertia: 4.8384e-5\n"
                    "    center_of_mass: [{}, 0]\nsurfaces:\n  bar: {{line: {{point: [0, 0], angle: 0}}}}\n"
                    "contact: {{friction: 0.2, restitution: 0.2}}\ninitial:\n"
                    "  ellipse: {{pose: [0, 0.1, -0.785], velocity: [3, -5]}}\n"
                    "simulation: {{method: event, step: 0.002, duration: 0.5}}\n",
                    x),
        "ellipse.yaml");
  };
  SimulateOptions options;
  options.noise_position = 1e-4;
  options.noise_angle = 1e-3;
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Recording recording = Simulate(scene(0.004), options, {.seed = seed}).recording;
    const auto consistent = [&](double assumed) {
      const Scene there = scene(assumed);
      const PlanarFamily family{there, {}, 0};
      return CheckConsistency(FindImpacts(family, MakePlanarTrack(there, recording, 0)).impacts).consistent;
    };
    EXPECT_TRUE(consistent(0.004)) << seed;
    EXPECT_FALSE(consistent(0)) << seed;
    EXPECT_FALSE(consistent(0.008)) << seed;
  }
}

}  // namespace
}  // namespace ricochet
