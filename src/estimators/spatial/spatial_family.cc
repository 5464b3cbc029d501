// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/spatial/spatial_family.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/body_contact.h"
#include "math/dense.h"
#include "ricochet/error.h"

namespace ricochet {
namespace {

/// Largest distance of the shape from the centre of mass; 1 m without a shape.
double SizeOf(const SpatialBody<double>& body) {
  return body.shape.present ? BoundingRadius(body.shape) + body.p_BBcm.norm() : 1.0;
}

/// Whether some distribution of mass has this inertia: its principal moments obey the triangle inequality.
bool IsPossible(const Eigen::Matrix3d& inertia) {
  const Eigen::Vector3d moments = EigenOfSymmetric(inertia).values;
  return moments[0] > 0 && moments[2] <= (moments[0] + moments[1]) * (1 + 1e-9);
}

}  // namespace

SpatialFamily::SpatialFamily(const Scene& scene, std::vector<SelectedParameter> wanted)
    : scene_(scene), wanted_(std::move(wanted)) {
  if (scene_.simulation.method.empty())
    throw InputError({scene_.file, 0, 0}, "simulation.method", "the scene does not say which method steps it.",
                     "Add simulation: {method: moreau, step: ...}, or ecp for line and surface contact.");
  stepper_ = &FindStepper(scene_.simulation.method, scene_.simulation.method_where);
  step_ = scene_[scene_.simulation.step];
  for (const SelectedParameter& selected : wanted_) scene_.MakeIndependent(selected.numerator);
  ranges_ = RangesOf(wanted_, scene_);
  const Model model = CompileModel(scene_);
  stepper_->Check(model);
  for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
    sizes_.push_back(SizeOf(model.spatial.bodies[i]));
    if (!scene_.bodies[i].fixed) moving_.push_back(static_cast<int>(i));
  }
  if (moving_.empty())
    throw InputError({scene_.file, 0, 0}, "bodies", "nothing moves: every body is fixed, or there is none.",
                     "Add a body.");
}

std::optional<Scene> SpatialFamily::SceneAt(const Eigen::VectorXd& params) const {
  Scene scene = scene_;
  for (int i = 0; i < size(); ++i) {
    const SelectedParameter& selected = wanted_[static_cast<std::size_t>(i)];
    const double value = selected.denominator ? params[i] * scene[selected.denominator] : params[i];
    if (!IsAllowed(scene.number(selected.numerator).quantity, value)) return std::nullopt;
    scene.Set(selected.numerator, value);
  }
  return scene;
}

std::optional<SpatialInstance> SpatialFamily::Compile(const Eigen::VectorXd& params) const {
  const int p = size();
  const std::optional<Scene> compiled = SceneAt(params);
  if (!compiled) return std::nullopt;
  const Scene& scene = *compiled;
  SpatialInstance out;
  out.model = CompileModel(scene);
  for (const int body : moving_)
    if (!IsPossible(out.model.spatial.bodies[static_cast<std::size_t>(body)].I_BBcm_B)) return std::nullopt;

  // A ratio moves its numerator with the denominator, which may be wanted too.
  out.number_by_params = Eigen::MatrixXd::Zero(p, p);
  for (int i = 0; i < p; ++i) {
    const SelectedParameter& selected = wanted_[static_cast<std::size_t>(i)];
    out.numbers.push_back(selected.numerator);
    out.number_by_params(i, i) = selected.denominator ? scene[selected.denominator] : 1.0;
    for (int j = 0; j < i && selected.denominator; ++j)
      if (wanted_[static_cast<std::size_t>(j)].numerator == selected.denominator)
        out.number_by_params.row(i) += params[i] * out.number_by_params.row(j);
  }

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

Scene SpatialFamily::Calibrated(const Eigen::VectorXd& params) const { return SceneAt(params).value_or(scene_); }

}  // namespace ricochet
