// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Solves one step of `ecp` (equations in ecp_problem.h): which contacts are closed, which inequalities are active,
// stick or slide, and the velocities, contact points and impulses that go with them.
//
// A step goes through these attempts until one passes the check below:
//
//   free         no contact: nu from the implicit gyroscopic equation; taken when nothing overlaps at its end.
//   newton       semismooth Newton on the equations, starting from the features (face, edge, corner, rim, side line)
//   that
//                overlap at the end of the free motion. After each iteration the active inequalities follow the signs
//                of their multipliers and values (the min-map's active set): beta_i < 0 leaves, f_j(x) > 0 enters, at a
//                full corner by a ratio test. Contacts are closed and opened by p_n < 0 and overlap.
//   enumeration  for a single closed contact with a plane: Newton with each feature of the body held fixed, the deepest
//                first (restart from other active sets).
//   continuation path-following in friction: mu from 0 to its value in growing steps, each started from the last.
//   general      the full problem (18)-(19) by SolveMixedNcp (complementarity/mixed_ncp/mixed_ncp.h), see ecp_mncp.h.
//
// If all fail, the caller halves the step. The check is independent of how a candidate was found: residual of the
// equations, signs of p_n, beta, gamma, all other inequalities at the ECP, closed contacts that touch and no overlap of
// any pair at the end poses, and energy: the equations also have solutions in which bodies jump apart or through each
// other, with impulses that create energy (kEcpMostCreated).
#pragma once

#include <array>
#include <limits>
#include <span>
#include <vector>

#include "geometry/convex_support.h"
#include "steppers/ecp/ecp_solution.h"

namespace ricochet {

/// Gap between a solid and the half space of a plane, negative in overlap.
double PlaneGap(const ConvexSolid<double>& solid, const Matrix3<double>& R, const Vector3<double>& p,
                const Facet<double>& plane);

/// The features of a solid that may lie on a plane: active sets of one (face or smooth wall), two (edge, rim) or three
/// (corner) facets, with the points that span them in the solid's frame. Corners of more than three facets give three
/// whose normals hold the opposite of the plane's normal, if there are such.
struct EcpFeature {
  int count = 0;
  std::array<int, kEcpMaxActive> facets{};
  Vector3<double> point = Vector3<double>::Zero();
};

/// Whether the features of a solid can be listed: polytopes, cylinders, balls and ellipsoids. Contacts of others with
/// planes start from the deepest common point instead.
bool HasFeatures(const ConvexSolid<double>& solid);

/// The feature that overlaps most plausibly: spanned by the points of the solid below the plane.
EcpFeature GuessFeature(const ConvexSolid<double>& solid, const Matrix3<double>& R, const Vector3<double>& p,
                        const Facet<double>& plane);

/// All features with a point below `height` over the plane.
void ListFeatures(const ConvexSolid<double>& solid, const Matrix3<double>& R, const Vector3<double>& p,
                  const Facet<double>& plane, double height, std::vector<EcpFeature>& out);

/// Acceptance of a candidate, on the scaled residual.
inline constexpr double kEcpTolerance = 1e-10;

/// Energy that the contacts of one step may create, as a part of the kinetic energy without contact, besides what belts
/// and an overlap at the start of the step bring in. A contact point that rolls on at rate w creates m g h^2 w^2 r,
/// that is g h^2 / r of the kinetic energy.
inline constexpr double kEcpMostCreated = 0.1;

class EcpSolver {
 public:
  /// Solves; false when no attempt passed (the solution then holds the best candidate).
  bool Solve(const EcpProblem<double>& problem, EcpSolution& out);

  /// Largest violation of (7)-(9), (13)-(17) by a candidate, whoever found it: equations scaled by the problem's
  /// scales, multipliers and impulses below zero, inequalities above zero, overlap at the end. Fills in the gaps.
  double Residual(const EcpProblem<double>& problem, EcpSolution& candidate);

  /// Velocities of the last problem without contact, 6 per moving body.
  std::span<const double> free_velocities() const { return free_; }

  /// Attempts beyond the first that are tried; all by default. Used by tests to reach each fall-back.
  bool try_newton = true, try_enumeration = true, try_continuation = true, try_general = true;
  /// Contacts in steps longer than this are given up at once [s]. Used by tests to reach the halving of steps.
  double longest_step = std::numeric_limits<double>::infinity();

 private:
  void FreeMotion(const EcpProblem<double>& problem, std::vector<double>& velocities) const;
  double Gap(const EcpProblem<double>& problem, const EcpContact<double>& contact, const double* velocities) {
    return GapAfter(problem.h, problem, contact, velocities);
  }
  double GapAfter(double h, const EcpProblem<double>& problem, const EcpContact<double>& contact,
                  const double* velocities);
  bool CreatesEnergy(const EcpProblem<double>& problem, const EcpSolution& candidate);
  bool Guess(const EcpProblem<double>& problem, int contact, const double* velocities, double fraction,
             EcpClosed& closed);
  void UseFeature(const EcpContact<double>& contact, const EcpEnd<double>& F, const EcpFeature& feature,
                  EcpClosed& closed) const;
  void StartImpulse(const EcpProblem<double>& problem, double depth, const double* velocities, EcpClosed& closed) const;
  bool RunNewton(const EcpProblem<double>& problem, EcpSolution& candidate, bool change_sets, int max_iterations);
  bool ChangeSets(const EcpProblem<double>& problem, EcpSolution& candidate, double tolerance);
  bool SolveClosed(const EcpProblem<double>& problem, EcpSolution& candidate);
  bool CloseAndOpen(const EcpProblem<double>& problem, EcpSolution& candidate, bool& changed);
  bool Enumerate(const EcpProblem<double>& problem, EcpSolution& candidate);
  bool Continue(const EcpProblem<double>& problem, EcpSolution& candidate);
  bool SolveGeneral(const EcpProblem<double>& problem, EcpSolution& candidate);
  bool Accept(const EcpProblem<double>& problem, EcpSolution& candidate);
  void Pack(const EcpSolution& candidate);
  void Unpack(EcpSolution& candidate) const;
  bool SolveLinear(int size);

  std::vector<double> z_, residual_, jacobian_, elimination_, step_;
  std::vector<EcpFeature> features_;
  std::vector<double> free_;  // velocities of the free motion
  std::vector<EcpActive> sets_;
  OverlapWorkspace overlap_work_;
  Overlap overlap_;
  EcpSolution best_, start_;
  EcpProblem<double> scaled_;  // copy with another friction, for continuation
  int iterations_ = 0;
};

}  // namespace ricochet
