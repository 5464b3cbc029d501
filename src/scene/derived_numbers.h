// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Numbers of the scene's table that follow from others:
//
//   inertia left out             that of the shape filled with uniform density, about its centroid
//   gravity's other form         (gx, gy, gz) = g (sin a, -cos a sin b, -cos a cos b); planar g (sin a, -cos a)
//   what a pair does not say     the common contact law
//
// T is double, or a Jet that carries derivatives with respect to the independent numbers: a model compiled from a table
// that went through DeriveNumbers has the derivatives of, say, a uniform body's inertia with respect to its size.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "geometry/mass_properties.h"
#include "ricochet/scene.h"

namespace ricochet {

namespace internal {

template <class T>
void DeriveGravity(const Gravity& gravity, std::span<T> values) {
  using std::atan2;
  using std::cos;
  using std::sin;
  using std::sqrt;
  const auto at = [&](NumberId id) -> T& { return values[static_cast<std::size_t>(id.index)]; };
  const bool planar = gravity.vector.size() == 2;
  const std::vector<NumberId>& vector = gravity.vector;
  if (gravity.polar) {
    const T g = at(gravity.magnitude), a = at(gravity.tilt[0]);
    at(vector[0]) = g * sin(a);
    if (planar) {
      at(vector[1]) = T(0.0) - g * cos(a);
    } else {
      const T b = at(gravity.tilt[1]);
      at(vector[1]) = T(0.0) - g * cos(a) * sin(b);
      at(vector[2]) = T(0.0) - g * cos(a) * cos(b);
    }
    return;
  }
  // The tilt of no gravity, and b of gravity along x, are taken as 0.
  const T x = at(vector[0]), y = at(vector[1]);
  const T across = planar ? y * y : y * y + at(vector[2]) * at(vector[2]);
  const T square = x * x + across;
  at(gravity.magnitude) = square > 0.0 ? T(sqrt(square)) : T(0.0);
  if (planar) {
    at(gravity.tilt[0]) = square > 0.0 ? T(atan2(x, T(0.0) - y)) : T(0.0);
  } else {
    at(gravity.tilt[0]) = square > 0.0 ? T(atan2(x, across > 0.0 ? T(sqrt(across)) : T(0.0))) : T(0.0);
    at(gravity.tilt[1]) = across > 0.0 ? T(atan2(T(0.0) - y, T(0.0) - at(vector[2]))) : T(0.0);
  }
}

template <class T>
void DeriveInertia(const Scene& scene, const Body& body, std::span<T> values) {
  const T& mass = values[static_cast<std::size_t>(body.mass.index)];
  std::vector<T> numbers;
  for (NumberId id : body.shape->numbers) numbers.push_back(values[static_cast<std::size_t>(id.index)]);
  if (scene.space == Space::kPlanar) {
    const PlanarMassProperties<T> unit = UniformPlanar<T>(body.shape->type, numbers);
    values[static_cast<std::size_t>(body.inertia[0].index)] = mass * unit.inertia_per_mass;
    return;
  }
  const SpatialMassProperties<T> unit = UniformSpatial<T>(body.shape->type, numbers);
  constexpr int kRow[] = {0, 1, 2, 0, 0, 1}, kColumn[] = {0, 1, 2, 1, 2, 2};
  for (std::size_t i = 0; i < body.inertia.size(); ++i) {
    values[static_cast<std::size_t>(body.inertia[i].index)] = mass * unit.inertia_per_mass(kRow[i], kColumn[i]);
  }
}

}  // namespace internal

/// Fills the derived entries of `values`, which has one value per entry of scene.numbers().
template <class T>
void DeriveNumbers(const Scene& scene, std::span<T> values) {
  internal::DeriveGravity(scene.gravity, values);
  for (const Body& body : scene.bodies) {
    if (body.shape && body.mass && !body.inertia.empty() && !scene.number(body.inertia[0]).given) {
      internal::DeriveInertia(scene, body, values);
    }
  }
  for (const PairLaw& pair : scene.pair_laws) {
    const auto take = [&](NumberId own, NumberId common) {
      if (!scene.number(own).given) {
        values[static_cast<std::size_t>(own.index)] = values[static_cast<std::size_t>(common.index)];
      }
    };
    take(pair.law.friction, scene.contact.friction);
    take(pair.law.restitution, scene.contact.restitution);
    take(pair.law.tangential_restitution, scene.contact.tangential_restitution);
    for (const auto member : {&ContactLaw::restitution_low, &ContactLaw::restitution_speed, &ContactLaw::compliance,
                              &ContactLaw::damping, &ContactLaw::rounding}) {
      if (pair.law.*member && scene.contact.*member) take(pair.law.*member, scene.contact.*member);
    }
    if (scene.contact.patch.empty()) continue;
    for (std::size_t i = 0; i < pair.law.patch.size(); ++i) take(pair.law.patch[i], scene.contact.patch[i]);
  }
}

}  // namespace ricochet
