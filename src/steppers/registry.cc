// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The list of steppers: the only place outside its room that names one.
#include "steppers/ecp/ecp.h"
#include "steppers/event/event.h"
#include "steppers/moreau/moreau.h"
#include "steppers/planar/planar_steppers.h"
#include "steppers/spook/spook.h"
#include "steppers/stepper.h"

namespace ricochet {

std::vector<const Stepper*> AllSteppers() { return {&Irc(), &Igc(), &Lcp(), &Event(), &Moreau(), &Ecp(), &Spook()}; }

}  // namespace ricochet
