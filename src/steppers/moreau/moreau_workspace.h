// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What the step of `moreau` (moreau.h) and its derivatives share: options, scratch, closed contacts and the terms of
// their equations on any scalar.
#pragma once

#include <span>
#include <vector>

#include "complementarity/friction_bodies/friction_contact_solver.h"
#include "dynamics/spatial_body_step.h"
#include "geometry/body_contact.h"
#include "model/seeded_numbers.h"
#include "steppers/stepper.h"

namespace ricochet {

struct MoreauOptions {
  RotationScheme rotation = RotationScheme::kExplicit;
  bool recover = false;
  FrictionContactOptions contact;
};

/// The options that a scene may set.
std::span<const OptionInfo> MoreauOptionInfos();

/// Reads and checks the scene's options. Throws InputError.
MoreauOptions ReadMoreauOptions(const Scene& scene);

/// A closed contact of the step at hand.
struct ClosedContact {
  /// What is not given is left as it is: hot loops add many, and zeros would be written over at once.
  ClosedContact(int of_pair, int candidate, const SpatialPair<double>& p, double at)
      : pair(of_pair), index(candidate), surface(p.surface), body(p.body), other(p.other), gap(at) {}

  int pair;
  int index;    // candidate of the pair
  int surface;  // -1: the `other` body
  int body, other;
  double gap;            // [m]
  Eigen::Vector3d p_B;   // contact point from the first body's center of mass, its axes
  Eigen::Vector3d p_O;   // from the other body's, its axes
  Eigen::Matrix3d R_WC;  // columns t1, t2, n; n points to the first body
};

/// Part of the depth that `penetration: recover` takes back in a step, and the depth it leaves so that contacts stay
/// closed.
inline constexpr double kRecoveredPerStep = 0.2;
template <class T>
T RecoverySlack(const T& body_radius) {  // [m]
  return 1e-4 * body_radius;
}

/// Derivatives are taken in this many directions at once.
using MoreauJet = Jet<12>;

class MoreauWorkspace : public Workspace {
 public:
  explicit MoreauWorkspace(const Model& model);

  MoreauOptions options;
  std::vector<SpatialInertia<double>> inertia;  // per body; remade when the model's numbers differ
  std::vector<SpatialBodyStep<double>> bodies;
  std::vector<ClosedContact> closed;
  BodyContactWorkspace<double> body_contact;
  FrictionContactWorkspace solver;
  FrictionContactProblem problem;
  FrictionContactSolution solution;
  std::vector<int> order;     // closed contacts by body
  std::vector<char> alone;    // per body: touches no other moving one
  std::vector<int> together;  // closed contacts that are solved together
  std::vector<double> rise;   // scratch of EnergyExcess
  std::vector<int> slot;      // index of a moving body in the problem, -1: fixed
  bool is_soft = false;       // some pair has compliance
  bool has_torsion = false;   // some pair of a body and a surface has a patch

  SeededModels<MoreauJet::kSize, SpatialModel<MoreauJet>> jet_models;  // for derivatives
};

/// Rows of a contact for one body, scaled: S^-1 (R^T e, p x R^T e) for e = t1, t2, n.
template <class T>
Eigen::Matrix<T, 6, 3> ScaledContactRows(const SpatialInertia<T>& inertia, const Matrix3<T>& R_BC,
                                         const Vector3<T>& p) {
  Eigen::Matrix<T, 6, 3> rows;
  for (int k = 0; k < 3; ++k) {
    const Vector3<T> e = R_BC.col(k);
    const Vector3<T> arm = p.cross(e);
    const Matrix3<T>& L = inertia.L_inverse;
    rows(0, k) = e[0] * inertia.inverse_root_mass;
    rows(1, k) = e[1] * inertia.inverse_root_mass;
    rows(2, k) = e[2] * inertia.inverse_root_mass;
    rows(3, k) = L(0, 0) * arm[0];
    rows(4, k) = L(1, 0) * arm[0] + L(1, 1) * arm[1];
    rows(5, k) = L(2, 0) * arm[0] + L(2, 1) * arm[1] + L(2, 2) * arm[2];
  }
  return rows;
}

/// Velocity of a body's point in axes C, R_BC^T (v + w x p).
template <class T>
Vector3<T> PointVelocity(const Matrix3<T>& R_BC, const Vector3<T>& p, const Vector3<T>& v, const Vector3<T>& w) {
  return R_BC.transpose() * Vector3<T>(v + w.cross(p));
}

/// Newton's restitution at a speed of approach; see the refinements above.
template <class T>
T RestitutionAt(const SpatialLaw<T>& law, const T& gamma_before) {
  if (!law.has_restitution_speed) return law.restitution;
  using std::exp;
  const T speed = gamma_before < 0.0 ? T(-gamma_before) : T(0.0);
  return law.restitution + (law.restitution_low - law.restitution) * exp(-speed / law.restitution_speed);
}

/// Friction about the normal (patch e_r): see the refinements above. `normal` is in the axes of R_mid. The sum of the
/// normal impulses is the momentum along the normal that the contacts gave the body.
template <class T>
void BrakeSpin(const SpatialLaw<T>& law, const SpatialInertia<T>& inertia, const Vector3<T>& normal,
               SpatialBodyStep<T>& s) {
  const T load = inertia.mass * normal.dot(s.v_end - s.v_free);
  if (!(load > 0.0)) return;
  const Vector3<T> axis = inertia.I_inverse * normal;
  const T stop = normal.dot(s.w_end) / normal.dot(axis), most = law.friction * law.patch[2] * load;
  const T by = stop > most ? most : stop < -most ? T(-most) : stop;
  s.w_end -= axis * by;
}

/// The pair of a body whose spin is braked: the only one it touches through, body against surface, with a patch. -1:
/// none. `pair_of(i)` is the pair of closed contact i.
template <class T, class PairOf>
int BrakingPair(const SpatialModel<T>& model, int body, int contacts, const PairOf& pair_of) {
  int found = -1;
  for (int i = 0; i < contacts; ++i) {
    const SpatialPair<T>& pair = model.pairs[pair_of(i)];
    if (pair.body != body && pair.other != body) continue;
    if (pair.surface < 0 || !pair.law.has_patch || (found >= 0 && found != pair_of(i))) return -1;
    found = pair_of(i);
  }
  return found;
}

/// xi at the free twist for one contact: gamma(free) + e gamma^-, against the surface's material or the other body.
/// `gamma_free` and `gamma_before` are in axes C.
template <class T>
Vector3<T> ContactBias(const SpatialLaw<T>& law, const Vector3<T>& gamma_free, const Vector3<T>& gamma_before) {
  return {gamma_free[0] + law.tangential_restitution * gamma_before[0],
          gamma_free[1] + law.tangential_restitution * gamma_before[1],
          gamma_free[2] + RestitutionAt(law, gamma_before[2]) * gamma_before[2]};
}

}  // namespace ricochet
