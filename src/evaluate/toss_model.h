// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#pragma once

#include "model/model.h"
#include "ricochet/scene.h"
#include "steppers/stepper.h"

namespace ricochet {

/// A scene of tosses, compiled, with the stepper that it names.
struct TossModel {
  /// Throws InputError when the scene names no method, or one that cannot step it.
  explicit TossModel(const Scene& scene);

  const Stepper& stepper;
  Model model;
};

}  // namespace ricochet
