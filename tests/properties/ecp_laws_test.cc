// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Laws that every step of `ecp` obeys, on seeded random tosses (the large study is bench/study_ecp_tosses.cc), and the
// transitions between point, line and surface contact.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <set>

#include "complementarity/mixed_ncp/mixed_ncp.h"
#include "steppers/ecp/ecp_mncp.h"
#include "steppers/ecp/ecp_record.h"
#include "tests/support/ecp_run.h"
#include "tests/support/ecp_scenes.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

using Vec = Vector3<double>;

TEST(EcpLaws, RandomTossesObeyContactFrictionAndEnergy) {
  long contact_steps = 0, later_attempts = 0, steps = 0;
  for (int toss = 0; toss < 40; ++toss) {
    EcpRun run(RandomToss(Random(6, toss), toss % 2 == 0));
    const double h = 0.01;
    const double weight = run.model.spatial.bodies[0].mass * 9.8;
    for (int k = 0; k < 150; ++k) {
      const double before = ComputeEnergy(run.model, run.state).total();
      const StepResult& step = run.Step(h);
      ++steps;
      ASSERT_EQ(step.status, StepStatus::kSolved) << toss << " " << k;
      later_attempts += step.attempts > 1;
      EXPECT_LE(step.residual, 1e-10);
      const EcpProblem<double>& problem = run.ecp().problem;
      const ConvexSolid<double>& solid = *problem.contacts[0].solid_f;
      const Matrix3<double> R = RotationMatrix<double>(run.orientation());

      // No penetration at the end of the step.
      EXPECT_GE(PlaneGap(solid, R, run.position(), problem.contacts[0].solid_g->facets[0]), -1e-9) << toss << " " << k;
      const double gained = ComputeEnergy(run.model, run.state).total() - before;
      if (step.contacts.empty()) {
        EXPECT_LE(gained, 1e-12 * weight);
        continue;
      }
      ++contact_steps;
      const ContactRecord& contact = step.contacts[0];
      const SpatialLaw<double>& law = run.model.spatial.pairs[0].law;

      // The ECP is in the body and on the plane.
      EXPECT_LE(solid.MaxValue(R.transpose() * (contact.p_WC - run.position())), 1e-9);
      EXPECT_NEAR(contact.p_WC.z(), 0, 1e-9);

      // Friction inside its ellipsoid, and against the slip where it slides.
      const Vec p(contact.tangential_impulse[0], contact.tangential_impulse[1], contact.torsional_impulse);
      const double reach = p.cwiseQuotient(law.patch).norm();
      EXPECT_LE(reach, law.friction * contact.normal_impulse * (1 + 1e-9) + 1e-12);
      EXPECT_GE(contact.normal_impulse, 0);

      // Energy grows by no more than p_n (n . v+).
      const Vec v = run.velocity() + run.spin().cross(contact.p_WC - run.position());
      EXPECT_LE(gained, contact.normal_impulse * v.z() + 1e-11 * weight) << toss << " " << k;
      if (contact.slip == SlipState::kSlide) {
        EXPECT_LE(p[0] * v.x() + p[1] * v.y() + p[2] * run.spin().z(), 1e-12);
      }

      // The paper's own complementarity problem, with all inequalities, judges the solution.
      if (k % 10 == 0 && step.attempts < 5) {
        const EcpMncpPoint point = ToMncp(problem, run.ecp().solution);
        EXPECT_LE(MixedNcpResidual(point.problem, point.z), 1e-8) << toss << " " << k;
      }
    }
  }
  EXPECT_GT(contact_steps, 3000);
  EXPECT_LE(later_attempts, steps / 500);
}

/// Xie sec. V: from the state after a step, (24) gives p_n, p_t, p_o and (27) the ECP and p_r.
TEST(EcpLaws, Equation27ReturnsContactPointAndWrench) {
  int checked = 0;
  for (int toss = 0; toss < 12; ++toss) {
    EcpRun run(RandomToss(Random(27, toss), toss % 2 == 0));
    const double h = 0.01;
    for (int k = 0; k < 100; ++k) {
      const State start = run.state;
      const StepResult& step = run.Step(h);
      if (step.contacts.empty() || step.attempts > 4) continue;
      const SpatialBody<double>& body = run.model.spatial.bodies[0];
      const Matrix3<double> R = RotationMatrix<double>(Quaternion<double>(start.q.segment<4>(3)));
      const Matrix3<double> I = R * body.I_BBcm_B * R.transpose();
      const Vec w = run.spin(), n = Vec::UnitZ();
      const Vec A = body.mass * (run.velocity() - Vec(start.v.head<3>()) - h * run.model.spatial.gravity);
      const Vec B = I * (w - Vec(start.v.tail<3>())) + h * w.cross(I * w);
      Eigen::Matrix4d D = Eigen::Matrix4d::Zero();
      D.topLeftCorner<3, 3>() = Skew(A).transpose();
      D.topRightCorner<3, 1>() = n;
      D.bottomLeftCorner<1, 3>() = n.transpose();
      Eigen::Vector4d rhs;
      rhs << B, -n.dot(run.position());
      const Eigen::Vector4d solution = D.lu().solve(rhs);
      const ContactRecord& contact = step.contacts[0];
      EXPECT_NEAR(A.z(), contact.normal_impulse, 1e-10);
      EXPECT_NEAR(A.x(), contact.tangential_impulse[0], 1e-10);
      EXPECT_NEAR(A.y(), contact.tangential_impulse[1], 1e-10);
      const Vec ecp = run.position() + solution.head<3>();
      EXPECT_LT((ecp - contact.p_WC).norm(), 1e-8 * std::max(1.0, 1e-2 / contact.normal_impulse)) << toss << " " << k;
      EXPECT_NEAR(solution[3], contact.torsional_impulse, 1e-9);
      ++checked;
    }
  }
  EXPECT_GT(checked, 500);
}

TEST(EcpTransitions, ToppleGoesThroughPointLineAndSurface) {
  EcpRun run(ReadScene(testing::SourcePath("examples/cube_topple.yaml")));
  std::vector<ContactKind> order;
  for (int k = 0; k < 400; ++k) {
    const StepResult& step = run.Step(0.01);
    ASSERT_EQ(step.status, StepStatus::kSolved) << k;
    if (step.contacts.empty()) continue;
    const ContactRecord& contact = step.contacts[0];
    const int facets = contact.kind == ContactKind::kPoint ? 3 : contact.kind == ContactKind::kLine ? 2 : 1;
    EXPECT_EQ(contact.active_facets, facets) << k;
    if (order.empty() || order.back() != contact.kind) order.push_back(contact.kind);
  }
  ASSERT_GE(order.size(), 3u);
  EXPECT_EQ(order[0], ContactKind::kPoint);
  EXPECT_EQ(order[1], ContactKind::kLine);
  EXPECT_EQ(order.back(), ContactKind::kSurface);
}

TEST(EcpTransitions, CoinSettlesOnItsFace) {
  EcpRun run(SettlingCoin());
  std::set<ContactKind> seen;
  int changes = 0;
  ContactKind last = ContactKind::kPoint;
  for (int k = 0; k < 1500; ++k) {
    const StepResult& step = run.Step(0.002);
    ASSERT_EQ(step.status, StepStatus::kSolved) << k;
    if (step.contacts.empty()) continue;
    seen.insert(step.contacts[0].kind);
    changes += step.contacts[0].kind != last;
    last = step.contacts[0].kind;
  }
  EXPECT_TRUE(seen.count(ContactKind::kPoint));
  EXPECT_TRUE(seen.count(ContactKind::kSurface));
  EXPECT_EQ(last, ContactKind::kSurface);
  EXPECT_GE(changes, 1);
  EXPECT_NEAR(run.position().z(), 0.01, 1e-9);
  EXPECT_EQ(run.velocity().norm() + run.spin().norm(), 0);
}

TEST(EcpTransitions, BoxTipsOverTheTablesEdgeWhenItsCenterPassesIt) {
  for (const double friction : {0.0, 0.2}) {
    // Friction acts h_c = 0.1 m below the push, so the ECP runs mu h_c ahead of the center and reaches the edge
    // earlier.
    const double edge = 0.5 - 0.1 * friction;
    for (const bool as_surface : {true, false}) {
      EcpRun run(BoxAndTableEdge(as_surface, friction));
      double tips_at = 0, before = 0;
      for (int k = 0; k < 300 && tips_at == 0; ++k) {
        before = run.position().x();
        const StepResult& step = run.Step(0.005);
        ASSERT_EQ(step.status, StepStatus::kSolved) << as_surface << " " << k;
        if (run.spin().y() > 1e-9) {
          tips_at = run.position().x();
          continue;
        }
        ASSERT_EQ(step.contacts.size(), 1u);
        EXPECT_EQ(step.contacts[0].kind, ContactKind::kSurface) << k;
        EXPECT_NEAR(step.contacts[0].p_WC.x() - run.position().x(), 0.1 * friction, 1e-9);
      }
      EXPECT_GT(tips_at, edge - 1e-9) << as_surface << " " << friction;
      EXPECT_LT(before, edge + 1e-9) << as_surface << " " << friction;
      // Then it pivots about the edge: line contact there.
      const StepResult& step = run.Step(0.005);
      ASSERT_EQ(step.contacts.size(), 1u);
      EXPECT_EQ(step.contacts[0].kind, ContactKind::kLine);
      EXPECT_NEAR(step.contacts[0].p_WC.x(), 0.5, 1e-9);
      EXPECT_NEAR(step.contacts[0].p_WC.z(), 0, 1e-9);
    }
  }
}

}  // namespace
}  // namespace ricochet
