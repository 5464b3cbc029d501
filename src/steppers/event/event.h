// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `event`: event-exact planar motion as a stepper. A step of any length is the exact motion over that time, with every
// impact and stretch of contact inside it recorded; see event_motion.h and docs/theory/event.md.
#pragma once

#include "steppers/stepper.h"

namespace ricochet {

const Stepper& Event();

}  // namespace ricochet
