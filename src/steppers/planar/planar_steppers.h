// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The planar time steppers; their equations are in planar_step.h.
#pragma once

#include "steppers/stepper.h"

namespace ricochet {

const Stepper& Irc();
const Stepper& Lcp();
const Stepper& Igc();

}  // namespace ricochet
