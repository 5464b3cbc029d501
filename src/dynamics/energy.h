// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Energy and momentum of a state.
#pragma once

#include <Eigen/Core>

#include "dynamics/state.h"
#include "model/model.h"

namespace ricochet {

struct Energy {
  double kinetic = 0;    // [J]
  double potential = 0;  // of gravity, zero at the world's origin [J]
  double total() const { return kinetic + potential; }
};

/// Of all moving bodies.
Energy ComputeEnergy(const Model& model, const State& state);

}  // namespace ricochet
