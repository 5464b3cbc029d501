// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Standard complementarity problems with known solutions, for every solver of the class.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "complementarity/mixed_ncp/mixed_ncp.h"

namespace ricochet {

struct MixedNcpCase {
  std::string name;
  std::string source;  // where problem and solution are from
  std::unique_ptr<MixedNcp> problem;
  std::vector<Eigen::VectorXd> starts;
  std::vector<Eigen::VectorXd> solutions;  // all of them, or empty where `is_solution` decides
  std::function<bool(const Eigen::VectorXd&)> is_solution;
  double accuracy = 1e-7;  // of the solutions as given
};

std::vector<MixedNcpCase> MixedNcpCases();

}  // namespace ricochet
