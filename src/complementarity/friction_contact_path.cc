// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/friction_contact_path.h"

#include <algorithm>
#include <cmath>

#include "complementarity/small_dense.h"

namespace ricochet {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr int kMaxRows = 3 * kMaxSmallContacts;
constexpr int kMaxUnknowns = 6 + 2 * kMaxSmallContacts;
constexpr double kDependent = 1e-9;  // a row this much shorter after orthogonalisation depends on those before it
constexpr int kStageRounds = 15, kPathRounds = 300;

Vector2d Perpendicular(const Vector2d& g) { return {-g[1], g[0]}; }

class ImpulseNewton {
 public:
  ImpulseNewton(const SmallContactProblem& problem, double tolerance, SmallContactSolution& best)
      : problem_(problem), best_(best), n_(problem.count) {
    for (int i = 0; i < n_; ++i) {
      scale_ = std::max(scale_, problem.b[i].cwiseAbs().maxCoeff());
      inverse_r_[i] = problem.rows[i].squaredNorm() / 3;
    }
    tolerance_ = tolerance * scale_;
  }

  void TakeModes() {
    for (int i = 0; i < n_; ++i) {
      now_.mode[i] = best_.mode[i];
      now_.impulse[i] = now_.mode[i] == FrictionMode::kOpen ? Vector3d(0, 0, 0) : best_.impulse[i];
    }
    Balance();
    for (int i = 0; i < n_; ++i)
      if (now_.mode[i] == FrictionMode::kSlide) StartSliding(i);
  }

  /// Sharp friction, modes corrected on the way.
  bool Polish(int max_rounds) {
    bool new_rows = true;
    double last = -1;
    int stale = 0;
    for (int round = 0; round < max_rounds; ++round) {
      if (new_rows) {
        FindBasis();
        last = -1;
      }
      if (!SharpStep()) return false;
      const double residual = Keep();
      if (residual <= tolerance_) return true;
      // While Newton gains, what its curvature leaves in the velocities says nothing about modes.
      const bool gains = last < 0 || residual < 0.1 * last;
      new_rows = !gains && CorrectModes(residual);
      stale = gains || new_rows ? 0 : stale + 1;
      if (stale > 2) return false;
      last = residual;
    }
    return false;
  }

  bool Follow(double start, bool warm) {
    for (int i = 0; i < n_; ++i) {
      const bool closed = warm ? best_.mode[i] != FrictionMode::kOpen && best_.impulse[i][2] > 0 : problem_.b[i][2] < 0;
      now_.mode[i] = closed ? FrictionMode::kSlide : FrictionMode::kOpen;
      now_.impulse[i] = warm && closed ? best_.impulse[i] : Vector3d(0, 0, 0);
    }
    Balance();
    FindBasis();
    Iterate last_good = now_;
    double s = start, last_s = -1, factor = 0.1;
    int wakes = 0;
    bool stick_tried = false;
    auto tried = now_.mode;
    while (s > 1e-15 * scale_ && rounds_ < kPathRounds) {
      const int stage_start = rounds_;
      if (!Stage(s)) {
        factor = std::sqrt(factor);
        if (last_s < 0 || factor > 0.9) return false;
        now_ = last_good;
        Evaluate();
        FindBasis();
        s = last_s * factor;
        continue;
      }
      if (wakes < 2 && WakeIdle()) {
        ++wakes;
        continue;
      }
      const double trend = last_s > 0 ? std::sqrt(s / last_s) : 0;
      last_good = now_;
      last_s = s;
      // What the stage has, and what it suggests: slips that fall with s are sticking, slips below 3 s may be.
      for (int rule = 0; rule < 2; ++rule) {
        ModesFromSmooth(rule == 0 ? trend : 0, rule == 0 ? 0 : 3 * s);
        const bool all_stick = AllStick();
        if ((rule == 1 && now_.mode == tried) || (all_stick && stick_tried)) {
          now_ = last_good;
          continue;
        }
        stick_tried = stick_tried || all_stick;
        tried = now_.mode;
        Balance();
        if (Keep() <= tolerance_) return true;
        for (int i = 0; i < n_; ++i)
          if (now_.mode[i] == FrictionMode::kSlide) StartSliding(i);
        if (Polish(16)) return true;
        now_ = last_good;
        Evaluate();
      }
      for (int i = 0; i < n_; ++i) last_slip_[i] = xi_[i].head<2>().norm();
      FindBasis();
      if (rounds_ - stage_start < 8) factor = std::max(0.1, factor * std::sqrt(factor));
      s *= factor;
    }
    return false;
  }

 private:
  struct Row {
    int contact, axis;
  };
  struct Iterate {
    std::array<FrictionMode, kMaxSmallContacts> mode;
    std::array<Vector3d, kMaxSmallContacts> impulse;
    Vector6d w;  // v - v_free; on the path not yet the sum of impulses
  };

  bool Closed(int i) const { return now_.mode[i] != FrictionMode::kOpen; }
  bool AllStick() const {
    for (int i = 0; i < n_; ++i)
      if (now_.mode[i] == FrictionMode::kSlide) return false;
    return true;
  }
  double Limit(int i) const { return problem_.mu[i] * std::max(0.0, now_.impulse[i][2]); }

  Vector6d SumOfImpulses() const {
    Vector6d sum = Vector6d::Zero();
    for (int i = 0; i < n_; ++i)
      if (Closed(i)) sum.noalias() += problem_.rows[i] * now_.impulse[i];
    return sum;
  }

  /// xi_ from w.
  void Evaluate() {
    for (int i = 0; i < n_; ++i) {
      xi_[i] = problem_.b[i];
      xi_[i].noalias() += problem_.rows[i].transpose() * now_.w;
    }
  }

  /// w and xi_ from the impulses.
  void Balance() {
    now_.w = SumOfImpulses();
    Evaluate();
  }

  /// The residual [m/s]; the best so far is stored.
  double Keep() {
    double worst = 0;
    for (int i = 0; i < n_; ++i) {
      const Vector3d& P = now_.impulse[i];
      const Vector3d fixed = P - ProjectImpulse(P - xi_[i] / inverse_r_[i], problem_.mu[i]);
      worst = std::max(worst, inverse_r_[i] * fixed.cwiseAbs().maxCoeff());
    }
    if (best_.residual < 0 || worst < best_.residual * scale_) {
      for (int i = 0; i < n_; ++i) {
        best_.impulse[i] = now_.impulse[i];
        best_.mode[i] = now_.mode[i];
      }
      best_.change = now_.w;
      best_.residual = worst / scale_;
      best_.converged = worst <= tolerance_;
    }
    return worst;
  }

  double& RowImpulse(const Row& row) { return now_.impulse[row.contact][row.axis]; }

  /// Rows that hold, C = L Q, and their impulses brought into the range: x = L z.
  void FindBasis() {
    row_count_ = 0;
    for (int i = 0; i < n_; ++i)
      if (Closed(i)) rows_[row_count_++] = {i, 2};
    for (int i = 0; i < n_; ++i) {
      if (now_.mode[i] != FrictionMode::kStick) continue;
      rows_[row_count_++] = {i, 0};
      rows_[row_count_++] = {i, 1};
    }
    rank_ = 0;
    for (int row = 0; row < row_count_ && rank_ < 6; ++row) {
      Vector6d q = problem_.rows[rows_[row].contact].col(rows_[row].axis);
      const double length = q.norm();
      for (int pass = 0; pass < 2; ++pass)
        for (int k = 0; k < rank_; ++k) q -= Q_.col(k).dot(q) * Q_.col(k);
      const double rest = q.norm();
      if (rest > kDependent * length) Q_.col(rank_++) = q / rest;
    }
    double sum[6] = {};
    for (int k = 0; k < 6; ++k) gram_.col(k).setZero();
    for (int row = 0; row < row_count_; ++row) {
      const Vector6d c = problem_.rows[rows_[row].contact].col(rows_[row].axis);
      for (int k = 0; k < rank_; ++k) L_(row, k) = Q_.col(k).dot(c);
      for (int k = 0; k < rank_; ++k) {
        for (int j = 0; j < rank_; ++j) gram_(j, k) += L_(row, j) * L_(row, k);
        sum[k] += L_(row, k) * RowImpulse(rows_[row]);
      }
    }
    SolveGram(sum, z_);
    for (int row = 0; row < row_count_; ++row) {
      double x = 0;
      for (int k = 0; k < rank_; ++k) x += L_(row, k) * z_[k];
      RowImpulse(rows_[row]) = x;
    }
  }

  /// (L^T L)^-1 right.
  void SolveGram(const double* right, double* out) const {
    double S[6][7];
    for (int i = 0; i < rank_; ++i) {
      for (int k = 0; k < rank_; ++k) S[i][k] = gram_(i, k);
      S[i][rank_] = right[i];
    }
    EliminateRows<7>(S, rank_);
    for (int i = 0; i < rank_; ++i) out[i] = S[i][rank_];
  }

  /// First rows of the Newton systems: Q dw = -L^+ xi_C with dw = columns * unknowns - rest_.
  void ContactEquations(int size) {
    double sum[6] = {};
    for (int row = 0; row < row_count_; ++row)
      for (int k = 0; k < rank_; ++k) sum[k] -= L_(row, k) * xi_[rows_[row].contact][rows_[row].axis];
    SolveGram(sum, sum);
    for (int k = 0; k < rank_; ++k) {
      for (int u = 0; u < size; ++u) M_[k][u] = Q_.col(k).dot(columns_.col(u));
      M_[k][size] = sum[k] + Q_.col(k).dot(rest_);
    }
  }

  /// Columns dw / dz.
  void NormalColumns(bool friction_follows) {
    for (int k = 0; k < rank_; ++k) columns_.col(k).setZero();
    for (int row = 0; row < row_count_; ++row) {
      const auto [i, axis] = rows_[row];
      Vector6d along = problem_.rows[i].col(axis);
      if (friction_follows && axis == 2 && now_.mode[i] == FrictionMode::kSlide) {
        along -= (problem_.mu[i] * direction_[i][0]) * problem_.rows[i].col(0) +
                 (problem_.mu[i] * direction_[i][1]) * problem_.rows[i].col(1);
      }
      for (int k = 0; k < rank_; ++k) columns_.col(k) += L_(row, k) * along;
    }
  }

  bool SharpStep() {
    ++best_.iterations;
    rest_.setZero();
    // Contacts without load have no friction to turn.
    std::array<int, kMaxSmallContacts> turning;
    int count = 0;
    for (int i = 0; i < n_; ++i)
      if (now_.mode[i] == FrictionMode::kSlide && Limit(i) > 0) turning[count++] = i;
    const int size = rank_ + count;
    NormalColumns(true);
    for (int c = 0; c < count; ++c) {
      const int i = turning[c];
      const Vector2d across = Perpendicular(direction_[i]);
      columns_.col(rank_ + c) = across[0] * problem_.rows[i].col(0) + across[1] * problem_.rows[i].col(1);
    }
    ContactEquations(size);
    for (int c = 0; c < count; ++c) {
      const int i = turning[c];
      for (int u = 0; u < size; ++u) M_[rank_ + c][u] = columns_.col(rank_ + c).dot(columns_.col(u));
      const double slip = direction_[i].dot(xi_[i].head<2>());
      M_[rank_ + c][rank_ + c] += std::max(0.0, slip) / Limit(i);
      M_[rank_ + c][size] = -Perpendicular(direction_[i]).dot(xi_[i].head<2>());
    }
    if (!EliminateScaledRows<kMaxUnknowns + 1>(M_, size)) return false;
    for (int c = 0; c < count; ++c) {
      const int i = turning[c];
      // At most half a radian at once.
      const double turn = std::clamp(M_[rank_ + c][size] / Limit(i), -0.5, 0.5);
      direction_[i] = (direction_[i] - turn * Perpendicular(direction_[i])).normalized();
    }
    AddNormals(size);
    for (int i = 0; i < n_; ++i)
      if (now_.mode[i] == FrictionMode::kSlide) now_.impulse[i].head<2>() = -Limit(i) * direction_[i];
    Balance();
    return true;
  }

  void AddNormals(int size) {
    for (int row = 0; row < row_count_; ++row) {
      double x = 0;
      for (int k = 0; k < rank_; ++k) x += L_(row, k) * M_[k][size];
      RowImpulse(rows_[row]) += x;
    }
  }

  /// Newton at smoothing s. True when settled.
  bool Stage(double s) {
    for (int round = 0; round < kStageRounds; ++round) {
      double change = 0;
      if (!SmoothStep(s, change)) return false;
      if (OpenAndClose()) {
        FindBasis();
        continue;
      }
      if (change <= 0.1 * s) return true;
    }
    return false;
  }

  /// One step; `change` is the largest of |d xi_T| and of what the impulses are short of w.
  bool SmoothStep(double s, double& change) {
    ++best_.iterations;
    ++rounds_;
    std::array<int, kMaxSmallContacts> sliding;
    int count = 0;
    for (int i = 0; i < n_; ++i)
      if (Closed(i)) sliding[count++] = i;
    const int size = rank_ + 2 * count;
    NormalColumns(false);
    for (int c = 0; c < count; ++c)
      for (int axis = 0; axis < 2; ++axis) columns_.col(rank_ + 2 * c + axis) = problem_.rows[sliding[c]].col(axis);
    rest_ = now_.w - SumOfImpulses();
    ContactEquations(size);
    for (int c = 0; c < count; ++c) {
      const int i = sliding[c], at = rank_ + 2 * c;
      const Vector2d xi = xi_[i].head<2>(), P = now_.impulse[i].head<2>();
      const double rho = std::sqrt(xi.squaredNorm() + s * s), limit = Limit(i);
      // mu P_N I + (P_T u^T + u P_T^T) / 2, u = xi_T / rho
      const double ux = xi[0] / rho, uy = xi[1] / rho, cross = 0.5 * (P[0] * uy + P[1] * ux);
      const double h00 = limit + P[0] * ux, h11 = limit + P[1] * uy;
      const auto through = [&](const auto& w, double& first, double& second) {
        const double t0 = problem_.rows[i].col(0).dot(w), t1 = problem_.rows[i].col(1).dot(w);
        first = h00 * t0 + cross * t1;
        second = cross * t0 + h11 * t1;
      };
      for (int u = 0; u < size; ++u) through(columns_.col(u), M_[at][u], M_[at + 1][u]);
      through(rest_, M_[at][size], M_[at + 1][size]);
      for (int row = 0; row < row_count_; ++row) {
        if (rows_[row].contact != i) continue;
        for (int k = 0; k < rank_; ++k) {
          M_[at][k] += problem_.mu[i] * xi[0] * L_(row, k);
          M_[at + 1][k] += problem_.mu[i] * xi[1] * L_(row, k);
        }
      }
      for (int axis = 0; axis < 2; ++axis) {
        M_[at + axis][at + axis] += rho;
        M_[at + axis][size] -= rho * P[axis] + limit * xi[axis];
      }
    }
    if (!EliminateScaledRows<kMaxUnknowns + 1>(M_, size)) return false;
    Vector6d dw = -rest_;
    for (int u = 0; u < size; ++u) dw += M_[u][size] * columns_.col(u);
    AddNormals(size);
    for (int c = 0; c < count; ++c) {
      Vector3d& P = now_.impulse[sliding[c]];
      for (int axis = 0; axis < 2; ++axis) P[axis] += M_[rank_ + 2 * c + axis][size];
      // Back into the cone; w, which friction would drag along, stays.
      const double limit = Limit(sliding[c]), friction = P.head<2>().norm();
      if (friction > limit) P.head<2>() *= limit / friction;
    }
    now_.w += dw;
    Evaluate();
    rest_ = now_.w - SumOfImpulses();
    for (int c = 0; c < count; ++c) {
      const ContactRows& J = problem_.rows[sliding[c]];
      for (int axis = 0; axis < 2; ++axis) change = std::max(change, std::abs(J.col(axis).dot(dw)));
      change = std::max(change, (J.transpose() * rest_).cwiseAbs().maxCoeff());
    }
    return true;
  }

  /// On the path: contacts that pull open, open ones that are approached close. True when there was one.
  bool OpenAndClose() {
    bool changed = false;
    for (int i = 0; i < n_; ++i) {
      const bool opens = Closed(i) && now_.impulse[i][2] < 0;
      const bool closes = !Closed(i) && xi_[i][2] < -1e-13 * scale_;
      if (!opens && !closes) continue;
      now_.mode[i] = opens ? FrictionMode::kOpen : FrictionMode::kSlide;
      now_.impulse[i].setZero();
      changed = true;
    }
    return changed;
  }

  /// An open contact that stays in touch and that the least-norm impulses of the others would push shares the load.
  bool WakeIdle() {
    Vector6d y = Vector6d::Zero();
    double sum[6] = {}, z[6];
    for (int row = 0; row < row_count_; ++row)
      for (int k = 0; k < rank_; ++k) sum[k] += L_(row, k) * RowImpulse(rows_[row]);
    SolveGram(sum, z);
    for (int k = 0; k < rank_; ++k) y += z[k] * Q_.col(k);
    bool woken = false;
    for (int i = 0; i < n_; ++i) {
      if (Closed(i) || xi_[i][2] > 1e-10 * scale_) continue;
      if (!(problem_.rows[i].col(2).dot(y) * inverse_r_[i] > 1e-10 * scale_)) continue;
      now_.mode[i] = FrictionMode::kSlide;
      now_.impulse[i].setZero();
      woken = true;
    }
    if (!woken) return false;
    FindBasis();
    return true;
  }

  /// A contact sticks that slips less than `slip` or than `trend` times its slip in the stage before.
  void ModesFromSmooth(double trend, double slip) {
    for (int i = 0; i < n_; ++i) {
      if (!Closed(i)) continue;
      const double now = xi_[i].head<2>().norm();
      now_.mode[i] = now < slip || now < trend * last_slip_[i] ? FrictionMode::kStick : FrictionMode::kSlide;
    }
  }

  /// Slides against its friction, or along its slip where it has none.
  void StartSliding(int i) {
    now_.mode[i] = FrictionMode::kSlide;
    Vector3d& P = now_.impulse[i];
    const double slip = xi_[i].head<2>().norm(), friction = P.head<2>().norm();
    if (friction > 0) {
      direction_[i] = -P.head<2>() / friction;
    } else if (slip > 0) {
      direction_[i] = xi_[i].head<2>() / slip;
    } else {
      now_.mode[i] = FrictionMode::kStick;
      return;
    }
    P.head<2>() = -Limit(i) * direction_[i];
  }

  /// Changes modes that fail. True when the rows that hold changed.
  bool CorrectModes(double residual) {
    bool changed = false;
    for (int i = 0; i < n_; ++i) {
      const Vector3d& P = now_.impulse[i];
      if (!Closed(i)) {
        if (xi_[i][2] >= -0.5 * tolerance_) continue;
        now_.impulse[i].setZero();
        StartSliding(i);
        changed = true;
      } else if (P[2] < 0 || xi_[i][2] > std::max(0.9 * residual, tolerance_)) {
        now_.mode[i] = FrictionMode::kOpen;
        now_.impulse[i].setZero();
        changed = true;
      } else if (now_.mode[i] == FrictionMode::kSlide) {
        if (direction_[i].dot(xi_[i].head<2>()) >= -0.5 * tolerance_) continue;
        now_.mode[i] = FrictionMode::kStick;
        changed = true;
      } else if (P.head<2>().norm() > Limit(i) * (1 + 1e-12)) {
        StartSliding(i);
        changed = true;
      }
    }
    if (changed) Balance();
    return changed;
  }

  const SmallContactProblem& problem_;
  SmallContactSolution& best_;
  const int n_;
  double scale_ = 0, tolerance_ = 0;  // [m/s]
  int rounds_ = 0;                    // of the path
  std::array<double, kMaxSmallContacts> inverse_r_;
  Iterate now_{};
  std::array<double, kMaxSmallContacts> last_slip_{};  // of the stage before [m/s]
  Vector6d rest_;                                      // w - sum of impulses
  std::array<Vector3d, kMaxSmallContacts> xi_;
  std::array<Vector2d, kMaxSmallContacts> direction_;  // g of sliding contacts
  std::array<Row, kMaxRows> rows_;
  int row_count_ = 0, rank_ = 0;
  Eigen::Matrix<double, 6, 6> Q_;                   // columns: orthonormal basis of the rows that hold
  Eigen::Matrix<double, kMaxRows, 6> L_;            // rows in that basis
  Eigen::Matrix<double, 6, 6> gram_;                // L^T L
  double z_[6];                                     // impulses of the rows: x = L z
  Eigen::Matrix<double, 6, kMaxUnknowns> columns_;  // dw by the unknowns
  double M_[kMaxUnknowns][kMaxUnknowns + 1];
};

}  // namespace

bool PolishSmallContact(const SmallContactProblem& problem, double tolerance, int max_rounds,
                        SmallContactSolution& solution) {
  ImpulseNewton newton(problem, tolerance, solution);
  newton.TakeModes();
  return newton.Polish(max_rounds);
}

bool FollowSmoothedFriction(const SmallContactProblem& problem, double tolerance, double start, bool warm,
                            SmallContactSolution& solution) {
  return ImpulseNewton(problem, tolerance, solution).Follow(start, warm);
}

}  // namespace ricochet
