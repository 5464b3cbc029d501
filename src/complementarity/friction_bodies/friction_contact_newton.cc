// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/friction_bodies/friction_contact_newton.h"

#include <algorithm>
#include <cmath>

namespace ricochet {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// prox and its derivative.
Vector3d ProjectWithSlope(const Vector3d& z, double mu, Matrix3d& slope) {
  slope.setZero();
  if (z[2] <= 0) return Vector3d::Zero();
  const double radius = mu * z[2], length = std::sqrt(z[0] * z[0] + z[1] * z[1]);
  if (length <= radius) {
    slope.setIdentity();
    return z;
  }
  const double ux = z[0] / length, uy = z[1] / length, shrink = radius / length;
  slope << shrink * uy * uy, -shrink * ux * uy, mu * ux,  //
      -shrink * ux * uy, shrink * ux * ux, mu * uy,       //
      0, 0, 1;
  return {radius * ux, radius * uy, z[2]};
}

class Solver {
 public:
  Solver(const FrictionContactProblem& problem, const NewtonContactOptions& options, NewtonContactWorkspace& workspace)
      : p_(problem), o_(options), w_(workspace) {}

  void Run(FrictionContactSolution& out) {
    const std::size_t n = p_.contacts.size();
    w_.r.resize(n);
    w_.slope.resize(n);
    w_.impulse.assign(n, Vector3d::Zero());
    w_.center.assign(n, Vector3d::Zero());
    w_.v = p_.free_velocity;
    w_.trial.resize(w_.v.size());
    w_.force.resize(w_.v.size());
    w_.direction.resize(w_.v.size());
    w_.pattern.clear();
    for (const FrictionContact& c : p_.contacts)
      if (c.other >= 0) w_.pattern.emplace_back(c.body, c.other);
    w_.matrix.Analyze(p_.body_count, w_.pattern);

    for (std::size_t i = 0; i < n; ++i) {
      const FrictionContact& c = p_.contacts[i];
      double mean = c.rows.squaredNorm() / 3;
      if (c.other >= 0) mean += c.other_rows.squaredNorm() / 3;
      w_.r[i] = o_.stiffness / mean;
    }

    double best = -1;
    FirstGuess();
    for (int round = 0; round < o_.max_rounds; ++round) {
      Round();
      // Velocities that balance the impulses exactly.
      Balance();
      w_.center = w_.impulse;
      const double residual = FrictionContactResidual(p_, w_.impulse, w_.v);
      const bool slow = o_.gain < 1 && round > 0 && residual > o_.gain * best;
      if (best < 0 || residual < best) {
        best = residual;
        w_.best_impulse = w_.impulse;
        w_.best_velocity = w_.v;
        stalled_ = 0;
      } else if (++stalled_ >= 4) {
        break;
      }
      if (best <= o_.tolerance || slow) break;
    }
    out.impulse = w_.best_impulse;
    out.velocity = w_.best_velocity;
    out.residual = best;
    out.converged = best <= o_.tolerance;
    out.iterations += iterations_;
  }

 private:
  /// F(v) in `force`, prox in `impulse`, slopes. Returns |F|^2.
  double Evaluate(const std::vector<Vector6d>& v) {
    for (std::size_t b = 0; b < v.size(); ++b) w_.force[b] = v[b] - p_.free_velocity[b];
    for (std::size_t i = 0; i < p_.contacts.size(); ++i) {
      const FrictionContact& c = p_.contacts[i];
      const Vector3d z = w_.center[i] - w_.r[i] * ContactVelocity(c, v);
      w_.impulse[i] = ProjectWithSlope(z, c.mu, w_.slope[i]);
      w_.force[c.body].noalias() -= c.rows * w_.impulse[i];
      if (c.other >= 0) w_.force[c.other].noalias() -= c.other_rows * w_.impulse[i];
    }
    double sum = 0;
    for (const Vector6d& f : w_.force) sum += f.squaredNorm();
    return sum;
  }

  /// direction = -(dF/dv)^-1 F with the slopes at hand.
  bool Direction() {
    w_.matrix.SetIdentity();
    for (std::size_t i = 0; i < p_.contacts.size(); ++i) {
      const FrictionContact& c = p_.contacts[i];
      const ContactRows left = c.rows * (w_.r[i] * w_.slope[i]);
      w_.matrix.At(c.body, c.body).noalias() += left * c.rows.transpose();
      if (c.other < 0) continue;
      const ContactRows other_left = c.other_rows * (w_.r[i] * w_.slope[i]);
      w_.matrix.At(c.body, c.other).noalias() += left * c.other_rows.transpose();
      w_.matrix.At(c.other, c.body).noalias() += other_left * c.rows.transpose();
      w_.matrix.At(c.other, c.other).noalias() += other_left * c.other_rows.transpose();
    }
    ++iterations_;
    if (!w_.matrix.Factor()) return false;
    for (std::size_t b = 0; b < w_.force.size(); ++b) w_.direction[b] = -w_.force[b];
    w_.matrix.Solve(w_.direction);
    return true;
  }

  /// Starts from the velocities at which every contact that is not clearly left holds.
  void FirstGuess() {
    for (Vector6d& f : w_.force) f.setZero();
    for (std::size_t i = 0; i < p_.contacts.size(); ++i) {
      const FrictionContact& c = p_.contacts[i];
      const Vector3d xi = ContactVelocity(c, w_.v);
      w_.slope[i].setZero();
      if (xi[2] > 1e-9 * xi.cwiseAbs().maxCoeff()) continue;
      w_.slope[i].setIdentity();
      const Vector3d push = -w_.r[i] * xi;
      w_.force[c.body].noalias() -= c.rows * push;
      if (c.other >= 0) w_.force[c.other].noalias() -= c.other_rows * push;
    }
    if (!Direction()) return;
    for (std::size_t b = 0; b < w_.v.size(); ++b) w_.v[b] += w_.direction[b];
  }

  /// Newton on F for the current center.
  void Round() {
    double value = Evaluate(w_.v);
    double scale = 0;
    for (std::size_t i = 0; i < w_.impulse.size(); ++i) scale += (p_.contacts[i].rows * w_.impulse[i]).squaredNorm();
    for (int k = 0; k < o_.max_newton; ++k) {
      if (value <= 1e-26 * scale) return;
      if (!Direction()) return;
      double length = 1;
      bool accepted = false;
      double trial_value = 0;
      for (int halving = 0; halving < 12; ++halving) {
        for (std::size_t b = 0; b < w_.v.size(); ++b) w_.trial[b] = w_.v[b] + length * w_.direction[b];
        trial_value = Evaluate(w_.trial);
        if (trial_value < (1 - 1e-4 * length) * value) {
          accepted = true;
          break;
        }
        length *= 0.5;
      }
      if (!accepted) {
        Evaluate(w_.v);
        return;
      }
      std::swap(w_.v, w_.trial);
      value = trial_value;
    }
  }

  void Balance() {
    w_.v = p_.free_velocity;
    for (std::size_t i = 0; i < p_.contacts.size(); ++i) {
      const FrictionContact& c = p_.contacts[i];
      w_.v[c.body].noalias() += c.rows * w_.impulse[i];
      if (c.other >= 0) w_.v[c.other].noalias() += c.other_rows * w_.impulse[i];
    }
  }

  const FrictionContactProblem& p_;
  const NewtonContactOptions& o_;
  NewtonContactWorkspace& w_;
  int iterations_ = 0;
  int stalled_ = 0;
};

}  // namespace

void SolveByNewton(const FrictionContactProblem& problem, const NewtonContactOptions& options,
                   NewtonContactWorkspace& workspace, FrictionContactSolution& solution) {
  Solver(problem, options, workspace).Run(solution);
}

}  // namespace ricochet
