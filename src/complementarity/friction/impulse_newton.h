// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Frictional contact in impulses: Newton's method for contacts that cannot all stick.
//
// Tangential restitution takes gamma^- at the start orientation and gamma^+ at the midpoint, so the corners of a box
// that rocks at w [rad/s] require velocities that no rigid motion has, by about e_T h w^2 times its size: they cannot
// all stick. Coulomb's law then wants full friction where corners slip, if only by picometers per second, and the
// directions of those slips decide how the load is shared. In velocities this is lost in double precision: friction
// turns by a radian when the velocity changes by the slip. In impulses it is a plain equation: with w = sum J_i^T P_i
// put in exactly and the friction's direction g an unknown of its own (P_T = -mu P_N g, |g| = 1), a sliding contact
// has to satisfy
//
//   g_perp . xi_T = 0,   g . xi_T >= 0,     where an error of the angle counts as the angle times the slip.
//
// Sharp friction, modes given. Let C be the rows that hold (normals of closed contacts, tangents of sticking ones),
// C = L Q with orthonormal rows Q, x = L z their impulses (least norm) and a_i the change of friction along g_perp:
//
//   Q dw = -L^+ xi_C,    g_perp . J_T dw + a slip / (mu P_N) = -g_perp . xi_T,
//   dw = C^T L dz + sum over sliding of J_T^T (-mu g dP_N + a g_perp).
//
// The modes come from a path: friction smoothed to rho P_T + mu P_N xi_T = 0, rho = sqrt(|xi_T|^2 + s^2), whose
// solution lies inside the cone. Each stage is solved by primal-dual Newton (Chan, Golub and Mulet 1999, for sums of
// norms), in which the slope uses the friction found last in place of -xi_T / rho, with steps cut to stay inside the
// cone as in interior-point methods. s falls, slower after a stage that failed, which is tried again from the last good
// one. After each stage the modes it suggests are tried with sharp friction.
//
// `Size` fixes the storage: friction_contact_path.cc has one body in fixed arrays, friction_contact_island.cc bodies
// that touch each other in arrays that grow. Problem: count, rows (a column per axis t1, t2, n), b, mu per contact;
// Solution: impulse and mode per contact, change = w, residual (negative: nothing yet), converged, iterations.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "complementarity/friction/friction_contact.h"
#include "complementarity/friction/small_dense.h"

namespace ricochet {

template <typename Size>
class ImpulseNewton {
 public:
  using Problem = typename Size::Problem;
  using Solution = typename Size::Solution;

  /// `problem` and `best` are used until the next call.
  void Begin(const Problem& problem, double tolerance, Solution& best) {
    problem_ = &problem;
    best_ = &best;
    n_ = problem.count;
    rounds_ = 0;
    scale_ = 0;
    MakeRoom();
    for (int i = 0; i < n_; ++i) {
      scale_ = std::max(scale_, problem.b[i].cwiseAbs().maxCoeff());
      inverse_r_[i] = problem.rows[i].squaredNorm() / 3;
      last_slip_[i] = 0;
    }
    tolerance_ = tolerance * scale_;
  }

  void TakeModes() {
    for (int i = 0; i < n_; ++i) {
      now_.mode[i] = best_->mode[i];
      now_.impulse[i] = now_.mode[i] == FrictionMode::kOpen ? Vector3d(0, 0, 0) : best_->impulse[i];
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
      const bool closed =
          warm ? best_->mode[i] != FrictionMode::kOpen && best_->impulse[i][2] > 0 : problem_->b[i][2] < 0;
      now_.mode[i] = closed ? FrictionMode::kSlide : FrictionMode::kOpen;
      now_.impulse[i] = warm && closed ? best_->impulse[i] : Vector3d(0, 0, 0);
    }
    Balance();
    FindBasis();
    last_good_ = now_;
    double s = start, last_s = -1, factor = 0.1;
    int wakes = 0;
    bool stick_tried = false;
    tried_ = now_.mode;
    while (s > 1e-15 * scale_ && rounds_ < kPathRounds) {
      const int stage_start = rounds_;
      if (!Stage(s)) {
        factor = std::sqrt(factor);
        if (last_s < 0 || factor > 0.9) return false;
        now_ = last_good_;
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
      last_good_ = now_;
      last_s = s;
      // What the stage has, and what it suggests: slips that fall with s are sticking, slips below 3 s may be.
      for (int rule = 0; rule < 2; ++rule) {
        ModesFromSmooth(rule == 0 ? trend : 0, rule == 0 ? 0 : 3 * s);
        const bool all_stick = AllStick();
        if ((rule == 1 && now_.mode == tried_) || (all_stick && stick_tried)) {
          now_ = last_good_;
          continue;
        }
        stick_tried = stick_tried || all_stick;
        tried_ = now_.mode;
        Balance();
        if (Keep() <= tolerance_) return true;
        for (int i = 0; i < n_; ++i)
          if (now_.mode[i] == FrictionMode::kSlide) StartSliding(i);
        if (Polish(16)) return true;
        now_ = last_good_;
        Evaluate();
      }
      for (int i = 0; i < n_; ++i) last_slip_[i] = xi_[i].template head<2>().norm();
      FindBasis();
      if (rounds_ - stage_start < 8) factor = std::max(0.1, factor * std::sqrt(factor));
      s *= factor;
    }
    return false;
  }

 private:
  using Vector = typename Size::Vector;
  template <typename T>
  using PerContact = typename Size::template PerContact<T>;

  static constexpr double kDependent = 1e-9;  // a row this much shorter after orthogonalization depends on those before
  static constexpr int kStageRounds = 15, kPathRounds = 300;
  using Vector2d = Eigen::Vector2d;
  using Vector3d = Eigen::Vector3d;

  static Vector2d Perpendicular(const Vector2d& g) { return {-g[1], g[0]}; }

  struct Row {
    int contact, axis;
  };
  struct Iterate {
    PerContact<FrictionMode> mode;
    PerContact<Vector3d> impulse;
    Vector w;  // v - v_free; on the path not yet the sum of impulses
  };

  /// Sizes what the problem does not fix; numbers per contact are written before they are read.
  void MakeRoom() {
    if constexpr (Size::kGrows) {
      const int freedoms = Freedoms(), unknowns = freedoms + 2 * n_;
      for (Vector* x : {&now_.w, &last_good_.w, &rest_, &sum_, &work_}) x->resize(freedoms);
      now_.mode.resize(n_);
      now_.impulse.resize(n_);
      inverse_r_.resize(n_);
      last_slip_.resize(n_);
      xi_.resize(n_);
      direction_.resize(n_);
      chosen_.resize(n_);
      rows_.resize(3 * n_);
      Q_.resize(freedoms, freedoms);
      gram_.resize(freedoms, freedoms);
      L_.resize(3 * n_, freedoms);
      columns_.resize(freedoms, unknowns);
      M_.Resize(unknowns);
      S_.Resize(freedoms);
    }
  }

  int Freedoms() const {
    if constexpr (Size::kGrows) return problem_->freedoms;
    return 6;
  }

  bool Closed(int i) const { return now_.mode[i] != FrictionMode::kOpen; }
  bool AllStick() const {
    for (int i = 0; i < n_; ++i)
      if (now_.mode[i] == FrictionMode::kSlide) return false;
    return true;
  }
  double Limit(int i) const { return problem_->mu[i] * std::max(0.0, now_.impulse[i][2]); }

  void SumOfImpulses(Vector& sum) const {
    sum.setZero();
    for (int i = 0; i < n_; ++i)
      if (Closed(i)) sum.noalias() += problem_->rows[i] * now_.impulse[i];
  }

  void FindRest() {
    SumOfImpulses(rest_);
    rest_ = now_.w - rest_;
  }

  /// xi_ from w.
  void Evaluate() {
    for (int i = 0; i < n_; ++i) {
      xi_[i] = problem_->b[i];
      xi_[i].noalias() += problem_->rows[i].transpose() * now_.w;
    }
  }

  /// w and xi_ from the impulses.
  void Balance() {
    SumOfImpulses(now_.w);
    Evaluate();
  }

  /// The residual [m/s]; the best so far is stored.
  double Keep() {
    double worst = 0;
    for (int i = 0; i < n_; ++i) {
      const Vector3d& P = now_.impulse[i];
      const Vector3d fixed = P - ProjectImpulse(P - xi_[i] / inverse_r_[i], problem_->mu[i]);
      worst = std::max(worst, inverse_r_[i] * fixed.cwiseAbs().maxCoeff());
    }
    if (best_->residual < 0 || worst < best_->residual * scale_) {
      for (int i = 0; i < n_; ++i) {
        best_->impulse[i] = now_.impulse[i];
        best_->mode[i] = now_.mode[i];
      }
      best_->change = now_.w;
      best_->residual = worst / scale_;
      best_->converged = worst <= tolerance_;
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
    for (int row = 0; row < row_count_ && rank_ < Freedoms(); ++row) {
      work_ = problem_->rows[rows_[row].contact].col(rows_[row].axis);
      const double length = work_.norm();
      for (int pass = 0; pass < 2; ++pass)
        for (int k = 0; k < rank_; ++k) work_ -= Q_.col(k).dot(work_) * Q_.col(k);
      const double rest = work_.norm();
      if (rest > kDependent * length) Q_.col(rank_++) = work_ / rest;
    }
    gram_.setZero();
    sum_.setZero();
    for (int row = 0; row < row_count_; ++row) {
      const auto c = problem_->rows[rows_[row].contact].col(rows_[row].axis);
      for (int k = 0; k < rank_; ++k) L_(row, k) = Q_.col(k).dot(c);
      for (int k = 0; k < rank_; ++k) {
        for (int j = 0; j < rank_; ++j) gram_(j, k) += L_(row, j) * L_(row, k);
        sum_[k] += L_(row, k) * RowImpulse(rows_[row]);
      }
    }
    SolveGram();
    for (int row = 0; row < row_count_; ++row) {
      double x = 0;
      for (int k = 0; k < rank_; ++k) x += L_(row, k) * sum_[k];
      RowImpulse(rows_[row]) = x;
    }
  }

  /// sum_ <- (L^T L)^-1 sum_.
  void SolveGram() {
    for (int i = 0; i < rank_; ++i) {
      for (int k = 0; k < rank_; ++k) S_[i][k] = gram_(i, k);
      S_[i][rank_] = sum_[i];
    }
    EliminateRows(S_, rank_);
    for (int i = 0; i < rank_; ++i) sum_[i] = S_[i][rank_];
  }

  /// First rows of the Newton systems: Q dw = -L^+ xi_C with dw = columns * unknowns - rest_.
  void ContactEquations(int size) {
    sum_.setZero();
    for (int row = 0; row < row_count_; ++row)
      for (int k = 0; k < rank_; ++k) sum_[k] -= L_(row, k) * xi_[rows_[row].contact][rows_[row].axis];
    SolveGram();
    for (int k = 0; k < rank_; ++k) {
      for (int u = 0; u < size; ++u) M_[k][u] = Q_.col(k).dot(columns_.col(u));
      M_[k][size] = sum_[k] + Q_.col(k).dot(rest_);
    }
  }

  /// Columns dw / dz.
  void NormalColumns(bool friction_follows) {
    for (int k = 0; k < rank_; ++k) columns_.col(k).setZero();
    for (int row = 0; row < row_count_; ++row) {
      const auto [i, axis] = rows_[row];
      work_ = problem_->rows[i].col(axis);
      if (friction_follows && axis == 2 && now_.mode[i] == FrictionMode::kSlide) {
        work_ -= (problem_->mu[i] * direction_[i][0]) * problem_->rows[i].col(0) +
                 (problem_->mu[i] * direction_[i][1]) * problem_->rows[i].col(1);
      }
      for (int k = 0; k < rank_; ++k) columns_.col(k) += L_(row, k) * work_;
    }
  }

  bool SharpStep() {
    ++best_->iterations;
    rest_.setZero();
    // Contacts without load have no friction to turn.
    int count = 0;
    for (int i = 0; i < n_; ++i)
      if (now_.mode[i] == FrictionMode::kSlide && Limit(i) > 0) chosen_[count++] = i;
    const int size = rank_ + count;
    NormalColumns(true);
    for (int c = 0; c < count; ++c) {
      const int i = chosen_[c];
      const Vector2d across = Perpendicular(direction_[i]);
      columns_.col(rank_ + c) = across[0] * problem_->rows[i].col(0) + across[1] * problem_->rows[i].col(1);
    }
    ContactEquations(size);
    for (int c = 0; c < count; ++c) {
      const int i = chosen_[c];
      for (int u = 0; u < size; ++u) M_[rank_ + c][u] = columns_.col(rank_ + c).dot(columns_.col(u));
      const double slip = direction_[i].dot(xi_[i].template head<2>());
      M_[rank_ + c][rank_ + c] += std::max(0.0, slip) / Limit(i);
      M_[rank_ + c][size] = -Perpendicular(direction_[i]).dot(xi_[i].template head<2>());
    }
    if (!EliminateScaledRows(M_, size)) return false;
    for (int c = 0; c < count; ++c) {
      const int i = chosen_[c];
      // At most half a radian at once.
      const double turn = std::clamp(M_[rank_ + c][size] / Limit(i), -0.5, 0.5);
      direction_[i] = (direction_[i] - turn * Perpendicular(direction_[i])).normalized();
    }
    AddNormals(size);
    for (int i = 0; i < n_; ++i)
      if (now_.mode[i] == FrictionMode::kSlide) now_.impulse[i].template head<2>() = -Limit(i) * direction_[i];
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
    ++best_->iterations;
    ++rounds_;
    int count = 0;
    for (int i = 0; i < n_; ++i)
      if (Closed(i)) chosen_[count++] = i;
    const int size = rank_ + 2 * count;
    NormalColumns(false);
    for (int c = 0; c < count; ++c)
      for (int axis = 0; axis < 2; ++axis) columns_.col(rank_ + 2 * c + axis) = problem_->rows[chosen_[c]].col(axis);
    FindRest();
    ContactEquations(size);
    for (int c = 0; c < count; ++c) {
      const int i = chosen_[c], at = rank_ + 2 * c;
      const Vector2d xi = xi_[i].template head<2>(), P = now_.impulse[i].template head<2>();
      const double rho = std::sqrt(xi.squaredNorm() + s * s), limit = Limit(i);
      // mu P_N I + (P_T u^T + u P_T^T) / 2, u = xi_T / rho
      const double ux = xi[0] / rho, uy = xi[1] / rho, cross = 0.5 * (P[0] * uy + P[1] * ux);
      const double h00 = limit + P[0] * ux, h11 = limit + P[1] * uy;
      const auto through = [&](const auto& w, double& first, double& second) {
        const double t0 = problem_->rows[i].col(0).dot(w), t1 = problem_->rows[i].col(1).dot(w);
        first = h00 * t0 + cross * t1;
        second = cross * t0 + h11 * t1;
      };
      for (int u = 0; u < size; ++u) through(columns_.col(u), M_[at][u], M_[at + 1][u]);
      through(rest_, M_[at][size], M_[at + 1][size]);
      for (int row = 0; row < row_count_; ++row) {
        if (rows_[row].contact != i) continue;
        for (int k = 0; k < rank_; ++k) {
          M_[at][k] += problem_->mu[i] * xi[0] * L_(row, k);
          M_[at + 1][k] += problem_->mu[i] * xi[1] * L_(row, k);
        }
      }
      for (int axis = 0; axis < 2; ++axis) {
        M_[at + axis][at + axis] += rho;
        M_[at + axis][size] -= rho * P[axis] + limit * xi[axis];
      }
    }
    if (!EliminateScaledRows(M_, size)) return false;
    work_ = -rest_;
    for (int u = 0; u < size; ++u) work_ += M_[u][size] * columns_.col(u);
    AddNormals(size);
    for (int c = 0; c < count; ++c) {
      Vector3d& P = now_.impulse[chosen_[c]];
      for (int axis = 0; axis < 2; ++axis) P[axis] += M_[rank_ + 2 * c + axis][size];
      // Back into the cone; w, which friction would drag along, stays.
      const double limit = Limit(chosen_[c]), friction = P.template head<2>().norm();
      if (friction > limit) P.template head<2>() *= limit / friction;
    }
    now_.w += work_;
    Evaluate();
    FindRest();
    for (int c = 0; c < count; ++c) {
      const auto& J = problem_->rows[chosen_[c]];
      for (int axis = 0; axis < 2; ++axis) change = std::max(change, std::abs(J.col(axis).dot(work_)));
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
    sum_.setZero();
    for (int row = 0; row < row_count_; ++row)
      for (int k = 0; k < rank_; ++k) sum_[k] += L_(row, k) * RowImpulse(rows_[row]);
    SolveGram();
    work_.setZero();
    for (int k = 0; k < rank_; ++k) work_ += sum_[k] * Q_.col(k);
    bool woken = false;
    for (int i = 0; i < n_; ++i) {
      if (Closed(i) || xi_[i][2] > 1e-10 * scale_) continue;
      if (!(problem_->rows[i].col(2).dot(work_) * inverse_r_[i] > 1e-10 * scale_)) continue;
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
      const double now = xi_[i].template head<2>().norm();
      now_.mode[i] = now < slip || now < trend * last_slip_[i] ? FrictionMode::kStick : FrictionMode::kSlide;
    }
  }

  /// Slides against its friction, or along its slip where it has none.
  void StartSliding(int i) {
    now_.mode[i] = FrictionMode::kSlide;
    Vector3d& P = now_.impulse[i];
    const double slip = xi_[i].template head<2>().norm(), friction = P.template head<2>().norm();
    if (friction > 0) {
      direction_[i] = -P.template head<2>() / friction;
    } else if (slip > 0) {
      direction_[i] = xi_[i].template head<2>() / slip;
    } else {
      now_.mode[i] = FrictionMode::kStick;
      return;
    }
    P.template head<2>() = -Limit(i) * direction_[i];
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
        if (direction_[i].dot(xi_[i].template head<2>()) >= -0.5 * tolerance_) continue;
        now_.mode[i] = FrictionMode::kStick;
        changed = true;
      } else if (P.template head<2>().norm() > Limit(i) * (1 + 1e-12)) {
        StartSliding(i);
        changed = true;
      }
    }
    if (changed) Balance();
    return changed;
  }

  const Problem* problem_ = nullptr;
  Solution* best_ = nullptr;
  int n_ = 0;
  double scale_ = 0, tolerance_ = 0;  // [m/s]
  int rounds_ = 0;                    // of the path
  Iterate now_{}, last_good_{};
  PerContact<FrictionMode> tried_;
  PerContact<double> inverse_r_, last_slip_;  // slip of the stage before [m/s]
  PerContact<Vector3d> xi_;
  PerContact<Vector2d> direction_;            // g of sliding contacts
  PerContact<int> chosen_;                    // contacts of a step's unknowns
  typename Size::template PerRow<Row> rows_;  // that hold
  int row_count_ = 0, rank_ = 0;
  Vector rest_;                     // w - sum of impulses
  Vector sum_, work_;               // scratch
  typename Size::Square Q_;         // columns: orthonormal basis of the rows that hold
  typename Size::Square gram_;      // L^T L
  typename Size::RowsInBasis L_;    // rows in that basis
  typename Size::Columns columns_;  // dw by the unknowns
  typename Size::System M_;
  typename Size::SmallSystem S_;
};

}  // namespace ricochet
