// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/planar/planar_family.h"

#include <algorithm>
#include <cmath>

#include "observation/sensor.h"

namespace ricochet {
namespace {

PlanarRole RoleOf(const Scene& scene, const SelectedParameter& selected, const Body& body) {
  const auto is = [&](NumberId id, NumberId other) { return id && other && id == other; };
  const NumberId inertia = body.inertia.empty() ? NumberId{} : body.inertia[0];
  if (selected.factor) return PlanarRole::kOther;
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

PlanarFamily::PlanarFamily(const Scene& scene, std::vector<SelectedParameter> parameters, int body)
    : parameters_(scene, std::move(parameters)), body_(body) {
  const Body& moving = scene.bodies[static_cast<std::size_t>(body)];
  for (const SelectedParameter& selected : parameters_.selected()) roles_.push_back(RoleOf(scene, selected, moving));
  if (moving.shape) NarrowInertia();
}

void PlanarFamily::NarrowInertia() {
  const Body& moving = scene().bodies[static_cast<std::size_t>(body_)];
  const double reach = Motion<double>({start().data(), static_cast<std::size_t>(size())}).body().size;
  const double mass = scene()[moving.mass], most = reach * reach, least = 1e-3 * most;
  const std::vector<NumberId>& pivots = parameters_.pivots();
  const bool mass_varies = std::find(pivots.begin(), pivots.end(), moving.mass) != pivots.end();
  for (int i = 0; i < size(); ++i) {
    if (role(i) == PlanarRole::kInertiaOverMass) parameters_.Narrow(i, least, most);
    if (role(i) == PlanarRole::kInertia && !mass_varies) parameters_.Narrow(i, least * mass, most * mass);
    if (role(i) == PlanarRole::kMassOverInertia) parameters_.Narrow(i, 1 / most, 1 / least);
  }
}

int PlanarFamily::Find(PlanarRole role) const {
  for (int i = 0; i < size(); ++i)
    if (roles_[static_cast<std::size_t>(i)] == role) return i;
  return -1;
}

PlanarTrack CenterTrack(const PlanarFamily& family, const Eigen::VectorXd& values, PlanarTrack recorded) {
  const std::vector<double> numbers =
      family.parameters().Numbers<double>({values.data(), static_cast<std::size_t>(family.size())});
  const PlanarSensor<double> sensor(
      FindObservationNumbers(family.scene()).frames[static_cast<std::size_t>(family.body())],
      std::span<const double>(numbers));
  for (Eigen::Vector3d& pose : recorded.pose) pose = sensor.CenterPose(pose);
  recorded.noise_position /= sensor.length_scale();
  return recorded;
}

Eigen::Vector3d FreeAcceleration(const PlanarFamily& family) {
  const PlanarModel<double> model =
      family.Compile<double>({family.start().data(), static_cast<std::size_t>(family.size())});
  Eigen::Vector3d a(model.gravity.x(), model.gravity.y(), 0.0);
  const PlanarBody<double>& body = model.bodies[static_cast<std::size_t>(family.body())];
  for (const Load<double>& load : model.loads)
    if (load.body == family.body() && !std::isfinite(load.until))
      a += Eigen::Vector3d(load.force[0] * body.inverse_mass, load.force[1] * body.inverse_mass,
                           load.force[2] * body.inverse_inertia);
  return a;
}

double LeastGap(const EventBody<double>& body, const Eigen::Vector3d& q, int* candidate) {
  double least = INFINITY;
  for (int i = 0; i < body.candidate_count; ++i) {
    const EventGap<double> gap = body.Gap(i, q);
    if (!body.WithinExtent(i, gap, q) || gap.phi >= least) continue;
    least = gap.phi;
    if (candidate) *candidate = i;
  }
  return least;
}

}  // namespace ricochet
