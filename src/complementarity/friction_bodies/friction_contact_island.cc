// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/friction_bodies/friction_contact_island.h"

#include "complementarity/friction/impulse_newton.h"

namespace ricochet {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

struct IslandProblem {
  int count = 0, freedoms = 0;
  std::vector<Eigen::Matrix<double, Eigen::Dynamic, 3>> rows;
  std::vector<Vector3d> b;
  std::vector<double> mu;
};

struct IslandSolution {
  std::vector<Vector3d> impulse;
  std::vector<FrictionMode> mode;
  VectorXd change;
  double residual = -1;
  bool converged = false;
  int iterations = 0;
};

struct IslandSize {
  static constexpr bool kGrows = true;
  using Problem = IslandProblem;
  using Solution = IslandSolution;
  using Vector = VectorXd;
  using Square = MatrixXd;
  using RowsInBasis = MatrixXd;
  using Columns = MatrixXd;
  using System = GrowingRows;
  using SmallSystem = GrowingRows;
  template <typename T>
  using PerContact = std::vector<T>;
  template <typename T>
  using PerRow = std::vector<T>;
};

}  // namespace

struct IslandContact::Parts {
  IslandProblem problem;
  IslandSolution solution;
  ImpulseNewton<IslandSize> newton;
  std::vector<Vector6d> free_velocity;
  double tolerance = 0;
};

IslandContact::IslandContact() : parts_(std::make_unique<Parts>()) {}
IslandContact::~IslandContact() = default;

void IslandContact::Begin(const FrictionContactProblem& problem, double tolerance) {
  IslandProblem& p = parts_->problem;
  p.count = static_cast<int>(problem.contacts.size());
  p.freedoms = 6 * problem.body_count;
  p.rows.resize(p.count);
  p.b.resize(p.count);
  p.mu.resize(p.count);
  for (int i = 0; i < p.count; ++i) {
    const FrictionContact& c = problem.contacts[i];
    p.rows[i].setZero(p.freedoms, 3);
    p.rows[i].middleRows<6>(6 * c.body) = c.rows;
    if (c.other >= 0) p.rows[i].middleRows<6>(6 * c.other) = c.other_rows;
    p.b[i] = ContactVelocity(c, problem.free_velocity);
    p.mu[i] = c.mu;
  }
  parts_->free_velocity = problem.free_velocity;
  parts_->tolerance = tolerance;
}

void IslandContact::Take(const FrictionContactSolution& from) {
  IslandSolution& s = parts_->solution;
  s.impulse = from.impulse;
  s.mode = from.mode;
  s.change.resize(parts_->problem.freedoms);
  for (std::size_t b = 0; b < from.velocity.size(); ++b)
    s.change.segment<6>(6 * b) = from.velocity[b] - parts_->free_velocity[b];
  s.residual = -1;
  s.iterations = 0;
  s.converged = false;
}

bool IslandContact::Give(FrictionContactSolution& to) const {
  const IslandSolution& s = parts_->solution;
  to.iterations += s.iterations;
  if (s.residual < 0 || !(s.converged || s.residual < to.residual)) return false;
  to.impulse = s.impulse;
  to.mode = s.mode;
  for (std::size_t b = 0; b < to.velocity.size(); ++b)
    to.velocity[b] = parts_->free_velocity[b] + s.change.segment<6>(6 * b);
  to.residual = s.residual;
  to.converged = s.converged;
  return s.converged;
}

bool IslandContact::Polish(FrictionContactSolution& solution) {
  constexpr int kRounds = 16;
  Take(solution);
  parts_->newton.Begin(parts_->problem, parts_->tolerance, parts_->solution);
  parts_->newton.TakeModes();
  parts_->newton.Polish(kRounds);
  return Give(solution);
}

bool IslandContact::Follow(bool warm, FrictionContactSolution& solution) {
  Take(solution);
  parts_->newton.Begin(parts_->problem, parts_->tolerance, parts_->solution);
  // From slips a little above those that are left, or from all of the velocity.
  double start = 0;
  for (int i = 0; i < parts_->problem.count; ++i) {
    const Vector3d xi = parts_->problem.b[i] + parts_->problem.rows[i].transpose() * parts_->solution.change;
    if (!warm) {
      start = std::max(start, parts_->problem.b[i].cwiseAbs().maxCoeff());
    } else if (solution.mode[i] == FrictionMode::kStick) {
      start = std::max(start, 10 * xi.head<2>().norm());
    }
  }
  if (start > 0) parts_->newton.Follow(start, warm);
  return Give(solution);
}

}  // namespace ricochet
