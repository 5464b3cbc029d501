// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/toss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"
#include "dataset/impacts/impact_selection.h"
#include "dynamics/free_rotation.h"
#include "math/manifold.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

const Eigen::Vector3d kGravity(0, 0, -9.81);

/// A body in free flight by its equations of motion, sampled with noise.
SpatialTrack Flight(const Eigen::Matrix3d& inertia, int frames, double noise, double noise_angle, std::uint64_t seed) {
  SpatialTrack track;
  track.name = "made";
  track.interval = 1 / 360.0;
  track.noise_position = std::max(noise, 1e-9);
  track.noise_angle = std::max(noise_angle, 1e-9);
  Random random(seed);
  Quaternion<double> q = ExpSO3(Eigen::Vector3d(0.3, -0.2, 0.5));
  Eigen::Vector3d w(3, -5, 4);
  for (int k = 0; k < frames; ++k) {
    const double t = k * track.interval;
    const auto draw = [&](double s) {
      return Eigen::Vector3d(random.Normal(0, s), random.Normal(0, s), random.Normal(0, s));
    };
    track.row.push_back(k);
    track.time.push_back(t);
    track.position.push_back(Eigen::Vector3d(0.1, 0.2, 1) + Eigen::Vector3d(1, -0.5, 0.4) * t +
                             kGravity * (0.5 * t * t) + draw(noise));
    track.rotation.push_back(BoxPlusRotation<double>(q, draw(noise_angle)));
    track.outlier.push_back(0);
    PropagateRotation(inertia, track.interval, q, w);
  }
  return track;
}

Eigen::Matrix3d BoxInertia() { return Eigen::Vector3d(1.04e-3, 1.59e-3, 2.02e-3).asDiagonal(); }

TEST(FlightArc, RecoversExactMotion) {
  const FlightBody body{{0, 0, 0}, BoxInertia()};
  const SpatialTrack track = Flight(BoxInertia(), 60, 0, 0, 1);
  const FlightArc arc = FitFlight(track, body, 0, 60, {.acceleration = kGravity, .reference = 0.0});
  EXPECT_LT((arc.velocity - Eigen::Vector3d(1, -0.5, 0.4)).norm(), 1e-9);
  EXPECT_LT((arc.angular_velocity - Eigen::Vector3d(3, -5, 4)).norm(), 1e-6);
  EXPECT_LT(BoxMinusRotation<double>(arc.rotation, ExpSO3(Eigen::Vector3d(0.3, -0.2, 0.5))).norm(), 1e-7);
  const FlightArc free = FitFlight(track, body, 0, 60);
  EXPECT_LT((free.acceleration - kGravity).norm(), 1e-6);
}

TEST(FlightArc, CovarianceIsHonest) {
  const FlightBody body{{0, 0, 0}, BoxInertia()};
  double chi2 = 0;
  constexpr int kRuns = 100;
  for (int run = 0; run < kRuns; ++run) {
    const SpatialTrack track = Flight(BoxInertia(), 25, 3e-4, 1.7e-3, 100 + static_cast<std::uint64_t>(run));
    const FlightArc arc = FitFlight(track, body, 0, 25, {.acceleration = kGravity, .reference = 0.0});
    Eigen::Matrix<double, 12, 1> error;
    error << arc.position - Eigen::Vector3d(0.1, 0.2, 1),
        BoxMinusRotation<double>(arc.rotation, ExpSO3(Eigen::Vector3d(0.3, -0.2, 0.5))),
        arc.velocity - Eigen::Vector3d(1, -0.5, 0.4), arc.angular_velocity - Eigen::Vector3d(3, -5, 4);
    chi2 += error.dot(StateCovariance(arc).ldlt().solve(error)) / kRuns;
  }
  EXPECT_NEAR(chi2, 12, 4 * std::sqrt(2 * 12.0 / kRuns));
}

TEST(CentralVelocity, IsExactForConstantVelocities) {
  SpatialTrack track = Flight(Eigen::Matrix3d::Identity(), 5, 0, 0, 1);
  const auto v = CentralVelocity(track, 2);
  ASSERT_TRUE(v);
  EXPECT_LT((v->tail<3>() - Eigen::Vector3d(3, -5, 4)).norm(), 1e-9);
  EXPECT_LT((v->head<3>() - Eigen::Vector3d(1, -0.5, 0.4) - kGravity * track.time[2]).norm(), 1e-9);
  EXPECT_FALSE(CentralVelocity(track, 0));
  track.time[3] += 1;
  track.time[4] += 1;
  EXPECT_FALSE(CentralVelocity(track, 2));
}

class CampaignToss : public ::testing::Test {
 protected:
  SpatialTrack Track(const char* number) {
    return MakeSpatialTrack(ReadRecording(testing::DataPath("truth/box/campaign/toss_") + number + ".csv"), "");
  }
  FlightBody body_{{0, 0, 0}, BoxInertia()};
};

TEST_F(CampaignToss, FindsReleaseContactAndRest) {
  for (const char* number : {"00", "03", "06", "09", "12", "15", "18", "21"}) {
    const Toss toss = MakeToss(Track(number), body_, TossOptions{});
    ASSERT_TRUE(toss.first_flight()) << number;
    EXPECT_EQ(toss.release, 0) << number;
    EXPECT_GT(toss.contact, 20) << number;
    ASSERT_GT(toss.rest, toss.contact) << number;
    EXPECT_FALSE(toss.log.empty());
    // Height of the lowest corner at the contact: within a frame's fall and the noise of the surface.
    double lowest = INFINITY;
    for (int corner = 0; corner < 8; ++corner) {
      const Eigen::Vector3d p((corner & 1 ? 0.5 : -0.5) * 0.205, (corner & 2 ? 0.5 : -0.5) * 0.155,
                              (corner & 4 ? 0.5 : -0.5) * 0.1);
      lowest = std::min(lowest,
                        (toss.track.position[toss.contact] + Rotate<double>(toss.track.rotation[toss.contact], p))[2]);
    }
    EXPECT_LT(std::abs(lowest), 8e-3) << number;
    EXPECT_NEAR(toss.track.noise_position, 3e-4, 0.9e-4) << number;
  }
}

TEST_F(CampaignToss, SelectsSingleCornerImpactsWithSmallWindows) {
  ImpactGeometry geometry;
  for (int corner = 0; corner < 8; ++corner)
    geometry.corners.emplace_back((corner & 1 ? 0.5 : -0.5) * 0.205, (corner & 2 ? 0.5 : -0.5) * 0.155,
                                  (corner & 4 ? 0.5 : -0.5) * 0.1);
  int used = 0;
  for (const char* number : {"00", "03", "06", "09", "12", "15", "18", "21"}) {
    const Toss toss = MakeToss(Track(number), body_, TossOptions{});
    const ImpactSelection selection = SelectImpacts(toss.track, body_, geometry, kGravity, toss.contact);
    for (const SelectedImpact& impact : selection.impacts) {
      ++used;
      EXPECT_GE(impact.normal_speed, 0.3);
      EXPECT_LE(impact.b, 4);
      EXPECT_LE(impact.c, 4);
      EXPECT_GE(impact.b, 1);
      EXPECT_GE(impact.c, 1);
      // Both ways to the velocity agree within their noise.
      const double difference = (impact.before.head<3>() - impact.arc_before.velocity).norm();
      EXPECT_LT(difference, 0.3);
      EXPECT_GT((impact.arc_after.velocity - impact.arc_before.velocity)[2], 0.1);
    }
    EXPECT_FALSE(selection.log.empty());
  }
  EXPECT_GT(used, 0);
}

TEST(FindStandstill, WaitsForAllOfIt) {
  SpatialTrack track = Flight(Eigen::Matrix3d::Identity(), 120, 0, 0, 1);
  Random random(2);
  for (int k = 60; k < 120; ++k) {
    track.position[k] = track.position[60] + Eigen::Vector3d(random.Normal(0, 1e-4), 0, 0);
    track.rotation[k] = track.rotation[60];
  }
  track.noise_position = 1e-4;
  const int rest = FindStandstill(track, 0);
  EXPECT_GE(rest, 58);
  EXPECT_LE(rest, 61);
  EXPECT_NEAR(StandstillAtEnd(track), 60, 1);
}

}  // namespace
}  // namespace ricochet
