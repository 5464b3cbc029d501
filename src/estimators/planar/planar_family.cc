// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/planar/planar_family.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "ricochet/error.h"

namespace ricochet {
namespace {

PlanarRole RoleOf(const Scene& scene, const SelectedParameter& selected, const Body& body) {
  const auto is = [&](NumberId id, NumberId other) { return id && other && id == other; };
  const NumberId inertia = body.inertia.empty() ? NumberId{} : body.inertia[0];
  if (selected.denominator) {
    if (is(selected.numerator, inertia) && is(selected.denominator, body.mass)) return PlanarRole::kInertiaOverMass;
    if (is(selected.numerator, body.mass) && is(selected.denominator, inertia)) return PlanarRole::kMassOverInertia;
    return PlanarRole::kOther;
  }
  if (is(selected.numerator, body.mass)) return PlanarRole::kMass;
  if (is(selected.numerator, inertia)) return PlanarRole::kInertia;
  for (const Surface& surface : scene.surfaces) {
    const ContactLaw& law = scene.LawOf(body.name, surface.name);
    if (is(selected.numerator, law.friction)) return PlanarRole::kFriction;
    if (is(selected.numerator, law.restitution)) return PlanarRole::kRestitution;
  }
  return PlanarRole::kOther;
}

}  // namespace

PlanarFamily::PlanarFamily(const Scene& scene, std::vector<SelectedParameter> wanted, int body)
    : scene_(scene), wanted_(std::move(wanted)), body_(body) {
  const Body& moving = scene_.bodies[static_cast<std::size_t>(body)];
  for (const SelectedParameter& selected : wanted_) scene_.MakeIndependent(selected.numerator);
  ranges_ = RangesOf(wanted_, scene_);
  for (const SelectedParameter& selected : wanted_) roles_.push_back(RoleOf(scene_, selected, moving));

  // All mass lies within the shape, so the radius of gyration is at most the largest distance R of its boundary.
  const double reach = Motion<double>({start().data(), static_cast<std::size_t>(size())}).body().size;
  const double mass = scene_[moving.mass], most = reach * reach, least = 1e-3 * most;
  for (int i = 0; i < size() && moving.shape; ++i) {
    const PlanarRole kind = roles_[static_cast<std::size_t>(i)];
    if (kind == PlanarRole::kInertiaOverMass) ranges_.lower[i] = least, ranges_.upper[i] = most;
    if (kind == PlanarRole::kInertia && Find(PlanarRole::kMass) < 0)
      ranges_.lower[i] = least * mass, ranges_.upper[i] = most * mass;
    if (kind == PlanarRole::kMassOverInertia) ranges_.lower[i] = 1 / most, ranges_.upper[i] = 1 / least;
  }
}

int PlanarFamily::Find(PlanarRole role) const {
  for (int i = 0; i < size(); ++i)
    if (roles_[static_cast<std::size_t>(i)] == role) return i;
  return -1;
}

Scene PlanarFamily::Calibrated(const Eigen::VectorXd& params) const {
  Scene out = scene_;
  for (int i = 0; i < size(); ++i) {
    const SelectedParameter& selected = wanted_[static_cast<std::size_t>(i)];
    out.Set(selected.numerator, selected.denominator ? params[i] * out[selected.denominator] : params[i]);
  }
  return out;
}

}  // namespace ricochet
