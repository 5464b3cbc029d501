// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Searches for the active set where the guess of mlcp.h did not settle: Lemke's method on several paths, then active
// sets from many starts.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "complementarity/mlcp/mlcp.h"
#include "math/vector.h"

namespace ricochet {

namespace {

/// Paths of Lemke's method that are tried, and the factor of row i on one of them (1 on the first).
constexpr int kPaths = 8;
double PathFactor(int path, int i) {
  return path == 0 ? 1.0 : std::ldexp(1.0, 4 * ((i * (2 * path + 1) + path) % 5) - 8);
}

/// A fixed sequence of numbers without pattern.
class Sequence {
 public:
  /// The next one, in 0 .. count - 1.
  int Next(int count) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int>((state_ >> 33) % static_cast<uint64_t>(count));
  }

 private:
  uint64_t state_ = 88172645463325252u;
};

}  // namespace

/// Lemke's method on several paths: a ray says nothing for such M, and rows scaled by positive factors have the same
/// solutions and another path. A basis that is off by more than rounding gives way to a better one.
bool MlcpWorkspace::TryLemke(MlcpSolution& solution) {
  const int n = static_cast<int>(q.size());
  const double scale = MaxAbs(q);
  lemke_.Reserve(n);
  double least = 1e300;
  z_refined_.setZero(n);
  for (int path = 0; path < kPaths && least > 1e-12; ++path) {
    M_path_ = M;
    q_path_ = q;
    for (int i = 0; path > 0 && i < n; ++i) {
      const double factor = PathFactor(path, i);
      M_path_.row(i) *= factor;
      q_path_[i] *= factor;
    }
    const LemkeSummary summary = SolveLemke(M_path_, q_path_, lemke_, solution.z);
    const bool has_basis =
        summary.termination == LemkeTermination::kSolved || summary.termination == LemkeTermination::kInaccurate;
    solution.w.noalias() = M * solution.z;
    solution.w += q;
    const double violation = -solution.w.minCoeff() / std::max(scale, MaxAbs(solution.w));
    if (has_basis && solution.z.minCoeff() >= 0 && violation < least) {
      least = violation;
      z_refined_ = solution.z;
    }
  }
  solution.z = z_refined_;
  solution.w.noalias() = M * solution.z;
  solution.w += q;
  for (int i = 0; i < n; ++i) set_[i] = solution.z[i] > 0;
  return least <= 1e-9;
}

/// A cone is what a row without column bounds (a contact's friction, a dry joint): the columns that P takes from that
/// row are its directions, the one that P adds is the normal impulse.
void MlcpWorkspace::FindCones(const MlcpProblem& problem) {
  const int n = problem.complementary_count();
  cones_.clear();
  cone_directions_.clear();
  in_cone_.assign(n, 0);
  for (int i = 0; i < n; ++i) {
    if (problem.C[i].count > 0) continue;
    Cone cone{.bound = i, .normal = -1, .first = static_cast<int>(cone_directions_.size()), .count = 0};
    in_cone_[i] = 1;
    for (const MlcpEntry& entry : problem.P) {
      if (entry.row != i) continue;
      in_cone_[entry.column] = 1;
      if (entry.value < 0) {
        cone_directions_.push_back(entry.column);
      } else {
        cone.normal = entry.column;
      }
    }
    cone.count = static_cast<int>(cone_directions_.size()) - cone.first;
    if (cone.count > 0) cones_.push_back(cone);
  }
}

bool MlcpWorkspace::TryManyStarts(MlcpProblem& problem, const MlcpOptions& options, MlcpSolution& solution) {
  const int n = problem.complementary_count();
  // About a second of work at most.
  constexpr int kExchanges = 12;
  const int starts = static_cast<int>(std::clamp(1e8 / (static_cast<double>(n) * n * n), 20.0, 5000.0));
  FindCones(problem);
  Sequence sequence;
  for (int start = 0; start < starts; ++start) {
    for (int i = 0; i < n; ++i) set_[i] = !in_cone_[i] && sequence.Next(2) == 1;
    for (const Cone& cone : cones_) {
      if (cone.normal >= 0 && sequence.Next(4) == 0) continue;  // open
      if (cone.normal >= 0) set_[cone.normal] = 1;
      const int direction = sequence.Next(cone.count);
      set_[cone_directions_[cone.first + direction]] = 1;
      // Slides along this direction, or (with a plane of directions) between it and the next; or sticks.
      const int mode = sequence.Next(cone.normal >= 0 ? 3 : 2);
      if (cone.normal >= 0 && mode > 0) set_[cone_directions_[cone.first + (direction + 1) % cone.count]] = 1;
      set_[cone.bound] = mode < 2 && (cone.normal >= 0 || mode == 1);
    }
    if (!TryActiveSets(problem, kExchanges, 1e-10, solution)) continue;
    if (Complete(problem, options, solution) <= 1e-10) return true;
  }
  return false;
}

}  // namespace ricochet
