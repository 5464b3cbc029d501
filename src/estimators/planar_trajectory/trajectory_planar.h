// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `trajectory` for planar scenes: maximum likelihood of recorded poses on exact motion.
#pragma once

#include "estimators/estimator.h"

namespace ricochet {

const Estimator& PlanarTrajectory();

}  // namespace ricochet
