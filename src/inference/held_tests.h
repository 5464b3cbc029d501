// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Which parameters that a fit held would explain what it leaves: score tests at the fit.
//
// With J_l, J_p, J_c the derivatives of the residuals r by local unknowns, estimated parameters and a group of held
// parameters, everything is evaluated once, at the fit. Behind the local unknowns (rows projected out, block by block)
// and behind the estimated parameters there remain
//
//   C = J_c' P J_c,  b = J_c' P r,       P: what neither local unknowns nor estimated parameters imitate
//
// and to first order freeing the group changes it by d = -C^-1 b, lowers the sum of squares by b' C^-1 b, and moves the
// estimated parameters by A d, A = -(J_p' J_p)^-1 J_p' J_c. So one evaluation tests all groups, and a small linear
// system answers for each. A group that the estimated parameters imitate (C singular) cannot be tested.
//
// Where the data would not show a plausible error of a held parameter (HeldGroup::plausible), the estimates rest on the
// scene's value: `assumed` is what such an error would change.
//
// An effect that the scene leaves out (drag, a spring, Coulomb torque) is nobody's statement that it is absent. Where
// estimated parameters nearly imitate it, it moves them by many of their standard deviations before the data show it:
// `unseen` is what it may change, with the size that the data do not exclude. That size is the root mean square of a
// normal distribution of the test's value and standard deviation, cut off where the effect would have the wrong sign.
// An effect that is imitated completely has no such size. There, an estimate has the standard deviation of a uniform
// distribution from its bound on: friction of 0.3 may be 0.2 of friction and 0.1 of drag, but not less than none.
#pragma once

#include <optional>
#include <vector>

#include "inference/fit_problem.h"

namespace ricochet {

/// Parameters that are held together and tested together: the coordinates of one vector.
struct HeldGroup {
  std::string path;  // "observe.frame.position"
  std::vector<SelectedParameter> parameters;
  std::vector<double> plausible;  // error of each that a careful person makes; 0: the scene says that it is absent
  bool left_out = false;          // an effect that the scene does not mention (drag, a spring, Coulomb torque), so that
                                  // `plausible` is the size that it may have
};

struct HeldTest {
  int group = 0;          // index into the groups that were given
  double gain = 0;        // by which the sum of squares over the noise would fall
  double p_value = 1;     // of a gain that large by chance
  Eigen::VectorXd value;  // that the group would have
  Eigen::VectorXd std;    // of it, with the residuals that would be left
  Eigen::VectorXd shift;  // of the estimated parameters
  double residual = 1;    // root mean square of the residuals that would be left, over that of the fit
  bool possible = false;  // it could be tested, and the value is within its bounds

  Eigen::VectorXd assumed;  // their change by a plausible error of what the data say nothing about
  Eigen::VectorXd unseen;   // their change by an effect that the scene leaves out and the data do not exclude
  Eigen::VectorXd blur;     // the same for an effect as large as its standard deviation
};

/// Tests of the groups that act on the recordings, smallest probability first; those that are not possible last. Empty
/// when the method has no derivatives or cannot free held parameters.
std::vector<HeldTest> TestHeld(const FitProblem& problem, const Fit& fit, const std::vector<HeldGroup>& groups);

/// The parameters of a scene that are worth testing where they were held: geometry, gravity, surfaces, contact laws,
/// joints, and what lies between the body and the sensor; without those in `estimated`, and numbers that follow from
/// them. Plausible errors are by the kind of quantity (docs/theory/verdict.md lists them).
std::vector<HeldGroup> HeldGroupsOf(const Scene& scene, const std::vector<SelectedParameter>& estimated);

}  // namespace ricochet
