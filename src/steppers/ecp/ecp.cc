// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "steppers/ecp/ecp.h"

#include <fmt/format.h>

#include <cmath>

#include "steppers/ecp/ecp_patch.h"
#include "steppers/ecp/ecp_record.h"
#include "steppers/ecp/ecp_workspace.h"

namespace ricochet {
namespace {

using Vec = Vector3<double>;

constexpr int kDeepestHalving = 6;
constexpr double kStandstill = 1e-13;  // velocities below this part of the velocity scale are rounding

class EcpStepper final : public Stepper {
 public:
  StepperInfo info() const override {
    return {.name = "ecp",
            .summary = "equivalent contact points: bodies that roll and slide with line and surface contact",
            .paper = "Xie eq. 7-9, 13-19",
            .spatial = true,
            .body_contacts = true,
            .undoes_overlap = true,
            .patches = true,
            .intersections = true};
  }

  std::unique_ptr<Workspace> MakeWorkspace(const Model& model) const override {
    return std::make_unique<EcpWorkspace>(model);
  }

  void Step(const Model& model, const State& start, const StepInputs& inputs, double h, Workspace& base,
            StepResult& out) const override;

  void Differentiate(const Model& model, const StepResult& step, const StepInputs& inputs,
                     std::span<const NumberId> parameters, Workspace& base, StepDerivatives& out) const override {
    DifferentiateEcp(model, step, inputs, parameters, static_cast<EcpWorkspace&>(base), out);
  }

 private:
  void CheckModel(const Model& model) const override;
  bool Advance(const Model& model, double time, double h, std::span<const char> fired, int depth,
               EcpWorkspace& workspace, StepResult& out) const;
};

void EcpStepper::CheckModel(const Model& model) const {
  const Scene& scene = *model.scene;
  const auto check_law = [&](const ContactLaw& law, const std::string& path) {
    const auto value = [&](NumberId id) { return id ? scene[id] : 0.0; };
    if (value(law.restitution) != 0 || value(law.tangential_restitution) != 0) {
      const NumberId id = value(law.restitution) != 0 ? law.restitution : law.tangential_restitution;
      throw InputError(scene.number(id).where, scene.number(id).path,
                       "impacts of ecp are inelastic (Xie sec. VI-D), so restitution must be 0.",
                       fmt::format("Set it to 0, or use method {}.",
                                   NamesOfSteppers([](const StepperInfo& i) { return i.spatial && i.restitution; })));
    }
    if (law.patch.empty() && value(law.friction) > 0) {
      const SourcePosition where = law.friction ? scene.number(law.friction).where : SourcePosition{};
      throw InputError(where, path + ".patch", "ecp needs the friction ellipsoid of the contact patch.",
                       "Add patch: [e_t, e_o, e_r], for instance [1, 1, r] with r about 0.4 times the patch's width.");
    }
    for (const NumberId id : law.patch) {
      if (scene[id] < 0) {
        throw InputError(scene.number(id).where, scene.number(id).path,
                         "axes of the friction ellipsoid must be at least 0.", "Give a value of at least 0.");
      }
    }
  };
  for (const auto& pair : model.spatial.pairs) {
    const std::string& a = scene.bodies[pair.body].name;
    const std::string& b = pair.surface >= 0 ? scene.surfaces[pair.surface].name : scene.bodies[pair.other].name;
    check_law(scene.LawOf(a, b), "contact");
  }
}

/// Solves [time, time + h] from out.end, which it advances; halves where no attempt succeeds.
bool EcpStepper::Advance(const Model& model, double time, double h, std::span<const char> fired, int depth,
                         EcpWorkspace& workspace, StepResult& out) const {
  EcpProblem<double>& problem = workspace.problem;
  MakeEcpProblem<double>(model.spatial, workspace.solids, out.end.q.data(), out.end.v.data(), time, h, fired, problem);
  EcpSolution& solution = workspace.solution;
  const bool solved = workspace.solver.Solve(problem, solution);
  if (!solved && depth < kDeepestHalving) {
    out.attempts = std::max(out.attempts, 5 + depth);
    if (depth == 0) ++workspace.halved_steps;
    const bool first = Advance(model, time, 0.5 * h, fired, depth + 1, workspace, out);
    const bool second = Advance(model, time + 0.5 * h, 0.5 * h, {}, depth + 1, workspace, out);
    return first && second;
  }
  ++workspace.attempts[static_cast<int>(solution.attempt)];
  if (solution.attempt > EcpAttempt::kNewton && solved) {
    out.attempts = std::max(out.attempts, static_cast<int>(solution.attempt));
  }
  for (double& velocity : solution.velocities) {
    if (std::abs(velocity) < kStandstill * problem.speed) velocity = 0;
  }
  RecordEcp(problem, solution, out.end, workspace.record, out.modes);

  const double* free = workspace.solver.free_velocities().data();
  const auto free_v = [&](const EcpBody<double>& body) { return Vec(Eigen::Map<const Vec>(free + body.offset)); };
  const auto free_w = [&](const EcpBody<double>& body) { return Vec(Eigen::Map<const Vec>(free + body.offset + 3)); };
  double created = 0;
  // Contacts of the parts of a halved step are one record: impulses add up, the rest is that of the last.
  for (const EcpClosed& closed : solution.closed) {
    const EcpContact<double>& contact = problem.contacts[closed.active.contact];
    ContactRecord* record = nullptr;
    for (ContactRecord& other : out.contacts) {
      if (other.pair == contact.pair) record = &other;
    }
    if (!record) record = &out.contacts.emplace_back();
    record->pair = contact.pair;
    record->gap = closed.gap;
    record->normal_impulse += closed.p_n;
    const Vec p = contact.e.cwiseProduct(closed.q);
    record->tangential_impulse += p.head<2>();
    record->torsional_impulse += p[2];
    record->p_WC = closed.a;
    record->slip = closed.active.slides ? SlipState::kSlide : SlipState::kStick;
    record->kind = PatchKind(problem, solution.velocities, closed, record->active_facets);

    // Energy lost: the impulse on the mean velocity of the two ends of the step. Created: on the mean with the velocity
    // without contact.
    const EcpBody<double>&bf = problem.bodies[contact.f], &bg = problem.bodies[contact.g];
    const EcpEnd<double> F = EndOf(bf, h, solution.velocities.data()), G = EndOf(bg, h, solution.velocities.data());
    const auto local = [&](int body, const EcpEnd<double>& end) {
      return Vec(end.R.transpose() * (closed.a - end.p) + model.spatial.bodies[body].p_BBcm);
    };
    record->p_BC = local(contact.f, F);
    if (contact.plane) {
      const SpatialSurface<double>& surface = model.spatial.surfaces[model.spatial.pairs[contact.pair].surface];
      record->p_OC = surface.R_WS.transpose() * (closed.a - surface.point);
    } else {
      record->p_OC = local(contact.g, G);
    }
    const EcpNormal frame = NormalOf(problem, G, closed);
    const Vec P = closed.p_n * frame.n + p[0] * frame.t + p[1] * frame.o;
    if (bf.offset >= 0) {
      const Vec torque = (closed.a - F.p).cross(P) + p[2] * frame.n;
      out.dissipated -= 0.5 * (P.dot(bf.v + F.v) + torque.dot(bf.w + F.w));
      created += 0.5 * (P.dot(free_v(bf) + F.v) + torque.dot(free_w(bf) + F.w));
    }
    if (bg.offset >= 0) {
      const Vec torque = (closed.a - G.p).cross(P) + p[2] * frame.n;
      out.dissipated += 0.5 * (P.dot(bg.v + G.v) + torque.dot(bg.w + G.w));
      created -= 0.5 * (P.dot(free_v(bg) + G.v) + torque.dot(free_w(bg) + G.w));
    }
  }
  out.created += std::max(0.0, created);
  out.residual = std::max(out.residual, solution.residual);

  // Advance on the group.
  for (std::size_t i = 0; i + 1 < problem.bodies.size(); ++i) {
    const EcpBody<double>& body = problem.bodies[i];
    if (body.offset < 0) continue;
    const EcpEnd<double> end = EndOf(body, h, solution.velocities.data());
    out.end.q.segment<3>(7 * i) = end.p;
    out.end.q.segment<4>(7 * i + 3) = end.q / end.q.norm();
    out.end.v.segment<3>(6 * i) = end.v;
    out.end.v.segment<3>(6 * i + 3) = end.w;
  }
  return solved;
}

void EcpStepper::Step(const Model& model, const State& start, const StepInputs& inputs, double h, Workspace& base,
                      StepResult& out) const {
  EcpWorkspace& workspace = static_cast<EcpWorkspace&>(base);
  out.start = start;
  out.end = start;
  out.h = h;
  out.contacts.clear();
  out.modes.clear();
  out.residual = out.dissipated = out.created = 0;
  out.attempts = 1;
  workspace.record.clear();
  const bool solved = Advance(model, start.time, h, inputs.fired, 0, workspace, out);
  out.status = solved ? StepStatus::kSolved : StepStatus::kFailed;
  out.end.time = start.time + h;
  // A vector that only grows is not allocated again and again as contacts come and go.
  const long used = static_cast<long>(workspace.record.size());
  if (out.multipliers.size() < used) out.multipliers.resize(used);
  out.multipliers.head(used) = Eigen::Map<const Eigen::VectorXd>(workspace.record.data(), used);
  out.modes.push_back(static_cast<int>(used));
}

}  // namespace

const Stepper& Ecp() {
  static const EcpStepper stepper;
  return stepper;
}

}  // namespace ricochet
