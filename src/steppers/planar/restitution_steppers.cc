// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `irc` and `lcp`: contacts with Newton's restitution. They differ in which closed contacts take part.
#include "steppers/planar/planar_step.h"
#include "steppers/planar/planar_steppers.h"

namespace ricochet {
namespace {

class RestitutionStepper final : public PlanarStepper {
 public:
  /// `closing_only`: contacts that open are left out.
  RestitutionStepper(std::string_view name, std::string_view summary, std::string_view paper, bool closing_only)
      : name_(name), summary_(summary), paper_(paper), closing_only_(closing_only) {}

  StepperInfo info() const override {
    return {.name = name_,
            .summary = summary_,
            .paper = paper_,
            .planar = true,
            .restitution = true,
            .jumps = true,
            .options = kPlanarOptions};
  }

  void Step(const Model& model, const State& start, const StepInputs& inputs, double h, Workspace& workspace,
            StepResult& out) const override {
    RestitutionStep(model, start, inputs, h, closing_only_, static_cast<PlanarWorkspace&>(workspace), out);
  }

 protected:
  PlanarNormalRule normal_rule() const override { return PlanarNormalRule::kRestitution; }

 private:
  std::string_view name_, summary_, paper_;
  bool closing_only_;
};

}  // namespace

/// Impulse-restitution complementarity: a contact takes part when it is closed and not opening (Gabiccini eq. 6).
const Stepper& Irc() {
  static const RestitutionStepper stepper(
      "irc", "time stepping; contacts that are closed and not opening take part, with restitution",
      "Gabiccini eq. 16-20", true);
  return stepper;
}

/// Linear complementarity time stepping: every closed contact takes part, whatever its rate (Fazeli eq. 8).
const Stepper& Lcp() {
  static const RestitutionStepper stepper(
      "lcp", "time stepping; all closed contacts take part in one complementarity problem, with restitution",
      "Fazeli eq. 8", false);
  return stepper;
}

}  // namespace ricochet
