// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `joint`: motion, impulses and parameters of a planar scene as one program (Gabiccini eq. 27).
#pragma once

#include "estimators/estimator.h"

namespace ricochet {

const Estimator& PlanarJoint();

}  // namespace ricochet
