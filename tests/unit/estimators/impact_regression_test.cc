// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/regression/impact_regression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/random.h"

namespace ricochet {
namespace {

constexpr double kMass = 1.7, kInertia = 0.31, kRestitution = 0.4;

/// An impact computed from the equations of motion and the contact law, not from the regressors.
ImpactSample MakeImpact(Random& random, bool slides, double friction, bool force, double& signed_friction) {
  for (;;) {
    ImpactSample impact;
    impact.step = 1e-2;
    impact.jx = random.Uniform(0.2, 0.6);
    impact.jy = random.Uniform(-0.4, 0.4);
    impact.gravity << 0, -9.81;
    impact.before << random.Uniform(-4, 4), random.Uniform(-5, -2), random.Uniform(-5, 5);
    if (force) impact.force << random.Uniform(-30, 30), random.Uniform(-30, 30), random.Uniform(-5, 5);
    const double h = impact.step;
    const Eigen::Vector3d free = impact.before + h * (Eigen::Vector3d(impact.gravity[0], impact.gravity[1], 0) +
                                                      Eigen::Vector3d(impact.force[0] / kMass, impact.force[1] / kMass,
                                                                      impact.force[2] / kInertia));
    const double vn = impact.before[1] + impact.jy * impact.before[2];
    if (vn > -0.5) continue;
    const double nn = 1 / kMass + impact.jy * impact.jy / kInertia, tt = 1 / kMass + impact.jx * impact.jx / kInertia;
    const double nt = impact.jx * impact.jy / kInertia;
    const double bn = free[1] + impact.jy * free[2] + kRestitution * vn, bt = free[0] + impact.jx * free[2];
    double cn = 0, ct = 0;
    const double determinant = nn * tt - nt * nt;
    cn = (nt * bt - tt * bn) / determinant;
    ct = (nt * bn - nn * bt) / determinant;
    const bool sticks = cn > 0 && std::abs(ct) <= friction * cn;
    if (sticks == slides) continue;
    signed_friction = 0;
    if (slides) {
      signed_friction = ct > 0 ? friction : -friction;
      cn = -bn / (nn + signed_friction * nt);
      ct = signed_friction * cn;
      if (cn <= 0) continue;
    }
    impact.after = free + Eigen::Vector3d(ct / kMass, cn / kMass, (impact.jy * cn + impact.jx * ct) / kInertia);
    return impact;
  }
}

TEST(ImpactRegression, CorrectedRegressorsHoldExactly) {
  const Eigen::Vector3d theta(1 / kMass, 1 / kInertia, kMass / kInertia);
  Random random(3);
  for (int k = 0; k < 200; ++k) {
    double mu = 0;
    const bool force = k % 2 == 0;
    const ImpactSample slide = MakeImpact(random, true, 0.25, force, mu);
    const ImpactRegressor s = SlidingRegressor(slide, mu, kRestitution);
    EXPECT_LT((s.y - s.psi * theta).norm(), 1e-11 * (1 + s.y.norm())) << "sliding " << k;
    const ImpactSample stick = MakeImpact(random, false, 3.0, force, mu);
    const ImpactRegressor t = StickingRegressor(stick, kRestitution);
    EXPECT_LT((t.y - t.psi * theta).norm(), 1e-11 * (1 + t.y.norm())) << "sticking " << k;
  }
}

TEST(ImpactRegression, ImpulsesFollowFromTheMotionBefore) {
  Random random(4);
  for (int k = 0; k < 100; ++k) {
    double mu = 0;
    const ImpactSample slide = MakeImpact(random, true, 0.25, true, mu);
    const Eigen::Vector2d a = SlidingImpulse(slide, kMass, kInertia, mu, kRestitution);
    EXPECT_NEAR(a[0], kMass * slide.Jump()[1] - slide.step * slide.force[1], 1e-11);
    const ImpactSample stick = MakeImpact(random, false, 3.0, true, mu);
    const Eigen::Vector2d b = StickingImpulse(stick, kMass, kInertia, kRestitution);
    EXPECT_NEAR(b[0], kMass * stick.Jump()[1] - stick.step * stick.force[1], 1e-11);
    EXPECT_NEAR(b[1], kMass * stick.Jump()[0] - stick.step * stick.force[0], 1e-11);
  }
}

TEST(ImpactRegression, ForcesSeparateMassAndInertia) {
  Random random(5);
  std::vector<ImpactSample> with, without;
  double mu = 0;
  for (int k = 0; k < 6; ++k) {
    with.push_back(MakeImpact(random, k % 2 == 0, k % 2 == 0 ? 0.25 : 3.0, true, mu));
    without.push_back(MakeImpact(random, k % 2 == 0, k % 2 == 0 ? 0.25 : 3.0, false, mu));
  }
  const MassEstimate both = MassFromForces(with);
  ASSERT_TRUE(both.found);
  EXPECT_NEAR(both.mass / kMass, 1, 1e-10);
  EXPECT_NEAR(both.inertia / kInertia, 1, 1e-10);
  EXPECT_FALSE(MassFromForces(without).found);
  EXPECT_NEAR(PlainRatio(without).value, kMass / kInertia, 1e-10);
}

TEST(ImpactRegression, ErrorsInTheRegressorBiasPlainLeastSquaresOnly) {
  const double sigma = 0.35;  // on every velocity
  double plain = 0, corrected = 0, pulls = 0;
  const int runs = 300;
  for (int run = 0; run < runs; ++run) {
    Random random(100 + run);
    std::vector<ImpactSample> impacts;
    double mu = 0;
    for (int k = 0; k < 20; ++k) {
      ImpactSample impact = MakeImpact(random, true, 0.25, false, mu);
      for (int c = 0; c < 3; ++c) impact.after[c] += sigma * random.Normal() * (c == 2 ? 3 : 1);
      impact.jump_variance << sigma * sigma, sigma * sigma, 9 * sigma * sigma;
      impacts.push_back(impact);
    }
    const RatioEstimate estimate = CorrectedRatio(impacts);
    plain += PlainRatio(impacts).value / (kMass / kInertia) / runs;
    corrected += estimate.value / (kMass / kInertia) / runs;
    pulls += std::pow((estimate.value - kMass / kInertia) / estimate.std, 2) / runs;
  }
  EXPECT_LT(plain, 0.985);
  EXPECT_NEAR(corrected, 1, 0.01);
  EXPECT_NEAR(std::sqrt(pulls), 1, 0.2);
}

}  // namespace
}  // namespace ricochet
