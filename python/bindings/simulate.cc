// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/simulate.h"

#include "call.h"
#include "parts.h"
#include "record.h"

namespace ricochet::python {

void BindSimulate(nb::module_& module) {
  using Summary = SimulationSummary;
  Record<Summary>(module, "SimulationSummary", "How a simulation went.")
      .Field("method", &Summary::method, "The stepper.")
      .Field("step", &Summary::step, "[s]")
      .Field("steps", &Summary::steps, "Steps that were taken.")
      .Field("duration", &Summary::duration, "Simulated time [s].")
      .Field("kinetic_start", &Summary::kinetic_start, "Kinetic energy at the start [J].")
      .Field("kinetic_end", &Summary::kinetic_end, "Kinetic energy at the end [J].")
      .Field("potential_start", &Summary::potential_start, "Potential energy at the start [J].")
      .Field("potential_end", &Summary::potential_end, "Potential energy at the end [J].")
      .Field("dissipated", &Summary::dissipated, "Energy taken by contacts and joints [J].")
      .Field("gained", &Summary::gained, "Energy that contacts on resting surfaces added [J].")
      .Field("gaining_steps", &Summary::gaining_steps, "Steps in which they added energy.")
      .Field("contact_steps", &Summary::contact_steps, "Steps with a closed contact.")
      .Field("largest_residual", &Summary::largest_residual, "Of the contact problems, relative.")
      .Field("deepest_penetration", &Summary::deepest_penetration, "[m]")
      .Field("retried_steps", &Summary::retried_steps, "Steps solved by a fall-back of the solver or in halves.")
      .Field("patches", &Summary::patches, "The stepper distinguishes point, line and surface contact.")
      .Field("fallbacks", &Summary::fallbacks, "Retried steps by the fall-back that solved them.")
      .Field("kinds", &Summary::kinds, "Contacts of kind point, line, surface over all steps.")
      .Field("failed_steps", &Summary::failed_steps, "Steps whose contact problem was not solved to tolerance.")
      .Field("first_failure", &Summary::first_failure, "Time of the first of them [s].")
      .Field("seconds", &Summary::seconds, "Computing time.")
      .definition()
      .def("describe", &DescribeSimulation)
      .def("format_json", &FormatSimulation);
  Record<ContactRow>(module, "ContactRow", "A closed contact of one step. Impulses act on the first body of the pair.")
      .Field("time", &ContactRow::time, "End of the step [s].")
      .Field("pair", &ContactRow::pair, "\"body/surface\"")
      .Field("contact", &ContactRow::contact, "Number of the vertex, or 0.")
      .Field("gap", &ContactRow::gap, "Negative in penetration [m].")
      .Field("normal_impulse", &ContactRow::normal_impulse, "[N s]")
      .Field("tangential_impulse", &ContactRow::tangential_impulse, "Planar: along the tangent in entry 0 [N s].")
      .Field("point", &ContactRow::point, "In the world [m].")
      .Field("slides", &ContactRow::slides, "Otherwise it sticks.")
      .Field("torsional_impulse", &ContactRow::torsional_impulse, "About the normal [N m s].")
      .Field("kind", &ContactRow::kind, "\"point\", \"line\", \"surface\"; empty for most steppers.")
      .Field("active_facets", &ContactRow::active_facets, "Of the first body.")
      .Field("body_point", &ContactRow::body_point, "The point in the frame of the body [m].")
      .Field("other_point", &ContactRow::other_point, "The point in the frame of the other body or surface [m].");
  nb::class_<SimulationResult>(module, "SimulationResult", "Motion, contacts and summary of a simulation.")
      .def_ro("recording", &SimulationResult::recording)
      .def_ro("contacts", &SimulationResult::contacts)
      .def_ro("summary", &SimulationResult::summary);
  module.def(
      "simulate",
      [](const Scene& scene, const std::string& method, std::optional<double> step, std::optional<double> duration,
         std::optional<double> rate, double noise_position, double noise_angle, const Recording* inputs,
         const CallSettings& call) {
        const SimulateOptions options{method, step, duration, rate, noise_position, noise_angle, inputs};
        return RunCall(call, [&](const Context& context) { return Simulate(scene, options, context); });
      },
      nb::arg("scene"), nb::arg("method"), nb::arg("step").none(), nb::arg("duration").none(), nb::arg("rate").none(),
      nb::arg("noise_position"), nb::arg("noise_angle"), nb::arg("inputs").none(), nb::arg("call"));
}

}  // namespace ricochet::python
