// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What joint recordings identify of the parameters, and how well.
//
// Covariance: inverse of the information about p with all states unknown. Directions without information are held at
// the scene's values, one parameter after the other. Where residuals are not white (Ljung and Box), scores are summed
// over blocks of time and the sandwich H^-1 (sum b b') H^-1 replaces the covariance if larger.
#pragma once

#include <Eigen/Core>
#include <utility>
#include <vector>

#include "estimators/jointed/jointed_motion.h"

namespace ricochet {

/// A direction without information in the data: the pivot is held, and what moves with it is named.
struct HeldNumber {
  int pivot = 0;
  std::vector<std::pair<int, double>> moves;  // others, and their change per unit of the pivot
};

struct JointedUncertainty {
  std::vector<int> kept;       // parameters that are not held
  Eigen::MatrixXd covariance;  // zero rows for held ones
  std::vector<HeldNumber> held;
};

/// Holds parameters in directions that the data leave open, and moves the others with them. `slack`: factor on what
/// counts as open. Whether there are any.
bool HoldUnidentified(const JointedFamily& family, const Eigen::MatrixXd& information, double slack,
                      Eigen::VectorXd& params, std::vector<char>& fixed);

JointedUncertainty UncertaintyOf(const JointedFamily& family, const Eigen::MatrixXd& information,
                                 const Eigen::VectorXd& params, const std::vector<char>& fixed);

/// Whether the residuals of a track are white; the largest lag-one correlation of a channel.
bool IsWhite(const JointTrack& track, const std::vector<double>& residuals, double& correlation);

/// The sandwich over blocks of time where it is larger, for one motion per recording. `segments`: the linearization.
void WidenForBlocks(const JointedFamily& family, const JointedMotion& motion, const std::vector<JointTrack>& tracks,
                    const Eigen::VectorXd& params, const JointedNodes& nodes, std::vector<JointedSegment> segments,
                    JointedUncertainty& uncertainty);

}  // namespace ricochet
