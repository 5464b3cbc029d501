// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The Newton matrix of `ecp` against the equations in Jets, for every kind of contact.
#include "steppers/ecp/ecp_problem.h"

#include <gtest/gtest.h>

#include "tests/support/random_vectors.h"

namespace ricochet {
namespace {

using Vec = Vector3<double>;
constexpr int kMost = 40;
using J = Jet<kMost>;

template <class T>
EcpProblem<T> Cast(const EcpProblem<double>& from, const std::vector<ConvexSolid<T>>& solids,
                   const std::vector<ConvexSolid<double>>& originals) {
  EcpProblem<T> to;
  to.h = from.h;
  to.length = from.length;
  to.mass = from.mass;
  to.speed = from.speed;
  for (const EcpBody<double>& body : from.bodies) {
    to.bodies.push_back({body.offset, T(body.mass), body.inertia.cast<T>(), body.p.cast<T>(), body.q.cast<T>(),
                         body.v.cast<T>(), body.w.cast<T>(), body.impulse.cast<T>()});
  }
  for (const EcpContact<double>& contact : from.contacts) {
    EcpContact<T> out;
    out.f = contact.f;
    out.g = contact.g;
    out.solid_f = &solids[contact.solid_f - originals.data()];
    out.solid_g = &solids[contact.solid_g - originals.data()];
    out.mu = T(contact.mu);
    out.e = contact.e.cast<T>();
    out.belt = contact.belt.cast<T>();
    out.fixed_frame = contact.fixed_frame;
    out.t = contact.t.cast<T>();
    out.o = contact.o.cast<T>();
    to.contacts.push_back(out);
  }
  return to;
}

template <class T>
std::vector<ConvexSolid<T>> Solids() {
  using V = Vector3<T>;
  std::vector<ConvexSolid<T>> solids = {MakeBoxSolid<T>(V(T(0.4), T(0.6), T(0.5))),
                                        MakeCylinderSolid<T>(T(0.3), T(0.8), V(T(0), T(0.6), T(0.8))),
                                        MakeEllipsoidSolid<T>(V(T(0.5), T(0.3), T(0.4))), MakeSphereSolid<T>(T(0.35))};
  ConvexSolid<T> plane;
  plane.facets = {MakeHalfSpace<T>(V(T(0.1), T(-0.2), T(1)), V(T(0), T(0), T(0.3)))};
  solids.push_back(plane);
  return solids;
}

TEST(EcpProblem, NewtonMatrixIsTheDerivativeOfTheEquations) {
  RandomVectors random(5);
  const std::vector<ConvexSolid<double>> solids = Solids<double>();
  const std::vector<ConvexSolid<J>> jet_solids = Solids<J>();
  int slides = 0, sticks = 0;
  for (int trial = 0; trial < 60; ++trial) {
    EcpProblem<double> problem;
    problem.h = 0.02;
    problem.length = 0.5;
    problem.mass = 2;
    problem.speed = 3;
    for (int i = 0; i < 3; ++i) {
      EcpBody<double> body;
      body.offset = i < 2 ? 6 * i : -1;
      body.mass = random.Uniform(0.5, 2);
      const Matrix3<double> R = RotationMatrix<double>(random.Rotation());
      body.inertia = R * Vec(0.2, 0.3, 0.4).asDiagonal() * R.transpose();
      body.p = random.Vector<3>();
      body.q = random.Rotation();
      body.v = random.Vector<3>();
      body.w = 5 * random.Vector<3>();
      body.impulse = random.Vector<6>();
      problem.bodies.push_back(body);
    }
    // One contact between the moving bodies, one of the first with a plane or a fixed solid.
    EcpContact<double> pair, fixed;
    pair.f = 0;
    pair.g = 1;
    pair.solid_f = &solids[trial % 4];
    pair.solid_g = &solids[(trial / 4) % 4];
    fixed.f = 0;
    fixed.g = 2;
    fixed.solid_f = &solids[trial % 4];
    fixed.solid_g = trial % 2 ? &solids[4] : &solids[0];
    fixed.fixed_frame = trial % 2;
    for (EcpContact<double>* contact : {&pair, &fixed}) {
      contact->mu = random.Uniform(0.1, 1);
      contact->e = Vec(1, 0.8, 0.2);
      contact->belt = random.Vector<3>();
    }
    problem.contacts = {pair, fixed};
    std::vector<EcpActive> active(2);
    for (int c = 0; c < 2; ++c) {
      EcpActive& set = active[c];
      set.contact = c;
      set.rho = random.Uniform(0.1, 1);
      const int facets_f = static_cast<int>(problem.contacts[c].solid_f->facets.size());
      const int facets_g = static_cast<int>(problem.contacts[c].solid_g->facets.size());
      set.nf = std::min(1 + trial % 3, facets_f);
      set.ng = std::min(1 + (trial / 2) % 3, facets_g);
      for (int i = 0; i < set.nf; ++i) set.f[i] = facets_f == 6 ? 2 * i : i;
      for (int j = 0; j < set.ng; ++j) set.g[j] = facets_g == 6 ? 2 * j + 1 : j;
    }
    const int n = EcpSize(2, active);
    ASSERT_LE(n, kMost);
    std::vector<double> z(n), residual(n), matrix(n * n);
    for (double& x : z) x = random.Uniform(-1, 1);
    // Positive normal impulses, friction of either mode.
    int at = 12;
    for (const EcpActive& set : active) {
      const int p = at + set.size() - 4;
      z[p] = random.Uniform(1, 3);
      if (trial % 3 == 0) z[p] *= 30;
      at += set.size();
    }
    EcpLinearize(problem, active, z.data(), residual.data(), matrix.data(), n);
    for (const EcpActive& set : active) (set.slides ? slides : sticks) += 1;

    std::vector<J> jet_z(n), jet_residual(n);
    for (int i = 0; i < n; ++i) jet_z[i] = J::Variable(z[i], i);
    EcpResidual<J>(Cast<J>(problem, jet_solids, solids), active, jet_z.data(), false, jet_residual.data());
    for (int row = 0; row < n; ++row) {
      ASSERT_NEAR(residual[row], jet_residual[row].a, 1e-12 * (1 + std::abs(residual[row]))) << trial << " " << row;
      for (int column = 0; column < n; ++column) {
        const double expected = jet_residual[row].v[column];
        ASSERT_NEAR(matrix[row * n + column], expected, 1e-11 * (1 + std::abs(expected)))
            << trial << " " << row << " " << column;
      }
    }
  }
  EXPECT_GT(slides, 10);
  EXPECT_GT(sticks, 10);
}

}  // namespace
}  // namespace ricochet
