// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Derivatives of a planar step: the step is run again in Jets with its active set and modes held. Solving the linear
// system of the active set in Jets is implicit differentiation of the contact problem (planar_contact_modes.h). The gap
// condition of igc is linearized at the end pose already found, so its one linear solve is one Newton step in Jets from
// a solution, whose derivative is that of the solution.
#include <algorithm>

#include "steppers/planar/planar_step.h"

namespace ricochet {
namespace {

constexpr int kDirections = PlanarJet::kSize;
using JetMatrix = Eigen::Matrix<PlanarJet, Eigen::Dynamic, Eigen::Dynamic>;
using JetVector = Eigen::Matrix<PlanarJet, Eigen::Dynamic, 1>;
using JetVector3 = Eigen::Matrix<PlanarJet, 3, 1>;

/// The contacts of one body in a step, with modes; from the triples in StepResult::modes.
struct HeldContacts {
  std::vector<ActivePlanarContact<PlanarJet>> active;
  std::vector<ContactMode> modes;
};

HeldContacts ContactsOfBody(const PlanarModel<PlanarJet>& model, int body, const StepResult& step) {
  HeldContacts held;
  for (size_t i = 0; i + 2 < step.modes.size(); i += 3) {
    if (model.pairs[step.modes[i]].body != body) continue;
    auto& contact = held.active.emplace_back();
    contact.pair = step.modes[i];
    contact.index = step.modes[i + 1];
    held.modes.push_back(static_cast<ContactMode>(step.modes[i + 2]));
  }
  return held;
}

/// End velocity of one body with its modes held.
JetVector3 HeldEndVelocity(const PlanarModel<PlanarJet>& model, int body, PlanarNormalRule rule, const StepResult& step,
                           const StepInputs& inputs, const JetVector3& q, const JetVector3& v) {
  const double h = step.h;
  const JetVector3 free_velocity = FreeVelocity<PlanarJet>(model, body, v, step.start.time, h, inputs.fired);
  HeldContacts held = ContactsOfBody(model, body, step);
  const int n = static_cast<int>(held.active.size());
  if (n == 0) return free_velocity;

  const PlanarRotation<PlanarJet> rotation(q[2]);
  JetVector friction(n);
  for (int i = 0; i < n; ++i) {
    auto& contact = held.active[i];
    const auto& pair = model.pairs[contact.pair];
    const auto& surface = model.surfaces[pair.surface];
    contact.geometry =
        ComputePlanarContact<PlanarJet>(model.bodies[body], surface, contact.index, q.head<2>(), rotation);
    friction[i] = pair.law.friction;
    if (rule == PlanarNormalRule::kRestitution) {
      SetRestitutionBias(pair.law, v, contact);
    } else {
      const JetVector3 v_end = step.end.v.segment<3>(3 * body).cast<PlanarJet>();
      const JetVector3 q_end = q + v_end * PlanarJet(h);
      const PlanarRotation<PlanarJet> end_rotation(q_end[2]);
      SetGapBias(
          ComputePlanarContact<PlanarJet>(model.bodies[body], surface, contact.index, q_end.head<2>(), end_rotation),
          v_end, h, contact);
    }
  }
  JetMatrix A(2 * n, 2 * n);
  JetVector b(2 * n), c(2 * n);
  Assemble<PlanarJet>(model.bodies[body], held.active, free_velocity, A, b);
  PlanarModeWorkspace<PlanarJet> modes;
  SolvePlanarModes<PlanarJet>(A, b, friction, held.modes, modes, c);

  JetVector3 wrench = JetVector3::Zero();
  for (int i = 0; i < n; ++i)
    wrench += held.active[i].geometry.normal * c[2 * i] + held.active[i].geometry.tangent * c[2 * i + 1];
  return free_velocity + ApplyInverseInertia<PlanarJet>(model.bodies[body], wrench);
}

}  // namespace

void PlanarStepper::Differentiate(const Model& model, const StepResult& step, const StepInputs& inputs,
                                  std::span<const NumberId> parameters, Workspace& base, StepDerivatives& out) const {
  auto& workspace = static_cast<PlanarWorkspace&>(base);
  const int nq = static_cast<int>(step.start.q.size());
  const int state_size = 2 * nq, total = state_size + static_cast<int>(parameters.size());
  workspace.jet_models.Prepare(model.scene, parameters, state_size, CompilePlanar<PlanarJet>);
  out.end_by_start.setZero(state_size, state_size);
  out.end_by_parameters.setZero(state_size, static_cast<int>(parameters.size()));

  for (size_t group = 0; group < workspace.jet_models.size(); ++group) {
    const PlanarModel<PlanarJet>& jet_model = workspace.jet_models[group];
    const int first = kDirections * static_cast<int>(group);
    JetVector q = step.start.q.cast<PlanarJet>(), v = step.start.v.cast<PlanarJet>();
    for (int k = first; k < std::min(first + kDirections, state_size); ++k)
      (k < nq ? q[k] : v[k - nq]).v[k - first] = 1;

    for (size_t body = 0; body < jet_model.bodies.size(); ++body) {
      const JetVector3 q_body = q.segment<3>(3 * body), v_body = v.segment<3>(3 * body);
      JetVector3 q_end = q_body, v_end = v_body;
      if (!jet_model.bodies[body].fixed) {
        v_end = HeldEndVelocity(jet_model, body, normal_rule(), step, inputs, q_body, v_body);
        q_end = q_body + v_end * PlanarJet(step.h);
      }
      for (int k = first; k < std::min(first + kDirections, total); ++k) {
        for (int i = 0; i < 3; ++i) {
          const int row = 3 * static_cast<int>(body) + i;
          Eigen::MatrixXd& target = k < state_size ? out.end_by_start : out.end_by_parameters;
          const int column = k < state_size ? k : k - state_size;
          target(row, column) = q_end[i].v[k - first];
          target(nq + row, column) = v_end[i].v[k - first];
        }
      }
    }
  }
}

}  // namespace ricochet
