// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What tosses say about the numbers, each by itself with its start and its other numbers free, and what they say
// together: of each number the weighted mean, with weights 1 / (own variance + variance between tosses) and Huber's on
// top, so that a toss that ended on a wrong piece of its likelihood (toss_alone.h) hardly counts.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace ricochet {

/// What one fit of one toss says.
struct TossStatement {
  Eigen::VectorXd params;
  std::vector<double> deviation;  // from the secants, residuals above the noise counted in
  double quality = 1;             // weight: part of the frames that it follows, less where chi^2 stays above
};

/// One number from what all of them say.
struct CombinedNumber {
  double value = 0, between = 0;  // the latter: standard deviation between tosses
  std::vector<double> weights;    // sum 1; all 0 where no toss says anything

  bool IsIdentified() const;
};
std::vector<CombinedNumber> CombineNumbers(const std::vector<TossStatement>& statements);

/// The values alone.
Eigen::VectorXd CombineTosses(const std::vector<TossStatement>& statements);

/// Covariance of the combined numbers by the scatter about them, n / (n - 1) for few included; infinite on the diagonal
/// where no toss says anything.
Eigen::MatrixXd CovarianceOfScatter(const std::vector<TossStatement>& statements,
                                    const std::vector<CombinedNumber>& combined);

/// Variances of the combined parameters by the tosses' own standard deviations.
Eigen::VectorXd LeastVariances(const std::vector<TossStatement>& statements,
                               const std::vector<CombinedNumber>& combined);

/// Deviance of a number by each statement k, quality_k rho((params_k - value) / width_k) with Huber's rho and
/// width_k^2 = deviation_k^2 + between^2: their sum is least at the combined value.
std::vector<double> DeviancesOfNumber(const std::vector<TossStatement>& statements, int number,
                                      const CombinedNumber& combined, double value);

/// Half of the second derivative of that sum at the combined value: the inverse of the variance that it implies.
double CurvatureOfNumber(const std::vector<TossStatement>& statements, int number, const CombinedNumber& combined);

}  // namespace ricochet
