// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/friction_bodies/friction_contact_solver.h"

#include <algorithm>
#include <numeric>

#include "complementarity/friction_bodies/friction_contact_sweeps.h"
#include "core/random.h"

namespace ricochet {
namespace {

using Eigen::Vector3d;

// Relative residuals: contacts are left at the first if the tolerance is out of reach; sweeps are for what is above the
// second.
constexpr double kWellSolved = 5e-11, kNearlySolved = 1e-6;

int FindRoot(std::vector<int>& root, int i) {
  while (root[i] != i) i = root[i] = root[root[i]];
  return i;
}

/// The small problem as a general one, for the slower solvers.
void SmallToIsland(const SmallContactProblem& small, FrictionContactProblem& island) {
  island.body_count = 1;
  island.free_velocity.assign(1, Vector6d::Zero());
  island.contacts.resize(small.count);
  for (int i = 0; i < small.count; ++i) {
    FrictionContact& c = island.contacts[i];
    c.body = 0;
    c.other = -1;
    c.mu = small.mu[i];
    c.rows = small.rows[i];
    c.bias = small.b[i];
  }
}

void IslandToSmall(const FrictionContactSolution& island, SmallContactSolution& small) {
  for (std::size_t i = 0; i < island.impulse.size(); ++i) {
    small.impulse[i] = island.impulse[i];
    small.mode[i] = island.mode[i];
  }
  small.change = island.velocity[0];
  small.residual = island.residual;
  small.converged = island.converged;
}

/// Takes `candidate` when it is better than what `best` holds (residual < 0: nothing yet).
void KeepBetter(const FrictionContactSolution& candidate, FrictionContactSolution& best) {
  if (!(best.residual < 0) && !(candidate.residual < best.residual)) return;
  best.impulse = candidate.impulse;
  best.velocity = candidate.velocity;
  best.mode = candidate.mode;
  best.residual = candidate.residual;
}

/// Friction of sliding contacts that share a load depends on how it is shared.
bool SlidesTogether(const FrictionContactSolution& solution) {
  return std::count(solution.mode.begin(), solution.mode.end(), FrictionMode::kSlide) > 1;
}

/// Newton and, where contacts cannot all stick, impulses from what it found; then Newton with softer springs; then
/// sweeps, one contact at a time (and impulses from those) and simultaneous. What came closest is returned.
FrictionMethod SolveIsland(const FrictionContactProblem& problem, const FrictionContactOptions& options,
                           FrictionContactWorkspace& workspace, FrictionContactSolution& solution) {
  FrictionContactSolution& trial = workspace.trial;
  solution.iterations = trial.iterations = 0;
  solution.residual = -1;
  FrictionMethod method = FrictionMethod::kSweeps;
  // Rounding in springs of this stiffness leaves about 1e-12.
  const double tolerance = std::max(options.tolerance, 1e-11);
  if (options.selection == Selection::kLeastNorm) {
    const bool in_impulses = problem.body_count > 1 && problem.contacts.size() <= kMaxIslandContacts;
    const int full = options.max_newton;
    struct Attempt {
      double stiffness, gain;
      int max_newton;
    };
    // Stiff springs settle contacts that all stick at once. Softer ones find modes sooner, and their impulses are
    // polished; Newton goes on to the end where that fails.
    for (const auto [stiffness, gain, max_newton] :
         {Attempt{1e4, 0.01, 6}, {1e2, 0.01, full}, {1e4, 1, full}, {1e2, 1, full}, {1e1, 1, full}}) {
      if (gain < 1 && !in_impulses) continue;
      SolveByNewton(problem, {.tolerance = tolerance, .stiffness = stiffness, .gain = gain, .max_newton = max_newton},
                    workspace.newton, trial);
      ClassifyModes(problem, trial);
      if (max_newton < full && !trial.converged) continue;
      if (in_impulses && (!trial.converged || SlidesTogether(trial))) {
        workspace.joined.Begin(problem, tolerance);
        trial.converged = workspace.joined.Polish(trial) || trial.converged ||
                          (trial.residual <= kNearlySolved && workspace.joined.Follow(true, trial)) ||
                          (gain == 1 && workspace.joined.Follow(false, trial));
      }
      KeepBetter(trial, solution);
      if (!trial.converged && solution.residual > (gain < 1 ? kWellSolved : kNearlySolved)) continue;
      method = FrictionMethod::kNewton;
      break;
    }
    if (solution.residual > kNearlySolved) {
      workspace.order.resize(problem.contacts.size());
      std::iota(workspace.order.begin(), workspace.order.end(), 0);
      SweepInOrder(problem, workspace.order, tolerance, 500, trial);
      if (in_impulses && !workspace.joined.Polish(trial)) workspace.joined.Follow(true, trial);
      KeepBetter(trial, solution);
    }
  }
  if (options.selection == Selection::kJacobi || solution.residual > kNearlySolved) {
    SweepSimultaneously(problem, options.tolerance, options.max_sweeps, trial);
    KeepBetter(trial, solution);
  }
  solution.iterations = trial.iterations;
  solution.converged = solution.residual <= tolerance;
  return method;
}

}  // namespace

FrictionMethod SolveOneBody(const FrictionContactOptions& options, FrictionContactWorkspace& workspace) {
  SmallContactSolution& small = workspace.small_solution;
  if (options.selection == Selection::kLeastNorm) {
    SolveSmallContact(workspace.small, options.tolerance, false, small);
    if (small.converged || (small.residual >= 0 && small.residual <= kWellSolved)) return FrictionMethod::kActiveSet;
  } else {
    small.residual = -1;
    small.iterations = 0;
  }
  const SmallContactSolution found = small;
  SmallToIsland(workspace.small, workspace.island);
  const FrictionMethod method = SolveIsland(workspace.island, options, workspace, workspace.island_solution);
  IslandToSmall(workspace.island_solution, small);
  const int total = found.iterations + workspace.island_solution.iterations;
  if (options.selection == Selection::kLeastNorm) {
    SmallContactSolution polished = small;
    SolveSmallContact(workspace.small, options.tolerance, true, polished);
    if (polished.converged) small = polished;
    if (found.residual >= 0 && found.residual < small.residual) small = found;
  }
  small.iterations = total;
  return method;
}

void SolveFrictionContact(const FrictionContactProblem& problem, const FrictionContactOptions& options,
                          FrictionContactWorkspace& workspace, FrictionContactSolution& solution) {
  FrictionContactWorkspace& w = workspace;
  const int n = static_cast<int>(problem.contacts.size());
  solution.impulse.assign(n, Vector3d::Zero());
  solution.mode.assign(n, FrictionMode::kOpen);
  solution.velocity = problem.free_velocity;
  solution.residual = 0;
  solution.converged = true;
  solution.iterations = 0;
  solution.method = FrictionMethod::kNone;

  w.root.resize(problem.body_count);
  std::iota(w.root.begin(), w.root.end(), 0);
  for (const FrictionContact& c : problem.contacts)
    if (c.other >= 0) w.root[FindRoot(w.root, c.body)] = FindRoot(w.root, c.other);
  w.local.assign(problem.body_count, -1);

  for (int start = 0; start < problem.body_count; ++start) {
    if (FindRoot(w.root, start) != start) continue;
    w.bodies.clear();
    w.contacts.clear();
    for (int b = 0; b < problem.body_count; ++b)
      if (FindRoot(w.root, b) == start) {
        w.local[b] = static_cast<int>(w.bodies.size());
        w.bodies.push_back(b);
      }
    for (int i = 0; i < n; ++i)
      if (FindRoot(w.root, problem.contacts[i].body) == start) w.contacts.push_back(i);
    if (w.contacts.empty()) continue;

    FrictionMethod method;
    if (w.bodies.size() == 1 && w.contacts.size() <= kMaxSmallContacts) {
      w.small.count = static_cast<int>(w.contacts.size());
      for (int k = 0; k < w.small.count; ++k) {
        const FrictionContact& c = problem.contacts[w.contacts[k]];
        w.small.rows[k] = c.rows;
        w.small.b[k] = ContactVelocity(c, problem.free_velocity);
        w.small.mu[k] = c.mu;
      }
      method = SolveOneBody(options, w);
      for (int k = 0; k < w.small.count; ++k) {
        solution.impulse[w.contacts[k]] = w.small_solution.impulse[k];
        solution.mode[w.contacts[k]] = w.small_solution.mode[k];
      }
      solution.velocity[w.bodies[0]] += w.small_solution.change;
      solution.converged = solution.converged && w.small_solution.converged;
      solution.residual = std::max(solution.residual, w.small_solution.residual);
      solution.iterations += w.small_solution.iterations;
    } else {
      w.island.body_count = static_cast<int>(w.bodies.size());
      w.island.free_velocity.clear();
      for (int b : w.bodies) w.island.free_velocity.push_back(problem.free_velocity[b]);
      w.island.contacts.clear();
      for (int i : w.contacts) {
        w.island.contacts.push_back(problem.contacts[i]);
        FrictionContact& c = w.island.contacts.back();
        c.body = w.local[c.body];
        if (c.other >= 0) c.other = w.local[c.other];
      }
      method = SolveIsland(w.island, options, w, w.island_solution);
      for (std::size_t k = 0; k < w.contacts.size(); ++k) {
        solution.impulse[w.contacts[k]] = w.island_solution.impulse[k];
        solution.mode[w.contacts[k]] = w.island_solution.mode[k];
      }
      for (std::size_t k = 0; k < w.bodies.size(); ++k) solution.velocity[w.bodies[k]] = w.island_solution.velocity[k];
      solution.converged = solution.converged && w.island_solution.converged;
      solution.residual = std::max(solution.residual, w.island_solution.residual);
      solution.iterations += w.island_solution.iterations;
    }
    solution.method = std::max(solution.method, method);
  }
}

double FrictionContactSpread(const FrictionContactProblem& problem, const FrictionContactSolution& solution, int orders,
                             std::uint64_t seed) {
  std::vector<int> order(problem.contacts.size());
  std::iota(order.begin(), order.end(), 0);
  Random random(seed);
  FrictionContactSolution other;
  double spread = 0;
  for (int k = 0; k < orders; ++k) {
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.Below(i)]);
    SweepInOrder(problem, order, 1e-11, 20000, other);
    if (!other.converged) continue;
    double distance2 = 0;
    for (int b = 0; b < problem.body_count; ++b) distance2 += (other.velocity[b] - solution.velocity[b]).squaredNorm();
    spread = std::max(spread, std::sqrt(distance2));
  }
  return spread;
}

}  // namespace ricochet
