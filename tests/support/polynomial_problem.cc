// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/polynomial_problem.h"

#include <cmath>
#include <limits>

#include "math/dense.h"
#include "tests/support/toy_fit_problem.h"

namespace ricochet::testing {
namespace {

double TimeOf(std::size_t row) { return 0.02 * static_cast<double>(row) - 0.6; }

}  // namespace

PolynomialProblem::PolynomialProblem(const Truth& truth, double stated_noise, Random& random)
    : parameters_(ToyParameters(1)), noise_(stated_noise) {
  for (int k = 0; k < truth.recordings; ++k) {
    const double a = random.Normal(), b = truth.b + truth.between * random.Normal();
    double error = random.Normal();
    std::vector<double>& rows = data_.emplace_back();
    for (std::size_t i = 0; i < static_cast<std::size_t>(truth.rows); ++i) {
      const double t = TimeOf(i);
      error = truth.memory * error + std::sqrt(1 - truth.memory * truth.memory) * random.Normal();
      rows.push_back(a + b * t + truth.c * t * t + truth.noise * error);
    }
  }
}

std::vector<ChannelNoise> PolynomialProblem::NoiseOf(int) const { return {{noise_, noise_, noise_freedom}}; }

bool PolynomialProblem::Evaluate(int block, const FitPoint& at, bool derivatives, ResidualBlock& out) const {
  const std::vector<double>& rows = data_[static_cast<std::size_t>(block)];
  const auto n = static_cast<Eigen::Index>(rows.size());
  const int ci = parameters_.IndexOf(ParsePathList(parameters_.scene(), "contact.restitution")[0].numerator);
  const double c = ci >= 0 ? at.values[ci] : 0.3;
  out.residuals.resize(n);
  out.labels.clear();
  out.by_local = Eigen::MatrixXd::Constant(derivatives ? n : 0, 1, 1 / noise_);
  out.by_values = Eigen::MatrixXd::Zero(derivatives ? n : 0, parameters_.size());
  for (Eigen::Index i = 0; i < n; ++i) {
    const double t = TimeOf(static_cast<std::size_t>(i));
    const double shown = at.local[static_cast<std::size_t>(block)][0] + at.values[0] * t + c * t * t;
    out.residuals[i] = (shown - rows[static_cast<std::size_t>(i)]) / noise_;
    out.labels.push_back({t, 0});
    if (!derivatives) continue;
    out.by_values(i, 0) = t / noise_;
    if (ci >= 0) out.by_values(i, ci) = t * t / noise_;
  }
  return true;
}

Fit PolynomialProblem::Search(const HeldParameters&, const FitPoint* from) {
  Fit fit;
  const int p = parameters_.size(), n = blocks();
  ++*searches;
  fit.point.values = from ? from->values : Eigen::VectorXd(parameters_.start());
  fit.point.local.assign(data_.size(), Eigen::VectorXd::Zero(1));
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(n + p, n + p);
  Eigen::VectorXd g = Eigen::VectorXd::Zero(n + p);
  for (int k = 0; k < n; ++k) {
    ResidualBlock block;
    Evaluate(k, fit.point, true, block);
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(block.residuals.size(), n + p);
    J.col(k) = block.by_local;
    J.rightCols(p) = block.by_values;
    H += J.transpose() * J;
    g += J.transpose() * block.residuals;
  }
  const Eigen::VectorXd step = -SolveLeastNormVector(H, g);
  for (int k = 0; k < n; ++k) fit.point.local[static_cast<std::size_t>(k)][0] = step[k];
  fit.point.values += step.tail(p);
  fit.covariance = PseudoInverse(H).bottomRightCorner(p, p);
  for (int k = 0; k < n; ++k) {
    ResidualBlock block;
    Evaluate(k, fit.point, false, block);
    fit.costs.push_back(block.residuals.squaredNorm());
  }
  fit.found = fit.converged = true;
  return fit;
}

std::unique_ptr<FitProblem> PolynomialProblem::With(const std::vector<SelectedParameter>& more) const {
  auto out = std::make_unique<PolynomialProblem>(*this);
  out->parameters_ = parameters_.With(parameters_.scene(), more);
  return out;
}

}  // namespace ricochet::testing
