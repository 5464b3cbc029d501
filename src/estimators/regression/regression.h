// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `regression`: inertia over mass of a planar body, impact by impact (Fazeli eq. 16-25).
#pragma once

#include "estimators/estimator.h"

namespace ricochet {

const Estimator& Regression();

}  // namespace ricochet
