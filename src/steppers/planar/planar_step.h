// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What the planar time steppers `irc`, `lcp` and `igc` share. All three advance
//
//   M (v+ - v) = N(q) cn + T(q) ct + h f,      q+ = q + h v+            (Gabiccini eq. 16-17, Fazeli eq. 8)
//
// with f = m g plus the scene's loads, and differ in which contacts take part and in the normal condition:
//
//   irc   gap(q) <= tol and rate(q, v) <= tol      0 <= cn _|_ N(q).(v+ + e_n v) >= 0     (eq. 6, 18, 19)
//   lcp   gap(q) <= tol                            the same                               (Fazeli eq. 8)
//   igc   all that would close within the step      0 <= cn _|_ gap(q + h v+) >= 0
//
// Friction is Coulomb's law on T(q).(v+ + e_t v) (e_t is 0 in the papers). Velocities are those against the surface's
// material, so a running conveyor is a bias. For one contact the paper's equality (its eq. 5) and the complementarity
// above agree; for several the equality is over-determined and the complementarity is what remains
// (docs/theory/complementarity.md).
//
// Tolerances come from simulation.options: gap_tolerance [m] and rate_tolerance [m/s], 1e-9 each where not given (with
// none at all a resting body flickers between contact and flight by rounding).
//
// Bodies meet surfaces only, so every body is a problem of its own.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <vector>

#include "complementarity/planar/planar_contact.h"
#include "dynamics/loads.h"
#include "dynamics/planar_contacts.h"
#include "math/jet.h"
#include "model/seeded_numbers.h"
#include "steppers/stepper.h"

namespace ricochet {

/// A contact that takes part in a step: the conditions are on
///   wn = normal_row . v+ + bias_n,   wt = geometry.tangent . v+ + bias_t.
template <class T>
struct ActivePlanarContact {
  int pair = 0;
  int index = 0;                      // candidate: number of the vertex, or 0
  PlanarContact<T> geometry;          // at the start of the step
  Eigen::Matrix<T, 3, 1> normal_row;  // N(q), or for igc N at the end of the step
  T bias_n, bias_t;                   // [m/s]
  double reported_gap = 0;            // as the stepper used it [m]
};

/// Normal condition of a step.
enum class PlanarNormalRule {
  kRestitution,  // N(q).(v+ + e_n v) >= 0
  kGap,          // gap(q + h v+) >= 0
};

/// Derivatives are taken in this many directions at once.
using PlanarJet = Jet<8>;

class PlanarWorkspace : public Workspace {
 public:
  explicit PlanarWorkspace(const Model& model);

  std::vector<std::vector<int>> pairs_of_body;
  double gap_tolerance = 0;   // [m]
  double rate_tolerance = 0;  // [m/s]
  double tolerance = 0;       // relative residual that counts as solved

  std::vector<ActivePlanarContact<double>> active;
  Eigen::MatrixXd A;
  Eigen::VectorXd b, friction, impulses;
  std::vector<ContactMode> modes;
  PlanarContactWorkspace solver;

  SeededModels<PlanarJet::kSize, PlanarModel<PlanarJet>> jet_models;  // for derivatives
};

inline constexpr OptionInfo kGapTolerance = {
    .name = "gap_tolerance", .number = 1e-9, .lower = 0, .unit = "m", .help = "gap below which a contact is closed"};
inline constexpr OptionInfo kRateTolerance = {.name = "rate_tolerance",
                                              .number = 1e-9,
                                              .lower = 0,
                                              .unit = "m/s",
                                              .help = "speed below which a contact neither opens nor slides"};
inline constexpr OptionInfo kPlanarOptions[] = {kGapTolerance, kRateTolerance};

/// What irc, lcp and igc have in common as steppers; each adds its Step.
class PlanarStepper : public Stepper {
 public:
  std::unique_ptr<Workspace> MakeWorkspace(const Model& model) const override;
  void Differentiate(const Model& model, const StepResult& step, const StepInputs& inputs,
                     std::span<const NumberId> parameters, Workspace& workspace, StepDerivatives& out) const override;

 protected:
  virtual PlanarNormalRule normal_rule() const = 0;
};

/// M^-1 w for a wrench w on a body.
template <class T>
Eigen::Matrix<T, 3, 1> ApplyInverseInertia(const PlanarBody<T>& body, const Eigen::Matrix<T, 3, 1>& w) {
  return {body.inverse_mass * w[0], body.inverse_mass * w[1], body.inverse_inertia * w[2]};
}

/// Velocity of a body at the end of the step without contact: v + M^-1 h f.
template <class T>
Eigen::Matrix<T, 3, 1> FreeVelocity(const PlanarModel<T>& model, int body, const Eigen::Matrix<T, 3, 1>& v, double t,
                                    double h, std::span<const char> fired) {
  Eigen::Matrix<T, 3, 1> free = v;
  free.template head<2>() += model.gravity * T(h);
  if (!model.loads.empty()) {
    const Eigen::Matrix<T, 6, 1> impulse = LoadImpulse<T>(model.loads, body, t, h, fired);
    free += ApplyInverseInertia<T>(model.bodies[body], impulse.template head<3>());
  }
  return free;
}

/// The restitution terms: bias_n = e_n N.v, bias_t = e_t T.v, all against the surface's velocity.
template <class T>
void SetRestitutionBias(const PlanarLaw<T>& law, const Eigen::Matrix<T, 3, 1>& v, ActivePlanarContact<T>& contact) {
  const PlanarContact<T>& g = contact.geometry;
  contact.normal_row = g.normal;
  contact.bias_n = law.restitution * (g.normal.dot(v) - g.surface_vn) - g.surface_vn;
  contact.bias_t = law.tangential_restitution * (g.tangent.dot(v) - g.surface_vt) - g.surface_vt;
}

/// The gap condition linearized at end velocity v_end: gap(q + h v_end) / h + N(q + h v_end).(v+ - v_end) >= 0.
/// `end` is the contact's geometry at q + h v_end.
template <class T>
void SetGapBias(const PlanarContact<T>& end, const Eigen::Matrix<T, 3, 1>& v_end, double h,
                ActivePlanarContact<T>& contact) {
  contact.normal_row = end.normal;
  contact.bias_n = end.gap / T(h) - end.normal.dot(v_end);
  contact.bias_t = -contact.geometry.surface_vt;
}

/// A and b of the contact problem (planar_contact.h) of one body.
template <class T, class MatrixA, class VectorB>
void Assemble(const PlanarBody<T>& body, std::span<const ActivePlanarContact<T>> active,
              const Eigen::Matrix<T, 3, 1>& free_velocity, MatrixA& A, VectorB& b) {
  const int n = static_cast<int>(active.size());
  for (int j = 0; j < n; ++j) {
    const Eigen::Matrix<T, 3, 1> dn = ApplyInverseInertia<T>(body, active[j].geometry.normal);
    const Eigen::Matrix<T, 3, 1> dt = ApplyInverseInertia<T>(body, active[j].geometry.tangent);
    for (int i = 0; i < n; ++i) {
      A(2 * i, 2 * j) = active[i].normal_row.dot(dn);
      A(2 * i, 2 * j + 1) = active[i].normal_row.dot(dt);
      A(2 * i + 1, 2 * j) = active[i].geometry.tangent.dot(dn);
      A(2 * i + 1, 2 * j + 1) = active[i].geometry.tangent.dot(dt);
    }
    b[2 * j] = active[j].normal_row.dot(free_velocity) + active[j].bias_n;
    b[2 * j + 1] = active[j].geometry.tangent.dot(free_velocity) + active[j].bias_t;
  }
}

/// Solves the contact problem of one body: assembles from workspace.active, leaves impulses and modes there.
PlanarContactSummary SolveBody(const Model& model, int body, const Eigen::Vector3d& free_velocity,
                               PlanarWorkspace& workspace);

/// Velocity after the impulses in the workspace.
Eigen::Vector3d EndVelocity(const Model& model, int body, const Eigen::Vector3d& free_velocity,
                            const PlanarWorkspace& workspace);

/// Clears `out` for a new step, with room for all contacts there can be, and copies the start state.
void BeginStep(const State& start, double h, const PlanarWorkspace& workspace, StepResult& out);

/// Records the contacts of one body and their energy. With W the wrench of all impulses, the total energy of the body
/// falls by |v+ - v|^2_M / 2 - W.v+ (gravity's potential included, loads apart), which is 0 at rest; and the impulses
/// add W.(v_free + v+) / 2 to the kinetic energy of the free velocity, which is never positive for e = 0.
void RecordContacts(const Model& model, int body, const Eigen::Vector3d& v, const Eigen::Vector3d& free_velocity,
                    const Eigen::Vector3d& v_end, const PlanarContactSummary& solved, const PlanarWorkspace& workspace,
                    StepResult& out);

/// A step of `irc` and `lcp`: contacts chosen at the start of the step by gap and, for irc, rate.
void RestitutionStep(const Model& model, const State& start, const StepInputs& inputs, double h, bool closing_only,
                     PlanarWorkspace& workspace, StepResult& out);

}  // namespace ricochet
