// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/friction_one_body/friction_contact_line.h"

#include <algorithm>
#include <cmath>

#include "complementarity/friction/friction_contact_local.h"
#include "complementarity/friction/small_dense.h"

namespace ricochet {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr int kMostRounds = 12;

class LineContact {
 public:
  LineContact(const PlaneContactProblem& problem, double tolerance, PlaneContactSolution& out)
      : o_(problem), out_(out), mu_(problem.mu), tolerance_(tolerance) {
    Vector3d arm[2][3], turned[2][3];
    for (int i = 0; i < 2; ++i) {
      const Vector3d& p = o_.p[i];
      arm[i][0] = {0, p[2], -p[1]};
      arm[i][1] = {-p[2], 0, p[0]};
      arm[i][2] = {p[1], -p[0], 0};
      for (int k = 0; k < 3; ++k) turned[i][k] = Times3(o_.I_inverse, arm[i][k]);
    }
    for (int i = 0; i < 2; ++i)
      for (int j = i; j < 2; ++j)
        for (int k = 0; k < 3; ++k) {
          for (int l = 0; l < 3; ++l) W_[i][j](l, k) = arm[i][l].dot(turned[j][k]);
          W_[i][j](k, k) += 1 / o_.mass;
        }
    W_[1][0] = W_[0][1].transpose();
  }

  bool Solve() {
    for (int i = 0; i < 2; ++i)
      if (o_.b[i][2] >= 0 && Alone(1 - i)) return true;
    const bool slides = WouldSlide(o_.b[0], mu_) && WouldSlide(o_.b[1], mu_);
    if (slides && Slide(o_.b[0].head<2>(), o_.b[1].head<2>())) return true;
    if (parts_ >= 0 && Alone(1 - parts_)) return true;
    if (Stick()) return true;
    const Vector2d against[2] = {-out_.impulse[0].head<2>(), -out_.impulse[1].head<2>()};
    const int first = excess_[0] <= excess_[1] ? 0 : 1;
    if (StickOne(first) || StickOne(1 - first)) return true;
    if (Slide(against[0], against[1])) return true;
    return Alone(0) || Alone(1);
  }

 private:
  bool Verify() {
    ++out_.iterations;
    return VerifyPlaneContact(o_, tolerance_, out_);
  }

  bool InCone(const Vector3d& P) const {
    const double limit = mu_ * P[2];
    return P[2] >= 0 && P[0] * P[0] + P[1] * P[1] <= limit * limit * (1 + 2e-12);
  }

  bool Alone(int i) {
    const LocalSolution local = SolveLocalContact(W_[i][i], o_.b[i], mu_);
    out_.impulse[i] = local.impulse;
    out_.mode[i] = local.mode;
    out_.impulse[1 - i].setZero();
    out_.mode[1 - i] = FrictionMode::kOpen;
    return Verify();
  }

  // --- Contact j sticks.

  /// P_j = -(y + X P_m), and what that leaves of contact m: D and q.
  bool Eliminate(int j) {
    const int m = 1 - j;
    Matrix3d inverse;
    if (!Invert3(W_[j][j], inverse)) return false;
    X_ = inverse * W_[j][m];
    y_ = Times3(inverse, o_.b[j]);
    D_ = W_[m][m] - W_[m][j] * X_;
    q_ = o_.b[m] - Times3(W_[m][j], y_);
    return true;
  }

  bool Stick() {
    if (!Eliminate(0)) return false;
    const Vector3d r = (o_.p[1] - o_.p[0]).normalized();
    Matrix3d inverse;
    if (!Invert3(D_ + (0.5 * D_.trace()) * r * r.transpose(), inverse)) return false;
    Vector3d P1 = -Times3(inverse, q_);
    Vector3d P0 = -(y_ + Times3(X_, P1));
    const double along = 0.5 * (P0 - P1).dot(r);
    P0 -= along * r;
    P1 += along * r;
    out_.impulse[0] = P0;
    out_.impulse[1] = P1;
    for (int i = 0; i < 2; ++i) {
      const Vector3d& P = out_.impulse[i];
      excess_[i] = std::sqrt(P[0] * P[0] + P[1] * P[1]) - mu_ * P[2];
      out_.mode[i] = FrictionMode::kStick;
    }
    return InCone(P0) && InCone(P1) && Verify();
  }

  bool StickOne(int j) {
    if (!Eliminate(j)) return false;
    const LocalSolution local = SolveLocalContact(D_, q_, mu_);
    out_.impulse[1 - j] = local.impulse;
    out_.mode[1 - j] = local.mode;
    out_.impulse[j] = -(y_ + Times3(X_, local.impulse));
    out_.mode[j] = FrictionMode::kStick;
    return InCone(out_.impulse[j]) && Verify();
  }

  // --- Both slide.

  /// From slips along `start0` and `start1`.
  bool Slide(const Vector2d& start0, const Vector2d& start1) {
    parts_ = -1;
    Vector2d u[2] = {start0, start1};
    for (int i = 0; i < 2; ++i) {
      const double length = u[i].norm();
      if (!(length > 0)) return false;
      u[i] /= length;
    }
    for (int round = 0; round < kMostRounds; ++round) {
      // Velocities per load, and per load and angle.
      Vector3d pushed[2][2], turned[2][2];
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
          const Matrix3d& W = W_[i][j];
          const double x = mu_ * u[j][0], y = mu_ * u[j][1];
          for (int k = 0; k < 3; ++k) {
            pushed[i][j][k] = W(k, 2) - W(k, 0) * x - W(k, 1) * y;
            turned[i][j][k] = W(k, 0) * y - W(k, 1) * x;
          }
        }
      const double a = pushed[0][0][2], b = pushed[0][1][2], c = pushed[1][0][2], d = pushed[1][1][2];
      const double inverse = 1 / (a * d - b * c);
      const double N[2] = {(b * o_.b[1][2] - d * o_.b[0][2]) * inverse, (c * o_.b[0][2] - a * o_.b[1][2]) * inverse};
      // A contact that pulls twice in a row parts, most likely.
      const int pulls = N[0] < 0 ? 0 : N[1] < 0 ? 1 : -1;
      if (pulls >= 0 && pulls == parts_) return false;
      parts_ = pulls;
      double across[2], along[2];
      for (int i = 0; i < 2; ++i) {
        const double x = o_.b[i][0] + pushed[i][0][0] * N[0] + pushed[i][1][0] * N[1];
        const double y = o_.b[i][1] + pushed[i][0][1] * N[0] + pushed[i][1][1] * N[1];
        across[i] = u[i][0] * y - u[i][1] * x;
        along[i] = u[i][0] * x + u[i][1] * y;
      }
      if (std::abs(across[0]) + std::abs(across[1]) <= 0.1 * tolerance_ * o_.scale) {
        if (!(N[0] >= 0 && N[1] >= 0 && along[0] >= 0 && along[1] >= 0)) return false;
        for (int i = 0; i < 2; ++i) {
          out_.impulse[i] = {-mu_ * N[i] * u[i][0], -mu_ * N[i] * u[i][1], N[i]};
          out_.mode[i] = FrictionMode::kSlide;
        }
        return Verify();
      }
      // Change of `across` with the angles, loads following.
      double S[2][2];
      for (int k = 0; k < 2; ++k) {
        const double z0 = turned[0][k][2] * N[k], z1 = turned[1][k][2] * N[k];
        const double n0 = (b * z1 - d * z0) * inverse, n1 = (c * z0 - a * z1) * inverse;
        for (int i = 0; i < 2; ++i) {
          const double x = turned[i][k][0] * N[k] + pushed[i][0][0] * n0 + pushed[i][1][0] * n1;
          const double y = turned[i][k][1] * N[k] + pushed[i][0][1] * n0 + pushed[i][1][1] * n1;
          S[i][k] = u[i][0] * y - u[i][1] * x - (i == k ? along[i] : 0);
        }
      }
      const double over = 1 / (S[0][0] * S[1][1] - S[0][1] * S[1][0]);
      const double turn[2] = {(S[0][1] * across[1] - S[1][1] * across[0]) * over,
                              (S[1][0] * across[0] - S[0][0] * across[1]) * over};
      for (int i = 0; i < 2; ++i) {
        if (!std::isfinite(turn[i])) return false;
        // Away from a root where friction would drive the slip.
        const double angle = along[i] > 0 ? std::clamp(turn[i], -1.0, 1.0) : std::copysign(1.0, across[i]);
        const double x = u[i][0] - angle * u[i][1], y = u[i][1] + angle * u[i][0];
        const double shrink = 1 / std::sqrt(1 + angle * angle);
        u[i] = {x * shrink, y * shrink};
      }
    }
    return false;
  }

  const PlaneContactProblem& o_;
  PlaneContactSolution& out_;
  const double mu_, tolerance_;
  Matrix3d W_[2][2];
  Matrix3d X_, D_;
  Vector3d y_, q_;
  int parts_ = -1;         // contact that pulled when Slide gave up
  double excess_[2] = {};  // friction beyond the cone where both stick
};

}  // namespace

bool SolveLineContact(const PlaneContactProblem& problem, double tolerance, PlaneContactSolution& solution) {
  return LineContact(problem, tolerance, solution).Solve();
}

}  // namespace ricochet
