// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "steppers/planar/planar_step.h"

#include <algorithm>

#include "model/options.h"

namespace ricochet {

PlanarWorkspace::PlanarWorkspace(const Model& model)
    : pairs_of_body(model.planar.bodies.size()),
      gap_tolerance(NumberOption(*model.scene, kGapTolerance)),
      rate_tolerance(NumberOption(*model.scene, kRateTolerance)),
      tolerance(model.scene->number(model.scene->simulation.tolerance).given
                    ? (*model.scene)[model.scene->simulation.tolerance]
                    : PlanarContactOptions{}.tolerance) {
  std::vector<int> contacts_of_body(model.planar.bodies.size(), 0);
  for (size_t i = 0; i < model.planar.pairs.size(); ++i) {
    const int body = model.planar.pairs[i].body;
    pairs_of_body[body].push_back(static_cast<int>(i));
    contacts_of_body[body] += model.planar.bodies[body].shape.contact_count();
  }
  const int most = contacts_of_body.empty() ? 0 : *std::max_element(contacts_of_body.begin(), contacts_of_body.end());
  active.reserve(most);
  A.resize(2 * most, 2 * most);
  b.resize(2 * most);
  friction.resize(most);
  impulses.resize(2 * most);
  modes.resize(most);
  solver.Reserve(most);
}

std::unique_ptr<Workspace> PlanarStepper::MakeWorkspace(const Model& model) const {
  return std::make_unique<PlanarWorkspace>(model);
}

void BeginStep(const State& start, double h, const PlanarWorkspace& workspace, StepResult& out) {
  out.contacts.reserve(workspace.modes.size());
  out.modes.reserve(3 * workspace.modes.size());
  BeginResult(start, h, out);
  out.end.q = start.q;
  out.end.v = start.v;
}

PlanarContactSummary SolveBody(const Model& model, int body, const Eigen::Vector3d& free_velocity,
                               PlanarWorkspace& workspace) {
  const int n = static_cast<int>(workspace.active.size());
  Assemble<double>(model.planar.bodies[body], workspace.active, free_velocity, workspace.A, workspace.b);
  for (int i = 0; i < n; ++i) workspace.friction[i] = model.planar.pairs[workspace.active[i].pair].law.friction;
  const PlanarContactProblem problem{workspace.A.topLeftCorner(2 * n, 2 * n), workspace.b.head(2 * n),
                                     workspace.friction.head(n)};
  return SolvePlanarContacts(problem, workspace.solver, workspace.impulses.head(2 * n),
                             std::span(workspace.modes.data(), n), {.tolerance = workspace.tolerance});
}

Eigen::Vector3d EndVelocity(const Model& model, int body, const Eigen::Vector3d& free_velocity,
                            const PlanarWorkspace& workspace) {
  Eigen::Vector3d wrench = Eigen::Vector3d::Zero();
  for (size_t i = 0; i < workspace.active.size(); ++i) {
    const PlanarContact<double>& contact = workspace.active[i].geometry;
    wrench += contact.normal * workspace.impulses[2 * i] + contact.tangent * workspace.impulses[2 * i + 1];
  }
  return free_velocity + ApplyInverseInertia<double>(model.planar.bodies[body], wrench);
}

void RecordContacts(const Model& model, int body, const Eigen::Vector3d& v, const Eigen::Vector3d& free_velocity,
                    const Eigen::Vector3d& v_end, const PlanarContactSummary& solved, const PlanarWorkspace& workspace,
                    StepResult& out) {
  const PlanarBody<double>& inertia = model.planar.bodies[body];
  Eigen::Vector3d wrench = Eigen::Vector3d::Zero();
  for (size_t i = 0; i < workspace.active.size(); ++i) {
    const ActivePlanarContact<double>& contact = workspace.active[i];
    const double cn = workspace.impulses[2 * i], ct = workspace.impulses[2 * i + 1];
    out.modes.insert(out.modes.end(), {contact.pair, contact.index, static_cast<int>(workspace.modes[i])});
    if (workspace.modes[i] == ContactMode::kFree) continue;
    wrench += cn * contact.geometry.normal + ct * contact.geometry.tangent;
    ContactRecord& record = out.contacts.emplace_back();
    record.pair = contact.pair;
    record.contact = inertia.shape.Number(contact.index);
    record.gap = contact.reported_gap;
    record.normal_impulse = cn;
    record.tangential_impulse = {ct, 0};
    record.p_WC << contact.geometry.p_WC, 0;
    record.slip = workspace.modes[i] == ContactMode::kStick ? SlipState::kStick : SlipState::kSlide;
  }
  const Eigen::Vector3d change = v_end - v;
  const double squared = inertia.mass * change.head<2>().squaredNorm() + inertia.inertia * change[2] * change[2];
  out.dissipated += 0.5 * squared - wrench.dot(v_end);
  out.created += std::max(0.0, 0.5 * wrench.dot(free_velocity + v_end));
  out.residual = std::max(out.residual, solved.residual);
  if (solved.termination == PlanarContactTermination::kFailed) out.status = StepStatus::kFailed;
}

void RestitutionStep(const Model& model, const State& start, const StepInputs& inputs, double h, bool closing_only,
                     PlanarWorkspace& workspace, StepResult& out) {
  const PlanarModel<double>& planar = model.planar;
  BeginStep(start, h, workspace, out);
  for (size_t body = 0; body < planar.bodies.size(); ++body) {
    if (planar.bodies[body].fixed) continue;
    const Eigen::Vector3d q = start.q.segment<3>(3 * body), v = start.v.segment<3>(3 * body);

    // Detect: contacts that are closed and, for irc, closing.
    workspace.active.clear();
    const PlanarRotation<double> rotation(q[2]);
    for (int pair : workspace.pairs_of_body[body]) {
      const PlanarSurface<double>& surface = planar.surfaces[planar.pairs[pair].surface];
      const int candidates = planar.bodies[body].shape.contact_count();
      for (int index = 0; index < candidates; ++index) {
        const auto geometry = ComputePlanarContact<double>(planar.bodies[body], surface, index, q.head<2>(), rotation);
        if (geometry.gap > workspace.gap_tolerance || !WithinExtent(surface, geometry.p_WC)) continue;
        if (closing_only && geometry.normal.dot(v) - geometry.surface_vn > workspace.rate_tolerance) continue;
        ActivePlanarContact<double>& contact = workspace.active.emplace_back();
        contact.pair = pair;
        contact.index = index;
        contact.geometry = geometry;
        contact.reported_gap = geometry.gap;
        SetRestitutionBias(planar.pairs[pair].law, v, contact);
      }
    }

    // Assemble, solve, advance, record.
    const Eigen::Vector3d free_velocity = FreeVelocity<double>(planar, body, v, start.time, h, inputs.fired);
    Eigen::Vector3d v_end = free_velocity;
    if (!workspace.active.empty()) {
      const PlanarContactSummary solved = SolveBody(model, body, free_velocity, workspace);
      v_end = EndVelocity(model, body, free_velocity, workspace);
      RecordContacts(model, body, v, free_velocity, v_end, solved, workspace, out);
    }
    out.end.v.segment<3>(3 * body) = v_end;
    out.end.q.segment<3>(3 * body) = q + h * v_end;
  }
}

}  // namespace ricochet
