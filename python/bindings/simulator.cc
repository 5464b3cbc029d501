// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/simulator.h"

#include <nanobind/stl/string_view.h>

#include "parts.h"
#include "record.h"

namespace ricochet::python {

void BindSimulator(nb::module_& module) {
  Record<JointState>(module, "JointState", "Coordinate and rate of a hinge or slider.")
      .Field("coordinate", &JointState::coordinate, "[rad] or [m]")
      .Field("rate", &JointState::rate, "[rad/s] or [m/s]");
  Record<StepReport>(module, "StepReport", "How the last step went.")
      .Field("solved", &StepReport::solved, "The contact problem was solved to tolerance.")
      .Field("residual", &StepReport::residual, "Of the contact problem, relative.")
      .Field("dissipated", &StepReport::dissipated, "Energy taken by contacts and joints in this step [J].")
      .Field("attempts", &StepReport::attempts, "1: solved at the first attempt.");
  using D = MotionDerivatives;
  Record<D>(module, "MotionDerivatives", "Derivatives of an end state in tangent coordinates.")
      .Field("by_start", &D::by_start, "With respect to the start state.")
      .Field("by_inputs", &D::by_inputs, "With respect to the motor inputs.")
      .Field("by_parameters", &D::by_parameters, "With respect to the parameters, in the order of their paths.");

  using Vector = Eigen::Ref<const Eigen::VectorXd>;
  nb::class_<Simulator>(module, "Simulator", "A simulation that is driven step by step.")
      .def(
          "__init__",
          [](Simulator* self, const Scene& scene, const std::string& method, std::optional<double> step,
             const Recording* inputs) {
            new (self) Simulator(scene, {method, step, inputs});
          },
          nb::arg("scene"), nb::arg("method"), nb::arg("step").none(), nb::arg("inputs").none())
      .def("copy", [](const Simulator& self) { return Simulator(self); })
      .def("step", [](Simulator& self) { return self.Step(); })
      .def("step_with", [](Simulator& self, const std::vector<double>& inputs) { return self.Step(inputs); })
      .def("advance_to", &Simulator::AdvanceTo, nb::call_guard<nb::gil_scoped_release>())
      .def("reset", &Simulator::Reset)
      .def_prop_ro("time", &Simulator::time)
      .def_prop_ro("step_size", &Simulator::step_size)
      .def_prop_ro("inputs", &Simulator::inputs)
      .def_prop_ro("state_size", &Simulator::state_size)
      .def_prop_ro("tangent_size", &Simulator::tangent_size)
      .def("state", &Simulator::state)
      .def(
          "set_state",
          [](Simulator& self, const Vector& state, std::optional<double> time) { self.SetState(state, time); },
          nb::arg("state"), nb::arg("time").none())
      .def("body",
           [](const Simulator& self, std::string_view name) {
             const BodyState state = self.body(name);
             return std::pair<Eigen::VectorXd, Eigen::VectorXd>(state.pose, state.velocity);
           })
      .def("set_body",
           [](Simulator& self, std::string_view name, const std::vector<double>& pose,
              const std::vector<double>& velocity) {
             const std::size_t planar = 3, most_pose = 7, most_velocity = 6;
             if (pose.size() > most_pose || velocity.size() > most_velocity || pose.size() < planar)
               throw InputError({}, std::string(name), "a pose has 3 or 7 numbers and a velocity 3 or 6.",
                                "Give x, y, angle and vx, vy, omega in a planar scene.");
             BodyState state;
             state.pose = Eigen::Map<const Eigen::VectorXd>(pose.data(), static_cast<Eigen::Index>(pose.size()));
             state.velocity =
                 Eigen::Map<const Eigen::VectorXd>(velocity.data(), static_cast<Eigen::Index>(velocity.size()));
             self.SetBody(name, state);
           })
      .def("joint", &Simulator::joint)
      .def("set_joint",
           [](Simulator& self, std::string_view name, double coordinate, double rate) {
             self.SetJoint(name, {coordinate, rate});
           })
      .def("plus", &Simulator::Plus)
      .def("minus", &Simulator::Minus)
      .def("contacts", &Simulator::contacts)
      .def_prop_ro("last_step", [](const Simulator& self) { return self.last_step(); })
      .def_prop_ro("kinetic_energy", &Simulator::kinetic_energy)
      .def_prop_ro("potential_energy", &Simulator::potential_energy)
      .def("differentiate_step", &Simulator::DifferentiateStep, nb::arg("paths") = "")
      .def("track_derivatives", &Simulator::TrackDerivatives, nb::arg("paths") = "")
      .def("tracked_derivatives", &Simulator::tracked_derivatives);
}

}  // namespace ricochet::python
