// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Solves an assembled stage of spook_system.h: bounds of dry joints depend on multipliers through directions that must
// agree with the solution.
#include <algorithm>
#include <cmath>
#include <limits>

#include "steppers/spook/spook_system.h"

namespace ricochet {

void ExtractStage(const SpookStructure& structure, const SpookStageInput& in, SpookStageResult& out) {
  const Eigen::VectorXd& x = out.solution.x;
  out.v = *in.v;
  for (size_t node = 0; node < structure.body_of_node.size(); ++node) {
    out.v.segment<6>(6 * structure.body_of_node[node]) = x.segment<6>(6 * node);
  }
  out.lambda.resize(structure.multiplier_count);
  for (const auto& node : structure.joints) {
    out.lambda.segment(node.offset, node.rows) = -x.segment(6 * node.node, node.rows);
  }
  out.dry.resize(static_cast<Eigen::Index>(structure.dry_joints.size()));
  const bool dry = in.stage != SpookStage::kImpact;
  for (Eigen::Index k = 0; k < out.dry.size(); ++k) {
    out.dry[k] = dry ? out.solution.z[3 * k] - out.solution.z[3 * k + 1] : 0.0;
  }
}

namespace {

/// Bound directions from the multipliers in x; returns the largest relative error of the bounds in use.
double UpdateBounds(const SpatialModel<double>& model, const SpookStructure& structure, const SpookStageInput& in,
                    const Eigen::VectorXd& x, SpookStageResult& out) {
  double change = 0;
  for (size_t k = 0; k < structure.dry_joints.size(); ++k) {
    const int j = structure.dry_joints[k];
    const SpatialJoint<double>& joint = model.joints[j];
    const auto& node = structure.joints[j];
    const Vector6<double> lambda = -x.segment<6>(6 * node.node);
    const Vector6<double> u =
        DryBoundDirection<double>(joint, in.joints[j].rows.angular, node.rows, out.coefficient[k], lambda);
    const double bound = out.constant[k] + u.dot(lambda), before = out.constant[k] + out.bound[k].dot(lambda);
    if (bound > 0) change = std::max(change, std::abs(bound - before) / bound);
    out.bound[k] = u;
    out.problem.N[3 * k + 2].Clear();
    out.problem.N[3 * k + 2].Add(node.node, -u);
  }
  return change;
}

/// Bounds held at the numbers that the multipliers in x give; returns the largest relative change. Such a problem
/// always has a solution, which one whose bounds depend on multipliers need not have: u . lambda can be negative there.
double HoldBounds(const SpatialModel<double>& model, const SpookStructure& structure, const SpookStageInput& in,
                  const Eigen::VectorXd& x, SpookStageResult& out) {
  UpdateBounds(model, structure, in, x, out);
  double change = 0;
  for (size_t k = 0; k < structure.dry_joints.size(); ++k) {
    const int node = structure.joints[structure.dry_joints[k]].node;
    double& held = out.problem.b[3 * k + 2];
    const double bound = out.constant[k] - out.bound[k].dot(x.segment<6>(6 * node));
    if (bound > 0) change = std::max(change, std::abs(bound - held) / bound);
    held = bound;
    out.problem.N[3 * k + 2].Clear();
  }
  return change;
}

/// Fixed point of held bounds, then the problem with the directions found: it has the same solution, and derivatives
/// use it. `x0` holds the multipliers without friction.
void SolveByHeldBounds(const SpatialModel<double>& model, const SpookStructure& structure, const SpookStageInput& in,
                       const MlcpOptions& options, SpookStageResult& out) {
  constexpr int kRounds = 200;
  HoldBounds(model, structure, in, out.workspace.x0, out);
  double change = 1;
  for (int round = 0; round < kRounds && change > 1e-14; ++round, ++out.rounds) {
    out.solved = SolvePreparedMlcp(out.problem, out.guess, options, out.workspace, out.solution);
    if (!out.solved) break;
    change = HoldBounds(model, structure, in, out.solution.x, out);
    out.guess = out.solution.active;
  }
  for (size_t k = 0; k < structure.dry_joints.size(); ++k) out.problem.b[3 * k + 2] = out.constant[k];
  if (!out.solved) return;
  UpdateBounds(model, structure, in, out.solution.x, out);
  out.solved = SolvePreparedMlcp(out.problem, out.guess, options, out.workspace, out.solution) &&
               UpdateBounds(model, structure, in, out.solution.x, out) <= 1e-9;
}

/// Changes modes that (x, z) shows to be wrong; true when none is. How wrong a mode is, is measured as part of the
/// largest impulse or rate. All wrong ones change, or, where that goes round in circles, those that are at least half
/// as wrong as the worst. What is less wrong than `doubt` stays.
bool CorrectModes(const MlcpProblem& problem, const Eigen::VectorXd& x, const GrowingVector& z, bool all, double doubt,
                  std::vector<DryMode>& modes) {
  double largest_impulse = 1e-300, largest_rate = 1e-300;
  for (size_t k = 0; k < modes.size(); ++k) {
    largest_impulse = std::max({largest_impulse, std::abs(z[3 * k]), std::abs(z[3 * k + 1])});
    largest_rate = std::max(largest_rate, std::abs(z[3 * k + 2]));
  }
  const auto violation = [&](size_t k) {
    if (modes[k] != DryMode::kSticks) return -z[3 * k + 2] / largest_rate;
    const double bound = problem.N[3 * k + 2].Dot(x) + problem.b[3 * k + 2];
    return (std::abs(z[3 * k]) - bound) / largest_impulse;
  };
  double worst = 0;
  for (size_t k = 0; k < modes.size(); ++k) worst = std::max(worst, violation(k));
  const double sure = std::max(1e-12, doubt);
  if (worst <= sure) return true;
  const double least = std::max(sure, all ? 0.0 : 0.5 * worst);
  for (size_t k = 0; k < modes.size(); ++k) {
    if (violation(k) < least) continue;
    const bool sticks = modes[k] == DryMode::kSticks;
    modes[k] = !sticks ? DryMode::kSticks : z[3 * k] > 0 ? DryMode::kBackward : DryMode::kForward;
  }
  return false;
}

/// Signs and active set of a solution with the right modes.
void FinishChain(SpookStageResult& out) {
  GrowingVector& z = out.solution.z;
  out.solution.active.assign(z.size(), 0);
  for (size_t k = 0; k < out.modes.size(); ++k) {
    if (z[3 * k] < 0) {
      z[3 * k + 1] = -z[3 * k];
      z[3 * k] = 0;
    }
    for (int i = 0; i < 3; ++i) z[3 * k + i] = std::max(0.0, z[3 * k + i]);
    const bool backward = out.modes[k] == DryMode::kBackward || (out.modes[k] == DryMode::kSticks && z[3 * k + 1] == 0);
    out.solution.active[3 * k + (backward ? 0 : 1)] = 1;
    out.solution.active[3 * k + 2] = out.modes[k] != DryMode::kSticks;
  }
  out.solution.w.setZero(z.size());
  out.solution.status = MlcpStatus::kSolved;
  out.solution.exchanges = out.rounds;
  out.solution.lemke = false;
}

/// Puts the motion of each joint that sticks into the spare row of its node, or takes it out again.
void SetStickingRows(const SpookStructure& structure, const SpookStageInput& in, bool present, SpookStageResult& out) {
  BlockLdlt& K = out.problem.K;
  constexpr int kSpare = DryChain::kSpare;
  for (size_t k = 0; k < structure.dry_joints.size(); ++k) {
    if (out.modes[k] != DryMode::kSticks) continue;
    const int j = structure.dry_joints[k];
    const auto& node = structure.joints[j];
    const JointMotion<double>& motion = in.joints[j].motions.motion[0];
    const double factor = present ? 1 : 0;
    if (node.parent_edge >= 0) K.Edge(node.parent_edge).row(kSpare) = factor * motion.J_parent.transpose();
    if (node.child_edge >= 0) K.Edge(node.child_edge).row(kSpare) = factor * motion.J_child.transpose();
    K.Diagonal(node.node)(kSpare, kSpare) = factor - 1;
  }
}

/// Factors of K with the joints that stick held, from the first joint on that sticks or slides other than in the
/// factors at hand.
bool FactorizeHeld(const SpookStructure& structure, const SpookStageInput& in, bool again, SpookStageResult& out) {
  BlockLdlt& K = out.problem.K;
  const size_t count = structure.dry_joints.size();
  int first = again && out.held.size() == count ? K.node_count() : 0;
  out.held.resize(count, 0);
  for (size_t k = 0; k < count; ++k) {
    const char sticks = out.modes[k] == DryMode::kSticks;
    if (first > 0 && sticks != out.held[k]) {
      const BlockSparseVector& row = out.problem.C[3 * k];
      first = std::min(first, K.position(structure.dry_nodes[k]));
      for (int i = 0; i < row.count; ++i) first = std::min(first, K.position(row.node[i]));
    }
    out.held[k] = sticks;
  }
  if (first == K.node_count()) return true;
  SetStickingRows(structure, in, true, out);
  const bool definite = K.Factorize(first);
  SetStickingRows(structure, in, false, out);
  if (!definite) out.held.clear();
  return definite;
}

/// One round of iterative refinement with those factors: friction of sliding joints at the bounds that x gives, the
/// rest solved for. Returns the largest change of a dry impulse as part of the largest. Without `exact` only what the
/// change of friction moves is solved for.
double ImproveHeld(const SpookStructure& structure, bool exact, SpookStageResult& out) {
  MlcpProblem& problem = out.problem;
  Eigen::VectorXd &x = out.solution.x, &dx = out.correction;
  GrowingVector& z = out.solution.z;
  constexpr int kSpare = DryChain::kSpare;
  const size_t count = structure.dry_nodes.size();
  if (exact) {
    dx.resize(x.size());
    problem.K.Multiply(x, dx);
    dx = problem.a - dx;
  } else {
    dx.setZero(x.size());
  }
  double change = 0, largest = 1e-300;
  for (size_t k = 0; k < count; ++k) {
    const BlockSparseVector& row = problem.C[3 * k];
    if (out.modes[k] == DryMode::kSticks) {
      if (!exact) continue;
      row.AddTo(z[3 * k], dx);
      dx[6 * structure.dry_nodes[k] + kSpare] = -row.Dot(x);
      continue;
    }
    const bool forward = out.modes[k] == DryMode::kForward;
    double& friction = z[3 * k + (forward ? 1 : 0)];
    const double bound = problem.N[3 * k + 2].Dot(x) + problem.b[3 * k + 2];
    change = std::max(change, std::abs(bound - friction));
    row.AddTo((forward ? -1 : 1) * (exact ? bound : bound - friction), dx);
    friction = bound;
    largest = std::max(largest, std::abs(bound));
  }
  problem.K.Solve(dx, false);
  x += dx;
  for (size_t k = 0; k < count; ++k) {
    if (out.modes[k] != DryMode::kSticks) {
      z[3 * k + 2] = static_cast<double>(out.modes[k]) * problem.C[3 * k].Dot(x);
      continue;
    }
    double& spare = x[6 * structure.dry_nodes[k] + kSpare];
    z[3 * k] -= spare;
    change = std::max(change, std::abs(spare));
    largest = std::max(largest, std::abs(z[3 * k]));
    spare = 0;
  }
  return change / largest;
}

/// Dry joints and nothing else, by symmetric solutions alone: those that stick are held, those that slide have friction
/// at the bounds of the solution before. Friction moves reactions by its coefficient times a ratio of lengths, so that
/// rounds converge fast; another sign of a bound or of a slip costs nothing, a joint that begins or ceases to stick new
/// factors from its place on. False when rounds converge slowly: LU then serves better.
bool SolveByRounds(const SpatialModel<double>& model, const SpookStructure& structure, const SpookStageInput& in,
                   bool again, SpookStageResult& out) {
  MlcpProblem& problem = out.problem;
  Eigen::VectorXd& x = out.solution.x;
  GrowingVector& z = out.solution.z;
  constexpr int kRounds = 200, kExchanges = 40, kExchangesOfAll = 6;
  constexpr double kNear = 1e-7;
  const auto restart = [&](bool with_factors) {
    if (!FactorizeHeld(structure, in, with_factors, out)) return false;
    x = problem.a;
    for (size_t k = 0; k < out.modes.size(); ++k) {
      // Friction of a joint that slides stays; the impulse of a sticking joint is computed again.
      const bool forward = out.modes[k] == DryMode::kForward;
      double& friction = z[3 * k + (forward ? 1 : 0)];
      const double kept = out.modes[k] == DryMode::kSticks ? 0 : std::abs(friction);
      z[3 * k] = z[3 * k + 1] = z[3 * k + 2] = 0;
      if (kept != 0) problem.C[3 * k].AddTo((forward ? -1 : 1) * (friction = kept), x);
    }
    problem.K.Solve(x, false);
    for (size_t k = 0; k < out.modes.size(); ++k) {
      double& spare = x[6 * structure.dry_nodes[k] + DryChain::kSpare];
      if (out.modes[k] == DryMode::kSticks) z[3 * k] = -spare;
      spare = 0;
    }
    return true;
  };
  z.setZero(problem.complementary_count());
  if (!restart(again)) return false;
  double last = std::numeric_limits<double>::infinity();
  int exchanges = 0;
  bool exact = false;
  for (int round = 0; round < kRounds; ++round) {
    UpdateBounds(model, structure, in, x, out);
    const double change = ImproveHeld(structure, exact, out);
    if (!std::isfinite(change)) return false;
    // What the next round would change, judged by how rounds converge.
    const double next = change * std::min(1.0, change / last);
    const bool settled = next <= 1e-13 || (change <= 1e-11 && change > 0.5 * last);
    if (change <= 1e-2 || round == 0) {
      if (!CorrectModes(problem, x, z, exchanges < kExchangesOfAll, settled ? 0 : 10 * change, out.modes)) {
        if (++exchanges > kExchanges || !restart(true)) return false;
        last = std::numeric_limits<double>::infinity();
        exact = false;
        continue;
      }
      if (settled && exact) {
        out.rounds = 1 + exchanges;
        UpdateBounds(model, structure, in, x, out);
        FinishChain(out);
        return true;
      }
    }
    if (change > 0.3 * last) return false;
    exact = exact || change <= kNear;
    last = change;
  }
  return false;
}

/// Dry joints and nothing else: modes and bound directions are corrected together, one factorization of O(n) each
/// round.
bool SolveByChain(const SpatialModel<double>& model, const SpookStructure& structure, const SpookStageInput& in,
                  bool again, SpookStageResult& out) {
  MlcpProblem& problem = out.problem;
  const size_t count = structure.dry_nodes.size();
  out.modes.resize(count);
  for (size_t k = 0; k < count; ++k) {
    const bool slides = out.guess[3 * k + 2] != 0;
    out.modes[k] = !slides ? DryMode::kSticks : out.guess[3 * k + 1] ? DryMode::kForward : DryMode::kBackward;
  }
  again = again && out.by_chain;
  if (SolveByRounds(model, structure, in, again, out)) return true;
  again = false;
  Eigen::VectorXd& x = out.solution.x;
  GrowingVector& z = out.solution.z;
  constexpr int kRoundsForAll = 8, kRounds = 100, kImprovements = 12;
  constexpr double kFar = 1e-5;
  for (out.rounds = 1; out.rounds <= kRounds; ++out.rounds) {
    if (!out.chain.Factorize(problem, structure.dry_nodes, out.modes, again || out.rounds > 1)) return false;
    x = problem.a;
    z = problem.b;
    out.chain.Solve(problem, x, z);
    // With right modes only bound directions are left to correct; the factors at hand serve for that. A bound moves by
    // the square of what its direction moves, so that impulses must have settled too.
    double last = std::numeric_limits<double>::infinity();
    for (int improvement = 0; improvement < kImprovements; ++improvement) {
      const bool right = CorrectModes(problem, x, z, out.rounds <= kRoundsForAll, 0, out.modes);
      if (!std::isfinite(x.sum())) return false;
      const double bounds = UpdateBounds(model, structure, in, x, out);
      // Far away new factors are cheaper than many improvements with old ones.
      if (!right || bounds > kFar) break;
      const double change = std::max(bounds, out.chain.Improve(problem, x, z));
      if (change <= 1e-13 || (change <= 1e-11 && change > 0.5 * last)) {
        FinishChain(out);
        return true;
      }
      if (change > 0.5 * last || change > kFar) break;
      last = change;
    }
  }
  return false;
}

}  // namespace

void SolveAssembledStage(const SpatialModel<double>& model, const SpookStructure& structure, const SpookStageInput& in,
                         bool again, SpookStageResult& out) {
  const MlcpOptions options;
  const bool dry = in.stage != SpookStage::kImpact && !structure.dry_joints.empty();
  out.by_chain =
      dry && DryChain::Fits(out.problem, structure.dry_nodes) && SolveByChain(model, structure, in, again, out);
  out.solved = out.by_chain;
  if (out.by_chain) {
    out.prepared = false;
    ExtractStage(structure, in, out);
    return;
  }
  out.prepared = (again && out.prepared) || PrepareMlcp(out.problem, out.workspace);
  if (!out.prepared) {
    out.solution.status = MlcpStatus::kSingular;
    out.solution.x.setZero(out.problem.K.size());
    out.solution.z.setZero(out.problem.complementary_count());
    out.solution.active.assign(out.problem.complementary_count(), 0);
    ExtractStage(structure, in, out);
    out.v = *in.v;
    return;
  }
  if (dry) {
    out.workspace.x0 = out.problem.a;
    out.problem.K.Solve(out.workspace.x0, false);
    UpdateBounds(model, structure, in, out.workspace.x0, out);
  }
  constexpr int kRounds = 30;
  for (out.rounds = 1;; ++out.rounds) {
    out.solved = SolvePreparedMlcp(out.problem, out.guess, options, out.workspace, out.solution);
    if (!dry || !out.solved) break;
    const double change = UpdateBounds(model, structure, in, out.solution.x, out);
    if (change <= 1e-13) break;
    if (out.rounds == kRounds) {
      out.solved = change <= 1e-9;
      break;
    }
    out.guess = out.solution.active;
  }
  if (dry && !out.solved) SolveByHeldBounds(model, structure, in, options, out);
  ExtractStage(structure, in, out);
}

}  // namespace ricochet
