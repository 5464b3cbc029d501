// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A scene compiled for stepping, and its contacts in public form: shared by Simulate and Simulator.
#pragma once

#include <optional>
#include <string>

#include "dynamics/input_signal.h"
#include "ricochet/simulate.h"
#include "steppers/stepper.h"

namespace ricochet {

struct SimulationSetup {
  Model model;
  const Stepper* stepper = nullptr;
  State start;
  double step = 0;  // [s]
  InputSignal inputs;
};

/// `method`, `step` and `inputs` as in SimulateOptions. Throws InputError for what cannot be simulated.
SimulationSetup SetUpSimulation(const Scene& scene, const std::string& method, const std::optional<double>& step,
                                const Recording* inputs);

/// A contact as contacts.csv holds it. `patches`: the stepper distinguishes point, line and surface contact.
ContactRow ContactRowOf(const Model& model, bool patches, double time, const ContactRecord& contact);

}  // namespace ricochet
