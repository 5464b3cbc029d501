// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/toy_fit_problem.h"

#include <algorithm>
#include <cmath>

#include "math/dense.h"

namespace ricochet::testing {

ParameterMap ToyParameters(int size) {
  const Scene scene = ParseScene(
      "ricochet: 1\n"
      "space: planar\n"
      "gravity: [0, -9.81]\n"
      "bodies: {ball: {shape: {circle: {radius: 0.1}}, mass: 1}}\n"
      "surfaces: {floor: {line: {point: [0, 0], angle: 0}}}\n"
      "contact: {friction: 0.4, restitution: 0.3}\n",
      "toy.yaml");
  std::vector<SelectedParameter> selected = ParsePathList(scene, "contact.friction, contact.restitution");
  selected.resize(static_cast<std::size_t>(size));
  return ParameterMap(scene, std::move(selected));
}

Fit CurveProblem::FitAt(double value, double deviation) const {
  Fit fit;
  fit.point.values = Eigen::VectorXd::Constant(1, value);
  fit.covariance = Eigen::MatrixXd::Constant(1, 1, deviation * deviation);
  fit.found = fit.converged = true;
  return fit;
}

Fit CurveProblem::Search(const HeldParameters& held, const FitPoint* from) {
  Fit fit;
  if (!from || held.empty() || !held[0]) return fit;
  const double value = from->values[0];
  if (!from->local.empty()) farthest_start = std::max(farthest_start, std::abs(from->local[0][0] - value));
  fit.costs = costs_(value);
  fit.point = {from->values, {Eigen::VectorXd::Constant(1, value)}};
  fit.found = std::any_of(fit.costs.begin(), fit.costs.end(), [](double cost) { return std::isfinite(cost); });
  fit.converged = fit.found;
  return fit;
}

LineProblem::LineProblem(std::vector<Data> data, double noise, bool simulates, bool curved)
    : parameters_(ToyParameters(2)), data_(std::move(data)), noise_(noise), simulates_(simulates), curved_(curved) {}

std::vector<LineProblem::Data> LineProblem::Simulate(int recordings, int rows, double noise, Random& random) {
  std::vector<Data> out;
  for (int k = 0; k < recordings; ++k) {
    Data& data = out.emplace_back();
    data.recording = k;
    const double intercept = random.Normal();
    for (int i = 0; i < rows; ++i) {
      const double t = static_cast<double>(i) / (rows - 1);
      data.time.push_back(t);
      data.value.push_back(intercept + 0.5 * t + 0.25 * t * t + noise * random.Normal());
    }
  }
  return out;
}

bool LineProblem::Evaluate(int block, const FitPoint& at, bool derivatives, ResidualBlock& out) const {
  const Data& data = data_[static_cast<std::size_t>(block)];
  const Eigen::Index rows = static_cast<Eigen::Index>(data.time.size());
  out.residuals.resize(rows);
  out.labels.clear();
  if (derivatives) {
    out.by_local = Eigen::MatrixXd::Constant(rows, 1, 1 / noise_);
    out.by_values.setZero(rows, 2);
  }
  for (Eigen::Index i = 0; i < rows; ++i) {
    const double t = data.time[static_cast<std::size_t>(i)];
    const double shown =
        at.local[static_cast<std::size_t>(block)][0] + at.values[0] * t + (curved_ ? at.values[1] * t * t : 0.0);
    out.residuals[i] = (shown - data.value[static_cast<std::size_t>(i)]) / noise_;
    out.labels.push_back({t, 0});
    if (!derivatives) continue;
    out.by_values(i, 0) = t / noise_;
    if (curved_) out.by_values(i, 1) = t * t / noise_;
  }
  return true;
}

Fit LineProblem::Search(const HeldParameters& held, const FitPoint* from) {
  Fit fit;
  fit.point.values = from ? from->values : Eigen::VectorXd(parameters_.start());
  fit.point.local.assign(data_.size(), Eigen::VectorXd::Zero(1));
  std::vector<int> free;
  for (int i = 0; i < 2; ++i)
    if (held.empty() || !held[static_cast<std::size_t>(i)]) free.push_back(i);
  const Eigen::Index n = blocks() + static_cast<Eigen::Index>(free.size());
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(n, n);
  Eigen::VectorXd g = Eigen::VectorXd::Zero(n);
  for (int k = 0; k < blocks(); ++k) {
    ResidualBlock block;
    Evaluate(k, fit.point, true, block);
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(block.residuals.size(), n);
    J.col(k) = block.by_local.col(0);
    for (std::size_t i = 0; i < free.size(); ++i)
      J.col(blocks() + static_cast<Eigen::Index>(i)) = block.by_values.col(free[i]);
    H += J.transpose() * J;
    g += J.transpose() * block.residuals;
  }
  const Eigen::VectorXd step = -SolveLeastNormVector(H, g);
  for (int k = 0; k < blocks(); ++k) fit.point.local[static_cast<std::size_t>(k)][0] = step[k];
  for (std::size_t i = 0; i < free.size(); ++i)
    fit.point.values[free[i]] += step[blocks() + static_cast<Eigen::Index>(i)];
  const Eigen::MatrixXd inverse = PseudoInverse(H);
  fit.covariance = Eigen::MatrixXd::Zero(2, 2);
  for (std::size_t i = 0; i < free.size(); ++i)
    for (std::size_t j = 0; j < free.size(); ++j)
      fit.covariance(free[i], free[j]) =
          inverse(blocks() + static_cast<Eigen::Index>(i), blocks() + static_cast<Eigen::Index>(j));
  for (int k = 0; k < blocks(); ++k) {
    ResidualBlock block;
    Evaluate(k, fit.point, false, block);
    fit.costs.push_back(block.residuals.squaredNorm());
  }
  fit.found = fit.converged = true;
  return fit;
}

std::unique_ptr<FitProblem> LineProblem::Draw(const Fit& fit, Random& random) const {
  if (!simulates_) return nullptr;
  std::vector<Data> drawn = data_;
  for (std::size_t k = 0; k < drawn.size(); ++k) {
    Random own = random.Split(k);
    for (std::size_t i = 0; i < drawn[k].time.size(); ++i) {
      const double t = drawn[k].time[i];
      drawn[k].value[i] = fit.point.local[k][0] + fit.point.values[0] * t +
                          (curved_ ? fit.point.values[1] * t * t : 0.0) + noise_ * own.Normal();
    }
  }
  return std::make_unique<LineProblem>(std::move(drawn), noise_, simulates_, curved_);
}

std::unique_ptr<FitProblem> LineProblem::Subset(const std::vector<int>& blocks) const {
  std::vector<Data> chosen;
  for (const int block : blocks) chosen.push_back(data_[static_cast<std::size_t>(block)]);
  return std::make_unique<LineProblem>(std::move(chosen), noise_, simulates_, curved_);
}

}  // namespace ricochet::testing
