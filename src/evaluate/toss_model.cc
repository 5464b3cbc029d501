// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "evaluate/toss_model.h"

#include "ricochet/error.h"

namespace ricochet {
namespace {

const Stepper& NamedStepper(const Scene& scene) {
  if (scene.simulation.method.empty())
    throw InputError({scene.file, 0, 0}, "simulation.method", "the scene does not say which method steps it.",
                     "Add simulation: {method: moreau, step: ...}.");
  return FindStepper(scene.simulation.method, scene.simulation.method_where);
}

}  // namespace

TossModel::TossModel(const Scene& scene) : stepper(NamedStepper(scene)), model(CompileModel(scene)) {
  stepper.Check(model);
}

}  // namespace ricochet
