// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Roll-outs beside recorded tosses: the state where one starts is fitted to the free flight, the scene's stepper runs
// on from there, and its poses are told at the recorded frames.
//
//   start     release   first frame of the first free flight
//             contact   last frame of that flight, one before the first touch
//             first     first frame of the recording; it must be part of the flight
//   state     that of the arc fitted over the whole flight (dataset/flight_arc.h) at the frame of the start
//   end       the recorded rest, or the last frame
//   frames    between two steps of the simulation: straight in position, shortest turn in orientation
//
// Recordings of a scene with `observe: {length_scale, offset}` are brought to the scene's lengths first.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "dataset/impact_selection.h"
#include "dataset/toss.h"
#include "dynamics/state.h"
#include "math/manifold.h"
#include "model/model.h"
#include "ricochet/validate.h"
#include "steppers/stepper.h"

namespace ricochet {

/// A recorded toss, ready to be compared with roll-outs.
struct PreparedToss {
  Toss toss;
  int body = 0;              // of the scene
  int surface = -1;          // that it comes to rest on: the surface nearest below the rest pose; -1: none
  int start = 0, end = 0;    // frames compared: [start, end]
  SpatialPose<double> pose;  // of the body frame at `start`
  Vector6<double> velocity;  // of the centre of mass, world axes
  ImpactSelection impacts;   // for the velocity loss; only with corners and a surface
  double length = 1;         // of the body, by which position errors are divided [m] (Jongeneel 18)
  std::string problem;       // why it cannot be used; empty when it can
};

/// Finds flight, start, rest. Throws InputError when the recording has no pose columns of a body of the scene.
PreparedToss PrepareToss(const Model& model, const Recording& recording, RollStart start);

/// The length that Jongeneel's (18) divides by: size x of a box, the extent along body x of others [m].
double LengthOf(const SpatialShape<double>& shape);

/// Runs roll-outs of one model, one after the other. One thread owns it.
class TossRoller {
 public:
  /// `step` 0: one step per recorded frame where the scene gives no step, else the scene's.
  TossRoller(const Model& model, const Stepper& stepper, double step = 0);

  /// Poses of the body frame at frames toss.start ... toss.end. False when a step failed; poses up to there are right.
  bool Roll(const PreparedToss& toss, std::vector<SpatialPose<double>>& poses);

  /// Jongeneel's (17), mean over the selected impacts: the step runs from five frames before the impact, with the arc
  /// fitted there, to the frame c behind it; W = diag(1, 1, 1, 0.1 m, 0.1 m, 0.1 m). None without impacts.
  std::optional<double> VelocityLoss(const PreparedToss& toss);

 private:
  void Start(int body, const SpatialPose<double>& pose, const Vector6<double>& velocity);
  bool Step(double h);

  const Model& model_;
  const Stepper& stepper_;
  double step_;
  std::unique_ptr<Workspace> workspace_;
  StepResult result_;
  State state_;
  long steps_ = 0;
};

/// Errors of a roll-out against the recording; lengths in metres, angles in radians.
TossErrors CompareToss(const Model& model, const PreparedToss& toss, const std::vector<SpatialPose<double>>& poses);

}  // namespace ricochet
