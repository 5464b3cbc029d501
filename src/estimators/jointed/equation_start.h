// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Start values of a mechanism's parameters from filtered recordings alone: least squares on the equations of motion at
// the filtered coordinates, rates and accelerations. They are linear in most numbers, so that no start value matters.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "dataset/joint_track.h"
#include "estimators/jointed/jointed_family.h"

namespace ricochet {

/// From `params`, of which the `fixed` ones (one entry each) stay; unchanged where there are too few rows.
Eigen::VectorXd StartFromEquations(const JointedFamily& family, const std::vector<JointTrack>& tracks,
                                   Eigen::VectorXd params, const std::vector<char>& fixed);

}  // namespace ricochet
