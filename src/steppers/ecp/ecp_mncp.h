// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The step of `ecp` as the paper writes it: the mixed nonlinear complementarity problem of Xie eq. (18) and (19), with
// every inequality of both bodies, for the general solver of complementarity/mixed_ncp/mixed_ncp.h. It is the last
// resort of the stepper and, in tests, the judge of solutions found otherwise.
//
// Unknowns, per moving body nu; per contact a_1, a_2, p_t, p_o, p_r (equations) and l_1, l_2, p_n, sigma (>= 0):
//
//   0 = -M nu + M nu^u + W p + p_app + p_vp
//   0 = a_1 - a_2 + l_k (grad f_k + sum_{i != k} l_i grad f_i)
//   0 = grad f_k + sum_{i != k} l_i grad f_i + sum_j l_j grad g_j
//   0 = e_t^2 mu p_n v_t + p_t sigma, and likewise o, r
//   0 <= l_i | -f_i(a_1) >= 0,   0 <= l_j | -g_j(a_2) >= 0,   0 <= p_n | max_i f_i(a_2) >= 0
//   0 <= sigma | (mu p_n)^2 - (p_t/e_t)^2 - (p_o/e_o)^2 - (p_r/e_r)^2 >= 0
//
// k is one active facet of F, chosen per contact (the paper's k_1). Quantities are divided by the problem's scales. The
// problem is degenerate for p_n = 0, so only pairs that overlap at the end of the free motion take part.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "complementarity/mixed_ncp/mixed_ncp.h"
#include "steppers/ecp/ecp_solution.h"

namespace ricochet {

class EcpMncp final : public MixedNcp {
 public:
  /// Contact `contacts[c]` of the problem takes part with facet `leading[c]` of its body F as k.
  EcpMncp(const EcpProblem<double>& problem, std::vector<int> contacts, std::vector<int> leading);

  int size() const override { return size_; }
  void Evaluate(const Eigen::VectorXd& z, Eigen::VectorXd& F, Eigen::MatrixXd* jacobian) const override;
  double lower(int i) const override;
  double upper(int i) const override;

  /// Where a contact's unknowns begin: a_1 (3), a_2 (3), (p_t, p_o, p_r), l_1, l_2, p_n, sigma.
  int offset(int c) const { return offsets_[c]; }
  int first_facets(int c) const { return static_cast<int>(problem_.contacts[contacts_[c]].solid_f->facets.size()); }
  int second_facets(int c) const { return static_cast<int>(problem_.contacts[contacts_[c]].solid_g->facets.size()); }
  int leading(int c) const { return leading_[c]; }

 private:
  template <class T>
  void Equations(const T* z, T* F) const;

  const EcpProblem<double>& problem_;
  std::vector<int> contacts_, leading_, offsets_;
  std::vector<char> bounded_;
  int size_ = 0;
};

/// A candidate found otherwise as a point of this problem, for MixedNcpResidual.
struct EcpMncpPoint {
  EcpMncp problem;
  Eigen::VectorXd z;
};
EcpMncpPoint ToMncp(const EcpProblem<double>& problem, const EcpSolution& solution);

/// Back: velocities, impulses and active sets of a point, in the solution that it was made of. False where the active
/// inequalities of a contact have no direction.
bool FromMncp(const EcpProblem<double>& problem, const EcpMncpPoint& point, EcpSolution& candidate);

}  // namespace ricochet
