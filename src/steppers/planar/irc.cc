// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "steppers/planar/planar_step.h"
#include "steppers/planar/planar_steppers.h"

namespace ricochet {
namespace {

/// Impulse-restitution complementarity: a contact takes part when it is closed and not opening (Gabiccini eq. 6).
class IrcStepper final : public PlanarStepper {
 public:
  StepperInfo info() const override {
    return {.name = "irc",
            .summary = "time stepping; contacts that are closed and not opening take part, with restitution",
            .paper = "Gabiccini eq. 16-20",
            .planar = true,
            .restitution = true,
            .jumps = true,
            .options = kPlanarOptions};
  }

  void Step(const Model& model, const State& start, const StepInputs& inputs, double h, Workspace& workspace,
            StepResult& out) const override {
    RestitutionStep(model, start, inputs, h, /*closing_only=*/true, static_cast<PlanarWorkspace&>(workspace), out);
  }

 protected:
  PlanarNormalRule normal_rule() const override { return PlanarNormalRule::kRestitution; }
};

}  // namespace

const Stepper& Irc() {
  static const IrcStepper stepper;
  return stepper;
}

}  // namespace ricochet
