// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/program/joint_active_set.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "estimators/planar/planar_family.h"
#include "estimators/program/joint_schedule.h"
#include "estimators/program/joint_solve.h"

namespace ricochet {
namespace {

constexpr int kMostIterations = 300;  // of one active-set solve
constexpr int kRounds = 30;           // of active-set changes

/// By how much the variances of the numbers differ, relative; those without information are excluded.
double VariancesApart(const BorderedBand& a, const BorderedBand& b) {
  constexpr double kUnidentified = 1e9;
  double apart = 0;
  for (Eigen::Index i = 0; i < a.schur().rows(); ++i) {
    const double one = a.schur_inverse()(i, i), other = b.schur_inverse()(i, i);
    if (!(one * a.schur()(i, i) < kUnidentified) && !(other * b.schur()(i, i) < kUnidentified)) continue;
    apart = std::max(apart, one > 0 && other > 0 ? std::abs(std::log(one / other)) : INFINITY);
  }
  return apart;
}

}  // namespace

Eigen::VectorXd JointResiduals(const JointProgram& program, const JointChain& chain) {
  const Scene& scene = program.family().scene();
  const Body& moving = scene.bodies[static_cast<std::size_t>(program.family().body())];
  const Eigen::Vector2d com(scene[moving.center_of_mass[0]], scene[moving.center_of_mass[1]]);
  Eigen::VectorXd out = Eigen::VectorXd::Zero(3 * chain.track.size());
  for (int i = 0; i < chain.track.size(); ++i) {
    if (chain.rejected[static_cast<std::size_t>(i)]) continue;
    Eigen::Vector3d q = program.PoseAt(chain, chain.track.time[static_cast<std::size_t>(i)]);
    const double c = std::cos(q[2]), s = std::sin(q[2]);
    q.head<2>() -= Eigen::Vector2d(c * com.x() - s * com.y(), s * com.x() + c * com.y());
    for (int k = 0; k < 3; ++k)
      out[3 * i + k] = (q[k] - chain.track.pose[static_cast<std::size_t>(i)][k]) / chain.track.Noise(k);
  }
  return out;
}

/// The softer the equalities, the more they give; the harder, the more information is lost to rounding. The
/// penalty falls until the variances of the numbers settle; taken is the one about which they change least.
bool FactorInformation(JointProgram& program, BorderedBand& system) {
  constexpr double kSame = 0.005;
  const auto factor = [&](double penalty, BorderedBand& out) {
    program.weights().penalty = penalty;
    program.Linearize(out);
    return out.Factor();
  };
  BorderedBand harder, softer;
  bool known = factor(1e5, harder);
  double least = INFINITY, taken = 1e5;
  for (const double penalty : {3e4, 1e4, 3e3, 1e3, 3e2, 1e2}) {
    const bool also = factor(penalty, softer);
    const double apart = known && also ? VariancesApart(harder, softer) : INFINITY;
    if (apart < least) {
      least = apart;
      taken = penalty;
      system = softer;
    }
    if (apart < kSame) break;
    std::swap(harder, softer);
    known = also;
  }
  program.weights().penalty = taken;
  return std::isfinite(least);
}

bool SolveActiveSet(JointProgram& program, int& iterations) {
  double last = INFINITY;
  const int begun = iterations;
  for (int round = 0; round < kRounds; ++round) {
    JointSolveOptions options;
    options.iterations = round < 3 ? 40 : 80;
    const JointSummary summary = SolveJoint(program, options);
    iterations += summary.iterations;
    if (!std::isfinite(summary.chi2)) return false;
    // An active set that leads nowhere is given up, so that another start can be tried.
    if (round >= 7 && summary.chi2 > 4 * summary.data) return false;
    if (iterations - begun > kMostIterations) return false;
    JointProgram before = program;
    const JointChanges changes = ChangeActiveSet(program);
    const int bounces = program.weights().restitution && changes.total() == changes.friction ? OpenBounces(program) : 0;
    const bool solved = summary.feasible && summary.stationary;
    if (changes.total() + bounces == 0) {
      if (solved || round > 6) return solved;
      continue;
    }
    // A node at the transition between two modes may change sides for ever; it makes no difference.
    const bool trivial = bounces == 0 && changes.total() <= 2 && std::abs(last - summary.chi2) < 0.02;
    last = summary.chi2;
    if (solved && trivial) {
      program = before;
      return true;
    }
    if (round + 1 == kRounds) program = before;
  }
  return false;
}

}  // namespace ricochet
