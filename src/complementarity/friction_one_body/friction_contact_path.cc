// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/friction_one_body/friction_contact_path.h"

#include "complementarity/friction/impulse_newton.h"

namespace ricochet {
namespace {

struct OneBodySize {
  static constexpr bool kGrows = false;
  static constexpr int kRows = 3 * kMaxSmallContacts, kUnknowns = 6 + 2 * kMaxSmallContacts;
  using Problem = SmallContactProblem;
  using Solution = SmallContactSolution;
  using Vector = Vector6d;
  using Square = Eigen::Matrix<double, 6, 6>;
  using RowsInBasis = Eigen::Matrix<double, kRows, 6>;
  using Columns = Eigen::Matrix<double, 6, kUnknowns>;
  using System = double[kUnknowns][kUnknowns + 1];
  using SmallSystem = double[6][7];
  template <typename T>
  using PerContact = std::array<T, kMaxSmallContacts>;
  template <typename T>
  using PerRow = std::array<T, kRows>;
};

}  // namespace

bool PolishSmallContact(const SmallContactProblem& problem, double tolerance, int max_rounds,
                        SmallContactSolution& solution) {
  ImpulseNewton<OneBodySize> newton;
  newton.Begin(problem, tolerance, solution);
  newton.TakeModes();
  return newton.Polish(max_rounds);
}

bool FollowSmoothedFriction(const SmallContactProblem& problem, double tolerance, double start, bool warm,
                            SmallContactSolution& solution) {
  ImpulseNewton<OneBodySize> newton;
  newton.Begin(problem, tolerance, solution);
  return newton.Follow(start, warm);
}

}  // namespace ricochet
