// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/friction_one_body/friction_contact_plane.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "complementarity/friction_bodies/friction_contact_solver.h"
#include "tests/support/random_vectors.h"

namespace ricochet {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

Matrix3d Skew(const Vector3d& p) {
  Matrix3d S;
  S << 0, -p[2], p[1], p[2], 0, -p[0], -p[1], p[0], 0;
  return S;
}

/// A box near the plane, slightly tilted, with a full inertia tensor; restitution that depends on the corner makes the
/// contact velocities none of a rigid motion, as gamma^- at the start orientation does.
PlaneContactProblem RandomPlaneProblem(RandomVectors& random, int corners, double speed, double mismatch) {
  PlaneContactProblem p;
  p.count = corners;
  p.mu = random.Uniform(0.05, 0.7);
  p.mass = 0.365;
  Matrix3d A = Matrix3d::Identity() + 0.2 * Skew(random.Vector<3>());
  p.I = A * Vector3d(1.04e-3, 1.59e-3, 2.02e-3).asDiagonal() * A.transpose();
  p.I_inverse = p.I.inverse();
  const Vector3d v = speed * random.Vector<3>() - Vector3d(0, 0, 0.1), w = 3 * speed * random.Vector<3>();
  const Vector3d tilt = 0.02 * random.Vector<3>(), spin = mismatch * random.Vector<3>();
  const double sides[4][2] = {{-1, -1}, {-1, 1}, {1, 1}, {1, -1}};
  for (int i = 0; i < corners; ++i) {
    const Vector3d corner(0.1025 * sides[i][0], 0.0775 * sides[i][1], -0.05);
    p.p[i] = corner + tilt.cross(corner);
    p.b[i] = v + w.cross(p.p[i]);
    p.b[i][2] += spin.cross(p.p[i])[2];
  }
  p.FindScale();
  return p;
}

/// The same problem as a general one: rows S^-1 (e, p x e) with M = S S^T.
FrictionContactProblem AsGeneral(const PlaneContactProblem& plane) {
  FrictionContactProblem p;
  p.body_count = 1;
  p.free_velocity.assign(1, Vector6d::Zero());
  const Matrix3d L_inverse = Matrix3d(plane.I.llt().matrixL()).inverse();
  for (int i = 0; i < plane.count; ++i) {
    FrictionContact& c = p.contacts.emplace_back();
    c.mu = plane.mu;
    c.bias = plane.b[i];
    for (int k = 0; k < 3; ++k) {
      c.rows.col(k).head<3>() = Vector3d::Unit(k) / std::sqrt(plane.mass);
      c.rows.col(k).tail<3>() = L_inverse * plane.p[i].cross(Vector3d::Unit(k));
    }
  }
  return p;
}

/// Conditions hold in the general form, and the motion is that of the general solver.
TEST(FrictionContactPlane, SolvesTheGeneralProblem) {
  RandomVectors random(11);
  FrictionContactWorkspace workspace;
  FrictionContactSolution general;
  int solved = 0, stick = 0, slide = 0, lines = 0, parted = 0, compared = 0, equal = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const int corners = 1 + trial % 4;
    const double speed = trial % 3 == 0 ? 1.0 : trial % 3 == 1 ? 0.05 : 1e-3;
    const PlaneContactProblem p = RandomPlaneProblem(random, corners, speed, trial % 5 == 0 ? 1e-2 * speed : 0.0);
    PlaneContactSolution s;
    if (!SolvePlaneContact(p, 1e-12, s)) continue;
    ++solved;
    const FrictionContactProblem g = AsGeneral(p);
    Vector6d velocity;
    velocity << std::sqrt(p.mass) * s.dv, Matrix3d(p.I.llt().matrixL()).transpose() * s.dw;
    const double residual = FrictionContactResidual(g, std::span(s.impulse.data(), p.count), std::span(&velocity, 1));
    ASSERT_LE(residual, 1e-10) << trial;
    EXPECT_NEAR(residual, s.residual, 1e-11);
    const bool sticks =
        std::all_of(s.mode.begin(), s.mode.begin() + p.count, [](FrictionMode m) { return m == FrictionMode::kStick; });
    const bool slides =
        std::all_of(s.mode.begin(), s.mode.begin() + p.count, [](FrictionMode m) { return m == FrictionMode::kSlide; });
    stick += sticks;
    lines += p.count == 2;
    parted += std::count(s.mode.begin(), s.mode.begin() + p.count, FrictionMode::kOpen) > 0;
    slide += slides;
    SolveFrictionContact(g, {}, workspace, general);
    if (!general.converged) continue;
    ++compared;
    // Four sliding corners have more than one solution, and the general search may end at one with a corner left idle;
    // ours then has the smaller norm.
    if ((general.velocity[0] - velocity).norm() <= 1e-9 * std::max(1.0, velocity.norm())) {
      ++equal;
      continue;
    }
    double ours = 0, theirs = 0;
    for (int i = 0; i < p.count; ++i) {
      ours += s.impulse[i].squaredNorm();
      theirs += general.impulse[i].squaredNorm();
    }
    EXPECT_EQ(p.count, 4) << trial;
    EXPECT_LT(ours, theirs) << trial;
  }
  EXPECT_GT(solved, 3000);
  EXPECT_GT(compared, 3000);
  EXPECT_GE(equal, 0.99 * compared);
  EXPECT_GT(lines, 900);
  EXPECT_GT(parted, 300);
  EXPECT_GT(stick, 300);
  EXPECT_GT(slide, 300);
}

/// A box that rocks toward rest: slips far below the approach of the corners, none of a rigid motion. One corner
/// sticks in many of these; whatever the modes, the motion depends neither on the order of corners nor on the axes.
TEST(FrictionContactPlane, RockingBoxDoesNotDependOnOrderOrAxes) {
  RandomVectors random(12);
  int solved = 0, pivots = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    const double speed = std::pow(10.0, -3 - trial % 8);
    const PlaneContactProblem p = RandomPlaneProblem(random, 3 + trial % 2, speed, speed);
    PlaneContactSolution s;
    if (!SolvePlaneContact(p, 1e-12, s)) continue;
    ++solved;
    const bool held = std::count(s.mode.begin(), s.mode.begin() + p.count, FrictionMode::kStick) == p.count;
    EXPECT_LE(s.residual, held ? 2e-11 : 1e-12);
    pivots += std::count(s.mode.begin(), s.mode.begin() + p.count, FrictionMode::kStick) == 1;

    const double angle = random.Uniform(-3, 3);
    const Matrix3d R = Eigen::AngleAxisd(angle, Vector3d::UnitZ()).toRotationMatrix();
    PlaneContactProblem turned = p;
    turned.I = R * p.I * R.transpose();
    turned.I_inverse = R * p.I_inverse * R.transpose();
    for (int i = 0; i < p.count; ++i) {
      turned.p[i] = R * p.p[(i + 1) % p.count];
      turned.b[i] = R * p.b[(i + 1) % p.count];
    }
    turned.FindScale();
    PlaneContactSolution t;
    if (!SolvePlaneContact(turned, 1e-12, t)) continue;
    const double scale = s.dv.norm();
    EXPECT_LE((t.dv - R * s.dv).norm(), 1e-9 * scale) << trial;
    EXPECT_LE((t.dw - R * s.dw).norm(), 1e-8 * scale) << trial;
  }
  EXPECT_GT(solved, 1000);
  EXPECT_GT(pivots, 200);
}

}  // namespace
}  // namespace ricochet
