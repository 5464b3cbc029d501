// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The list of steppers.
#include <fmt/format.h>

#include <string>

#include "core/text.h"
#include "steppers/ecp/ecp.h"
#include "steppers/event/event.h"
#include "steppers/moreau/moreau.h"
#include "steppers/planar/planar_steppers.h"
#include "steppers/spook/spook.h"
#include "steppers/stepper.h"

namespace ricochet {
namespace {

/// Every stepper there is.
std::vector<const Stepper*> AllSteppers() { return {&Irc(), &Igc(), &Lcp(), &Event(), &Moreau(), &Ecp(), &Spook()}; }

}  // namespace

const Stepper& FindStepper(std::string_view name, const SourcePosition& where) {
  std::vector<std::string> known;
  for (const Stepper* stepper : AllSteppers()) {
    if (stepper->info().name == name) return *stepper;
    known.emplace_back(stepper->info().name);
  }
  throw InputError(where, "simulation.method", fmt::format("there is no method `{}`.", Printable(name)),
                   SuggestName(name, known));
}

std::vector<std::string_view> StepperNames() {
  std::vector<std::string_view> names;
  for (const Stepper* stepper : AllSteppers()) names.push_back(stepper->info().name);
  return names;
}

}  // namespace ricochet
