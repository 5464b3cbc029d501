// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "scene/derived_numbers.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "geometry/mass_properties.h"
#include "math/jet.h"

namespace ricochet {
namespace {

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
  // The tilt of no gravity, and b of gravity along x, count as 0.
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

/// Inertia per mass of the shape with uniform density, in the order of Body::inertia.
template <class T>
std::vector<T> UnitInertia(Space space, ShapeType type, std::span<const T> numbers) {
  if (space == Space::kPlanar) return {UniformPlanar<T>(type, numbers).inertia_per_mass};
  const Eigen::Matrix<T, 3, 3> I = UniformSpatial<T>(type, numbers).inertia_per_mass;
  return {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)};
}

/// The same for a Jet of any width, one direction at a time: the formulas are compiled for double and Jet<1> only, and
/// directions in which the shape does not change cost nothing.
template <class T>
std::vector<T> UnitInertiaByDirection(Space space, ShapeType type, const std::vector<T>& numbers) {
  std::vector<double> fixed;
  for (const T& number : numbers) fixed.push_back(ValueOf(number));
  const std::vector<double> values = UnitInertia<double>(space, type, fixed);
  std::vector<T> out(values.begin(), values.end());
  if constexpr (kIsJet<T>) {
    for (int direction = 0; direction < T::kSize; ++direction) {
      const auto moves = [&](const T& number) { return number.v[direction] != 0; };
      if (std::none_of(numbers.begin(), numbers.end(), moves)) continue;
      std::vector<Jet<1>> moved;
      for (const T& number : numbers) moved.emplace_back(number.a, number.v.template segment<1>(direction));
      const std::vector<Jet<1>> along = UnitInertia<Jet<1>>(space, type, moved);
      for (std::size_t i = 0; i < out.size(); ++i) out[i].v[direction] = along[i].v[0];
    }
  }
  return out;
}

template <class T>
void DeriveInertia(const Scene& scene, const Body& body, std::span<T> values) {
  std::vector<T> numbers;
  for (NumberId id : body.shape->numbers) numbers.push_back(values[static_cast<std::size_t>(id.index)]);
  const T& mass = values[static_cast<std::size_t>(body.mass.index)];
  const std::vector<T> unit = UnitInertiaByDirection<T>(scene.space, body.shape->type, numbers);
  for (std::size_t i = 0; i < body.inertia.size(); ++i) {
    values[static_cast<std::size_t>(body.inertia[i].index)] = mass * unit[i];
  }
}

}  // namespace

template <class T>
void DeriveNumbers(const Scene& scene, std::span<T> values) {
  DeriveGravity(scene.gravity, values);
  for (const Body& body : scene.bodies) {
    if (body.shape && body.mass && !body.inertia.empty() && !scene.number(body.inertia[0]).given) {
      DeriveInertia(scene, body, values);
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

void UpdateDerivedNumbers(Scene& scene) {
  std::vector<double> values;
  values.reserve(scene.numbers_.size());
  for (const SceneNumber& number : scene.numbers_) values.push_back(number.value);
  DeriveNumbers<double>(scene, values);
  for (std::size_t i = 0; i < values.size(); ++i) scene.numbers_[i].value = values[i];
}

template void DeriveNumbers<double>(const Scene&, std::span<double>);
template void DeriveNumbers<Jet<1>>(const Scene&, std::span<Jet<1>>);
template void DeriveNumbers<Jet<8>>(const Scene&, std::span<Jet<8>>);
template void DeriveNumbers<Jet<9>>(const Scene&, std::span<Jet<9>>);
template void DeriveNumbers<Jet<12>>(const Scene&, std::span<Jet<12>>);

}  // namespace ricochet
