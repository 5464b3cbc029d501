// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The list of estimators: the only place outside its room that names one. `auto` takes the first that does not refuse.
#include "estimators/estimator.h"
#include "estimators/mechanism/inverse_dynamics.h"
#include "estimators/planar_trajectory/trajectory_planar.h"
#include "estimators/program/joint_planar.h"
#include "estimators/regression/regression.h"
#include "estimators/spatial_trajectory/trajectory_spatial.h"
#include "estimators/tosses/toss_identification.h"

namespace ricochet {

std::vector<const Estimator*> AllEstimators() {
  return {&PlanarTrajectory(), &SpatialTrajectory(), &SpatialVelocity(),
          &Regression(),       &PlanarJoint(),       &InverseDynamics()};
}

}  // namespace ricochet
