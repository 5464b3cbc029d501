// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/spatial/spatial_family.h"

#include <algorithm>
#include <utility>

#include "geometry/body_contact.h"
#include "ricochet/error.h"

namespace ricochet {
namespace {

/// Largest distance of the shape from the center of mass; 1 m without a shape.
double SizeOf(const SpatialBody<double>& body) {
  return body.shape.present ? BoundingRadius(body.shape) + body.p_BBcm.norm() : 1.0;
}

}  // namespace

SpatialFamily::SpatialFamily(const Scene& scene, std::vector<SelectedParameter> selected)
    : parameters_(scene, std::move(selected)), observation_(FindObservationNumbers(scene)) {
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
  std::optional<Model> model = models_.Compile(parameters_, values);
  if (!model) return std::nullopt;
  SpatialInstance out;
  out.model = *std::move(model);
  const Scene& scene = *out.model.scene;
  out.numbers = parameters_.pivots();
  out.number_by_params = parameters_.PivotByValue(values);
  for (const SensorNumbers& frame : observation_.frames) {
    out.frames.emplace_back(frame, scene);
    out.depends.push_back(FindDependences(frame, out.numbers));
  }
  for (const SensorNumbers& point : observation_.points) {
    out.points.emplace_back(point, scene);
    out.point_depends.push_back(FindDependences(point, out.numbers));
  }
  out.delay_by.setZero(size());
  if (const NumberId delay = observation_.delay) {
    out.delay = scene[delay];
    const auto at = std::find(out.numbers.begin(), out.numbers.end(), delay);
    if (at != out.numbers.end()) out.delay_by = out.number_by_params.row(at - out.numbers.begin());
  }
  return out;
}

Scene SpatialFamily::Calibrated(const Eigen::VectorXd& values) const {
  return parameters_.TryApply(values).value_or(parameters_.scene());
}

}  // namespace ricochet
