// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Numbers of the scene's table that follow from others:
//
//   inertia left out             that of the shape filled with uniform density, about its centroid
//   gravity's other form         (gx, gy, gz) = g (sin a, -cos a sin b, -cos a cos b); planar g (sin a, -cos a)
//   what a pair does not say     the common contact law
//
// T is double, or a Jet of the widths at the end of derived_numbers.cc that carries derivatives with respect to the
// independent numbers: a model compiled from a table that went through DeriveNumbers has the derivatives of, say, a
// uniform body's inertia with respect to its size.
#pragma once

#include <span>

#include "ricochet/scene.h"

namespace ricochet {

/// Fills the derived entries of `values`, which has one value per entry of scene.numbers().
template <class T>
void DeriveNumbers(const Scene& scene, std::span<T> values);

}  // namespace ricochet
