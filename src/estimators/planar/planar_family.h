// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A planar scene as a family of models over the parameters that are to be estimated (model/parameter_map.h).
//
// All mass lies within the shape, so the radius of gyration of the body is at most the largest distance R of its
// boundary from the center of mass. The family narrows the bounds of inertia over mass to R^2 / 1000 ... R^2.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "dataset/planar_track.h"
#include "model/parameter_map.h"
#include "model/planar_model.h"
#include "ricochet/scene.h"
#include "steppers/event/event_motion.h"

namespace ricochet {

/// What a parameter means for the motion of the body, where it matters for start values and refusals.
enum class PlanarRole { kOther, kMass, kInertia, kInertiaOverMass, kMassOverInertia, kFriction, kRestitution };

class PlanarFamily {
 public:
  /// `body` is the body that moves. Throws InputError for scenes that event-exact motion cannot model.
  PlanarFamily(const Scene& scene, std::vector<SelectedParameter> parameters, int body);

  int size() const { return parameters_.size(); }
  int body() const { return body_; }
  const Scene& scene() const { return parameters_.scene(); }
  const ParameterMap& parameters() const { return parameters_; }
  PlanarRole role(int index) const { return roles_[static_cast<std::size_t>(index)]; }
  /// Index of the parameter with this role, or -1.
  int Find(PlanarRole role) const;

  const Eigen::VectorXd& start() const { return parameters_.start(); }  // the scene's own values
  const Eigen::VectorXd& lower() const { return parameters_.lower(); }
  const Eigen::VectorXd& upper() const { return parameters_.upper(); }
  const Eigen::VectorXd& scale() const { return parameters_.scale(); }

  template <class T>
  PlanarModel<T> Compile(std::span<const T> values) const {
    const std::vector<T> numbers = parameters_.Numbers<T>(values);
    return CompilePlanar<T>(scene(), std::span<const T>(numbers));
  }

  /// Motion of the body at these values, or from the table of numbers that they give.
  template <class T>
  EventMotion<T> Motion(std::span<const T> values) const {
    return MotionOf<T>(parameters_.Numbers<T>(values));
  }
  template <class T>
  EventMotion<T> MotionOf(const std::vector<T>& numbers) const {
    const PlanarModel<T> model = CompilePlanar<T>(scene(), std::span<const T>(numbers));
    std::vector<Load<T>> loads;
    for (const Load<T>& load : model.loads)
      if (load.body == body_) loads.push_back(load);
    return EventMotion<T>(MakeEventBody(model, body_), std::move(loads));
  }

  /// The scene with these values, for `--scene-out`.
  Scene Calibrated(const Eigen::VectorXd& values) const { return parameters_.Apply(values); }

 private:
  void NarrowInertia();

  ParameterMap parameters_;
  std::vector<PlanarRole> roles_;
  int body_;
};

/// The path of the center of mass that the recorded poses show at these values, in the scene's lengths: what `observe`
/// did to the poses is undone (observation/sensor.h). Times stay those of the recording.
PlanarTrack CenterTrack(const PlanarFamily& family, const Eigen::VectorXd& values, PlanarTrack recorded);

/// Acceleration of free flight in the scene: gravity and the forces that act all the time.
Eigen::Vector3d FreeAcceleration(const PlanarFamily& family);

/// Smallest gap of any candidate at a pose of the center of mass, and that candidate.
double LeastGap(const EventBody<double>& body, const Eigen::Vector3d& q, int* candidate = nullptr);

}  // namespace ricochet
