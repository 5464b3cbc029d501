// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/planar_family.h"

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
  const Eigen::Index n = static_cast<Eigen::Index>(wanted_.size());
  start_.resize(n);
  lower_.resize(n);
  upper_.resize(n);
  scale_.resize(n);
  constexpr double kNone = std::numeric_limits<double>::infinity();
  for (Eigen::Index i = 0; i < n; ++i) {
    const SelectedParameter& selected = wanted_[static_cast<std::size_t>(i)];
    const SceneNumber number = scene_.number(selected.numerator);
    const ParameterInfo& info = InfoOf(number.quantity);
    scene_.Set(selected.numerator, number.value);  // a derived number becomes independent
    const double divisor = selected.denominator ? scene_[selected.denominator] : 1.0;
    start_[i] = number.value / divisor;
    roles_.push_back(RoleOf(scene_, selected, moving));
    scale_[i] = start_[i] != 0 ? std::abs(start_[i]) : 1.0;
    lower_[i] = std::isfinite(info.lower) ? info.lower / divisor : -kNone;
    upper_[i] = std::isfinite(info.upper) ? info.upper / divisor : kNone;
    if (info.lower_excluded) lower_[i] += 1e-4 * scale_[i];
    if (roles_.back() == PlanarRole::kFriction || roles_.back() == PlanarRole::kRestitution) scale_[i] = 0.3;
    if (roles_.back() == PlanarRole::kFriction) upper_[i] = std::min(upper_[i], 5.0);
  }

  // All mass lies within the shape, so the radius of gyration is at most the largest distance R of its boundary.
  const double reach = Motion<double>({start_.data(), static_cast<std::size_t>(size())}).body().size;
  const double mass = scene_[moving.mass], most = reach * reach, least = 1e-3 * most;
  for (Eigen::Index i = 0; i < n && moving.shape; ++i) {
    const PlanarRole kind = roles_[static_cast<std::size_t>(i)];
    if (kind == PlanarRole::kInertiaOverMass) lower_[i] = least, upper_[i] = most;
    if (kind == PlanarRole::kInertia && Find(PlanarRole::kMass) < 0) lower_[i] = least * mass, upper_[i] = most * mass;
    if (kind == PlanarRole::kMassOverInertia) lower_[i] = 1 / most, upper_[i] = 1 / least;
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
