// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/mixed_ncp/mixed_ncp.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ricochet {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kMemory = 5;  // merits remembered by the non-monotone line search

double Mid(double lower, double upper, double x) { return std::min(std::max(x, lower), upper); }

/// phi(a, b) smoothed by mu, and its partial derivatives. At the origin (mu = 0) one element of the generalized
/// Jacobian.
struct FischerBurmeister {
  double value, by_a, by_b;
  FischerBurmeister(double a, double b, double mu) {
    const double root = std::sqrt(a * a + b * b + 2 * mu);
    if (root > 0) {
      // a + b - root without cancellation where both are positive.
      value = a + b > 0 ? (2 * a * b - 2 * mu) / (a + b + root) : a + b - root;
      by_a = 1 - a / root;
      by_b = 1 - b / root;
    } else {
      value = 0;
      by_a = by_b = 1 - std::sqrt(0.5);
    }
  }
};

}  // namespace

double MixedNcpResidual(const MixedNcp& problem, const Eigen::VectorXd& z) {
  Eigen::VectorXd F(problem.size());
  problem.Evaluate(z, F, nullptr);
  double worst = 0;
  for (int i = 0; i < problem.size(); ++i) {
    const double r = std::abs(z[i] - Mid(problem.lower(i), problem.upper(i), z[i] - F[i]));
    if (!(r <= worst)) worst = std::isfinite(r) ? r : kInfinity;
  }
  return worst;
}

void MixedNcpWorkspace::Resize(int n) {
  if (z.size() == n) return;
  for (Eigen::VectorXd* v : {&z, &trial, &best, &center, &F, &phi, &step, &gradient, &diagonal_a, &diagonal_b}) {
    v->setZero(n);
  }
  for (Eigen::MatrixXd* m : {&J, &H, &normal}) m->setZero(n, n);
  lu = Eigen::PartialPivLU<Eigen::MatrixXd>(n);
}

/// One call of SolveMixedNcp.
class MixedNcpRun {
 public:
  MixedNcpRun(const MixedNcp& problem, MixedNcpWorkspace& work, const MixedNcpOptions& options)
      : problem_(problem), work_(work), options_(options), n_(problem.size()) {}

  MixedNcpSummary Solve(Eigen::VectorXd& z) {
    work_.Resize(n_);
    work_.z = z;
    Project(work_.z);
    work_.best = work_.z;
    summary_.residual = kInfinity;
    Remember(MixedNcpStage::kCrash);
    bool solved = summary_.residual <= options_.tolerance || Attempt(work_.z, false);
    for (int restart = 0; !solved && restart < options_.restarts; ++restart) {
      OtherStart(z, restart);
      ++summary_.restarts;
      solved = Attempt(work_.z, true);
    }
    z = work_.best;
    summary_.residual = MixedNcpResidual(problem_, z);
    summary_.solved = summary_.residual <= options_.tolerance;
    return summary_;
  }

 private:
  void Project(Eigen::VectorXd& z) const {
    for (int i = 0; i < n_; ++i) z[i] = Mid(problem_.lower(i), problem_.upper(i), z[i]);
  }

  /// The path parameters turn F into the regularized F + lambda (z - center).
  void Evaluate(const Eigen::VectorXd& z, bool jacobian) {
    problem_.Evaluate(z, work_.F, jacobian ? &work_.J : nullptr);
    if (lambda_ == 0) return;
    work_.F += lambda_ * (z - work_.center);
    if (jacobian) work_.J.diagonal().array() += lambda_;
  }

  /// Phi from F; with `derivative` also the diagonals of dPhi = D_a + D_b dF.
  double Reformulate(const Eigen::VectorXd& z, bool derivative) {
    for (int i = 0; i < n_; ++i) {
      const double l = problem_.lower(i), u = problem_.upper(i), F = work_.F[i];
      double value = F, by_z = 0, by_F = 1;
      if (std::isfinite(u)) {
        const FischerBurmeister inner(u - z[i], -F, mu_);
        value = -inner.value;
        by_z = inner.by_a;
        by_F = inner.by_b;
      }
      if (std::isfinite(l)) {
        const FischerBurmeister outer(z[i] - l, value, mu_);
        value = outer.value;
        by_z = outer.by_a + outer.by_b * by_z;
        by_F = outer.by_b * by_F;
      }
      work_.phi[i] = value;
      if (derivative) {
        work_.diagonal_a[i] = by_z;
        work_.diagonal_b[i] = by_F;
      }
    }
    const double merit = 0.5 * work_.phi.squaredNorm();
    return std::isfinite(merit) ? merit : kInfinity;
  }

  double NaturalResidual(const Eigen::VectorXd& z) const {
    double worst = 0;
    for (int i = 0; i < n_; ++i) {
      const double r = std::abs(z[i] - Mid(problem_.lower(i), problem_.upper(i), z[i] - work_.F[i]));
      if (!(r <= worst)) worst = std::isfinite(r) ? r : kInfinity;
    }
    return worst;
  }

  /// Keeps work_.z as the best point if it is; true at a solution.
  bool Remember(MixedNcpStage stage) {
    const double lambda = lambda_;
    lambda_ = 0;
    Evaluate(work_.z, false);
    lambda_ = lambda;
    const double residual = NaturalResidual(work_.z);
    if (residual < summary_.residual) {
      summary_.residual = residual;
      summary_.stage = stage;
      work_.best = work_.z;
    }
    return residual <= options_.tolerance;
  }

  bool FactorAndSolve() {
    work_.lu.compute(work_.H);
    ++summary_.iterations;
    work_.step = work_.lu.solve(work_.phi);
    const double smallest = work_.lu.matrixLU().diagonal().cwiseAbs().minCoeff();
    return smallest > 1e-14 * work_.H.cwiseAbs().maxCoeff() && work_.step.allFinite();
  }

  /// Newton steps on the min map: rows z - bound where z - F leaves the bounds, F elsewhere.
  bool MinMapSteps(int count, MixedNcpStage stage) {
    Evaluate(work_.z, true);
    double residual = NaturalResidual(work_.z);
    for (int k = 0; k < count && residual > 0; ++k) {
      if (!work_.J.allFinite()) return false;
      for (int i = 0; i < n_; ++i) {
        const double target = work_.z[i] - work_.F[i];
        const bool at_lower = target <= problem_.lower(i), at_upper = target >= problem_.upper(i);
        if (at_lower || at_upper) {
          work_.H.row(i).setZero();
          work_.H(i, i) = 1;
          work_.phi[i] = work_.z[i] - (at_lower ? problem_.lower(i) : problem_.upper(i));
        } else {
          work_.H.row(i) = work_.J.row(i);
          work_.phi[i] = work_.F[i];
        }
      }
      if (!FactorAndSolve()) break;
      work_.trial = work_.z;
      work_.z -= work_.step;
      Project(work_.z);
      Evaluate(work_.z, true);
      const double next = NaturalResidual(work_.z);
      if (!(next < residual)) {
        work_.z = work_.trial;
        break;
      }
      residual = next;
    }
    return lambda_ == 0 && Remember(stage);
  }

  /// Semismooth Newton on Phi (or on its smoothed, regularized form) until the residual is at most `tolerance`.
  bool NewtonSteps(double tolerance, int max_iterations) {
    double history[kMemory];
    std::fill(history, history + kMemory, 0.0);
    double damping = 1e-8;
    for (int k = 0; k < max_iterations; ++k) {
      Evaluate(work_.z, true);
      if (!work_.J.allFinite() || !work_.F.allFinite()) return false;
      const double merit = Reformulate(work_.z, true);
      if (work_.phi.cwiseAbs().maxCoeff() <= tolerance) return true;
      work_.H = work_.diagonal_b.asDiagonal() * work_.J;
      work_.H.diagonal() += work_.diagonal_a;
      work_.gradient.noalias() = work_.H.transpose() * work_.phi;
      const double gradient2 = work_.gradient.squaredNorm();
      if (!(gradient2 > 1e-28 * (1 + merit))) return false;  // a stationary point of the merit that is no solution

      // Newton's direction; where it does not exist or descend, the regularized Gauss-Newton one.
      bool newton = FactorAndSolve();
      double slope = newton ? work_.gradient.dot(work_.step) : 0;
      if (!newton || !(slope > 1e-10 * std::sqrt(gradient2) * work_.step.norm())) {
        work_.normal.noalias() = work_.H.transpose() * work_.H;
        damping = std::max(damping, 1e-10);
        work_.normal.diagonal().array() += damping * std::max(1.0, std::sqrt(2 * merit));
        const Eigen::LDLT<Eigen::Ref<Eigen::MatrixXd>> ldlt(work_.normal);
        work_.step = ldlt.solve(work_.gradient);
        if (!work_.step.allFinite()) work_.step = work_.gradient;
        slope = work_.gradient.dot(work_.step);
        if (!(slope > 0)) return false;
        newton = false;
      }

      // Non-monotone Armijo line search.
      history[k % kMemory] = merit;
      const double reference = *std::max_element(history, history + kMemory);
      work_.trial = work_.z;
      double length = 1;
      bool accepted = false;
      for (int halving = 0; halving < 40; ++halving, length *= 0.5) {
        work_.z = work_.trial - length * work_.step;
        Evaluate(work_.z, false);
        if (!work_.F.allFinite()) continue;
        if (Reformulate(work_.z, false) <= reference - 1e-4 * length * slope) {
          accepted = true;
          break;
        }
      }
      if (!accepted) {
        work_.z = work_.trial;
        if (newton || damping > 1e6) return false;
        damping *= 100;
        continue;
      }
      damping = length > 0.5 ? damping * 0.3 : damping * 3;
    }
    Evaluate(work_.z, false);
    Reformulate(work_.z, false);
    return work_.phi.cwiseAbs().maxCoeff() <= tolerance;
  }

  bool Stage(MixedNcpStage stage, bool restart) {
    const MixedNcpStage name = restart ? MixedNcpStage::kRestart : stage;
    mu_ = lambda_ = 0;
    NewtonSteps(0.01 * options_.tolerance, options_.max_iterations);
    return Remember(name) || MinMapSteps(6, name);
  }

  bool Attempt(Eigen::VectorXd& start, bool restart) {
    work_.center = start;
    if (MinMapSteps(options_.crash_iterations, restart ? MixedNcpStage::kRestart : MixedNcpStage::kCrash)) return true;
    if (Stage(MixedNcpStage::kNewton, restart)) return true;
    if (options_.smoothing) {
      work_.z = work_.center;
      for (mu_ = 1; mu_ > 1e-13; mu_ *= 0.1) {
        if (!NewtonSteps(std::max(0.1 * std::sqrt(mu_), 1e-12), options_.max_iterations / 4)) break;
      }
      if (Stage(MixedNcpStage::kSmoothing, restart)) return true;
    }
    if (options_.proximal) {
      work_.z = work_.center;
      const Eigen::VectorXd& first = work_.center;
      work_.z = first;
      for (lambda_ = 1; lambda_ > 1e-9; lambda_ *= 0.2) {
        work_.center = work_.z;
        if (!NewtonSteps(std::max(1e-3 * lambda_, 1e-12), options_.max_iterations / 4)) break;
      }
      if (Stage(MixedNcpStage::kProximal, restart)) return true;
    }
    return false;
  }

  /// Starting point number `index` beyond the given one.
  void OtherStart(const Eigen::VectorXd& z, int index) {
    std::uint64_t state = 0x9e3779b97f4a7c15ull * static_cast<std::uint64_t>(index + 1);
    const double scale = std::max(1.0, z.cwiseAbs().maxCoeff());
    for (int i = 0; i < n_; ++i) {
      // splitmix64
      std::uint64_t x = (state += 0x9e3779b97f4a7c15ull);
      x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
      x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
      const double uniform = static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1.0p-53;
      const double l = problem_.lower(i), u = problem_.upper(i);
      const double base = std::isfinite(l) ? l : std::isfinite(u) ? u : z[i];
      if (index == 0) work_.z[i] = base;
      if (index == 1) work_.z[i] = base + (std::isfinite(l) ? 1.0 : std::isfinite(u) ? -1.0 : 0.0);
      if (index > 1) {
        const double reach = scale * (1 << (index / 3));
        work_.z[i] = std::isfinite(l) ? l + reach * uniform : base + reach * (2 * uniform - 1);
      }
    }
    Project(work_.z);
  }

  const MixedNcp& problem_;
  MixedNcpWorkspace& work_;
  const MixedNcpOptions& options_;
  const int n_;
  double mu_ = 0, lambda_ = 0;
  MixedNcpSummary summary_;
};

MixedNcpSummary SolveMixedNcp(const MixedNcp& problem, Eigen::VectorXd& z, MixedNcpWorkspace& workspace,
                              const MixedNcpOptions& options) {
  return MixedNcpRun(problem, workspace, options).Solve(z);
}

}  // namespace ricochet
