// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "evaluate/toss_model.h"

namespace ricochet {

TossModel::TossModel(const Scene& scene) : stepper(StepperOf(scene)), model(CompileModel(scene)) {
  stepper.Check(model);
}

}  // namespace ricochet
