// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/friction_one_body/friction_contact_soft.h"

#include <algorithm>
#include <cmath>

#include "complementarity/friction/small_dense.h"

namespace ricochet {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kStiffness = 1e4;      // r times the mean of the diagonal of J J^T
constexpr double kNearlySolved = 1e-8;  // residual above which other ways are tried
constexpr int kRounds = 24, kStalls = 4, kNewton = 30, kHalvings = 12;
constexpr double kPolished = 1e-2;  // residual from which on modes are believed
constexpr int kMostChosen = 4, kHeldRounds = 5;

class Solver {
 public:
  Solver(const SoftContactProblem& problem, SmallContactSolution& out) : p_(problem), out_(out) {
    n_ = problem.contacts.count;
    Restart(1);
  }

  void Run(double tolerance) {
    out_.residual = -1;
    Vector6d w = FirstGuess();
    Rounds(tolerance, w);
    // Newton that was caught in a kink: friction that grows with the slip, ever more steeply. Contacts that cannot all
    // stick: rounds that gain less each.
    for (const double part : {1.0, 1e-2, 1e-3}) {
      if (Good(tolerance)) break;
      w.setZero();
      for (double steep = 1e-3; steep < part; steep *= 10) {
        Restart(steep);
        Newton(w);
      }
      Restart(part);
      Rounds(tolerance, w);
    }
    // Friction taken up from none, each time from the velocity with less of it.
    for (const int stages : {8, 32}) {
      if (Good(tolerance)) break;
      Restart(1);
      w.setZero();
      for (int k = 0; k < stages; ++k) {
        friction_ = static_cast<double>(k) / stages;
        Newton(w);
        for (int i = 0; i < n_; ++i) center_[i] = impulse_[i].head<2>();
      }
      friction_ = 1;
      Rounds(tolerance, w);
    }
    // From every choice of contacts that stick.
    for (const double part : {1.0, 1e-3}) {
      for (unsigned choice = 0; choice < 1u << std::min(n_, kMostChosen) && !Good(tolerance); ++choice) {
        Restart(part);
        w = FirstGuess(choice);
        Rounds(tolerance, w);
      }
    }
    out_.iterations = iterations_;
    out_.converged = out_.residual >= 0 && out_.residual <= tolerance;
  }

 private:
  void Restart(double part) {
    for (int i = 0; i < n_; ++i) {
      const ContactRows& J = p_.contacts.rows[i];
      r_[i] = part * kStiffness / (0.5 * (J.col(0).squaredNorm() + J.col(1).squaredNorm()));
      center_[i].setZero();
    }
  }

  bool Good(double tolerance) const {
    return out_.residual >= 0 && out_.residual <= std::max(tolerance, kNearlySolved);
  }

  /// Proximal points from w; the best goes to the output.
  void Rounds(double tolerance, Vector6d& w) {
    SmallContactSolution trial, best;
    best.residual = -1;
    int stalled = 0;
    for (int round = 0; round < kRounds && stalled < kStalls; ++round) {
      Newton(w);
      Take(trial);
      ++stalled;
      if (best.residual < 0 || trial.residual < best.residual) {
        best = trial;
        stalled = 0;
      }
      if (best.residual <= tolerance) break;
      for (int i = 0; i < n_; ++i) center_[i] = impulse_[i].head<2>();
    }
    if (best.residual > tolerance && best.residual < kPolished) HoldModes(tolerance, best);
    if (out_.residual < 0 || best.residual < out_.residual) out_ = best;
  }

  /// The contacts that stick, slide and are open in `best` go on doing so: no cone in the way of Newton.
  void HoldModes(double tolerance, SmallContactSolution& best) {
    held_ = true;
    Vector6d w = best.change;
    for (int i = 0; i < n_; ++i) {
      mode_[i] = best.mode[i];
      center_[i].setZero();
      if (mode_[i] == FrictionMode::kStick) center_[i] = best.impulse[i].head<2>();
    }
    SmallContactSolution trial;
    for (int round = 0; round < kHeldRounds && best.residual > tolerance; ++round) {
      Newton(w);
      Take(trial);
      if (trial.residual < best.residual) best = trial;
      for (int i = 0; i < n_; ++i)
        if (mode_[i] == FrictionMode::kStick) center_[i] = impulse_[i].head<2>();
    }
    held_ = false;
  }

  /// What the contacts would do if those that are approached stuck.
  Vector6d FirstGuess(unsigned choice = ~0u) {
    for (int i = 0; i < n_; ++i) {
      const Vector3d& b = p_.contacts.b[i];
      slope_[i].setZero();
      impulse_[i].setZero();
      if (b[2] >= 0 || !(choice >> i & 1)) continue;
      slope_[i].diagonal() << r_[i], r_[i], 1 / p_.softness[i];
      impulse_[i] = -slope_[i].diagonal().cwiseProduct(b);
    }
    force_.setZero();
    for (int i = 0; i < n_; ++i) force_.noalias() -= p_.contacts.rows[i] * impulse_[i];
    Vector6d w = Vector6d::Zero();
    if (Direction()) w = direction_;
    return w;
  }

  /// Impulses, their slopes and F at w. |F|^2.
  double Evaluate(const Vector6d& w) {
    force_ = w;
    for (int i = 0; i < n_; ++i) {
      const ContactRows& J = p_.contacts.rows[i];
      const Vector3d xi = p_.contacts.b[i] + J.transpose() * w;
      slope_[i].setZero();
      impulse_[i].setZero();
      if (held_ ? mode_[i] == FrictionMode::kOpen : xi[2] >= 0) continue;
      const double inverse = 1 / p_.softness[i], normal = -xi[2] * inverse, mu = friction_ * p_.contacts.mu[i];
      const Vector2d z = center_[i] - r_[i] * xi.head<2>();
      const double length = std::sqrt(z.squaredNorm()), radius = mu * normal;
      slope_[i](2, 2) = inverse;
      if (held_ ? mode_[i] == FrictionMode::kStick : length <= radius) {
        slope_[i](0, 0) = slope_[i](1, 1) = r_[i];
        impulse_[i] << z, normal;
      } else {
        const Vector2d u = z / length;
        const double across = r_[i] * radius / length;
        slope_[i](0, 0) = across * u[1] * u[1];
        slope_[i](1, 1) = across * u[0] * u[0];
        slope_[i](0, 1) = slope_[i](1, 0) = -across * u[0] * u[1];
        slope_[i](0, 2) = mu * inverse * u[0];
        slope_[i](1, 2) = mu * inverse * u[1];
        impulse_[i] << radius * u, normal;
      }
      force_.noalias() -= J * impulse_[i];
    }
    return force_.squaredNorm();
  }

  /// direction_ = -(I + sum J slope J^T)^-1 F.
  bool Direction() {
    ++iterations_;
    Eigen::Matrix<double, 6, 6> matrix = Eigen::Matrix<double, 6, 6>::Identity();
    for (int i = 0; i < n_; ++i) {
      if (slope_[i](2, 2) == 0) continue;
      const ContactRows left = p_.contacts.rows[i] * slope_[i];
      matrix.noalias() += left * p_.contacts.rows[i].transpose();
    }
    double S[6][7];
    for (int i = 0; i < 6; ++i) {
      for (int k = 0; k < 6; ++k) S[i][k] = matrix(i, k);
      S[i][6] = -force_[i];
    }
    if (!EliminateRows(S, 6)) return false;
    for (int i = 0; i < 6; ++i) direction_[i] = S[i][6];
    return true;
  }

  void Newton(Vector6d& w) {
    double value = Evaluate(w), scale = 0;
    for (int i = 0; i < n_; ++i) scale += (p_.contacts.rows[i] * impulse_[i]).squaredNorm();
    for (int k = 0; k < kNewton; ++k) {
      if (value <= 1e-28 * scale || !Direction()) return;
      double length = 1;
      bool accepted = false;
      for (int halving = 0; halving < kHalvings && !accepted; ++halving, length *= 0.5) {
        const Vector6d trial = w + length * direction_;
        const double trial_value = Evaluate(trial);
        if (trial_value >= (1 - 1e-4 * length) * value) continue;
        accepted = true;
        w = trial;
        value = trial_value;
      }
      if (!accepted) {
        Evaluate(w);
        return;
      }
    }
  }

  /// Impulses with the velocity that balances them.
  void Take(SmallContactSolution& out) const {
    out.change.setZero();
    for (int i = 0; i < n_; ++i) {
      out.impulse[i] = impulse_[i];
      out.change.noalias() += p_.contacts.rows[i] * impulse_[i];
      const bool stuck = slope_[i](0, 0) == r_[i] && slope_[i](1, 1) == r_[i];
      out.mode[i] = impulse_[i][2] <= 0 ? FrictionMode::kOpen : stuck ? FrictionMode::kStick : FrictionMode::kSlide;
    }
    out.residual = SoftContactResidual(p_, out);
  }

  const SoftContactProblem& p_;
  SmallContactSolution& out_;
  int n_ = 0, iterations_ = 0;
  double friction_ = 1;  // part of the coefficients that acts
  bool held_ = false;    // contacts keep mode_
  std::array<FrictionMode, kMaxSmallContacts> mode_;
  std::array<double, kMaxSmallContacts> r_;
  std::array<Vector2d, kMaxSmallContacts> center_;
  std::array<Vector3d, kMaxSmallContacts> impulse_;
  std::array<Eigen::Matrix3d, kMaxSmallContacts> slope_;  // -dP / dxi
  Vector6d force_, direction_;
};

}  // namespace

double SoftContactResidual(const SoftContactProblem& problem, const SmallContactSolution& solution) {
  double scale = 0, worst = 0;
  for (int i = 0; i < problem.contacts.count; ++i) {
    const ContactRows& J = problem.contacts.rows[i];
    const Vector3d& P = solution.impulse[i];
    scale = std::max(scale, problem.contacts.b[i].cwiseAbs().maxCoeff());
    Vector3d xi = problem.contacts.b[i] + J.transpose() * solution.change;
    xi[2] += problem.softness[i] * P[2];
    const double inverse_r = (J.squaredNorm() + problem.softness[i]) / 3;
    const Vector3d fixed = P - ProjectImpulse(P - xi / inverse_r, problem.contacts.mu[i]);
    worst = std::max(worst, inverse_r * fixed.cwiseAbs().maxCoeff());
  }
  return scale > 0 ? worst / scale : worst;
}

void SolveSoftContact(const SoftContactProblem& problem, double tolerance, SmallContactSolution& solution) {
  Solver(problem, solution).Run(tolerance);
}

}  // namespace ricochet
