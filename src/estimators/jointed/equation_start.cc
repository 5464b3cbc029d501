// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/jointed/equation_start.h"

#include <algorithm>
#include <cmath>

namespace ricochet {
namespace {

constexpr int kEquationPasses = 2;   // equations of motion are linear in most numbers
constexpr int kEquationRows = 2000;  // of a recording

}  // namespace

Eigen::VectorXd StartFromEquations(const JointedFamily& family, const std::vector<JointTrack>& tracks,
                                   Eigen::VectorXd params, const std::vector<char>& fixed) {
  const TreeMechanism& mechanism = family.mechanism();
  const int n = family.dof(), p = family.size();
  for (int pass = 0; pass < kEquationPasses; ++pass) {
    // Normal equations of each coordinate's equation of motion; their weights follow from what is left of each.
    const JointedInstance instance = family.Compile(params);
    std::vector<Eigen::MatrixXd> H(static_cast<std::size_t>(n), Eigen::MatrixXd::Zero(p, p));
    std::vector<Eigen::VectorXd> g(static_cast<std::size_t>(n), Eigen::VectorXd::Zero(p));
    std::vector<double> squares(static_cast<std::size_t>(n), 0.0);
    TreeRows by;
    TreeWorkspace ws;
    int count = 0;
    for (const JointTrack& track : tracks) {
      std::vector<double> u(track.inputs.size(), 0.0);
      const int size = static_cast<int>(track.x.size()), edge = std::min(size / 10, 20);
      const int stride = std::max({1, static_cast<int>(std::lround(5e-3 / track.grid)), size / kEquationRows});
      for (int i = edge; i < size - edge; i += stride) {
        const std::size_t at = static_cast<std::size_t>(i);
        track.inputs.At(track.start + i * track.grid, InputSignal::Side::kAfter, u);
        TreeMechanism::Modes modes;
        modes.fill(1);
        bool slow = false;
        for (int k = 0; k < n; ++k) {
          modes[static_cast<std::size_t>(k)] = track.r[at][static_cast<std::size_t>(k)] < 0 ? -1 : 1;
          slow = slow || (family.slides()[static_cast<std::size_t>(k)] &&
                          std::abs(track.r[at][static_cast<std::size_t>(k)]) < 0.05);
        }
        if (slow) continue;
        TreeMechanism::Vector E{};
        mechanism.Residual(instance.constants, track.x[at].data(), track.r[at].data(), track.a[at].data(), u, modes,
                           instance.parameters, ws, E.data(), &by);
        ++count;
        for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k) {
          const auto row = by.row(static_cast<Eigen::Index>(k));
          squares[k] += E[k] * E[k];
          H[k].selfadjointView<Eigen::Lower>().rankUpdate(row.transpose());
          g[k].noalias() += E[k] * row.transpose();
        }
      }
    }
    if (count < p) return params;
    Eigen::VectorXd step = Eigen::VectorXd::Zero(p);
    for (int round = 0; round < 4; ++round) {
      ChainBorder border{Eigen::MatrixXd::Zero(p, p), Eigen::VectorXd::Zero(p)};
      for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k) {
        const double left = squares[k] + 2 * g[k].dot(step) + step.dot(H[k].selfadjointView<Eigen::Lower>() * step);
        const double weight = count / std::max(left, 1e-9 * squares[k] + 1e-300);
        border.C += weight * Eigen::MatrixXd(H[k].selfadjointView<Eigen::Lower>());
        border.h += weight * g[k];
      }
      for (int i = 0; i < p; ++i) {
        const double prior = 1 / std::pow(family.PriorDeviation(i), 2);
        border.C(i, i) += prior;
        border.h[i] += prior * (params[i] - family.start()[i]);
      }
      step = family.BoundedStep(border, params, fixed);
    }
    params = family.parameters().Clamp(params + step);  // the equations are linear: the solution may be far
  }
  return params;
}

}  // namespace ricochet
