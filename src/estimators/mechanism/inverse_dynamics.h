// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `inverse-dynamics`: parameters of mechanisms from recorded joint angles (Spook sec. 3, 4).
#pragma once

#include "estimators/estimator.h"

namespace ricochet {

const Estimator& InverseDynamics();

}  // namespace ricochet
