// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/friction_one_body/friction_contact_pivot.h"

#include <algorithm>
#include <cmath>

#include "complementarity/friction/small_dense.h"

namespace ricochet {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr int kMax = kMaxSmallContacts;
constexpr int kMostRounds = 60;
constexpr int kLastSteps = 3;
constexpr double kSettled = 0.05;    // turns of friction's directions [rad]
constexpr double kFarOutside = 1.3;  // friction of the pivot, in its limits
constexpr double kVanishes = 1e-15;  // a slip at its shortest, relative to the slips without friction

class Pivot {
 public:
  Pivot(const PlaneContactProblem& problem, const PlaneMotion& motion, int j)
      : o_(problem), m_(motion), n_(problem.count), j_(j) {
    double size = 0;
    for (int i = 0; i < n_; ++i) {
      const double x = o_.p[i][0] - o_.p[j][0], y = o_.p[i][1] - o_.p[j][1];
      d_[i] = m_.base[i] - m_.base[j];
      e_[i] = {-y, x};
      size = std::max({size, std::abs(m_.base[i][0]), std::abs(m_.base[i][1])});
    }
    vanishes_ = kVanishes * size;
  }

  /// Impulses of a motion about contact j; false when there is none. Friction of j may be outside its cone.
  bool Solve(PlaneContactSolution& out) {
    FindBreaks();
    double low = -INFINITY, high = INFINITY;  // g(low) > 0 > g(high)
    int low_break = -1, high_break = -1;
    for (int k = 0; k < break_count_; ++k) {
      const int i = breaks_[k];
      if (!Evaluate(turn_[i])) return false;
      const double jump = shortest_[i] <= vanishes_ ? o_.mu * load_[i] * e_[i].norm() : 0;
      if (std::abs(g_) <= jump) return StickBoth(i, out);
      if (g_ > 0) {
        low = turn_[i], low_break = i;
      } else {
        high = turn_[i], high_break = i;
        break;
      }
    }
    if (!FindRoot(low, low_break, high, high_break)) return false;
    return Store(out);
  }

 private:
  Vector2d Slip(int i, double omega) const { return d_[i] + omega * e_[i]; }

  /// Spins at which slips are shortest, in order.
  void FindBreaks() {
    break_count_ = 0;
    for (int i = 0; i < n_; ++i) {
      if (i == j_) continue;
      turn_[i] = -d_[i].dot(e_[i]) / e_[i].squaredNorm();
      shortest_[i] = Slip(i, turn_[i]).norm();
      int k = break_count_++;
      for (; k > 0 && turn_[breaks_[k - 1]] > turn_[i]; --k) breaks_[k] = breaks_[k - 1];
      breaks_[k] = i;
    }
  }

  /// Directions of friction at this spin and how they turn with it; then Balance.
  bool Evaluate(double omega) {
    omega_ = omega;
    tx_ = -m_.base[j_][0] + omega * o_.p[j_][1];
    ty_ = -m_.base[j_][1] - omega * o_.p[j_][0];
    for (int i = 0; i < n_; ++i) {
      q_[i].setZero();
      turning_[i].setZero();
      const Vector2d slip = Slip(i, omega);
      const double length = slip.norm();
      if (i == j_ || !(length > 0)) continue;
      const double inverse = 1 / length, over = o_.mu * inverse;
      const double across = (slip[0] * e_[i][1] - slip[1] * e_[i][0]) * (inverse * inverse);
      q_[i] = over * slip;
      turning_[i] = over * across * Vector2d(-slip[1], slip[0]);
    }
    return Balance();
  }

  /// Loads and g for these directions, and the slope of g at fixed loads.
  bool Balance() {
    const Vector3d& pj = o_.p[j_];
    // Sums of X and Y vanish, so that the mean load carries the normal momentum.
    const double mean = m_.known[0] / n_;
    double rest1 = m_.known[1] + o_.I(0, 2) * omega_ + pj[2] * o_.mass * ty_;
    double rest2 = m_.known[2] + o_.I(1, 2) * omega_ - pj[2] * o_.mass * tx_;
    double A11 = 0, A12 = 0, A21 = 0, A22 = 0;
    for (int i = 0; i < n_; ++i) {
      const Vector3d& p = o_.p[i];
      const double z = p[2] - pj[2], X = m_.r[i][0], Y = m_.r[i][1];
      const double e1 = p[1] + z * q_[i][1], e2 = -p[0] - z * q_[i][0];
      rest1 -= e1 * mean;
      rest2 -= e2 * mean;
      A11 += e1 * X;
      A12 += e1 * Y;
      A21 += e2 * X;
      A22 += e2 * Y;
    }
    const double determinant = A11 * A22 - A12 * A21;
    if (!(std::abs(determinant) > 0)) return false;
    const double d = 1 / determinant, ax = (A22 * rest1 - A12 * rest2) * d, ay = (A11 * rest2 - A21 * rest1) * d;
    g_ = o_.mass * (pj[0] * ty_ - pj[1] * tx_) - m_.known[3] - o_.I(2, 2) * omega_;
    slope_ = -o_.mass * (pj[0] * pj[0] + pj[1] * pj[1]) - o_.I(2, 2);
    for (int i = 0; i < n_; ++i) {
      load_[i] = mean + ax * m_.r[i][0] + ay * m_.r[i][1];
      g_ -= load_[i] * e_[i].dot(q_[i]);
      slope_ -= std::max(0.0, load_[i]) * e_[i].dot(turning_[i]);
    }
    return std::isfinite(g_);
  }

  /// The root between two breaks (g falls from `low` to `high`), or beyond the last one.
  bool FindRoot(double low, int low_break, double high, int high_break) {
    // The slopes at both ends are those of short slips: start from the nearer break, outward.
    double omega = std::isfinite(low) ? low : high;
    if (std::isfinite(low) && std::isfinite(high)) {
      if (!Evaluate(high)) return false;
      const double from_high = high - g_ / slope_;
      if (!Evaluate(low)) return false;
      const double from_low = low - g_ / slope_;
      omega = from_low - low < high - from_high ? from_low : from_high;
      if (!(omega > low && omega < high)) omega = 0.5 * (low + high);
    } else {
      if (!Evaluate(omega)) return false;
      omega -= g_ / slope_;
    }
    for (int round = 0; round < kMostRounds; ++round) {
      if (!Evaluate(omega)) return false;
      (g_ > 0 ? low : high) = omega;
      const double change = -g_ / slope_;
      if (std::abs(change) <= 4e-16 * std::abs(omega) || g_ == 0) return true;
      if (SlidesToo(change)) return false;
      double next = omega + change;
      if (!(next > low && next < high)) next = Between(low, low_break, high, high_break);
      if (next == omega || !(next > low && next < high)) return true;  // the bracket is down to rounding
      omega = next;
    }
    return false;
  }

  /// Whether contact j would slide as well: directions are nearly settled, and its friction is far outside the cone.
  bool SlidesToo(double change) const {
    double turn2 = 0, fx = o_.mass * tx_, fy = o_.mass * ty_;
    for (int i = 0; i < n_; ++i) {
      turn2 = std::max(turn2, turning_[i].squaredNorm());
      fx += load_[i] * q_[i][0];
      fy += load_[i] * q_[i][1];
    }
    const double limit = kFarOutside * o_.mu * load_[j_], most = kSettled * o_.mu;
    return turn2 * change * change < most * most && fx * fx + fy * fy > limit * limit;
  }

  /// A point of the bracket: the geometric mean of the distances from the break that is near.
  double Between(double low, int low_break, double high, int high_break) const {
    if (low_break >= 0 && high_break >= 0) {
      const double from = turn_[low_break], to = turn_[high_break];
      if (low > from && high - from < to - low) return from + std::sqrt((low - from) * (high - from));
      if (high < to && to - low < high - from) return to - std::sqrt((to - low) * (to - high));
    } else if (low_break >= 0 && low > turn_[low_break]) {
      return turn_[low_break] + std::sqrt((low - turn_[low_break]) * (high - turn_[low_break]));
    } else if (high_break >= 0 && high < turn_[high_break]) {
      return turn_[high_break] - std::sqrt((turn_[high_break] - low) * (turn_[high_break] - high));
    }
    return 0.5 * (low + high);
  }

  bool Store(PlaneContactSolution& out) {
    // The last steps are smaller than a spin can be written down: they turn the directions alone.
    for (int round = 0; round < kLastSteps; ++round) {
      const double change = -g_ / slope_;
      for (int i = 0; i < n_; ++i) q_[i] += change * turning_[i];
      if (!Balance()) return false;
    }
    double fx = o_.mass * tx_, fy = o_.mass * ty_;
    for (int i = 0; i < n_; ++i) {
      if (load_[i] < 0) return false;
      fx += load_[i] * q_[i][0];
      fy += load_[i] * q_[i][1];
      out.impulse[i] = {-load_[i] * q_[i][0], -load_[i] * q_[i][1], load_[i]};
      out.mode[i] = FrictionMode::kSlide;
    }
    out.impulse[j_] = {fx, fy, load_[j_]};
    out.mode[j_] = FrictionMode::kStick;
    return true;
  }

  /// Contact i sticks as well, at the spin that was evaluated last.
  bool StickBoth(int i, PlaneContactSolution& out) const {
    unsigned stick = 1u << j_ | 1u << i;
    std::array<Vector2d, kMax> u;
    for (int k = 0; k < n_; ++k) {
      const Vector2d slip = Slip(k, omega_);
      const double length = slip.norm();
      if (length <= vanishes_) {
        stick |= 1u << k;
      } else {
        u[k] = slip / length;
      }
    }
    const Vector3d force(o_.mass * tx_, o_.mass * ty_, m_.known[0]);
    const Vector3d about_center(m_.known[1] + o_.I(0, 2) * omega_, m_.known[2] + o_.I(1, 2) * omega_,
                                m_.known[3] + o_.I(2, 2) * omega_);
    return MixedImpulses(o_, m_, stick, u, force, about_center - m_.centroid.cross(force), out);
  }

  const PlaneContactProblem& o_;
  const PlaneMotion& m_;
  const int n_, j_;
  double vanishes_ = 0;
  Vector2d d_[kMax], e_[kMax];
  double turn_[kMax], shortest_[kMax];  // per contact: the spin of its shortest slip, and that slip
  int breaks_[kMax], break_count_ = 0;

  // At the spin evaluated last.
  double omega_ = 0, tx_ = 0, ty_ = 0, g_ = 0, slope_ = 0;
  double load_[kMax];
  Vector2d q_[kMax], turning_[kMax];  // friction is -load q; turning: change of q per spin
};

}  // namespace

bool MixedImpulses(const PlaneContactProblem& problem, const PlaneMotion& motion, unsigned stick,
                   const std::array<Vector2d, kMax>& u, const Vector3d& force, const Vector3d& torque,
                   PlaneContactSolution& solution) {
  const double mu = problem.mu;
  double S[6][7] = {};
  for (int i = 0; i < problem.count; ++i) {
    const Vector3d& r = motion.r[i];
    // P = f + y x r by (f, y): rows of P_x, P_y, P_z.
    double rows[3][6] = {
        {1, 0, 0, 0, r[2], -r[1]},
        {0, 1, 0, -r[2], 0, r[0]},
        {0, 0, 1, r[1], -r[0], 0},
    };
    if (!(stick >> i & 1))
      for (int k = 0; k < 6; ++k) {
        rows[0][k] = -mu * u[i][0] * rows[2][k];
        rows[1][k] = -mu * u[i][1] * rows[2][k];
      }
    for (int k = 0; k < 6; ++k) {
      S[0][k] += rows[0][k];
      S[1][k] += rows[1][k];
      S[2][k] += rows[2][k];
      S[3][k] += r[1] * rows[2][k] - r[2] * rows[1][k];
      S[4][k] += r[2] * rows[0][k] - r[0] * rows[2][k];
      S[5][k] += r[0] * rows[1][k] - r[1] * rows[0][k];
    }
  }
  for (int k = 0; k < 3; ++k) {
    S[k][6] = force[k];
    S[3 + k][6] = torque[k];
  }
  if (!EliminateRows(S, 6)) return false;
  const Vector3d f(S[0][6], S[1][6], S[2][6]), y(S[3][6], S[4][6], S[5][6]);
  for (int i = 0; i < problem.count; ++i) {
    Vector3d P = f + y.cross(motion.r[i]);
    if (P[2] < 0) return false;
    const bool sticks = stick >> i & 1;
    if (!sticks) P.head<2>() = -mu * P[2] * u[i];
    solution.impulse[i] = P;
    solution.mode[i] = sticks ? FrictionMode::kStick : FrictionMode::kSlide;
  }
  return true;
}

bool SolvePivot(const PlaneContactProblem& problem, const PlaneMotion& motion, double tolerance, unsigned pivots,
                PlaneContactSolution& solution) {
  PlaneContactSolution trial;
  double least = INFINITY;
  const int before = solution.iterations;
  for (int j = 0; j < problem.count; ++j) {
    if (!(pivots >> j & 1)) continue;
    if (!Pivot(problem, motion, j).Solve(trial) || !VerifyPlaneContact(problem, tolerance, trial)) continue;
    double norm2 = 0;
    for (int i = 0; i < problem.count; ++i) norm2 += trial.impulse[i].squaredNorm();
    if (!(norm2 < least)) continue;
    least = norm2;
    solution = trial;
  }
  solution.iterations = before + 1;
  return std::isfinite(least);
}

}  // namespace ricochet
