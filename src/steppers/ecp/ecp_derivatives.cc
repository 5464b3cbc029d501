// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <algorithm>

#include "math/dense.h"
#include "math/manifold.h"
#include "steppers/ecp/ecp_record.h"

namespace ricochet {
namespace {

constexpr int kDirections = EcpJet::kSize;
constexpr int kIntsPerContact = 2 + kEcpMaxActive + 1 + kEcpMaxActive + 1;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Model and solids of one group of directions.
EcpWorkspace::JetModel CompileJets(const Scene& scene, const std::vector<EcpJet>& numbers) {
  EcpWorkspace::JetModel out{CompileSpatial<EcpJet>(scene, numbers), {}};
  out.solids = MakeEcpSolids<EcpJet>(out.model);
  return out;
}

}  // namespace

void RecordEcp(const EcpProblem<double>& problem, const EcpSolution& solution, const State& start,
               std::vector<double>& numbers, std::vector<int>& modes) {
  numbers.push_back(problem.h);
  numbers.insert(numbers.end(), start.q.begin(), start.q.end());
  numbers.insert(numbers.end(), start.v.begin(), start.v.end());
  numbers.insert(numbers.end(), solution.velocities.begin(), solution.velocities.end());
  modes.push_back(static_cast<int>(solution.closed.size()));
  for (const EcpClosed& closed : solution.closed) {
    const EcpActive& set = closed.active;
    modes.push_back(set.contact);
    modes.push_back(set.nf);
    modes.insert(modes.end(), set.f.begin(), set.f.end());
    modes.push_back(set.ng);
    modes.insert(modes.end(), set.g.begin(), set.g.end());
    modes.push_back(set.slides);
    numbers.push_back(set.rho);
    for (int i = 0; i < 3; ++i) numbers.push_back(closed.a[i]);
    for (int i = 0; i < set.nf; ++i) numbers.push_back(closed.beta[i]);
    for (int j = 0; set.has_gamma() && j < set.ng; ++j) numbers.push_back(closed.gamma[j]);
    numbers.push_back(closed.p_n);
    for (int i = 0; i < 3; ++i) numbers.push_back(closed.q[i]);
  }
}

void DifferentiateEcp(const Model& model, const StepResult& step, const StepInputs& inputs,
                      std::span<const NumberId> parameters, EcpWorkspace& workspace, StepDerivatives& out) {
  const int count = model.body_count(), parameter_count = static_cast<int>(parameters.size());
  const int state_size = 12 * count, total = state_size + parameter_count;
  const int nq = 7 * count, nv = 6 * count;
  workspace.jet_models.Prepare(model.scene, parameters, state_size, CompileJets);
  out.end_by_start.setIdentity(state_size, state_size);
  out.end_by_parameters.setZero(state_size, parameter_count);

  std::size_t at = 0, mode = 0;
  double time = step.start.time;
  bool first_part = true;
  while (at < static_cast<std::size_t>(step.modes.back())) {
    // The part's start, unknowns and active set.
    const double h = step.multipliers[at++];
    const double* q = step.multipliers.data() + at;
    const double* v = q + nq;
    at += nq + nv;
    const std::span<const char> fired = first_part ? inputs.fired : std::span<const char>();
    EcpProblem<double>& problem = workspace.problem;
    MakeEcpProblem<double>(model.spatial, workspace.solids, q, v, time, h, fired, problem);
    const int moving = 6 * problem.moving_count();
    std::vector<double> z(step.multipliers.data() + at, step.multipliers.data() + at + moving);
    at += moving;
    std::vector<EcpActive> active(step.modes[mode++]);
    for (EcpActive& set : active) {
      const int* stored = step.modes.data() + mode;
      mode += kIntsPerContact;
      set.contact = stored[0];
      set.nf = stored[1];
      std::copy(stored + 2, stored + 2 + kEcpMaxActive, set.f.begin());
      set.ng = stored[2 + kEcpMaxActive];
      std::copy(stored + 3 + kEcpMaxActive, stored + 3 + 2 * kEcpMaxActive, set.g.begin());
      set.slides = stored[3 + 2 * kEcpMaxActive] != 0;
      set.rho = step.multipliers[at++];
      z.insert(z.end(), step.multipliers.data() + at, step.multipliers.data() + at + set.size());
      at += set.size();
    }

    // dF/dz of the solver, dF/d(start, parameters) by Jets, dz from both.
    const int n = static_cast<int>(z.size());
    Eigen::VectorXd residual(n);
    RowMatrix jacobian(n, n);
    std::vector<EcpActive> branches = active;
    EcpLinearize(problem, branches, z.data(), residual.data(), jacobian.data(), n);
    Eigen::MatrixXd by_inputs(n, total);
    std::vector<EcpJet> jet_q(nq), jet_v(nv), jet_z(z.begin(), z.end()), jet_residual(n);
    for (std::size_t group = 0; group < workspace.jet_models.size(); ++group) {
      const int first = kDirections * static_cast<int>(group), width = std::min(kDirections, total - first);
      for (int i = 0; i < nq; ++i) jet_q[i] = EcpJet(q[i]);
      for (int i = 0; i < nv; ++i) jet_v[i] = EcpJet(v[i]);
      for (int k = 0; k < width; ++k) {
        const int direction = first + k;
        if (direction >= state_size) continue;
        if (direction >= 6 * count) {
          jet_v[direction - 6 * count].v[k] = 1;
          continue;
        }
        const int body = direction / 6, axis = direction % 6;
        if (axis < 3) {
          jet_q[7 * body + axis].v[k] = 1;
          continue;
        }
        Quaternion<double> half = Quaternion<double>::Zero();
        half[1 + axis - 3] = 0.5;
        const Quaternion<double> turned =
            QuaternionProduct<double>(half, Eigen::Map<const Quaternion<double>>(q + 7 * body + 3));
        for (int i = 0; i < 4; ++i) jet_q[7 * body + 3 + i].v[k] = turned[i];
      }
      EcpProblem<EcpJet> jet_problem;
      MakeEcpProblem<EcpJet>(workspace.jet_models[group].model, workspace.jet_models[group].solids, jet_q.data(),
                             jet_v.data(), time, h, fired, jet_problem);
      for (EcpActive& set : active) set.slides = branches[&set - active.data()].slides;
      EcpResidual<EcpJet>(jet_problem, active, jet_z.data(), true, jet_residual.data());
      for (int row = 0; row < n; ++row)
        by_inputs.row(row).segment(first, width) = jet_residual[row].v.head(width).transpose();
    }
    const Eigen::MatrixXd dz = -SolveFullyPivoted(jacobian, by_inputs);

    // End of the part: p+ = p + h v, turn+ = exp(h w) turn + h J_l(h w) dw.
    Eigen::MatrixXd part = Eigen::MatrixXd::Zero(state_size, total);
    part.leftCols(state_size).setIdentity();
    for (int body = 0; body < count; ++body) {
      const int offset = problem.bodies[body].offset;
      if (offset < 0) continue;
      const Vector3<double> w = Eigen::Map<const Vector3<double>>(z.data() + offset + 3);
      part.middleRows(6 * body, 3) += h * dz.middleRows(offset, 3);
      const Eigen::MatrixXd turn = part.middleRows(6 * body + 3, 3);
      part.middleRows(6 * body + 3, 3) = ExpMatrixSO3(Vector3<double>(h * w)) * turn +
                                         (h * LeftJacobianSO3(Vector3<double>(h * w))) * dz.middleRows(offset + 3, 3);
      part.middleRows(6 * count + 6 * body, 6) = dz.middleRows(offset, 6);
    }
    out.end_by_parameters =
        (part.leftCols(state_size) * out.end_by_parameters + part.rightCols(parameter_count)).eval();
    out.end_by_start = (part.leftCols(state_size) * out.end_by_start).eval();
    time += h;
    first_part = false;
  }
}

}  // namespace ricochet
