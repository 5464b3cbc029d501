// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "optimize/evolution.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/context.h"
#include "core/random.h"
#include "core/work/search_scope.h"
#include "math/dense.h"

namespace ricochet {
namespace {

constexpr double kPenalty = 4;  // per unit of distance from the box, in spreads of the values

Eigen::VectorXd IntoBox(const Eigen::VectorXd& x) { return x.cwiseMax(0.0).cwiseMin(1.0); }

}  // namespace

EvolutionResult MinimizeByEvolution(const BatchFunction& function, const Eigen::VectorXd& start,
                                    const EvolutionOptions& options) {
  const int n = static_cast<int>(start.size());
  const int lambda = 4 + static_cast<int>(3 * std::log(n)) + 2 * (n > 1), mu = lambda / 2;
  Eigen::VectorXd weights(mu);
  for (int i = 0; i < mu; ++i) weights[i] = std::log(0.5 * (lambda + 1)) - std::log(i + 1);
  weights /= weights.sum();
  const double mu_eff = 1 / weights.squaredNorm();
  const double c_sigma = (mu_eff + 2) / (n + mu_eff + 5);
  const double damping = 1 + 2 * std::max(0.0, std::sqrt((mu_eff - 1) / (n + 1)) - 1) + c_sigma;
  const double c_path = (4 + mu_eff / n) / (n + 4 + 2 * mu_eff / n);
  const double c_one = 2 / ((n + 1.3) * (n + 1.3) + mu_eff);
  const double c_mu = std::min(1 - c_one, 2 * (mu_eff - 2 + 1 / mu_eff) / ((n + 2.0) * (n + 2.0) + mu_eff));
  const double expected = std::sqrt(n) * (1 - 1.0 / (4 * n) + 1.0 / (21.0 * n * n));

  EvolutionResult out;
  out.value = std::numeric_limits<double>::infinity();
  out.best = out.mean = start;
  Eigen::VectorXd mean = start, path_sigma = Eigen::VectorXd::Zero(n), path = Eigen::VectorXd::Zero(n);
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Identity(n, n);
  double sigma = options.spread, moved = 0;
  Random random(options.seed, 0xe501);
  while (out.evaluations < options.evaluations && !OutOfTime()) {
    StopIfCancelled();
    CountSearchStep();
    const SymmetricEigen eigen = EigenOfSymmetric(covariance);
    const Eigen::VectorXd roots = eigen.values.cwiseMax(1e-20).cwiseSqrt();
    std::vector<Eigen::VectorXd> steps, inside;
    for (int k = 0; k < lambda; ++k) {
      Eigen::VectorXd z(n);
      for (int i = 0; i < n; ++i) z[i] = random.Normal();
      steps.push_back(eigen.vectors * roots.cwiseProduct(z));
      inside.push_back(IntoBox(mean + sigma * steps.back()));
    }
    std::vector<double> values = function(inside);
    out.evaluations += lambda;
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (int k = 0; k < lambda; ++k) {
      double& value = values[static_cast<std::size_t>(k)];
      if (!std::isfinite(value)) continue;
      if (value < out.value) {
        out.value = value;
        out.best = inside[static_cast<std::size_t>(k)];
      }
      least = std::min(least, value);
      most = std::max(most, value);
    }
    if (!std::isfinite(least)) break;
    out.history.push_back({out.value, moved});
    std::vector<int> order(static_cast<std::size_t>(lambda));
    std::iota(order.begin(), order.end(), 0);
    for (int k = 0; k < lambda; ++k) {
      double& value = values[static_cast<std::size_t>(k)];
      if (!std::isfinite(value)) value = most + (most - least) + std::abs(most);
      const Eigen::VectorXd outside = mean + sigma * steps[static_cast<std::size_t>(k)];
      value += kPenalty * (most - least) * (outside - inside[static_cast<std::size_t>(k)]).norm() / sigma;
    }
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return values[static_cast<std::size_t>(a)] < values[static_cast<std::size_t>(b)];
    });
    Eigen::VectorXd step = Eigen::VectorXd::Zero(n);
    Eigen::MatrixXd spread = Eigen::MatrixXd::Zero(n, n);
    for (int i = 0; i < mu; ++i) {
      const Eigen::VectorXd& y = steps[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])];
      step += weights[i] * y;
      spread += weights[i] * y * y.transpose();
    }
    mean += sigma * step;
    moved = sigma * step.norm();
    const Eigen::VectorXd white = eigen.vectors * (eigen.vectors.transpose() * step).cwiseQuotient(roots);
    path_sigma = (1 - c_sigma) * path_sigma + std::sqrt(c_sigma * (2 - c_sigma) * mu_eff) * white;
    const bool moves = path_sigma.norm() < (1.4 + 2.0 / (n + 1)) * expected;
    path *= 1 - c_path;
    if (moves) path += std::sqrt(c_path * (2 - c_path) * mu_eff) * step;
    covariance = (1 - c_one - c_mu) * covariance + c_one * path * path.transpose() + c_mu * spread;
    sigma *= std::exp((c_sigma / damping) * (path_sigma.norm() / expected - 1));
    sigma = std::min(sigma, 1.0);
    if (sigma * covariance.diagonal().cwiseSqrt().maxCoeff() < options.tolerance) {
      out.converged = true;
      break;
    }
  }
  out.mean = IntoBox(mean);
  return out;
}

std::vector<Eigen::VectorXd> EvenPoints(int dimension, int count) {
  constexpr int kPrimes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
  std::vector<Eigen::VectorXd> points;
  for (int k = 0; k < count; ++k) {
    Eigen::VectorXd x(dimension);
    for (int i = 0; i < dimension; ++i) {
      const int base = kPrimes[i % 16];
      double value = 0, part = 1;
      for (int rest = k + 1; rest > 0; rest /= base) {
        part /= base;
        value += part * (rest % base);
      }
      x[i] = std::fmod(value + 0.5 / base, 1.0);
    }
    points.push_back(x);
  }
  return points;
}

}  // namespace ricochet
