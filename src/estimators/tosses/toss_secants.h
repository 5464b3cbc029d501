// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Derivatives of a recorded toss by its start and by parameters, for motion with kinks.
//
// Motion with located impacts (rollout/located_rollout.h) is smooth as long as the order of impacts stays, and has a
// kink where it changes. The slope at a point describes one side of it, and standard deviations from slopes are too
// small. So derivatives are secants over what the data leave open, from wide to narrow: at first the start by what its
// flight leaves open and parameters by a part of their size; then, at most threefold narrower each time, by one
// standard deviation of what the last secants say, the start following the parameters. What the secants leave
// unexplained of a frame, n, lowers its weight: its derivatives are divided by sqrt(1 + n).
#pragma once

#include "estimators/tosses/toss_search.h"

namespace ricochet {

/// One toss (index of set.tosses()) at values of the family's parameters, with its start moved from that of the flight.
struct TossPoint {
  int toss = 0;
  const Eigen::VectorXd& values;
  TossStart moved;
  int frames = 0;  // that are compared
};

/// The toss with its start fitted for the model, in `own` where that differs from the set's.
const PreparedToss& RefittedToss(const TossSet& set, const SpatialInstance& instance, int toss, PreparedToss& own);

/// Residuals over the noise of the first frames, as many as the motion reaches.
void RollRows(TossRoller& roller, const PreparedToss& toss, const TossStart& moved, int frames,
              Eigen::VectorXd& residuals);

/// Residuals over the noise, 6 per frame, 0 for outliers. False when the motion cannot be computed.
bool ResidualsOf(const SpatialFamily& family, const TossSet& set, const TossPoint& at, Eigen::VectorXd& residuals);

/// The same with secants: 12 columns by the start along axes of its own, then one by each parameter. `tosses`: that
/// determine the parameters together.
bool SecantsOf(const SpatialFamily& family, const TossSet& set, const TossPoint& at, int tosses,
               Eigen::VectorXd& residuals, Eigen::MatrixXd& jacobian);

}  // namespace ricochet
