// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A spatial scene as a family of models over the numbers that are to be estimated; the spatial twin of planar_family.h,
// for any stepper.
//
// A wanted number is a plain one or a ratio `a / b`, varied through its numerator with the denominator as the scene
// gives it. Setting one moves others that the scene derives from it (inertia of uniform density, gravity's other form,
// what a pair takes from the common law); models compiled in Jets derive them again, so derivatives include that.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "estimators/number_range.h"
#include "model/model.h"
#include "ricochet/parameter.h"
#include "ricochet/scene.h"
#include "steppers/stepper.h"

namespace ricochet {

/// The model at some values of the wanted numbers.
struct SpatialInstance {
  Model model;
  std::vector<NumberId> numbers;                     // of the scene, that are varied: one per wanted number
  Eigen::MatrixXd number_by_params;                  // their derivatives, one column per wanted number
  double length_scale = 1;                           // recorded position = length_scale * position + offset
  Eigen::Vector3d offset = Eigen::Vector3d::Zero();  // [m]
  // Entries of `numbers` that the observation itself depends on: the scale; offsets (entry, axis); centres of mass
  // (entry, 3 * body + axis).
  std::vector<int> scale_at;
  std::vector<std::pair<int, int>> offset_at, centre_at;
};

class SpatialFamily {
 public:
  /// Throws InputError for scenes that the scene's stepper cannot run, or without a body that moves.
  SpatialFamily(const Scene& scene, std::vector<SelectedParameter> wanted);

  int size() const { return static_cast<int>(wanted_.size()); }
  const Scene& scene() const { return scene_; }
  const Stepper& stepper() const { return *stepper_; }
  double step() const { return step_; }                                              // [s]
  const std::vector<int>& moving() const { return moving_; }                         // bodies that are not fixed
  double size_of(int body) const { return sizes_[static_cast<std::size_t>(body)]; }  // [m], by index of the scene
  const std::vector<SelectedParameter>& wanted() const { return wanted_; }
  Quantity quantity(int index) const {
    return scene_.number(wanted_[static_cast<std::size_t>(index)].numerator).quantity;
  }

  const Eigen::VectorXd& start() const { return ranges_.start; }  // the scene's own values
  const Eigen::VectorXd& lower() const { return ranges_.lower; }
  const Eigen::VectorXd& upper() const { return ranges_.upper; }
  const Eigen::VectorXd& scale() const { return ranges_.scale; }

  /// None where no rigid body has these numbers.
  std::optional<SpatialInstance> Compile(const Eigen::VectorXd& params) const;

  /// The scene with these values, for `--scene-out`.
  Scene Calibrated(const Eigen::VectorXd& params) const;

 private:
  /// The scene with these values, unless one is out of its bounds.
  std::optional<Scene> SceneAt(const Eigen::VectorXd& params) const;

  Scene scene_;  // wanted numbers made independent of those they were derived from
  std::vector<SelectedParameter> wanted_;
  const Stepper* stepper_ = nullptr;
  double step_ = 0;
  std::vector<int> moving_;
  std::vector<double> sizes_;
  NumberRanges ranges_;
};

}  // namespace ricochet
