// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/friction_one_body/friction_contact_small.h"

#include <algorithm>
#include <cmath>

#include "complementarity/friction/friction_contact_local.h"
#include "complementarity/friction/small_dense.h"
#include "complementarity/friction_one_body/friction_contact_path.h"

namespace ricochet {
namespace {

constexpr int kMaxRows = 3 * kMaxSmallContacts;
constexpr double kDependent = 1e-9;  // a row this much shorter after orthogonalization depends on those before it

using Vector2d = Eigen::Vector2d;
using Vector3d = Eigen::Vector3d;

/// Active-set search of one problem. All storage is here, on the stack.
class ActiveSet {
 public:
  ActiveSet(const SmallContactProblem& problem, double tolerance, SmallContactSolution& solution)
      : problem_(problem), tolerance_(tolerance), out_(solution), n_(problem.count), b_(problem.b) {
    scale_ = 0;
    for (int i = 0; i < n_; ++i) {
      scale_ = std::max(scale_, b_[i].cwiseAbs().maxCoeff());
      inverse_r_[i] = problem.rows[i].squaredNorm() / 3;
    }
    slack_ = 1e-13 * scale_;
  }

  /// True when no contact is approached: no impulse is a solution, the one of least norm.
  bool NothingToDo() const {
    for (int i = 0; i < n_; ++i)
      if (b_[i][2] < 0) return false;
    return true;
  }

  void TakeZero() {
    for (int i = 0; i < n_; ++i) {
      out_.impulse[i].setZero();
      out_.mode[i] = FrictionMode::kOpen;
    }
    out_.change.setZero();
    out_.residual = 0;
    out_.converged = true;
  }

  /// First modes, from what each contact would do alone if its block were diagonal.
  void Guess() {
    for (int i = 0; i < n_; ++i) {
      const Vector3d& b = b_[i];
      k_[i] = 0;
      if (b[2] >= 0) {
        mode_[i] = FrictionMode::kOpen;
        continue;
      }
      const double slip = std::sqrt(b[0] * b[0] + b[1] * b[1]);
      const ContactRows& J = problem_.rows[i];
      const double d_t = 0.5 * (J.col(0).squaredNorm() + J.col(1).squaredNorm()), d_n = J.col(2).squaredNorm();
      const bool slides = slip * d_n > problem_.mu[i] * -b[2] * d_t;
      mode_[i] = slides ? FrictionMode::kSlide : FrictionMode::kStick;
      if (slides) u_[i] = b.head<2>() / slip;
    }
  }

  /// Modes from an approximate solution.
  void TakeModes() {
    for (int i = 0; i < n_; ++i) {
      mode_[i] = out_.mode[i];
      k_[i] = 0;
      if (mode_[i] != FrictionMode::kSlide) continue;
      const Vector3d xi = b_[i] + problem_.rows[i].transpose() * out_.change;
      const double slip = std::hypot(xi[0], xi[1]), friction = std::hypot(out_.impulse[i][0], out_.impulse[i][1]);
      if (slip > 1e-9 * scale_) {
        u_[i] = xi.head<2>() / slip;
        k_[i] = problem_.mu[i] * out_.impulse[i][2] / slip;
      } else if (friction > 0) {
        u_[i] = -out_.impulse[i].head<2>() / friction;
      } else {
        mode_[i] = FrictionMode::kStick;
      }
    }
  }

  /// One contact: the exact local solution.
  void SolveAlone() {
    const ContactRows& J = problem_.rows[0];
    const Eigen::Matrix3d D = J.transpose() * J;
    const LocalSolution local = SolveLocalContact(D, b_[0], problem_.mu[0]);
    mode_[0] = local.mode;
    impulse_[0] = local.impulse;
    w_ = J * local.impulse;
    const Vector3d xi = b_[0] + J.transpose() * w_;
    const Vector3d fixed = local.impulse - ProjectImpulse(local.impulse - xi / inverse_r_[0], problem_.mu[0]);
    const double residual = inverse_r_[0] * fixed.cwiseAbs().maxCoeff();
    ++out_.iterations;
    Store(residual / scale_);
    out_.converged = residual <= tolerance_ * scale_;
  }

  /// Repeats solve and correction. True when a verified solution is in the output.
  bool Search(int max_rounds) {
    bool new_rows = true;
    double last = -1;
    int stale = 0;
    for (int round = 0; round < max_rounds; ++round) {
      ++out_.iterations;
      if (!SolveModes(new_rows)) return false;
      SetImpulses();
      double residual = Residual();
      // Newton that no longer gains has met rounding.
      const bool stalls = last >= 0 && residual > 0.05 * last && residual < 1e-3 * scale_;
      if (stalls && residual > tolerance_ * scale_) residual = PolishHere(residual);
      if (residual <= tolerance_ * scale_) {
        if (wakes_ < 2 && WakeIdle()) {
          ++wakes_;
          new_rows = true;
          continue;
        }
        Store(residual / scale_);
        return true;
      }
      new_rows = CorrectModes();
      // With modes settled Newton must gain; where it does not, contacts stick that cannot all stick.
      stale = new_rows || residual < 0.3 * last ? 0 : stale + 1;
      if (stale >= 3 || (all_stick_ && !new_rows)) return false;
      last = residual;
    }
    return false;
  }

  /// Newton in impulses from where the search is. The residual [m/s].
  double PolishHere(double residual) {
    Store(residual / scale_);
    if (PolishSmallContact(problem_, tolerance_, 6, out_)) {
      for (int i = 0; i < n_; ++i) {
        impulse_[i] = out_.impulse[i];
        mode_[i] = out_.mode[i];
      }
      w_ = out_.change;
      EvaluateSlips();
      residual = out_.residual * scale_;
    }
    out_.converged = false;
    return residual;
  }

  /// The search, then the path: from the sticking impulses if it ended there, else from the problem's scale.
  bool SearchOrFollow() {
    if (Search(16)) return true;
    out_.residual = -1;
    if (all_stick_ && row_count_ > 0) {
      double slip = 0;
      for (int i = 0; i < n_; ++i) {
        out_.mode[i] = mode_[i];
        out_.impulse[i] = impulse_[i];
        if (mode_[i] == FrictionMode::kStick) slip = std::max(slip, slip_[i]);
      }
      if (FollowSmoothedFriction(problem_, tolerance_, 10 * slip, true, out_)) return true;
    }
    return FollowSmoothedFriction(problem_, tolerance_, scale_, false, out_);
  }

 private:
  struct Row {
    int contact;
    int axis;  // 0, 1: t1, t2; 2: n
  };

  /// Solves for the current modes: w_, normal_, tangent_.
  bool SolveModes(bool new_rows) {
    if (new_rows) {
      all_stick_ = true;
      row_count_ = 0;
      // Contacts that were left out of a dependent set and violated come first, and others give way.
      for (int first = 1; first >= 0; --first)
        for (int i = 0; i < n_; ++i)
          if (mode_[i] != FrictionMode::kOpen && urgent_[i] == (first == 1)) rows_[row_count_++] = {i, 2};
      for (int i = 0; i < n_; ++i) {
        if (mode_[i] == FrictionMode::kSlide) all_stick_ = false;
        if (mode_[i] != FrictionMode::kStick) continue;
        rows_[row_count_++] = {i, 0};
        rows_[row_count_++] = {i, 1};
      }
    }
    if (row_count_ == 0) {
      w_.setZero();
      y_.setZero();
      return true;
    }
    if (all_stick_ && row_count_ >= 9 && urgent_rounds_ == 0 && SolveAllStick()) return true;
    if (new_rows) Orthogonalize();
    return SolveReduced();
  }

  const auto RowVector(const Row& row) const { return problem_.rows[row.contact].col(row.axis); }

  /// w = -(C^T C)^-1 C^T b, x = C (C^T C)^-1 w. False when the rank is below 6.
  bool SolveAllStick() {
    Eigen::Matrix<double, 6, 6> G;
    Vector6d Cb = Vector6d::Zero();
    G.setZero();
    for (int i = 0; i < n_; ++i) {
      if (mode_[i] == FrictionMode::kOpen) continue;
      const ContactRows& J = problem_.rows[i];
      // Columns in pairs, from the diagonal down: what the factorization reads.
      for (int c = 0; c < 6; c += 2) {
        for (int e = c; e < c + 2; ++e)
          for (int k = c; k < 6; ++k) G(k, e) += J(k, 0) * J(e, 0) + J(k, 1) * J(e, 1) + J(k, 2) * J(e, 2);
      }
      Cb.noalias() += J * b_[i];
    }
    if (!FactorSymmetric(G, 1e-11)) return false;
    w_ = -Cb;
    SubstituteSymmetric(G, w_);
    y_ = w_;
    SubstituteSymmetric(G, y_);
    for (int i = 0; i < n_; ++i) {
      if (mode_[i] == FrictionMode::kOpen) continue;
      const Vector3d P = problem_.rows[i].transpose() * y_;
      normal_[i] = P[2];
      tangent_[i] = P.head<2>();
    }
    return true;
  }

  /// C = L Q, and Q w from C w = -b_C.
  void Orthogonalize() {
    rank_ = 0;
    for (int row = 0; row < row_count_; ++row) {
      const Row id = rows_[row];
      Vector6d q = RowVector(id);
      const double length2 = q.squaredNorm();
      for (int k = 0; k < rank_; ++k) {
        const double dot = Q_.col(k).dot(q);
        L_(row, k) = dot;
        q -= dot * Q_.col(k);
      }
      for (int k = rank_; k < 6; ++k) L_(row, k) = 0;
      if (rank_ == 6) continue;
      double rest2 = q.squaredNorm();
      if (rest2 <= kDependent * kDependent * length2) continue;
      if (rest2 < 1e-4 * length2) {
        // Second pass: what is left of a nearly dependent row must be orthogonal to the basis all the same.
        for (int k = 0; k < rank_; ++k) {
          const double dot = Q_.col(k).dot(q);
          L_(row, k) += dot;
          q -= dot * Q_.col(k);
        }
        rest2 = q.squaredNorm();
        if (rest2 <= kDependent * kDependent * length2) continue;
      }
      const double rest = std::sqrt(rest2);
      L_(row, rank_) = rest;
      Q_.col(rank_) = q / rest;
      double value = -b_[id.contact][id.axis];
      for (int k = 0; k < rank_; ++k) value -= L_(row, k) * wq_[k];
      wq_[rank_] = value / rest;
      ++rank_;
    }
  }

  bool SolveReduced() {
    const int r = rank_;
    // B L, and the known part of the friction.
    Eigen::Matrix<double, 6, 6> BL;
    for (int k = 0; k < r; ++k) BL.col(k).setZero();
    bool curved = false;
    Eigen::Matrix<double, 6, 6> K;
    Vector6d known = Vector6d::Zero();
    for (int row = 0; row < row_count_; ++row) {
      const Row id = rows_[row];
      const int i = id.contact;
      const ContactRows& J = problem_.rows[i];
      Vector6d column = J.col(id.axis);
      if (id.axis == 2 && mode_[i] == FrictionMode::kSlide) {
        column -= (problem_.mu[i] * u_[i][0]) * J.col(0) + (problem_.mu[i] * u_[i][1]) * J.col(1);
        if (k_[i] > 0) {
          if (!curved) K.setIdentity();
          curved = true;
          const Vector6d a = u_[i][0] * J.col(1) - u_[i][1] * J.col(0);
          const double beta = u_[i][0] * b_[i][1] - u_[i][1] * b_[i][0];
          for (int c = 0; c < 6; ++c) K.col(c) += (k_[i] * a[c]) * a;
          known -= (k_[i] * beta) * a;
        }
      }
      for (int k = 0; k < r; ++k)
        if (L_(row, k) != 0) BL.col(k) += L_(row, k) * column;
    }
    if (curved) {
      if (!FactorSymmetric(K, 0)) return false;
      for (int k = 0; k < r; ++k) {
        Vector6d column = BL.col(k);
        SubstituteSymmetric(K, column);
        BL.col(k) = column;
      }
      SubstituteSymmetric(K, known);
    }
    // (Q K^-1 B L) z = Q w - Q K^-1 known
    double S[6][7];
    for (int i = 0; i < r; ++i) {
      for (int k = 0; k < r; ++k) S[i][k] = Q_.col(i).dot(BL.col(k));
      S[i][r] = wq_[i] - Q_.col(i).dot(known);
    }
    if (!EliminateRows(S, r)) return false;
    w_ = known;
    y_.setZero();
    for (int k = 0; k < r; ++k) {
      w_ += S[k][r] * BL.col(k);
      y_ += S[k][r] * Q_.col(k);
    }
    // x = L z, and the friction of sliding contacts.
    for (int row = 0; row < row_count_; ++row) {
      const Row id = rows_[row];
      double x = 0;
      for (int k = 0; k < r; ++k) x += L_(row, k) * S[k][r];
      if (id.axis == 2) {
        normal_[id.contact] = x;
      } else {
        tangent_[id.contact][id.axis] = x;
      }
    }
    return true;
  }

  void EvaluateSlips() {
    for (int i = 0; i < n_; ++i) {
      xi_[i] = b_[i];
      xi_[i].noalias() += problem_.rows[i].transpose() * w_;
      slip_[i] = std::sqrt(xi_[i][0] * xi_[i][0] + xi_[i][1] * xi_[i][1]);
    }
  }

  /// Contact velocities xi_, slips and impulses at w_ as the modes say.
  void SetImpulses() {
    EvaluateSlips();
    for (int i = 0; i < n_; ++i) {
      Vector3d& P = impulse_[i];
      switch (mode_[i]) {
        case FrictionMode::kOpen:
          P.setZero();
          break;
        case FrictionMode::kStick:
          P << tangent_[i], normal_[i];
          break;
        case FrictionMode::kSlide:
          // Friction as the linear model has it, which balances w_, brought to the cone's length. Taking its direction
          // from xi_T instead would amplify rounding where the slip is tiny.
          P.head<2>() = -problem_.mu[i] * normal_[i] * u_[i];
          if (k_[i] > 0) {
            const double across = k_[i] * (u_[i][0] * xi_[i][1] - u_[i][1] * xi_[i][0]);
            P[0] += across * u_[i][1];
            P[1] -= across * u_[i][0];
            const double length = P.head<2>().norm();
            if (length > 0) P.head<2>() *= std::max(0.0, problem_.mu[i] * normal_[i]) / length;
          }
          P[2] = normal_[i];
          break;
      }
    }
  }

  /// The residual of the conditions in m/s at w_ and impulse_.
  double Residual() {
    double worst = 0;
    rest_ = w_;
    for (int i = 0; i < n_; ++i) {
      if (mode_[i] == FrictionMode::kOpen) {
        worst = std::max(worst, -xi_[i][2]);
        continue;
      }
      const Vector3d& P = impulse_[i];
      rest_.noalias() -= problem_.rows[i] * P;
      const Vector3d fixed = P - ProjectImpulse(P - xi_[i] / inverse_r_[i], problem_.mu[i]);
      worst = std::max(worst, inverse_r_[i] * fixed.cwiseAbs().maxCoeff());
    }
    for (int i = 0; i < n_; ++i)
      if (mode_[i] != FrictionMode::kOpen)
        worst = std::max(worst, (problem_.rows[i].transpose() * rest_).cwiseAbs().maxCoeff());
    return worst;
  }

  /// Changes the modes that failed. True when the set of active rows changed.
  bool CorrectModes() {
    bool changed = false;
    // Normals that cannot all hold (restitution that differs between corners of a face): one that is left although it
    // counted as closed opens; one that is approached has to be met before the others.
    for (int i = 0; i < n_; ++i) {
      if (mode_[i] == FrictionMode::kOpen || std::abs(xi_[i][2]) <= 1e-10 * scale_) continue;
      changed = true;
      if (xi_[i][2] > 0) {
        mode_[i] = FrictionMode::kOpen;
      } else {
        ++urgent_rounds_;
        for (int j = 0; j < n_; ++j) urgent_[j] = j == i || (urgent_[j] && urgent_rounds_ < 8);
      }
    }
    if (changed) return true;
    for (int i = 0; i < n_; ++i) {
      const double mu = problem_.mu[i];
      switch (mode_[i]) {
        case FrictionMode::kOpen:
          if (xi_[i][2] >= -slack_) break;
          changed = true;
          mode_[i] = FrictionMode::kSlide;
          k_[i] = 0;
          if (slip_[i] > slack_) {
            u_[i] = xi_[i].head<2>() / slip_[i];
          } else {
            mode_[i] = FrictionMode::kStick;
          }
          break;
        case FrictionMode::kStick: {
          if (normal_[i] < 0) {
            mode_[i] = FrictionMode::kOpen;
            changed = true;
            break;
          }
          const double friction = tangent_[i].norm();
          if (friction > mu * normal_[i] * (1 + 1e-12)) {
            mode_[i] = FrictionMode::kSlide;
            u_[i] = -tangent_[i] / friction;
            k_[i] = 0;
            changed = true;
          }
          break;
        }
        case FrictionMode::kSlide:
          if (normal_[i] < 0) {
            mode_[i] = FrictionMode::kOpen;
            changed = true;
          } else if (xi_[i].head<2>().dot(u_[i]) <= slack_) {
            // The slip reversed or vanished: friction can hold this contact.
            mode_[i] = FrictionMode::kStick;
            changed = true;
          } else {
            u_[i] = xi_[i].head<2>() / slip_[i];
            k_[i] = mu * normal_[i] / slip_[i];
          }
          break;
      }
    }
    return changed;
  }

  /// Least norm among the solutions: an open contact that stays in touch (xi_N = 0) and that the least-norm impulses y
  /// of the others would push has to share the load. True when there was one.
  bool WakeIdle() {
    bool woken = false;
    for (int i = 0; i < n_; ++i) {
      if (mode_[i] != FrictionMode::kOpen || xi_[i][2] > 1e-10 * scale_) continue;
      const double share = problem_.rows[i].col(2).dot(y_);
      if (!(share * inverse_r_[i] > 1e-10 * scale_)) continue;
      woken = true;
      k_[i] = 0;
      mode_[i] = slip_[i] > 1e-10 * scale_ ? FrictionMode::kSlide : FrictionMode::kStick;
      if (mode_[i] == FrictionMode::kSlide) u_[i] = xi_[i].head<2>() / slip_[i];
    }
    return woken;
  }

  void Store(double residual) {
    for (int i = 0; i < n_; ++i) {
      out_.impulse[i] = impulse_[i];
      out_.mode[i] = mode_[i];
    }
    out_.change = w_;
    out_.residual = residual;
    out_.converged = true;
  }

  // --- Small linear algebra.

  /// LDL^T in place (unit L below, D on the diagonal). False when a pivot falls below `smallest` of its diagonal entry.
  static bool FactorSymmetric(Eigen::Matrix<double, 6, 6>& A, double smallest) {
    for (int j = 0; j < 6; ++j) {
      const double pivot = A(j, j);
      if (!(pivot > smallest)) return false;
      const double inverse = 1 / pivot;
      double column[6];
      for (int i = j + 1; i < 6; ++i) {
        column[i] = A(i, j);
        A(i, j) *= inverse;
      }
      for (int c = j + 1; c < 6; ++c)
        for (int i = c; i < 6; ++i) A(i, c) -= A(i, j) * column[c];
      A(j, j) = inverse;
    }
    return true;
  }

  static void SubstituteSymmetric(const Eigen::Matrix<double, 6, 6>& A, Vector6d& x) {
    for (int j = 0; j < 5; ++j)
      for (int i = j + 1; i < 6; ++i) x[i] -= A(i, j) * x[j];
    for (int j = 0; j < 6; ++j) x[j] *= A(j, j);
    for (int j = 4; j >= 0; --j)
      for (int i = j + 1; i < 6; ++i) x[j] -= A(i, j) * x[i];
  }

  const SmallContactProblem& problem_;
  const double tolerance_;
  SmallContactSolution& out_;
  const int n_;
  const std::array<Vector3d, kMaxSmallContacts>& b_;
  double scale_;  // [m/s]
  double slack_;  // [m/s]
  std::array<Vector3d, kMaxSmallContacts> xi_, impulse_;
  std::array<double, kMaxSmallContacts> inverse_r_, slip_, normal_, k_;
  std::array<Vector2d, kMaxSmallContacts> u_, tangent_;
  std::array<FrictionMode, kMaxSmallContacts> mode_;

  std::array<Row, kMaxRows> rows_;
  int row_count_ = 0;
  bool all_stick_ = false;
  int rank_ = 0;
  Eigen::Matrix<double, 6, 6> Q_;         // columns: orthonormal basis of the active rows
  Eigen::Matrix<double, kMaxRows, 6> L_;  // active rows in that basis
  Vector6d wq_;                           // Q w
  Vector6d w_;                            // v - v_free
  Vector6d y_;                            // x = C y
  Vector6d rest_;                         // w - sum J^T P
  std::array<bool, kMaxSmallContacts> urgent_{};
  int urgent_rounds_ = 0;
  int wakes_ = 0;
};

}  // namespace

void SolveSmallContact(const SmallContactProblem& problem, double tolerance, bool modes_known,
                       SmallContactSolution& solution) {
  solution.converged = false;
  solution.residual = -1;
  solution.iterations = 0;
  ActiveSet search(problem, tolerance, solution);
  if (search.NothingToDo()) {
    search.TakeZero();
    return;
  }
  if (problem.count == 1) {
    search.SolveAlone();
    return;
  }
  if (modes_known) {
    search.TakeModes();
  } else {
    search.Guess();
  }
  if (modes_known) {
    search.Search(8);
  } else {
    search.SearchOrFollow();
  }
}

}  // namespace ricochet
