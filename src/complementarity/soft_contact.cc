// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/soft_contact.h"

#include <algorithm>
#include <cmath>

#include "complementarity/friction_contact_local.h"
#include "complementarity/small_dense.h"

namespace ricochet {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr int kUnknowns = 3 * kMaxSmallContacts;
constexpr int kFirstSweeps = 3, kMoreSweeps = 12, kRounds = 12, kNewtonSteps = 8;

class SoftSolver {
 public:
  SoftSolver(const SoftContactProblem& problem, double tolerance, SmallContactSolution& out)
      : problem_(problem.contacts), out_(out), n_(problem.contacts.count) {
    for (int i = 0; i < n_; ++i) {
      const ContactRows& J = problem_.rows[i];
      scale_ = std::max(scale_, problem_.b[i].cwiseAbs().maxCoeff());
      const double mobility = J.squaredNorm() / 3;
      soft_[i] = {kTangentSoftness * mobility, kTangentSoftness * mobility, problem.softness[i]};
      inverse_r_[i] = mobility + problem.softness[i];
      block_[i] = J.transpose() * J;
      block_[i].diagonal() += soft_[i];
      out_.impulse[i].setZero();
      out_.mode[i] = FrictionMode::kOpen;
    }
    tolerance_ = tolerance * scale_;
    out_.change.setZero();
    out_.iterations = 0;
  }

  void Run() {
    double residual = Residual();
    Sweep(kFirstSweeps);
    for (int round = 0; round < kRounds; ++round) {
      residual = Newton();
      if (residual <= tolerance_) break;
      Sweep(kMoreSweeps << std::min(round, 6));
      residual = Residual();
      if (residual <= tolerance_) break;
    }
    out_.residual = scale_ > 0 ? residual / scale_ : 0;
    out_.converged = residual <= tolerance_;
  }

 private:
  Vector3d Slip(int i) const {
    return problem_.b[i] + problem_.rows[i].transpose() * out_.change + soft_[i].cwiseProduct(out_.impulse[i]);
  }

  void Sweep(int count) {
    for (int sweep = 0; sweep < count; ++sweep) {
      ++out_.iterations;
      for (int i = 0; i < n_; ++i) {
        const Vector3d others = Slip(i) - block_[i] * out_.impulse[i];
        const LocalSolution local = SolveLocalContact(block_[i], others, problem_.mu[i]);
        out_.change += problem_.rows[i] * (local.impulse - out_.impulse[i]);
        out_.impulse[i] = local.impulse;
        out_.mode[i] = local.mode;
      }
    }
  }

  double Residual() {
    double worst = 0;
    for (int i = 0; i < n_; ++i) {
      const Vector3d& P = out_.impulse[i];
      const Vector3d fixed = P - ProjectImpulse(P - Slip(i) / inverse_r_[i], problem_.mu[i]);
      worst = std::max(worst, inverse_r_[i] * fixed.cwiseAbs().maxCoeff());
    }
    return worst;
  }

  void Balance() {
    out_.change.setZero();
    for (int i = 0; i < n_; ++i) out_.change += problem_.rows[i] * out_.impulse[i];
  }

  /// Newton on the modes at hand; keeps the best impulses. The residual [m/s].
  double Newton() {
    double best = Residual();
    std::array<Vector3d, kMaxSmallContacts> kept = out_.impulse;
    const auto modes = out_.mode;
    for (int step = 0; step < kNewtonSteps && best > tolerance_; ++step) {
      ++out_.iterations;
      if (!SolveModes()) break;
      Balance();
      CorrectModes();
      const double residual = Residual();
      if (!(residual < best)) {
        if (step > 2) break;
        continue;
      }
      best = residual;
      kept = out_.impulse;
    }
    out_.impulse = kept;
    if (best > tolerance_) out_.mode = modes;
    Balance();
    return best;
  }

  /// One linear system for the impulses of closed contacts; sliding friction linearised at the slip.
  bool SolveModes() {
    int size = 0;
    std::array<int, kMaxSmallContacts> at{};
    for (int i = 0; i < n_; ++i) {
      at[i] = size;
      if (out_.mode[i] != FrictionMode::kOpen) size += 3;
    }
    for (int i = 0; i < n_; ++i) {
      if (out_.mode[i] == FrictionMode::kOpen) continue;
      const Vector3d slip = Slip(i);
      const double length = std::hypot(slip[0], slip[1]);
      const bool slides = out_.mode[i] == FrictionMode::kSlide && length > 0;
      for (int e = 0; e < 3; ++e) {
        double* row = S_[at[i] + e];
        std::fill(row, row + size + 1, 0.0);
        if (e == 2 || !slides) {
          SlipRow(i, Vector3d::Unit(e), at, size, 1, row);
          continue;
        }
        // P_T + mu P_N u + (mu P_N / |xi_T|) across (across . d xi_T) = 0
        const Vector2d u = slip.head<2>() / length, across(-u[1], u[0]);
        row[at[i] + e] += 1;
        row[at[i] + 2] += problem_.mu[i] * u[e];
        const double k = problem_.mu[i] * std::max(0.0, out_.impulse[i][2]) / length * across[e];
        SlipRow(i, {across[0], across[1], 0}, at, size, k, row);
      }
    }
    if (size == 0 || !EliminateScaledRows<kUnknowns + 1>(S_, size)) return false;
    for (int i = 0; i < n_; ++i)
      for (int e = 0; e < 3; ++e) out_.impulse[i][e] = out_.mode[i] == FrictionMode::kOpen ? 0 : S_[at[i] + e][size];
    return true;
  }

  /// Adds factor (direction . xi_i) as an equation in the impulses.
  void SlipRow(int i, const Vector3d& direction, const std::array<int, kMaxSmallContacts>& at, int size, double factor,
               double* row) const {
    const Vector6d along = problem_.rows[i] * direction;
    for (int j = 0; j < n_; ++j) {
      if (out_.mode[j] == FrictionMode::kOpen) continue;
      for (int e = 0; e < 3; ++e) row[at[j] + e] += factor * along.dot(problem_.rows[j].col(e));
    }
    for (int e = 0; e < 3; ++e) row[at[i] + e] += factor * direction[e] * soft_[i][e];
    row[size] -= factor * direction.dot(problem_.b[i]);
  }

  void CorrectModes() {
    for (int i = 0; i < n_; ++i) {
      Vector3d& P = out_.impulse[i];
      const Vector3d slip = Slip(i);
      const double limit = problem_.mu[i] * P[2], friction = std::hypot(P[0], P[1]);
      if (out_.mode[i] == FrictionMode::kOpen) {
        if (slip[2] < -1e-13 * scale_) out_.mode[i] = FrictionMode::kSlide;
      } else if (P[2] < 0) {
        out_.mode[i] = FrictionMode::kOpen;
        P.setZero();
      } else if (out_.mode[i] == FrictionMode::kStick) {
        if (friction > limit * (1 + 1e-12)) out_.mode[i] = FrictionMode::kSlide;
      } else if (slip.head<2>().dot(P.head<2>()) > 0) {
        out_.mode[i] = FrictionMode::kStick;
      }
    }
    Balance();
  }

  const SmallContactProblem& problem_;
  SmallContactSolution& out_;
  const int n_;
  double scale_ = 0, tolerance_ = 0;  // [m/s]
  std::array<Vector3d, kMaxSmallContacts> soft_;
  std::array<double, kMaxSmallContacts> inverse_r_;
  std::array<Matrix3d, kMaxSmallContacts> block_;
  double S_[kUnknowns][kUnknowns + 1];
};

}  // namespace

void SolveSoftContact(const SoftContactProblem& problem, double tolerance, SmallContactSolution& solution) {
  SoftSolver(problem, tolerance, solution).Run();
}

}  // namespace ricochet
