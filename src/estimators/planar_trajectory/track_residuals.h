// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Residuals of one track against event-exact motion: r = (value of the model - value recorded) / noise, for every value
// that a frame shows (dataset/planar_track.h: the pose, points), over z = (initial pose and velocity of the center of
// mass, parameters), with exact derivatives through all impacts.
//
// `observe` of the scene is part of the model (observation/sensor.h): recorded position = length_scale * position(t -
// delay) + offset. These numbers, the tracked frame and the places of points may themselves be parameters.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "dataset/planar_track.h"
#include "estimators/planar/planar_family.h"
#include "observation/sensor.h"
#include "optimize/least_squares.h"

namespace ricochet {

inline constexpr int kTrackState = 6;           // initial pose and velocity come first in z
inline constexpr double kCountedImpact = 0.02;  // [m/s] slower impacts are not given a restitution of their own

class TrackResiduals {
 public:
  TrackResiduals(const PlanarFamily& family, const PlanarTrack& track);

  int size() const { return kTrackState + family_.size() + impact_restitutions_; }
  /// Gives each of the first `count` impacts a restitution of its own, appended to z.
  void SetImpactRestitutions(int count, double above) {
    impact_restitutions_ = count;
    impact_speed_ = above;
  }
  int impact_restitutions() const { return impact_restitutions_; }

  /// Frames [0, count) are compared; rejected ones give residual 0.
  void SetWindow(int count) { window_ = count; }
  int window() const { return window_; }
  std::vector<char>& rejected() { return rejected_; }
  const std::vector<char>& rejected() const { return rejected_; }

  /// PlanarTrack::width() residuals per frame of the window; 0 for what was not seen. False when the motion cannot be
  /// computed.
  bool Evaluate(const Eigen::VectorXd& z, Eigen::VectorXd& residuals, Eigen::MatrixXd* jacobian) const;

  /// Residuals of all frames, whatever is rejected and the window.
  bool Compare(const Eigen::VectorXd& z, Eigen::VectorXd& residuals) const;

  /// Values that all frames would show, in the order of Compare.
  bool Show(const Eigen::VectorXd& z, Eigen::VectorXd& values) const;

  /// Poses as recorded, at all frames of the track, whatever the window; summary of the motion.
  bool Predict(const Eigen::VectorXd& z, std::vector<Eigen::Vector3d>& poses, EventSummary* summary = nullptr,
               std::vector<EventRecord>* records = nullptr) const;

  const PlanarFamily& family() const { return family_; }
  const PlanarTrack& track() const { return track_; }

  /// Steps of the motion in all calls so far; those with derivatives count as kDerivativeWork.
  long work() const { return work_; }

 private:
  template <class T>
  struct Sensors;
  /// emit(frame, pose at the center of mass, sensors)
  template <class T, class Emit>
  bool Run(std::span<const T> z, int frames, EventSummary* summary, std::vector<EventRecord>* records, Emit emit) const;

  const PlanarFamily& family_;
  const PlanarTrack& track_;
  ObservationNumbers observation_;
  int window_;
  int impact_restitutions_ = 0;
  double impact_speed_ = 0;
  std::vector<char> rejected_;
  mutable long work_ = 0;
};

/// Bounds and scales of z = (state, parameters, restitutions of impacts). Steps of one track are added: the shape
/// bounds the inertia on both sides, which keeps every iterate possible.
LeastSquaresOptions TrackSolverOptions(const PlanarFamily& family, int restitutions);

}  // namespace ricochet
