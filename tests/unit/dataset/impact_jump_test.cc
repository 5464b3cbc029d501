// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/impacts/impact_jump.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "core/random.h"
#include "dynamics/free_rotation.h"
#include "math/manifold.h"

namespace ricochet {
namespace {

const Eigen::Vector3d kFall(0, 0, -9.81);
constexpr double kInterval = 1 / 360.0, kTime = 11.4 * kInterval;  // of the impact, between frames 11 and 12

struct Truth {
  Quaternion<double> rotation = ExpSO3(Eigen::Vector3d(0.3, -0.2, 0.5));
  Vector6<double> before{0.3, -0.2, -1.7, 3, -5, 4}, after{0.1, 0.1, 0.5, -8, 2, 1};
};

Eigen::Matrix3d ThrownInertia() { return Eigen::Vector3d(1.04e-3, 1.59e-3, 2.02e-3).asDiagonal(); }

/// A body whose velocity jumps at kTime, sampled with noise. `center` is the center of mass in the body frame.
SpatialTrack Jumping(const Truth& truth, const Eigen::Vector3d& center, int frames, double noise, double noise_angle,
                     std::uint64_t seed) {
  SpatialTrack track;
  track.interval = kInterval;
  track.noise_position = std::max(noise, 1e-9);
  track.noise_angle = std::max(noise_angle, 1e-9);
  Random random(seed);
  const auto draw = [&](double s) {
    return Eigen::Vector3d(random.Normal(0, s), random.Normal(0, s), random.Normal(0, s));
  };
  for (int k = 0; k < frames; ++k) {
    const double s = k * kInterval - kTime;
    const Vector6<double>& v = s < 0 ? truth.before : truth.after;
    Quaternion<double> q = truth.rotation;
    Eigen::Vector3d w = v.tail<3>();
    PropagateRotation(ThrownInertia(), s, q, w);
    track.row.push_back(k);
    track.time.push_back(k * kInterval);
    track.position.push_back(Eigen::Vector3d(0.1, 0.2, 0.15) + v.head<3>() * s + kFall * (0.5 * s * s) -
                             Rotate<double>(q, center) + draw(noise));
    track.rotation.push_back(BoxPlusRotation<double>(q, draw(noise_angle)));
    track.outlier.push_back(0);
  }
  return track;
}

TEST(ImpactJump, RecoversExactMotion) {
  const Truth truth;
  const FlightBody body{{0.01, -0.005, 0.02}, ThrownInertia()};
  const ImpactJump jump = FitImpactJump(Jumping(truth, body.p_BBcm, 24, 0, 0, 1), body, kFall, 0, 12, 12, 24);
  ASSERT_TRUE(jump.found);
  EXPECT_NEAR(jump.time, kTime, 1e-9);
  EXPECT_LT((jump.before - truth.before).norm(), 1e-6);
  EXPECT_LT((jump.after - truth.after).norm(), 1e-6);
  EXPECT_LT(BoxMinusRotation<double>(jump.rotation, truth.rotation).norm(), 1e-7);
}

TEST(ImpactJump, CovarianceIsHonestAndBetterThanThatOfSeparateArcs) {
  const Truth truth;
  const FlightBody body{{0, 0, 0}, ThrownInertia()};
  constexpr int kRuns = 100;
  double chi2 = 0, jump_square = 0, arc_square = 0;
  for (int run = 0; run < kRuns; ++run) {
    const SpatialTrack track = Jumping(truth, body.p_BBcm, 18, 3e-4, 1.7e-3, 100 + static_cast<std::uint64_t>(run));
    const ImpactJump jump = FitImpactJump(track, body, kFall, 0, 12, 12, 18);
    ASSERT_TRUE(jump.found) << run;
    Vector15 error;
    error << BoxMinusRotation<double>(jump.rotation, truth.rotation), jump.before - truth.before,
        jump.after - truth.after;
    chi2 += error.dot(Matrix15(jump.covariance).ldlt().solve(error)) / kRuns;
    jump_square += (jump.after - truth.after).tail<3>().squaredNorm();
    const FlightArc arc = FitFlight(track, body, 12, 18, {.acceleration = kFall, .reference = kTime});
    arc_square += (arc.angular_velocity - truth.after.tail<3>()).squaredNorm();
  }
  // The covariance is enlarged where the scatter is above the noise, in half of the runs by some percent.
  EXPECT_NEAR(chi2, 14.3, 4 * std::sqrt(2 * 15.0 / kRuns));
  EXPECT_LT(jump_square, 0.6 * arc_square);
}

TEST(ImpactJump, TooFewFrames) {
  const FlightBody body{{0, 0, 0}, ThrownInertia()};
  EXPECT_FALSE(FitImpactJump(Jumping({}, body.p_BBcm, 24, 0, 0, 1), body, kFall, 0, 12, 12, 14).found);
}

}  // namespace
}  // namespace ricochet
