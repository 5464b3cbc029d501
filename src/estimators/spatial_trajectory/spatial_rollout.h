// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Rollout (rollout/rollout.h) against the recorded poses of one track, from
//
//   x_0 = reference [+] B xi,   S_0 = (B, 0),
//
// with derivatives by (xi, parameters) chained along it. The grid begins at the first row and has the scene's step; a
// row between two grid points is compared with the pose between them, as `simulate --rate` writes it. Residuals are
// those of the recorded poses and points (observation/sensor.h), in the order of PoseTracks::Values; what is missing or
// rejected gives 0.
//
// A row at time t shows the state at t - delay. The start is that of the first row, so that a delay moves the known
// loads against the motion and nothing else; without loads it has no effect. Steps see loads in whole steps, so that
// derivatives by the delay are differences over one step on both sides.
//
// B holds the directions in which the start may move. In flight they are all 12 per body. A body that starts in contact
// has fewer: what the first steps forget (a height above the floor that the contact undoes) no later row determines.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "dataset/pose_tracks.h"
#include "dynamics/state.h"
#include "estimators/spatial/contact_stretches.h"
#include "estimators/spatial/spatial_family.h"

namespace ricochet {

/// Where rollouts of a track start.
struct SpatialReference {
  State state;            // at the track's first row; all bodies of the scene
  Eigen::MatrixXd basis;  // B: 12 rows per moving body (position, rotation, velocity, angular velocity; world axes)
};

/// Scratch of one thread and what a rollout found.
struct RolloutResult {
  std::vector<SpatialPose<double>> poses;  // as recorded: [row * bodies + body]
  std::vector<Eigen::Vector3d> points;     // as recorded: [row * points of the track + point]
  std::vector<ContactStretch> contacts;    // when requested
  double friction_needed = 0;              // largest |tangential| / normal impulse of a contact that sticks
  double largest_jump = 0;                 // of a body's velocity in a step, beyond what its weight makes [m/s]
  bool slid = false;                       // some contact slid
  bool touched = false;
};

class SpatialRollout {
 public:
  SpatialRollout(const SpatialFamily& family, const PoseTracks& track);

  SpatialReference reference;
  int window = 0;              // rows [0, window) are compared
  std::vector<char> rejected;  // rows left out as outliers

  int local_size() const { return static_cast<int>(reference.basis.cols()); }
  /// What each row shows, in the order of the residuals.
  const std::vector<PoseTracks::Value>& values() const { return values_; }
  int residual_size() const { return window * static_cast<int>(values_.size()); }

  /// Residuals at xi, and their Jacobian by (xi, requested parameters) unless null. False when a step fails.
  bool Evaluate(const SpatialInstance& instance, const Eigen::VectorXd& xi, Eigen::VectorXd& residuals,
                Eigen::MatrixXd* jacobian) const;

  /// Poses at the first `rows` rows, and contacts.
  bool Predict(const SpatialInstance& instance, const Eigen::VectorXd& xi, int rows, RolloutResult& out) const;

  /// The state at the start, reference [+] B xi.
  State StartAt(const Eigen::VectorXd& xi) const;

  /// Whether reference [+] B xi is near enough to the reference, in typical sizes, to be a start of this recording.
  /// Steps from other starts, which a failing search may propose, are not tried.
  bool IsPlausible(const Eigen::VectorXd& xi) const;

  /// Typical sizes of the coordinates of the basis's rows: length, 1, speed, rate.
  Eigen::VectorXd TypicalSizes() const;

  /// Full basis: every body moves freely.
  Eigen::MatrixXd FullBasis() const;

  /// d x_steps / d x_0 over the first steps, in the coordinates of the basis's rows. Empty when a step fails.
  Eigen::MatrixXd Transition(const SpatialInstance& instance, int steps) const;

  const PoseTracks& track() const { return *track_; }

 private:
  /// on_row(row, state there) at every row.
  template <class OnRow>
  bool Roll(const SpatialInstance& instance, const Eigen::VectorXd& xi, int rows, bool derivatives, OnRow on_row,
            StepSink* sink) const;
  Eigen::MatrixXd StartSensitivity(const Eigen::VectorXd& xi, int params) const;
  /// Adds the effect of parameters on the delay to their columns.
  bool DifferentiateByDelay(const SpatialInstance& instance, const Eigen::VectorXd& xi,
                            Eigen::MatrixXd& jacobian) const;

  const SpatialFamily* family_;
  const PoseTracks* track_;
  std::vector<PoseTracks::Value> values_;
};

}  // namespace ricochet
