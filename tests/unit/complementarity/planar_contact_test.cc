// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/planar/planar_contact.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "complementarity/planar/planar_contact_solvers.h"
#include "tests/support/allocation_count.h"
#include "tests/support/random_vectors.h"

namespace ricochet {
namespace {

using Modes = std::vector<ContactMode>;

// One planar body with contacts; rows of J: normal and tangent of each.
struct BodyContacts {
  Eigen::MatrixXd J;
  Eigen::Vector3d inverse_inertia;
  Eigen::VectorXd bias, friction;
  Eigen::Vector3d v;

  int size() const { return static_cast<int>(friction.size()); }
  void AddContact(double px, double py, double angle, double mu) {
    const double nx = -std::sin(angle), ny = std::cos(angle);
    J.conservativeResize(J.rows() + 2, 3);
    J.bottomRows(2) << nx, ny, px * ny - py * nx, ny, -nx, -px * nx - py * ny;
    friction.conservativeResize(friction.size() + 1);
    friction.tail(1)[0] = mu;
    bias.conservativeResize(J.rows());
    bias.tail(2).setZero();
  }
  Eigen::MatrixXd A() const { return J * inverse_inertia.asDiagonal() * J.transpose(); }
  Eigen::VectorXd b() const { return J * v + bias; }
  Eigen::Vector3d VelocityAfter(const Eigen::VectorXd& c) const {
    return v + inverse_inertia.asDiagonal() * (J.transpose() * c);
  }
};

struct Solved {
  Eigen::VectorXd c;
  Modes modes;
  PlanarContactSummary summary;
};

Solved Solve(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, const Eigen::VectorXd& friction) {
  PlanarContactWorkspace workspace;
  Solved solved{Eigen::VectorXd(b.size()), Modes(friction.size()), {}};
  solved.summary = SolvePlanarContacts({A, b, friction}, workspace, solved.c, solved.modes);
  return solved;
}
Solved Solve(const BodyContacts& body) { return Solve(body.A(), body.b(), body.friction); }

BodyContacts RandomBody(RandomVectors& random, int contacts, double mass, double largest_friction) {
  BodyContacts body;
  const double inertia = mass * random.LogUniform(0.05, 2);
  body.inverse_inertia = Eigen::Vector3d(1 / mass, 1 / mass, 1 / inertia);
  body.v = random.Vector<3>() + Eigen::Vector3d(0, -0.7, 0);
  for (int i = 0; i < contacts; ++i) {
    body.AddContact(random.Uniform(-1, 1), random.Uniform(-1, 0.2), random.Uniform(-0.8, 0.8),
                    random.Uniform(0, largest_friction));
  }
  return body;
}

// The conditions themselves, with slacks in units of velocity and impulse; written apart from the residual function.
void ExpectConditions(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, const Eigen::VectorXd& friction,
                      const Solved& solved, double tolerance) {
  const Eigen::VectorXd w = A * solved.c + b;
  for (int i = 0; i < friction.size(); ++i) {
    const double cn = solved.c[2 * i], ct = solved.c[2 * i + 1], wn = w[2 * i], wt = w[2 * i + 1];
    const double speed = tolerance * (b.lpNorm<Eigen::Infinity>() + (A.cwiseAbs() * solved.c.cwiseAbs()).maxCoeff());
    EXPECT_GE(cn, 0);
    EXPECT_LE(std::abs(ct), friction[i] * cn);
    EXPECT_GE(wn, -speed);
    if (solved.modes[i] == ContactMode::kFree) {
      EXPECT_EQ(cn, 0);
    } else {
      EXPECT_LE(std::abs(wn), speed);
    }
    if (solved.modes[i] == ContactMode::kStick) {
      EXPECT_LE(std::abs(wt), speed);
    }
    if (const int sign = SlipSign(solved.modes[i])) {
      EXPECT_GE(sign * wt, -speed);
      EXPECT_EQ(ct, -sign * friction[i] * cn);
    }
  }
}

TEST(PlanarContactResidual, SeesEachCondition) {
  const Eigen::Matrix2d A = Eigen::Vector2d(1, 3).asDiagonal();
  const Eigen::Vector2d b(-2, 0.3);
  const Eigen::VectorXd mu = Eigen::VectorXd::Constant(1, 0.5);
  const PlanarContactProblem problem{A, b, mu};
  EXPECT_LE(PlanarContactResidual(problem, Eigen::Vector2d(2, -0.1)), 1e-16);    // sticks
  EXPECT_NEAR(PlanarContactResidual(problem, Eigen::Vector2d(0, 0)), 1, 1e-15);  // goes through
  EXPECT_GT(PlanarContactResidual(problem, Eigen::Vector2d(3, -0.1)), 0.1);      // impulse though it separates
  EXPECT_GT(PlanarContactResidual(problem, Eigen::Vector2d(2, 0)), 0.05);        // slips without friction
  EXPECT_GT(PlanarContactResidual(problem, Eigen::Vector2d(2, -1.5)), 0.05);     // outside the cone
  EXPECT_GT(PlanarContactResidual(problem, Eigen::Vector2d(-1, 0)), 0.1);
}

TEST(SinglePlanarContact, FourModes) {
  // Unit mass, center of mass above the contact: A is diagonal.
  const Eigen::Matrix2d A = Eigen::Vector2d(1, 3).asDiagonal();
  const auto stick = SolveSinglePlanarContact(A, {-2, 0.3}, 0.5);
  EXPECT_EQ(stick.mode, ContactMode::kStick);
  EXPECT_DOUBLE_EQ(stick.cn, 2);
  EXPECT_DOUBLE_EQ(stick.ct, -0.1);
  const auto positive = SolveSinglePlanarContact(A, {-2, 6}, 0.5);
  EXPECT_EQ(positive.mode, ContactMode::kSlidePositive);
  EXPECT_DOUBLE_EQ(positive.ct, -1);
  const auto negative = SolveSinglePlanarContact(A, {-2, -6}, 0.5);
  EXPECT_EQ(negative.mode, ContactMode::kSlideNegative);
  EXPECT_DOUBLE_EQ(negative.ct, 1);
  EXPECT_EQ(SolveSinglePlanarContact(A, {0.1, -6}, 0.5).mode, ContactMode::kFree);
  // On the boundary of the cone sticking comes first; without friction nothing sticks.
  EXPECT_EQ(SolveSinglePlanarContact(A, {-2, 3}, 0.5).mode, ContactMode::kStick);
  EXPECT_EQ(SolveSinglePlanarContact(A, {-2, 0}, 0).mode, ContactMode::kSlidePositive);
}

TEST(SinglePlanarContact, RandomAnyMass) {
  RandomVectors random(1);
  for (int trial = 0; trial < 20000; ++trial) {
    const BodyContacts body = RandomBody(random, 1, random.LogUniform(1e-6, 1e6), trial % 4 ? 1 : 5);
    const Eigen::Matrix2d A = body.A();
    const Eigen::Vector2d b = body.b();
    const auto single = SolveSinglePlanarContact(A, b, body.friction[0]);
    EXPECT_LE(single.residual, 1e-14);
    EXPECT_EQ(single.residual, PlanarContactResidual({A, b, body.friction}, Eigen::Vector2d(single.cn, single.ct)));
    ExpectConditions(A, b, body.friction, {Eigen::Vector2d(single.cn, single.ct), {single.mode}, {}}, 1e-13);
    const Solved general = Solve(body);
    EXPECT_EQ(general.c, Eigen::Vector2d(single.cn, single.ct));
    EXPECT_EQ(general.modes[0], single.mode);
  }
}

TEST(SinglePlanarContact, PainlevesRodTakesStickingFirst) {
  // A rod of length 2 and unit mass, leaning at 60 degrees, sliding along -t with the contact separating without
  // impulse. Friction 3 pushes the tip into the ground: A_nn - mu A_nt < 0. No impulse, sliding and sticking all hold.
  BodyContacts rod;
  rod.inverse_inertia = Eigen::Vector3d(1, 1, 3);
  rod.v.setZero();
  const double angle = 1.0471975511965976;
  rod.AddContact(std::cos(angle), -std::sin(angle), 0, 3.0);
  const Eigen::Matrix2d A = rod.A();
  ASSERT_LT(A(0, 0) + 3.0 * -std::abs(A(0, 1)), 0);
  const double slip = A(0, 1) > 0 ? 1 : -1;  // the direction in which friction has that effect
  const Eigen::Vector2d b(0.1, slip * 0.5);
  const PlanarContactProblem problem{A, b, rod.friction};
  const double cn = -b[0] / (A(0, 0) - slip * 3.0 * A(0, 1));
  ASSERT_GT(cn, 0);
  EXPECT_EQ(PlanarContactResidual(problem, Eigen::Vector2d(0, 0)), 0);
  const Eigen::Vector2d stick = -A.inverse() * b;
  EXPECT_LE(PlanarContactResidual(problem, stick), 1e-14);
  const auto single = SolveSinglePlanarContact(A, b, 3.0);
  EXPECT_EQ(single.mode, ContactMode::kStick);
  EXPECT_NEAR(single.cn, stick[0], 1e-13);
}

TEST(PlanarContacts, RandomBodiesOfUpToEightContacts) {
  RandomVectors random(2);
  for (int n = 1; n <= 8; ++n) {
    for (int trial = 0; trial < (n <= 2 ? 5000 : 500); ++trial) {
      const BodyContacts body = RandomBody(random, n, random.LogUniform(1e-6, 1e6), trial % 4 ? 1 : 4);
      const Solved solved = Solve(body);
      ASSERT_EQ(solved.summary.termination, PlanarContactTermination::kSolved) << n << ' ' << trial;
      EXPECT_LE(solved.summary.residual, 1e-12) << n << ' ' << trial;
      EXPECT_EQ(solved.summary.residual, PlanarContactResidual({body.A(), body.b(), body.friction}, solved.c));
      ExpectConditions(body.A(), body.b(), body.friction, solved, 1e-12);
      // Without restitution or moving surfaces contact only takes energy.
      const Eigen::Vector3d after = body.VelocityAfter(solved.c), inertia = body.inverse_inertia.cwiseInverse();
      const double before_energy = body.v.dot(inertia.cwiseProduct(body.v));
      EXPECT_LE(after.dot(inertia.cwiseProduct(after)), before_energy * (1 + 1e-12));
    }
  }
}

TEST(PlanarContacts, RestitutionWithoutInternalForcesIsSolved) {
  // Contacts on one line: no impulses inside the cones cancel each other, so there is a solution for every bias.
  RandomVectors random(3);
  for (int trial = 0; trial < 3000; ++trial) {
    const int n = 1 + trial % 6;
    BodyContacts body;
    body.inverse_inertia = Eigen::Vector3d(1, 1, random.LogUniform(0.1, 10));
    body.v = random.Vector<3>();
    for (int i = 0; i < n; ++i) body.AddContact(random.Uniform(-1, 1), -0.5, 0, random.Uniform(0, 1));
    for (int i = 0; i < n; ++i) body.bias[2 * i] = random.Uniform(0, 1) * (body.J.row(2 * i) * body.v).value();
    const Solved solved = Solve(body);
    ASSERT_EQ(solved.summary.termination, PlanarContactTermination::kSolved) << trial;
    EXPECT_LE(solved.summary.residual, 1e-12) << trial;
    ExpectConditions(body.A(), body.b(), body.friction, solved, 1e-12);
  }
}

TEST(PlanarContacts, EnumerationAndLemkeGiveTheSameVelocities) {
  // Small friction: the velocities are unique.
  RandomVectors random(4);
  for (int trial = 0; trial < 2000; ++trial) {
    const int n = 1 + trial % 4;
    const BodyContacts body = RandomBody(random, n, 1, 0.1);
    const Eigen::MatrixXd A = body.A();
    const Eigen::VectorXd b = body.b();
    const PlanarContactProblem problem{A, b, body.friction};
    PlanarContactWorkspace workspace(4);
    Eigen::VectorXd by_lemke(2 * n), by_enumeration(2 * n);
    Modes lemke_modes(n), modes(n);
    planar_contact_internal::BestModes lemke(problem, workspace, by_lemke, lemke_modes);
    planar_contact_internal::SolveByLemke(problem, workspace, lemke);
    planar_contact_internal::BestModes enumeration(problem, workspace, by_enumeration, modes);
    planar_contact_internal::EnumerateAll(problem, workspace, enumeration);
    EXPECT_LE(lemke.residual(), 1e-12) << trial;
    EXPECT_LE(enumeration.residual(), 1e-12) << trial;
    EXPECT_LE((body.VelocityAfter(by_lemke) - body.VelocityAfter(by_enumeration)).norm(), 1e-10) << trial;
  }
}

TEST(PlanarContacts, QuickPairSearchFindsWhatTryingAllFinds) {
  // Also with several solutions, as both follow the same order.
  RandomVectors random(5);
  for (int trial = 0; trial < 10000; ++trial) {
    BodyContacts body = RandomBody(random, 2, random.LogUniform(1e-6, 1e6), trial % 5 ? 3 : 0);
    if (trial % 3 == 0) {  // a flat side: redundant when it sticks
      BodyContacts flat;
      flat.inverse_inertia = body.inverse_inertia;
      flat.v = body.v.cwiseProduct(Eigen::Vector3d(1, 1, 0.1));
      for (const double x : {-0.5, 0.3}) flat.AddContact(x, -0.4, 0, body.friction[0]);
      body = flat;
    }
    const Eigen::MatrixXd A = body.A();
    const Eigen::VectorXd b = body.b();
    const PlanarContactProblem problem{A, b, body.friction};
    PlanarContactWorkspace workspace;
    Eigen::VectorXd all(4), quick(4);
    Modes all_modes(2), quick_modes(2);
    planar_contact_internal::BestModes best_of_all(problem, workspace, all, all_modes);
    planar_contact_internal::EnumerateAll(problem, workspace, best_of_all);
    planar_contact_internal::BestModes best(problem, workspace, quick, quick_modes);
    planar_contact_internal::EnumerateTwo(problem, workspace, best);
    EXPECT_EQ(quick_modes, all_modes) << trial;
    EXPECT_EQ(quick, all) << trial;
  }
}

TEST(PlanarContacts, ScaleOfMassAndSpeedDoesNotMatter) {
  RandomVectors random(6);
  for (int trial = 0; trial < 500; ++trial) {
    const BodyContacts body = RandomBody(random, 1 + trial % 5, 1, 1);
    const Solved reference = Solve(body);
    for (const double mass : {1e-6, 1e6}) {
      for (const double speed : {1e-8, 1e4}) {
        const Solved scaled = Solve(body.A() / mass, body.b() * speed, body.friction);
        EXPECT_EQ(scaled.modes, reference.modes) << trial;
        EXPECT_LE((scaled.c / (mass * speed) - reference.c).norm(), 1e-9 * (1 + reference.c.norm())) << trial;
      }
    }
  }
}

BodyContacts FlatRectangle(std::vector<double> places, double mu) {
  BodyContacts body;
  body.inverse_inertia = Eigen::Vector3d(0.5, 0.5, 6);
  for (const double x : places) body.AddContact(x, -0.25, 0, mu);
  return body;
}

TEST(PlanarContacts, FlatRectangleSharesFrictionEqually) {
  BodyContacts body = FlatRectangle({-0.5, 0.5}, 0.5);
  body.v = Eigen::Vector3d(0, -1, 0);
  Solved solved = Solve(body);
  EXPECT_EQ(solved.modes, Modes(2, ContactMode::kStick));
  EXPECT_TRUE(solved.summary.redundant);
  EXPECT_NEAR(solved.c[0], 1, 1e-15);
  EXPECT_NEAR(solved.c[2], 1, 1e-15);

  body.v = Eigen::Vector3d(0.3, -1, 0);
  solved = Solve(body);
  EXPECT_EQ(solved.modes, Modes(2, ContactMode::kStick));
  EXPECT_NEAR(solved.c[1], -0.3, 1e-15);
  EXPECT_NEAR(solved.c[3], -0.3, 1e-15);
  EXPECT_LE(body.VelocityAfter(solved.c).norm(), 1e-15);
}

TEST(PlanarContacts, EqualShareOutsideTheConeBecomesSlidingWithZeroSlip) {
  // Braking loads the front vertex: half of the friction is too much for the other one.
  BodyContacts body = FlatRectangle({-0.5, 0.5}, 0.9);
  body.v = Eigen::Vector3d(0.85, -1, 0);
  const Solved solved = Solve(body);
  EXPECT_EQ(solved.summary.termination, PlanarContactTermination::kSolved);
  EXPECT_LE(solved.summary.residual, 1e-13);
  EXPECT_LE(body.VelocityAfter(solved.c).norm(), 1e-14);  // all of it is at rest
  EXPECT_NEAR(solved.c[1] + solved.c[3], -1.7, 1e-14);
  EXPECT_NE(solved.modes[0], solved.modes[1]);
}

TEST(PlanarContacts, CollinearContactsShareTheLoad) {
  for (const int n : {3, 4, 5, 9}) {
    std::vector<double> places;
    for (int i = 0; i < n; ++i) places.push_back(-0.5 + i / (n - 1.0));
    BodyContacts body = FlatRectangle(places, 0.4);
    for (const double vx : {0.0, 0.2, 3.0, -3.0}) {
      body.v = Eigen::Vector3d(vx, -1, 0);
      const Solved solved = Solve(body);
      ASSERT_EQ(solved.summary.termination, PlanarContactTermination::kSolved) << n << ' ' << vx;
      EXPECT_LE(solved.summary.residual, 1e-12);
      ExpectConditions(body.A(), body.b(), body.friction, solved, 1e-12);
      EXPECT_TRUE(solved.summary.redundant);
      double sum_n = 0, sum_t = 0;
      for (int i = 0; i < n; ++i) {
        sum_n += solved.c[2 * i];
        sum_t += solved.c[2 * i + 1];
      }
      EXPECT_NEAR(sum_n, 2, 1e-12);
      EXPECT_NEAR(sum_t, std::abs(vx) < 1 ? -2 * vx : vx > 0 ? -0.8 : 0.8, 1e-12);
      if (vx == 0) {
        EXPECT_NEAR(solved.c[0], 2.0 / n, 1e-12);
      }
    }
  }
}

TEST(PlanarContacts, WedgeThatClosesOnABodyIsReportedAsImpossible) {
  // A body between two parallel walls that both move inwards.
  BodyContacts body;
  body.inverse_inertia = Eigen::Vector3d(1, 1, 1);
  body.v.setZero();
  body.AddContact(0, -0.5, 0, 0.3);
  body.AddContact(0, 0.5, 3.141592653589793, 0.3);
  body.bias << -1, 0, -1, 0;
  const Solved solved = Solve(body);
  EXPECT_EQ(solved.summary.termination, PlanarContactTermination::kFailed);
  EXPECT_GT(solved.summary.residual, 1e-3);
  body.AddContact(0.3, -0.5, 0, 0.3);
  body.bias[4] = -1;
  EXPECT_EQ(Solve(body).summary.termination, PlanarContactTermination::kFailed);
}

TEST(PlanarContacts, NothingToDo) {
  const Solved solved = Solve(Eigen::MatrixXd(0, 0), Eigen::VectorXd(0), Eigen::VectorXd(0));
  EXPECT_EQ(solved.summary.termination, PlanarContactTermination::kSolved);
  EXPECT_EQ(solved.summary.residual, 0);
}

TEST(PlanarContacts, DoesNotAllocate) {
  RandomVectors random(7);
  PlanarContactWorkspace workspace(8);
  for (int n = 1; n <= 8; ++n) {
    for (int trial = 0; trial < 50; ++trial) {
      const BodyContacts body = RandomBody(random, n, 1, 1);
      const Eigen::MatrixXd A = body.A();
      const Eigen::VectorXd b = body.b();
      Eigen::VectorXd c(2 * n);
      Modes modes(n);
      const testing::AllocationCount count;
      const PlanarContactSummary summary = SolvePlanarContacts({A, b, body.friction}, workspace, c, modes);
      EXPECT_EQ(count.allocations(), 0) << n;
      EXPECT_EQ(summary.termination, PlanarContactTermination::kSolved);
    }
  }
}

// Velocity after contact as a function of (x, y, theta velocities; mass; friction) of a body whose contacts are fixed.
template <class T>
Eigen::Matrix<T, 3, 1> VelocityAtModes(const BodyContacts& body, const Modes& modes, const Eigen::Matrix<T, 5, 1>& p) {
  const Eigen::Matrix<T, 3, 1> v = p.template head<3>();
  Eigen::Matrix<T, 3, 1> inverse = body.inverse_inertia.cast<T>() / p[3];
  const Eigen::Matrix<T, Eigen::Dynamic, 3> J = body.J.cast<T>();
  const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> A = J * inverse.asDiagonal() * J.transpose();
  const Eigen::Matrix<T, Eigen::Dynamic, 1> b = J * v;
  const Eigen::Matrix<T, Eigen::Dynamic, 1> friction =
      Eigen::Matrix<T, Eigen::Dynamic, 1>::Constant(modes.size(), p[4]);
  Eigen::Matrix<T, Eigen::Dynamic, 1> c(b.size());
  PlanarModeWorkspace<T> workspace;
  SolvePlanarModes<T>(A, b, friction, modes, workspace, c);
  return v + inverse.asDiagonal() * (J.transpose() * c);
}

TEST(PlanarModes, DerivativesInJetsAgreeWithDifferencesAlsoWhenRedundant) {
  BodyContacts flat = FlatRectangle({-0.5, 0.1, 0.5}, 0.4);
  BodyContacts corner = FlatRectangle({-0.5}, 0.4);
  for (const BodyContacts& body : {flat, corner}) {
    for (const double vx : {0.1, 2.0, -2.0}) {
      Eigen::Matrix<double, 5, 1> p;
      p << vx, -1, 0.05, 1.3, 0.4;
      BodyContacts moving = body;
      moving.v = p.head<3>();
      moving.inverse_inertia /= p[3];
      const Solved solved = Solve(moving);
      ASSERT_EQ(solved.summary.termination, PlanarContactTermination::kSolved);
      const auto jets = VelocityAtModes<Jet<5>>(body, solved.modes, SeedVariables<5>(p));
      EXPECT_LE((ValueOf(jets) - moving.VelocityAfter(solved.c)).norm(), 1e-14);
      const Eigen::MatrixXd jacobian = JacobianOf(jets);
      // Differences of the whole solution, modes free to change.
      for (int k = 0; k < 5; ++k) {
        const double h = 1e-6;
        Eigen::Vector3d after[2];
        for (int side = 0; side < 2; ++side) {
          Eigen::Matrix<double, 5, 1> shifted = p;
          shifted[k] += side ? h : -h;
          BodyContacts other = body;
          other.v = shifted.head<3>();
          other.inverse_inertia /= shifted[3];
          other.friction.setConstant(shifted[4]);
          after[side] = other.VelocityAfter(Solve(other).c);
        }
        EXPECT_LE((jacobian.col(k) - (after[1] - after[0]) / (2 * h)).norm(), 1e-8) << vx << ' ' << k;
      }
    }
  }
}

}  // namespace
}  // namespace ricochet
