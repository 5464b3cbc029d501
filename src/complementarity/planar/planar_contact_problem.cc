// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/planar/planar_contact_problem.h"

namespace ricochet {

void PlanarContactWorkspace::Reserve(int contacts) {
  if (static_cast<int>(candidate.size()) >= contacts) return;
  modes.Reserve(contacts);
  candidate.resize(contacts);
  for (auto* v : {&c, &projected, &found}) v->resize(2 * contacts);
  if (contacts < 3) return;
  lemke.Reserve(4 * contacts);
  M.resize(4 * contacts, 4 * contacts);
  q.resize(4 * contacts);
  z.resize(4 * contacts);
}

double PlanarContactResidual(const PlanarContactProblem& problem, const Eigen::Ref<const Eigen::VectorXd>& c) {
  double largest = 0;
  const int rows = 2 * problem.size();
  for (int i = 0; i < rows; i += 2) {
    double wn = problem.b[i], wt = problem.b[i + 1];
    double size_n = std::abs(wn), size_t = std::abs(wt);
    for (int j = 0; j < rows; ++j) {
      const double term_n = problem.A(i, j) * c[j], term_t = problem.A(i + 1, j) * c[j];
      wn += term_n;
      wt += term_t;
      size_n += std::abs(term_n);
      size_t += std::abs(term_t);
    }
    const double violation = planar_contact_internal::ContactViolation(
        c[i], c[i + 1], wn, wt, problem.friction[i / 2],
        {problem.A(i, i), problem.A(i + 1, i + 1), std::max(size_n, size_t)});
    if (!(violation <= largest)) largest = violation;
  }
  return largest;
}

}  // namespace ricochet
