// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <algorithm>
#include <cmath>
#include <limits>

#include "complementarity/lcp/lcp.h"

namespace ricochet {
namespace {

double PowerOfTwoNear(double x) { return std::exp2(std::round(std::log2(x))); }

// Factorizes the n x n matrix `a` (by rows) in place with partial pivoting. False if it is singular.
bool Factorize(int n, double* a, int* permutation) {
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i) {
      if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k])) pivot = i;
    }
    permutation[k] = pivot;
    if (!(std::abs(a[pivot * n + k]) > 0)) return false;
    if (pivot != k) std::swap_ranges(a + k * n, a + (k + 1) * n, a + pivot * n);
    const double inverse = 1.0 / a[k * n + k];
    for (int i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] * inverse;
      a[i * n + k] = factor;
      if (factor == 0) continue;
      for (int j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return true;
}

// Solves with those factors, in place, `columns` right sides in rows of length `stride`.
void SolveFactors(int n, const double* a, const int* permutation, double* x, int columns, int stride) {
  for (int k = 0; k < n; ++k) {
    if (permutation[k] != k) std::swap_ranges(x + k * stride, x + k * stride + columns, x + permutation[k] * stride);
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      const double factor = a[i * n + j];
      if (factor == 0) continue;
      for (int c = 0; c < columns; ++c) x[i * stride + c] -= factor * x[j * stride + c];
    }
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) {
      const double factor = a[i * n + j];
      if (factor == 0) continue;
      for (int c = 0; c < columns; ++c) x[i * stride + c] -= factor * x[j * stride + c];
    }
    for (int c = 0; c < columns; ++c) x[i * stride + c] /= a[i * n + i];
  }
}

// Lemke's method on the scaled problem, with the covering vector d = (1, ..., 1):
//   w - M z - d z0 = q,  tableau = B^-1 [I, -M, -d | q].
class Lemke {
 public:
  Lemke(int size, LemkeWorkspace& workspace, const LemkeOptions& options)
      : n_(size), columns_(2 * size + 2), ws_(workspace), options_(options) {}

  LemkeTermination Run(int* pivots) {
    *pivots = 0;
    for (int i = 0; i < n_; ++i) ws_.basis[i] = i;
    const int first = *std::min_element(ws_.rhs.begin(), ws_.rhs.begin() + n_) < 0 ? FirstLeavingRow() : -1;
    if (first < 0) return LemkeTermination::kSolved;
    FillTableau();

    int entering = 2 * n_, row = first;
    const int limit = options_.max_pivots > 0 ? options_.max_pivots : 100 + 50 * n_;
    while (*pivots < limit) {
      const int leaving = ws_.basis[row];
      Pivot(row, entering);
      ++*pivots;
      if (leaving == 2 * n_) return LemkeTermination::kSolved;
      if (*pivots % options_.refactor_interval == 0) Refactor();
      entering = leaving < n_ ? leaving + n_ : leaving - n_;
      row = LeavingRow(entering);
      if (row < 0) return LemkeTermination::kRay;
    }
    return LemkeTermination::kPivotLimit;
  }

 private:
  double* Row(int i) { return ws_.tableau.data() + static_cast<size_t>(i) * columns_; }

  void FillTableau() {
    for (int i = 0; i < n_; ++i) {
      double* const row = Row(i);
      std::fill(row, row + n_, 0.0);
      row[i] = 1;
      for (int j = 0; j < n_; ++j) row[n_ + j] = -ws_.matrix[i * n_ + j];
      row[2 * n_] = -1;
      row[2 * n_ + 1] = ws_.rhs[i];
    }
  }

  // The row of the lexicographically smallest (q_i, e_i): of equal q_i the last, as (q, 0 .. 1) < (q, 1 .. 0).
  int FirstLeavingRow() const {
    int row = 0;
    for (int i = 1; i < n_; ++i) {
      if (ws_.rhs[i] <= ws_.rhs[row]) row = i;
    }
    return row;
  }

  void Pivot(int pivot_row, int entering) {
    double* const pivot = Row(pivot_row);
    const double inverse = 1.0 / pivot[entering];
    for (int j = 0; j < columns_; ++j) pivot[j] *= inverse;
    pivot[entering] = 1;
    for (int i = 0; i < n_; ++i) {
      double* const row = Row(i);
      const double factor = row[entering];
      if (i == pivot_row || factor == 0) continue;
      for (int j = 0; j < columns_; ++j) row[j] -= factor * pivot[j];
      row[entering] = 0;
    }
    ws_.basis[pivot_row] = entering;
  }

  // Lexicographic minimum of (right side, B^-1)_i / column_i over rows with a positive entry; z0 leaves whenever it
  // may.
  int LeavingRow(int entering) {
    double largest = 0;
    for (int i = 0; i < n_; ++i) largest = std::max(largest, std::abs(Row(i)[entering]));
    const double smallest_pivot = options_.pivot_tolerance * std::max(largest, 1e-3);

    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < n_; ++i) {
      if (Row(i)[entering] > smallest_pivot) best = std::min(best, Ratio(i, 2 * n_ + 1, entering));
    }
    if (best == std::numeric_limits<double>::infinity()) return -1;

    int count = 0;
    for (int i = 0; i < n_; ++i) {
      const double entry = Row(i)[entering];
      if (!(entry > smallest_pivot)) continue;
      // A tie: the right side would be within rounding of zero after the exchange.
      if ((Ratio(i, 2 * n_ + 1, entering) - best) * entry > options_.tie_tolerance * (1 + best * largest)) continue;
      if (ws_.basis[i] == 2 * n_) return i;
      ws_.ties[count++] = i;
    }
    for (int j = 0; j < n_ && count > 1; ++j) {
      best = std::numeric_limits<double>::infinity();
      for (int t = 0; t < count; ++t) best = std::min(best, Row(ws_.ties[t])[j] / Row(ws_.ties[t])[entering]);
      int kept = 0;
      for (int t = 0; t < count; ++t) {
        const double ratio = Row(ws_.ties[t])[j] / Row(ws_.ties[t])[entering];
        if (ratio - best <= options_.tie_tolerance * (1 + std::abs(best))) ws_.ties[kept++] = ws_.ties[t];
      }
      count = kept;
    }
    return ws_.ties[0];
  }

  double Ratio(int i, int column, int entering) { return std::max(Row(i)[column], 0.0) / Row(i)[entering]; }

  // Computes the tableau from its basis, without the rounding that pivots have piled up.
  void Refactor() {
    for (int j = 0; j < n_; ++j) {
      const int variable = ws_.basis[j];
      for (int i = 0; i < n_; ++i) {
        ws_.lu[i * n_ + j] = variable < n_       ? (variable == i ? 1.0 : 0.0)
                             : variable < 2 * n_ ? -ws_.matrix[i * n_ + variable - n_]
                                                 : -1.0;
      }
    }
    if (!Factorize(n_, ws_.lu.data(), ws_.permutation.data())) return;
    FillTableau();
    SolveFactors(n_, ws_.lu.data(), ws_.permutation.data(), ws_.tableau.data(), columns_, columns_);
    for (int j = 0; j < n_; ++j) {
      for (int i = 0; i < n_; ++i) Row(i)[ws_.basis[j]] = i == j ? 1 : 0;
    }
  }

  const int n_, columns_;
  LemkeWorkspace& ws_;
  const LemkeOptions& options_;
};

// M scaled to D M D with entries of size one, D of powers of two (Ruiz's iteration); q scaled to size one.
// Returns the factor of q.
double ScaleProblem(const Eigen::Ref<const Eigen::MatrixXd>& M, const Eigen::Ref<const Eigen::VectorXd>& q,
                    LemkeWorkspace& ws) {
  const int n = static_cast<int>(q.size());
  std::fill(ws.scale.begin(), ws.scale.begin() + n, 1.0);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < n; ++i) {
      double largest = 0;
      for (int j = 0; j < n; ++j) {
        const double entry = std::max(std::abs(M(i, j)), std::abs(M(j, i)));
        largest = std::max(largest, entry * ws.scale[i] * ws.scale[j]);
      }
      ws.vector[i] = largest > 0 ? std::sqrt(largest) : 1.0;
    }
    for (int i = 0; i < n; ++i) ws.scale[i] /= ws.vector[i];
  }
  double largest = 0;
  for (int i = 0; i < n; ++i) {
    ws.scale[i] = PowerOfTwoNear(ws.scale[i]);
    largest = std::max(largest, std::abs(q[i]) * ws.scale[i]);
  }
  const double factor = largest > 0 ? 1.0 / PowerOfTwoNear(largest) : 1.0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) ws.matrix[i * n + j] = M(i, j) * ws.scale[i] * ws.scale[j];
    ws.rhs[i] = q[i] * ws.scale[i] * factor;
  }
  return factor;
}

// Solution of M_aa z_a = -q_a in the scaled problem, refined; written to ws.vector in the order of ws.active.
bool SolveBasis(int n, int count, LemkeWorkspace& ws) {
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < count; ++j) ws.lu[i * count + j] = ws.matrix[ws.active[i] * n + ws.active[j]];
  }
  if (!Factorize(count, ws.lu.data(), ws.permutation.data())) return false;
  double* const z = ws.vector.data();
  double* const residual = ws.tableau.data();
  std::fill(z, z + count, 0.0);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < count; ++i) {
      double sum = -ws.rhs[ws.active[i]];
      for (int j = 0; j < count; ++j) sum -= ws.matrix[ws.active[i] * n + ws.active[j]] * z[j];
      residual[i] = sum;
    }
    SolveFactors(count, ws.lu.data(), ws.permutation.data(), residual, 1, 1);
    for (int i = 0; i < count; ++i) z[i] += residual[i];
  }
  return true;
}

// z of the final basis in the units of the problem. Rounding may leave a zero slightly negative.
void UnscaleSolution(int n, double factor, LemkeWorkspace& ws, Eigen::Ref<Eigen::VectorXd> z) {
  int count = 0;
  for (int i = 0; i < n; ++i) {
    if (ws.basis[i] >= n) ws.active[count++] = ws.basis[i] - n;
  }
  z.setZero();
  if (!SolveBasis(n, count, ws)) return;
  for (int i = 0; i < count; ++i) z[ws.active[i]] = std::max(ws.vector[i], 0.0) * ws.scale[ws.active[i]] / factor;
}

}  // namespace

void LemkeWorkspace::Reserve(int size) {
  const auto n = static_cast<size_t>(size);
  if (rhs.size() >= n) return;
  tableau.resize(n * (2 * n + 2));
  for (auto* m : {&lu, &matrix}) m->resize(n * n);
  for (auto* v : {&rhs, &vector, &scale}) v->resize(n);
  for (auto* v : {&basis, &permutation, &ties, &active}) v->resize(n);
}

LemkeSummary SolveLemke(const Eigen::Ref<const Eigen::MatrixXd>& M, const Eigen::Ref<const Eigen::VectorXd>& q,
                        LemkeWorkspace& ws, Eigen::Ref<Eigen::VectorXd> z, const LemkeOptions& options) {
  const int n = static_cast<int>(q.size());
  LemkeSummary summary;
  z.setZero();
  if (n == 0) return summary;
  ws.Reserve(n);
  const double factor = ScaleProblem(M, q, ws);
  // Rounding can lead the path astray. A failure is believed only if it comes again with a fresh tableau per pivot.
  for (const bool careful : {false, true}) {
    LemkeOptions used = options;
    if (careful) {
      used.refactor_interval = 1;
      used.tie_tolerance *= 10;
    }
    int pivots = 0;
    summary.termination = Lemke(n, ws, used).Run(&pivots);
    summary.pivots += pivots;
    if (summary.termination == LemkeTermination::kSolved) {
      UnscaleSolution(n, factor, ws, z);
      summary.residual = LcpResidual(M, q, z, ws.vector);
      if (summary.residual <= options.tolerance) return summary;
      summary.termination = LemkeTermination::kInaccurate;
    }
    if (summary.termination == LemkeTermination::kPivotLimit) break;
  }
  if (summary.termination != LemkeTermination::kInaccurate) z.setZero();
  summary.residual = LcpResidual(M, q, z, ws.vector);
  return summary;
}

}  // namespace ricochet
