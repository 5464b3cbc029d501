// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Whether a scalar carries no derivatives, so that work on a constant can be left out.
#pragma once

#include "math/jet.h"

namespace ricochet {

/// Whether a number carries no derivatives.
inline bool IsConstant(double) { return true; }
template <int N>
bool IsConstant(const Jet<N>& x) {
  return (x.v.array() == 0).all();
}

}  // namespace ricochet
