// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The joint program solved for one recording, or for several with common numbers: starts, active set, noise, outliers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "estimators/program/joint_program.h"

namespace ricochet {

struct JointFitOptions {
  bool soft = true, rollout = true;  // starts to try
  std::uint64_t seed = 0;
};

struct JointFit {
  bool usable = false;
  std::string problem;
  std::shared_ptr<JointProgram> program;  // at the solution
  bool converged = false;
  std::string start;  // which start the solution came from
  double chi2 = 0;
  double degrees_of_freedom = 0;
  Eigen::VectorXd student;  // factors by which estimated noise enlarges the standard deviations of the numbers
  bool noise_estimated = false;
  double exact_gain = 0;  // by which twice the log-likelihood of exact motion exceeds that of the program; 0: not known
  int iterations = 0;
  std::vector<Eigen::VectorXd> residuals;  // per chain: 3 per frame, rejected ones 0
  std::vector<std::string> log;
};

/// Gain of exact motion that discretization does not explain: the program is in a false minimum.
inline constexpr double kFalseMinimum = 12;

/// Profile likelihood (twice its negative logarithm) plus twice the number of free unknowns.
double JointScore(const JointProgram& program);

JointFit FitJoint(const PlanarFamily& family, const PlanarTrack& track, const JointFitOptions& options = {});

/// Whether recordings that fit alone fit together as well: chi^2 within six standard deviations of what it should be.
bool Agree(const JointFit& fit);

/// All at once, from the separate solutions; from each of them where they do not agree.
JointFit FitJointly(const PlanarFamily& family, const std::vector<JointFit>& fits);

/// Solves again with the poses of the tracks changed (bootstrap) or a number held.
JointFit RefitJoint(const JointFit& fit, const JointProgram& program);

/// Residuals, chi^2, degrees of freedom and Student's factors at the present state.
void DescribeFit(JointFit& fit);

}  // namespace ricochet
