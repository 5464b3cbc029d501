// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/tosses/toss_statements.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ricochet {
namespace {

constexpr double kHuber = 2;  // standard deviations from which tosses count less

CombinedNumber Combine(const std::vector<double>& values, const std::vector<double>& deviations,
                       const std::vector<double>& quality) {
  const std::size_t n = values.size();
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  CombinedNumber out;
  out.value = 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]);
  out.weights.assign(n, 0);
  for (int round = 0; round < 30; ++round) {
    std::vector<double> away;
    for (const double value : values) away.push_back(std::abs(value - out.value));
    std::sort(away.begin(), away.end());
    out.between = 1.4826 * 0.5 * (away[(n - 1) / 2] + away[n / 2]);
    double sum = 0, next = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const double deviation = std::hypot(deviations[k], out.between);
      const double score = std::abs(values[k] - out.value) / std::max(deviation, 1e-300);
      const double huber = score > kHuber ? kHuber / score : 1;
      out.weights[k] = std::isfinite(deviation) && deviation > 0 ? quality[k] * huber / (deviation * deviation) : 0;
      sum += out.weights[k];
    }
    if (!(sum > 0)) break;
    for (std::size_t k = 0; k < n; ++k) {
      out.weights[k] /= sum;
      next += out.weights[k] * values[k];
    }
    const bool settled = std::abs(next - out.value) < 1e-6 * std::max(out.between, 1e-12);
    out.value = next;
    if (settled) break;
  }
  return out;
}

/// Standard deviation of what a toss says about a number, with that between tosses; 0 where it says nothing.
double WidthOf(const TossStatement& one, int number, const CombinedNumber& combined) {
  const double width = std::hypot(one.deviation[static_cast<std::size_t>(number)], combined.between);
  return std::isfinite(width) ? width : 0;
}

}  // namespace

bool CombinedNumber::IsIdentified() const {
  return std::any_of(weights.begin(), weights.end(), [](double weight) { return weight > 0; });
}

std::vector<CombinedNumber> CombineNumbers(const std::vector<TossStatement>& statements) {
  std::vector<double> quality;
  for (const TossStatement& one : statements) quality.push_back(one.quality);
  std::vector<CombinedNumber> out;
  for (Eigen::Index j = 0; j < statements.front().params.size(); ++j) {
    std::vector<double> values, deviations;
    for (const TossStatement& one : statements) {
      values.push_back(one.params[j]);
      deviations.push_back(one.deviation[static_cast<std::size_t>(j)]);
    }
    out.push_back(Combine(values, deviations, quality));
  }
  return out;
}

Eigen::VectorXd CombineTosses(const std::vector<TossStatement>& statements) {
  const std::vector<CombinedNumber> combined = CombineNumbers(statements);
  Eigen::VectorXd params(static_cast<Eigen::Index>(combined.size()));
  for (std::size_t j = 0; j < combined.size(); ++j) params[static_cast<Eigen::Index>(j)] = combined[j].value;
  return params;
}

Eigen::MatrixXd CovarianceOfScatter(const std::vector<TossStatement>& statements,
                                    const std::vector<CombinedNumber>& combined) {
  const auto p = static_cast<Eigen::Index>(combined.size());
  Eigen::MatrixXd covariance(p, p);
  for (Eigen::Index a = 0; a < p; ++a)
    for (Eigen::Index b = 0; b < p; ++b) {
      const CombinedNumber &of_a = combined[static_cast<std::size_t>(a)], &of_b = combined[static_cast<std::size_t>(b)];
      double sum = 0, effective = 0;
      for (std::size_t k = 0; k < statements.size(); ++k) {
        const double weight = of_a.weights[k] * of_b.weights[k];
        sum += weight * (statements[k].params[a] - of_a.value) * (statements[k].params[b] - of_b.value);
        effective += weight;
      }
      // With the effective number of tosses.
      const double few = effective < 0.7 ? 1 / (1 - effective) : 3;
      covariance(a, b) = sum * few;
    }
  for (Eigen::Index j = 0; j < p; ++j)
    if (!combined[static_cast<std::size_t>(j)].IsIdentified())
      covariance(j, j) = std::numeric_limits<double>::infinity();
  return covariance;
}

Eigen::VectorXd LeastVariances(const std::vector<TossStatement>& statements,
                               const std::vector<CombinedNumber>& combined) {
  Eigen::VectorXd least = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(combined.size()));
  for (std::size_t j = 0; j < combined.size(); ++j)
    for (std::size_t k = 0; k < statements.size(); ++k) {
      const double weight = combined[j].weights[k], deviation = statements[k].deviation[j];
      if (weight > 0) least[static_cast<Eigen::Index>(j)] += weight * weight * deviation * deviation;
    }
  return least;
}

std::vector<double> DeviancesOfNumber(const std::vector<TossStatement>& statements, int number,
                                      const CombinedNumber& combined, double value) {
  std::vector<double> out;
  for (const TossStatement& one : statements) {
    const double width = WidthOf(one, number, combined);
    const double score = width > 0 ? std::abs(one.params[number] - value) / width : 0;
    out.push_back(one.quality * (score < kHuber ? score * score : kHuber * (2 * score - kHuber)));
  }
  return out;
}

double CurvatureOfNumber(const std::vector<TossStatement>& statements, int number, const CombinedNumber& combined) {
  double sum = 0;
  for (const TossStatement& one : statements) {
    const double width = WidthOf(one, number, combined);
    if (width > 0 && std::abs(one.params[number] - combined.value) < kHuber * width)
      sum += one.quality / (width * width);
  }
  return sum;
}

}  // namespace ricochet
