// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "evaluate/simulation_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dynamics/kinematics.h"
#include "result/contacts_file.h"

namespace ricochet {

SimulationSetup SetUpSimulation(const Scene& scene, const std::string& method, const std::optional<double>& step,
                                const Recording* inputs) {
  SimulationSetup setup;
  setup.stepper = method.empty() ? &StepperOf(scene) : &FindStepper(method);
  setup.model = CompileModel(scene);
  setup.stepper->Check(setup.model);
  setup.step = step.value_or(scene[scene.simulation.step]);
  if (!(setup.step > 0) || !std::isfinite(setup.step))
    throw InputError({scene.file, 0, 0}, "simulation.step", fmt::format("{} s is not a valid step.", setup.step),
                     "A step is a positive number of seconds.");
  const bool moves =
      std::any_of(scene.bodies.begin(), scene.bodies.end(), [](const Body& body) { return !body.fixed; });
  if (!moves)
    throw InputError({scene.file, 0, 0}, "bodies", "nothing moves: every body is fixed, or there is none.",
                     "Add a body.");
  if (inputs && setup.model.spatial.inputs.empty())
    throw InputError({inputs->file, 0, 0}, "inputs", "the scene has no motor that an input could drive.",
                     "Give a joint a motor with an input, or leave the inputs out.");
  setup.start = InitialState(setup.model);
  if (inputs) setup.inputs = InputSignal(*inputs, setup.model, InputSignal::MissingColumn::kRefuse);
  return setup;
}

ContactRow ContactRowOf(const Model& model, bool patches, double time, const ContactRecord& contact) {
  ContactRow row;
  row.time = time;
  row.pair = model.PairName(contact.pair);
  row.contact = contact.contact;
  row.gap = contact.gap;
  row.normal_impulse = contact.normal_impulse;
  row.tangential_impulse = {contact.tangential_impulse.x(), contact.tangential_impulse.y()};
  row.point = {contact.p_WC.x(), contact.p_WC.y(), contact.p_WC.z()};
  row.slides = contact.slip == SlipState::kSlide;
  if (!patches) return row;
  row.torsional_impulse = contact.torsional_impulse;
  row.kind = KindName(contact.kind);
  row.active_facets = contact.active_facets;
  row.body_point = {contact.p_BC.x(), contact.p_BC.y(), contact.p_BC.z()};
  row.other_point = {contact.p_OC.x(), contact.p_OC.y(), contact.p_OC.z()};
  return row;
}

}  // namespace ricochet
