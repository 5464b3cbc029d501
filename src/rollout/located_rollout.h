// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Motion of one tossed body that does not depend on a grid of steps: flights are exact, impacts are located in time,
// and steps are taken only while the body stays in contact.
//
//   flight     parabola of the center of mass and torque-free rotation (dynamics/free_rotation.h) up to the instant at
//              which a corner is `depth` below a surface, 1e-5 of the body's size; a corner that dips and rises between
//              two looks is found by the parabola of its gap
//   impact     a step of length 0: velocities jump by the stepper's own impact law at all closed corners and those
//              within 1e-4 of the body's size, which land together as far as lengths are known; poses stay
//   contact    steps of at most `step`, eight times as long on a face, second order in it. A step in which another
//              corner would touch is shortened so that it ends there, and an impact follows
//   rest       ends the work: the body stays where it is
//
// A grid makes motion jump wherever a corner closes one step earlier or later, and shifts every impact by up to half a
// step. Here poses are smooth in start and parameters as long as the order of impacts stays, so that derivatives exist,
// and the error is that of the smooth parts, O(step^2).
//
// Soft contact has no impacts: steps begin where the first corner touches and end where the last one leaves.
#pragma once

#include <memory>
#include <vector>

#include "steppers/stepper.h"

namespace ricochet {

/// One thread owns it. Model, stepper and sink must outlive it.
class LocatedRollout {
 public:
  /// Whether there is located motion: one moving body with a shape that touches surfaces only, no loads, no joints.
  static bool Supports(const Model& model);

  /// `step` [s]: the longest one in contact; for soft contact also at most 1/40 of its period. `lengths`: factor on the
  /// lengths above, to see what depends on them.
  LocatedRollout(const Stepper& stepper, const Model& model, double step, double lengths = 1);

  /// Gets every step that is taken in contact and ends the rollout by returning false; null for none.
  void SetSink(StepSink* sink) { sink_ = sink; }

  void Start(const State& start);

  /// Moves on to time t. False when a step failed or the sink ended the rollout.
  bool AdvanceTo(double t);

  const State& state() const { return state_; }
  long steps() const { return count_; }

 private:
  /// A candidate point against its surface.
  struct Gap {
    int pair = 0, index = 0;
    double gap = 0, rate = 0;  // [m], [m/s]; negative rate: approaches
  };

  void FindGaps(const State& state, std::vector<Gap>& out) const;
  /// Free motion of the body over dt.
  void Fall(const State& from, double dt, State& out) const;
  bool IsFlying() const;
  /// Flies on to time t; false when an impact is reached before.
  bool Fly(double t);
  /// Least gap over its level among all candidates at `gaps_to_`, and whether that candidate approaches.
  double LeastClearance(bool& approaches) const;
  bool Step(const State& from, double h);
  bool TakeStep();
  bool Impact();
  /// Whether the step in `step_` was on three points or more.
  bool IsLying() const;
  /// A step in contact of at most to time t.
  bool Press(double t);
  /// Whether a corner that was open at the start of the step in `step_` went through its surface; `touches`: one has
  /// just arrived.
  bool WentThrough(double& value, bool& touches);

  const Stepper& stepper_;
  const Model& model_;
  double longest_, lengths_, depth_ = 0, radius_ = 0;
  int body_ = 0;
  bool soft_ = false, carried_ = false;
  StepSink* sink_ = nullptr;
  std::unique_ptr<Workspace> workspace_;
  long count_ = 0;
  bool resting_ = false, lying_ = false;
  State state_, probe_;
  StepResult step_;
  std::vector<Gap> gaps_, gaps_to_, gaps_start_;
  std::vector<double> level_;
};

}  // namespace ricochet
