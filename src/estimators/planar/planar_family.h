// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A planar scene as a family of models over the numbers that are to be estimated.
//
// A wanted number is a plain one or a ratio. A ratio `a / b` is varied through its numerator, a = value * b, with the
// denominator as the scene gives it, so that a scene calibrated by a ratio keeps its mass.
#pragma once

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "estimators/number_range.h"
#include "model/planar_model.h"
#include "ricochet/parameter.h"
#include "ricochet/scene.h"
#include "steppers/event/event_motion.h"

namespace ricochet {

/// What a wanted number means for the motion of the body, where it matters for start values and refusals.
enum class PlanarRole { kOther, kMass, kInertia, kInertiaOverMass, kMassOverInertia, kFriction, kRestitution };

class PlanarFamily {
 public:
  /// `body` is the body that moves. Throws InputError for scenes that event-exact motion cannot model.
  PlanarFamily(const Scene& scene, std::vector<SelectedParameter> wanted, int body);

  int size() const { return static_cast<int>(wanted_.size()); }
  int body() const { return body_; }
  const Scene& scene() const { return scene_; }
  const std::vector<SelectedParameter>& wanted() const { return wanted_; }
  PlanarRole role(int index) const { return roles_[static_cast<std::size_t>(index)]; }
  /// Index of the wanted number with this role, or -1.
  int Find(PlanarRole role) const;

  const Eigen::VectorXd& start() const { return ranges_.start; }  // the scene's own values
  const Eigen::VectorXd& lower() const { return ranges_.lower; }
  const Eigen::VectorXd& upper() const { return ranges_.upper; }
  const Eigen::VectorXd& scale() const { return ranges_.scale; }

  template <class T>
  PlanarModel<T> Compile(std::span<const T> params) const {
    std::vector<T> numbers;
    numbers.reserve(scene_.numbers().size());
    for (const SceneNumber& number : scene_.numbers()) numbers.emplace_back(number.value);
    for (int i = 0; i < size(); ++i) {
      const SelectedParameter& selected = wanted_[static_cast<std::size_t>(i)];
      T& target = numbers[static_cast<std::size_t>(selected.numerator.index)];
      target = selected.denominator
                   ? params[static_cast<std::size_t>(i)] * numbers[static_cast<std::size_t>(selected.denominator.index)]
                   : params[static_cast<std::size_t>(i)];
    }
    return CompilePlanar<T>(scene_, std::span<const T>(numbers));
  }

  template <class T>
  EventMotion<T> Motion(std::span<const T> params) const {
    const PlanarModel<T> model = Compile<T>(params);
    std::vector<Load<T>> loads;
    for (const Load<T>& load : model.loads)
      if (load.body == body_) loads.push_back(load);
    return EventMotion<T>(MakeEventBody(model, body_), std::move(loads));
  }

  /// The scene with these values, for `--scene-out`.
  Scene Calibrated(const Eigen::VectorXd& params) const;

 private:
  Scene scene_;  // wanted numbers made independent of those they were derived from
  std::vector<SelectedParameter> wanted_;
  std::vector<PlanarRole> roles_;
  int body_;
  NumberRanges ranges_;
};

}  // namespace ricochet
