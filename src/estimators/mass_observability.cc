// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/mass_observability.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace ricochet {
namespace {

/// The only body that moves; of several, the only one that can touch. Null where there are more.
const Body* OnlyMovingBody(const Scene& scene) {
  std::vector<const Body*> moving, touching;
  for (const Body& body : scene.bodies) {
    if (body.fixed) continue;
    moving.push_back(&body);
    if (body.shape) touching.push_back(&body);
  }
  if (moving.size() == 1) return moving.front();
  return touching.size() == 1 ? touching.front() : nullptr;
}

}  // namespace

MassRefusal RefuseMass(const IdentifyRequest& request) {
  MassRefusal out;
  const Body* only = OnlyMovingBody(request.scene);
  if (!only) {
    out.parameters = request.parameters;
    out.index.resize(request.parameters.size());
    std::iota(out.index.begin(), out.index.end(), 0);
    out.ratio.assign(request.parameters.size(), -1);
    return out;
  }
  const Body& moving = *only;
  const bool forces = !request.scene.actions.empty();
  const auto ratio = [&](NumberId moment) {
    return fmt::format("{}/bodies.{}.mass", request.scene.number(moment).path, moving.name);
  };
  const auto is_moment = [&](const SelectedParameter& selected) {
    return !selected.denominator &&
           std::find(moving.inertia.begin(), moving.inertia.end(), selected.numerator) != moving.inertia.end();
  };
  const auto is_mass = [&](const SelectedParameter& selected) {
    return !selected.denominator && selected.numerator == moving.mass;
  };
  // The one moment of a planar body, or the requested moments.
  std::vector<NumberId> moments;
  if (moving.inertia.size() == 1) moments = moving.inertia;
  bool mass = false;
  for (const SelectedParameter& selected : request.parameters) {
    mass = mass || is_mass(selected);
    if (moving.inertia.size() > 1 && is_moment(selected)) moments.push_back(selected.numerator);
  }
  out.combination =
      moments.empty() ? fmt::format("bodies.{0}.inertia/bodies.{0}.mass", moving.name) : ratio(moments[0]);
  if (mass && moments.empty()) moments = moving.inertia;
  for (const SelectedParameter& selected : request.parameters) {
    if (forces || !mass || (!is_mass(selected) && !is_moment(selected))) {
      out.index.push_back(static_cast<int>(out.parameters.size()));
      out.parameters.push_back(selected);
      out.ratio.push_back(-1);
      continue;
    }
    out.index.push_back(-1);
    if (!out.refused)
      for (const NumberId moment : moments) out.parameters.push_back({ratio(moment), moment, moving.mass});
    out.refused = true;
    const auto own = std::find_if(out.parameters.begin(), out.parameters.end(), [&](const SelectedParameter& each) {
      return each.numerator == selected.numerator && each.denominator == moving.mass;
    });
    out.ratio.push_back(own == out.parameters.end() ? -1 : static_cast<int>(own - out.parameters.begin()));
  }
  return out;
}

}  // namespace ricochet
