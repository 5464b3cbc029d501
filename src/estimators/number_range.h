// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "ricochet/parameter.h"
#include "ricochet/scene.h"

namespace ricochet {

/// Of wanted numbers, one entry each.
struct NumberRanges {
  Eigen::VectorXd start;         // the scene's own values
  Eigen::VectorXd lower, upper;  // what they can be; infinite where nothing limits them
  Eigen::VectorXd scale;         // how large they usually are, > 0
};

/// A ratio has the range of its numerator over the scene's denominator.
NumberRanges RangesOf(const std::vector<SelectedParameter>& wanted, const Scene& scene);

}  // namespace ricochet
