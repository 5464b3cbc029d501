// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Steps of one tossed body that do not depend on a grid, made of the steps of any stepper with hard or soft contact:
// flights are exact, impacts are located in time, and the stepper's own steps are taken only while the body stays in
// contact. A step is one of
//
//   flight     parabola of the center of mass and torque-free rotation (dynamics/free_rotation.h) up to the instant at
//              which a corner is `depth` below a surface, 1e-5 of the body's size; a corner that dips and rises between
//              two looks is found by the parabola of its gap
//   impact     a step of length 0: velocities jump by the stepper's own impact law at all closed corners and those
//              within 1e-4 of the body's size, which land together as far as lengths are known; poses stay
//   contact    a step of at most the given length, eight times as long on a face, second order in it. A step in which
//              another corner would touch is shortened so that it ends there, and an impact follows
//
// until the body rests, where it stays.
//
// A grid makes motion jump wherever a corner closes one step earlier or later, and shifts every impact by up to half a
// step. Here poses are smooth in start and parameters as long as the order of impacts stays, so that derivatives exist,
// and the error is that of the smooth parts, O(step^2).
//
// Soft contact has no impacts: steps begin where the first corner touches and end where the last one leaves.
//
// The loop over such steps is that over all others: rollout/rollout.h.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "steppers/stepper.h"

namespace ricochet {

/// One thread owns it. Model and stepper must outlive it.
class LocatedSteps {
 public:
  /// Whether there is such motion: one moving body with a shape that touches surfaces only, no loads, no joints.
  static bool Supports(const Model& model);

  /// `lengths`: factor on the lengths above, to see what depends on them.
  LocatedSteps(const Stepper& stepper, const Model& model, double lengths);
  /// A copy goes on from the same step with scratch of its own.
  LocatedSteps(const LocatedSteps& other);
  LocatedSteps(LocatedSteps&&) = default;
  LocatedSteps& operator=(const LocatedSteps&) = delete;

  /// Forgets the motion so far. `step` [s]: the longest one in contact; for soft contact also at most 1/40 of its period.
  void Start(double step);

  /// Whether nothing is left to do before time t in this state: it is reached and no impact is due, or the body rests.
  bool Reaches(const State& state, double t) const;

  /// The next step from the state that the last one ended in, at most to time t, which is not reached. False when a
  /// step of the stepper failed.
  bool Step(const State& from, double t, StepResult& out);

 private:
  /// A candidate point against its surface.
  struct Gap {
    int pair = 0, index = 0;
    double gap = 0, rate = 0;  // [m], [m/s]; negative rate: approaches
  };

  void FindGaps(const State& state, std::vector<Gap>& out) const;
  /// Free motion of the body over dt.
  void Fall(const State& from, double dt, State& out) const;
  bool IsFlying(const State& state) const;
  /// Flies on to time t, or until an impact is reached.
  void Fly(const State& from, double t, StepResult& out);
  /// Moves `at_` to time t; false when an impact is reached before.
  bool FlyTo(double t);
  /// Least gap over its level among all candidates at `gaps_to_`, and whether that candidate approaches.
  double LeastClearance(bool& approaches) const;
  /// A step of the stepper.
  bool Take(const State& from, double h, StepResult& out);
  /// Whether an impact is due in this state, after the impulses that it has had.
  bool NeedsImpulse(const State& state);
  bool Impact(const State& from, StepResult& out);
  /// Whether a step was on three points or more.
  static bool IsLying(const StepResult& step);
  /// A step in contact of at most to time t.
  bool Press(const State& from, double t, StepResult& out);
  /// Whether a corner that was open at the start of the step went through its surface; `touches`: one has just arrived.
  bool WentThrough(const StepResult& step, double& value, bool& touches);

  const Stepper& stepper_;
  const Model& model_;
  double longest_ = 0, lengths_, depth_ = 0, radius_ = 0;
  double longest_soft_ = std::numeric_limits<double>::infinity();
  int body_ = 0;
  bool soft_ = false, carried_ = false;
  std::unique_ptr<Workspace> workspace_;
  bool resting_ = false, lying_ = false;
  bool due_ = false;           // an impact, from probe_
  int impulses_ = 0;           // of the impact
  double first_approach_ = 0;  // before it [m/s]
  State at_, probe_;
  std::vector<Gap> gaps_, gaps_to_, gaps_inside_;
  std::vector<double> level_;
};

}  // namespace ricochet
