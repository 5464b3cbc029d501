// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Impulse-gap complementarity (the formulation Gabiccini sec. 4 compares with; the sign of its gap condition is a
// misprint): find impulses with 0 <= cn _|_ gap(q + h v+) >= 0 and Coulomb friction on T(q).v+.
//
// The gap of a curved or turning body is not linear in v+, so the contact problem is solved by Josephy-Newton steps:
// linearize the gaps at the current end pose, solve the linear contact problem exactly, repeat. The change of the end
// pose shrinks quadratically; the step counts as solved when the gaps at the end pose satisfy the conditions to
// rounding.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "steppers/planar/planar_step.h"
#include "steppers/planar/planar_steppers.h"

namespace ricochet {
namespace {

constexpr int kMostIterations = 50;

class IgcStepper final : public PlanarStepper {
 public:
  StepperInfo info() const override {
    return {.name = "igc",
            .summary = "time stepping with impulses tied to the gap at the end of the step; without restitution",
            .paper = "Gabiccini sec. 4",
            .planar = true,
            .options = kPlanarOptions};
  }

  void Step(const Model& model, const State& start, const StepInputs& inputs, double h, Workspace& workspace,
            StepResult& out) const override;

 protected:
  PlanarNormalRule normal_rule() const override { return PlanarNormalRule::kGap; }

 private:
  void CheckModel(const Model& model) const override {
    for (const auto& pair : model.planar.pairs)
      if (pair.law.restitution != 0 || pair.law.tangential_restitution != 0)
        throw InputError(model.scene->simulation.method_where, "contact.restitution",
                         fmt::format("igc ties the impulse to the gap and cannot model a restitution of {}.",
                                     std::max(pair.law.restitution, pair.law.tangential_restitution)),
                         fmt::format("Use method {}, or set the restitution to 0.",
                                     NamesOfSteppers([](const StepperInfo& i) { return i.planar && i.restitution; })));
  }
};

/// Adds the contacts that end velocity `v_end` would close and that do not take part yet; true if there are any.
bool AddClosing(const PlanarModel<double>& model, int body, const Eigen::Vector3d& q, const Eigen::Vector3d& v_end,
                double h, PlanarWorkspace& workspace) {
  const Eigen::Vector3d q_end = q + h * v_end;
  const PlanarRotation<double> rotation(q[2]), end_rotation(q_end[2]);
  bool added = false;
  for (int pair : workspace.pairs_of_body[body]) {
    const PlanarSurface<double>& surface = model.surfaces[model.pairs[pair].surface];
    for (int index = 0; index < model.bodies[body].shape.contact_count(); ++index) {
      const auto end = ComputePlanarContact<double>(model.bodies[body], surface, index, q_end.head<2>(), end_rotation);
      if (end.gap >= 0 || !WithinExtent(surface, end.p_WC)) continue;
      const auto takes_part = [&](const auto& contact) { return contact.pair == pair && contact.index == index; };
      if (std::any_of(workspace.active.begin(), workspace.active.end(), takes_part)) continue;
      ActivePlanarContact<double>& contact = workspace.active.emplace_back();
      contact.pair = pair;
      contact.index = index;
      contact.geometry = ComputePlanarContact<double>(model.bodies[body], surface, index, q.head<2>(), rotation);
      added = true;
    }
  }
  return added;
}

/// Linearizes the gaps at end velocity v_end.
void Linearize(const PlanarModel<double>& model, int body, const Eigen::Vector3d& q, const Eigen::Vector3d& v_end,
               double h, PlanarWorkspace& workspace) {
  const Eigen::Vector3d q_end = q + h * v_end;
  const PlanarRotation<double> rotation(q_end[2]);
  for (auto& contact : workspace.active) {
    const auto& surface = model.surfaces[model.pairs[contact.pair].surface];
    const auto end =
        ComputePlanarContact<double>(model.bodies[body], surface, contact.index, q_end.head<2>(), rotation);
    SetGapBias(end, v_end, h, contact);
    contact.reported_gap = end.gap;
  }
}

void IgcStepper::Step(const Model& model, const State& start, const StepInputs& inputs, double h, Workspace& base,
                      StepResult& out) const {
  auto& workspace = static_cast<PlanarWorkspace&>(base);
  const PlanarModel<double>& planar = model.planar;
  BeginStep(start, h, workspace, out);
  for (size_t body = 0; body < planar.bodies.size(); ++body) {
    if (planar.bodies[body].fixed) continue;
    const Eigen::Vector3d q = start.q.segment<3>(3 * body), v = start.v.segment<3>(3 * body);
    const Eigen::Vector3d free_velocity = FreeVelocity<double>(planar, body, v, start.time, h, inputs.fired);

    // The contacts that take part only grow in number: an impulse at one may close another within the step.
    Eigen::Vector3d v_end = free_velocity;
    PlanarContactSummary solved;
    int iterations = 0;
    workspace.active.clear();
    while (AddClosing(planar, body, q, v_end, h, workspace)) {
      double change = 0;
      int iteration = 0;
      do {
        Linearize(planar, body, q, v_end, h, workspace);
        solved = SolveBody(model, body, free_velocity, workspace);
        const Eigen::Vector3d next = EndVelocity(model, body, free_velocity, workspace);
        change = (next - v_end).norm();
        v_end = next;
      } while (change > 1e-14 * (v_end.norm() + free_velocity.norm()) && ++iteration < kMostIterations);
      iterations += iteration + 1;
    }

    if (!workspace.active.empty()) {
      // The residual counts for the gaps at the end pose reached, not for their linearization.
      const int n = static_cast<int>(workspace.active.size());
      Linearize(planar, body, q, v_end, h, workspace);
      Assemble<double>(planar.bodies[body], workspace.active, free_velocity, workspace.A, workspace.b);
      solved.residual = PlanarContactResidual(
          {workspace.A.topLeftCorner(2 * n, 2 * n), workspace.b.head(2 * n), workspace.friction.head(n)},
          workspace.impulses.head(2 * n));
      // Gaps are known to the rounding of positions, and it is divided by h.
      const double rounding = 1e-15 * q.lpNorm<Eigen::Infinity>() / h / (v_end.norm() + free_velocity.norm());
      solved.termination = solved.residual <= workspace.tolerance + rounding ? PlanarContactTermination::kSolved
                                                                             : PlanarContactTermination::kFailed;
      out.iterations = std::max(out.iterations, iterations);
      RecordContacts(model, body, v, free_velocity, v_end, solved, workspace, out);
    }
    out.end.v.segment<3>(3 * body) = v_end;
    out.end.q.segment<3>(3 * body) = q + h * v_end;
  }
}

}  // namespace

const Stepper& Igc() {
  static const IgcStepper stepper;
  return stepper;
}

}  // namespace ricochet
