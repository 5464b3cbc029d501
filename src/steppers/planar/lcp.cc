// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "steppers/planar/planar_step.h"
#include "steppers/planar/planar_steppers.h"

namespace ricochet {
namespace {

/// Linear complementarity time stepping: every closed contact takes part, whatever its rate (Fazeli eq. 8).
class LcpStepper final : public PlanarStepper {
 public:
  StepperInfo info() const override {
    return {.name = "lcp",
            .summary = "time stepping; all closed contacts take part in one complementarity problem, with restitution",
            .paper = "Fazeli eq. 8",
            .planar = true,
            .restitution = true,
            .jumps = true,
            .options = kPlanarOptions};
  }

  void Step(const Model& model, const State& start, const StepInputs& inputs, double h, Workspace& workspace,
            StepResult& out) const override {
    RestitutionStep(model, start, inputs, h, /*closing_only=*/false, static_cast<PlanarWorkspace&>(workspace), out);
  }

 protected:
  PlanarNormalRule normal_rule() const override { return PlanarNormalRule::kRestitution; }
};

}  // namespace

const Stepper& Lcp() {
  static const LcpStepper stepper;
  return stepper;
}

}  // namespace ricochet
