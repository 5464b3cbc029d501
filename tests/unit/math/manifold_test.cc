// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "math/manifold.h"

#include <gtest/gtest.h>

#include <numbers>

#include "tests/support/derivative_check.h"
#include "tests/support/random_vectors.h"

namespace ricochet {
namespace {

SpatialPose<double> RandomSpatialPose(RandomVectors& random) {
  SpatialPose<double> pose;
  pose << random.Vector<3>(), random.Rotation();
  return pose;
}

// The decision itself: an increment of the rotation is in world axes, on the left.
TEST(ManifoldTest, RotationIncrementsActInWorldAxes) {
  RandomVectors random(1);
  const SpatialPose<double> pose = RandomSpatialPose(random);
  const Vector3<double> x_B = random.Vector<3>(), dw = 0.1 * random.Vector<3>();
  Vector6<double> delta;
  delta << 1, 2, 3, dw;
  const SpatialPose<double> moved = BoxPlus<double>(pose, delta);
  EXPECT_EQ((moved.head<3>()), (pose.head<3>() + Vector3<double>(1, 2, 3)));
  const Vector3<double> expected = ExpMatrixSO3(dw) * Rotate<double>(pose.tail<4>(), x_B);
  EXPECT_LT((Rotate<double>(moved.tail<4>(), x_B) - expected).norm(), 1e-15);
}

TEST(ManifoldTest, BoxMinusInvertsBoxPlus) {
  RandomVectors random(2);
  for (int i = 0; i < 300; ++i) {
    const SpatialPose<double> a = RandomSpatialPose(random), b = RandomSpatialPose(random);
    const SpatialPose<double> again = BoxPlus<double>(b, BoxMinus<double>(a, b));
    EXPECT_LT((RotationMatrix<double>(again.tail<4>()) - RotationMatrix<double>(a.tail<4>())).norm(), 4e-15);
    EXPECT_LT((again.head<3>() - a.head<3>()).norm(), 1e-15);
    Vector6<double> delta = random.Vector<6>();
    delta.tail<3>() *= random.LogUniform(1e-12, 1);
    EXPECT_LT((BoxMinus<double>(BoxPlus<double>(b, delta), b) - delta).norm(), 3e-15);
  }
}

TEST(ManifoldTest, PlanarAnglesCountTurnsButDifferWithoutThem) {
  const PlanarPose<double> a(1, 2, 0.1), b(0, 0, 0.2 + 4 * std::numbers::pi);
  EXPECT_EQ(BoxPlus<double>(b, Vector3<double>(1, 1, 7))[2], b[2] + 7);
  const Vector3<double> delta = BoxMinus<double>(a, b);
  EXPECT_EQ(delta[0], 1);
  EXPECT_NEAR(delta[2], -0.1, 3e-15);
}

TEST(ManifoldTest, DerivativesOfBoxMinus) {
  RandomVectors random(3);
  for (int i = 0; i < 100; ++i) {
    const SpatialPose<double> b = RandomSpatialPose(random);
    Vector6<double> offset = random.Vector<6>();
    offset.tail<3>() = random.Uniform(0, 3) * random.Direction<3>();
    const SpatialPose<double> a = BoxPlus<double>(b, offset);
    const auto by_first = [&](const SpatialPose<double>& x) { return BoxMinus<double>(x, b); };
    const auto by_second = [&](const SpatialPose<double>& x) { return BoxMinus<double>(a, x); };
    const Vector6<double> delta = BoxMinus<double>(a, b);
    ASSERT_TRUE(IsJacobian(BoxMinusByFirst(delta), by_first, a, kPosePlus, 6, kVectorMinus, {.tolerance = 1e-11}));
    ASSERT_TRUE(IsJacobian(BoxMinusBySecond(delta), by_second, b, kPosePlus, 6, kVectorMinus, {.tolerance = 1e-11}));
  }
}

TEST(ManifoldTest, SeedsAreTheDerivativeOfBoxPlus) {
  RandomVectors random(4);
  const Quaternion<double> q = random.Rotation();
  const Vector3<double> x = random.Vector<3>();
  const Quaternion<Jet<5>> seeded = SeedRotation<5>(q, 2);
  Eigen::Matrix<double, 3, 5> expected = Eigen::Matrix<double, 3, 5>::Zero();
  expected.rightCols<3>().setIdentity();
  EXPECT_LT((RotationJacobian(seeded) - expected).norm(), 1e-15);
  // d(R x) = dw x R x.
  const Vector3<Jet<5>> y = Rotate<Jet<5>>(seeded, x.cast<Jet<5>>());
  const Eigen::Matrix<double, 3, 5> jacobian = JacobianOf(y);
  EXPECT_LT((jacobian.rightCols<3>() + Skew(Rotate<double>(q, x))).norm(), 1e-15);
  // The same as running exp on Jets.
  const Quaternion<Jet<3>> by_exp =
      BoxPlusRotation<Jet<3>>(q.cast<Jet<3>>(), SeedVariables<3>(Vector3<double>::Zero()));
  EXPECT_LT((JacobianOf(by_exp) - JacobianOf(SeedRotation<3>(q, 0))).norm(), 1e-16);
}

TEST(ManifoldTest, RotationJacobianDropsChangesOfLength) {
  Quaternion<Jet<1>> q = Quaternion<double>(0.5, -0.5, 0.5, 0.5).cast<Jet<1>>();
  q *= Jet<1>::Variable(1.0, 0);
  EXPECT_EQ(RotationJacobian(q).norm(), 0);
}

}  // namespace
}  // namespace ricochet
