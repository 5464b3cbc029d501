// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What a fit identifies of parameters that it had to hold. Let r be the parameters that it estimates and p the held
// ones. Where the data are the same along
//
//   r_i = m_i1 p_1 + m_i2 p_2 + ...      (HeldNumber::moves)
//
// they identify the sum r_i - m_i1 p_1 - m_i2 p_2 - ..., over all held parameters that r_i moves with, and none of its
// terms. With the held parameters fixed its variance is that of r_i.
#pragma once

#include <string>
#include <vector>

#include "estimators/jointed/jointed_fit.h"
#include "ricochet/estimate.h"

namespace ricochet {

struct IdentifiableSum {
  int leading = 0;                           // the parameter that was estimated; its factor is 1
  std::vector<std::pair<int, double>> held;  // parameters that were held, and their factors

  /// Whether a parameter is one of its terms.
  bool Names(int parameter) const;
  double Value(const Eigen::VectorXd& values) const;
  std::vector<EstimatedTerm> Terms(const std::vector<std::string>& paths) const;
  /// "a + b", "a - b + 0.5 c".
  std::string Text(const std::vector<std::string>& paths) const;
};

/// The sums of all parameters that move with held ones, in the order of the held ones.
std::vector<IdentifiableSum> IdentifiableSums(const std::vector<HeldNumber>& held);

/// "only a + b and c - b are identifiable": the sums that name a parameter. Empty where there are none.
std::string DescribeSums(const std::vector<IdentifiableSum>& sums, int parameter,
                         const std::vector<std::string>& paths);

}  // namespace ricochet
