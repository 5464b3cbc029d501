// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/spatial/spatial_family.h"

#include <algorithm>

#include "geometry/body_contact.h"
#include "ricochet/error.h"

namespace ricochet {
namespace {

/// Largest distance of the shape from the centre of mass; 1 m without a shape.
double SizeOf(const SpatialBody<double>& body) {
  return body.shape.present ? BoundingRadius(body.shape) + body.p_BBcm.norm() : 1.0;
}

}  // namespace

SpatialFamily::SpatialFamily(const Scene& scene, std::vector<SelectedParameter> selected)
    : parameters_(scene, std::move(selected)) {
  stepper_ = &StepperOf(scene);
  step_ = scene[scene.simulation.step];
  const Model model = CompileModel(parameters_.scene());
  stepper_->Check(model);
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    sizes_.push_back(SizeOf(model.spatial.bodies[i]));
    if (!scene.bodies[i].fixed) moving_.push_back(static_cast<int>(i));
  }
  if (moving_.empty())
    throw InputError({scene.file, 0, 0}, "bodies", "nothing moves: every body is fixed, or there is none.",
                     "Add a body.");
}

std::optional<SpatialInstance> SpatialFamily::Compile(const Eigen::VectorXd& values) const {
  const std::optional<Scene> applied = parameters_.TryApply(values);
  if (!applied) return std::nullopt;
  const Scene& scene = *applied;
  SpatialInstance out;
  out.model = CompileModel(scene);
  out.numbers = parameters_.pivots();
  out.number_by_params = parameters_.PivotByValue(values);

  // What the observation adds.
  const auto index_of = [&](NumberId id) {
    const auto found = std::find(out.numbers.begin(), out.numbers.end(), id);
    return found == out.numbers.end() ? -1 : static_cast<int>(found - out.numbers.begin());
  };
  if (scene.observe.length_scale) {
    out.length_scale = scene[scene.observe.length_scale];
    if (const int at = index_of(scene.observe.length_scale); at >= 0) out.scale_at.push_back(at);
  }
  for (const Observation::Offset& entry : scene.observe.offsets) {
    const std::string last = entry.channel.substr(entry.channel.rfind('.') + 1);
    const int axis = last == "x" ? 0 : last == "y" ? 1 : last == "z" ? 2 : -1;
    if (axis < 0) continue;
    out.offset[axis] = scene[entry.value];
    if (const int at = index_of(entry.value); at >= 0) out.offset_at.emplace_back(at, axis);
  }
  for (const int body : moving_)
    for (int axis = 0; axis < 3; ++axis)
      if (const int at =
              index_of(scene.bodies[static_cast<std::size_t>(body)].center_of_mass[static_cast<std::size_t>(axis)]);
          at >= 0)
        out.centre_at.emplace_back(at, 3 * body + axis);
  return out;
}

Scene SpatialFamily::Calibrated(const Eigen::VectorXd& values) const {
  return parameters_.TryApply(values).value_or(parameters_.scene());
}

}  // namespace ricochet
