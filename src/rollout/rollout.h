// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// From (stepper, model, start, inputs) to states at requested times, with derivatives: the loop that calls steppers.
//
//   x_(k+1) = step(x_k; p),   t_k = t_0 + k h,   S_(k+1) = (dx_(k+1)/dx_k) S_k + (dx_(k+1)/dp) (dp/dc),   S = dx/d(xi,
//   c)
//
// A rollout is a cursor on the motion: it holds the last step and advances on request, so that the caller
// decides when to stop and nothing is allocated or called back in between. Times are t_0 + k h, not sums of h. Between
// two steps poses lie on the straight line and on the shortest turn, as the steppers assume there (StateBetween).
//
//   Rollout rollout(stepper, model);
//   rollout.Start(start, h);
//   for (const double t : times) {
//     if (!rollout.AdvanceTo(t)) break;          // a step failed
//     poses.push_back(rollout.At(t).FramePose(model, body));
//   }
//
// Motor inputs are those of the signal over each step. Triggers of the scene's actions fire in the step after the one
// in which their value falls through the threshold.
//
// In place of steps on a grid a rollout can take those of steppers/located/located_steps.h, which end where an impact
// or the requested time is: RolloutOptions::located. h is then the longest step in contact.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dynamics/input_signal.h"
#include "math/manifold.h"
#include "steppers/located/located_steps.h"
#include "steppers/stepper.h"

namespace ricochet {

/// A time within a step, as a fraction s of it: poses of spatial bodies there, and how they move with what the rollout
/// was differentiated by. Valid until the rollout goes on.
struct StateBetween {
  const State& from;
  const State& to;
  double s;                        // 1: the end of the step
  const Eigen::MatrixXd& by_from;  // S at the two ends; empty without derivatives
  const Eigen::MatrixXd& by_to;

  /// At the center of mass, as states hold it.
  SpatialPose<double> Pose(int body) const;
  /// Of the body frame, as recordings hold it.
  SpatialPose<double> FramePose(const Model& model, int body) const;
  /// 6 rows: translation and rotation increment (world side) of Pose.
  void Sensitivity(int body, Eigen::MatrixXd& out) const;

 private:
  Eigen::Vector3d Turn(int body) const;
};

struct RolloutOptions {
  /// A step that missed its tolerance is taken all the same when the relative residual of its contact problem is below;
  /// infinite: always.
  double accepted_residual = 0;
  const InputSignal* inputs = nullptr;  // null: all motors get 0
  /// Located steps, for models that they support and without derivatives: factor on the lengths that impacts are
  /// resolved to. None: steps on a grid.
  std::optional<double> located{};
};

/// One thread owns it. Model, stepper, inputs and sink must outlive it.
class Rollout {
 public:
  Rollout(const Stepper& stepper, const Model& model, const RolloutOptions& options = {});
  /// A copy goes on from the same step with scratch of its own and without a sink.
  Rollout(const Rollout& other);
  Rollout(Rollout&&) = default;
  Rollout& operator=(const Rollout&) = delete;

  /// Gets every step that is taken and ends the rollout by returning false; null for none.
  void SetSink(StepSink* sink) { sink_ = sink; }

  /// Restarts: steps of h [s] from start.time on. Storage is kept.
  void Start(const State& start, double h);

  /// From here on every step is differentiated. `sensitivity`: dx/d(xi, c) at the start, 12 rows per spatial body (as
  /// in StepDerivatives), the columns of c last. `number_by_value`: dp/dc of the scene's `numbers`, one column per c.
  void Differentiate(Eigen::MatrixXd sensitivity, std::span<const NumberId> numbers,
                     const Eigen::MatrixXd& number_by_value);

  /// One step; of located ones as many as there are in a time of h. False when its result is not finite or not
  /// accepted, or when the sink ended the rollout.
  bool Advance();
  /// One step with these motor inputs held over it, in place of those of the signal.
  bool Advance(std::span<const double> u);
  /// Steps until the last one ends at t or behind it; located ones end at t. False as above.
  bool AdvanceTo(double t);

  /// The state that was reached.
  const State& state() const { return step_.end; }
  /// The last step that was computed, accepted or not.
  const StepResult& step() const { return step_; }
  bool stopped_by_sink() const { return stopped_; }
  /// dx/d(xi, c) of state().
  const Eigen::MatrixXd& sensitivity() const { return after_; }
  /// A time inside the last step.
  StateBetween At(double t) const;

  /// Derivatives of the last step by itself. `model` has the values of the rollout's own model; which of its numbers
  /// are independent may differ.
  void DifferentiateStep(const Model& model, std::span<const NumberId> numbers, StepDerivatives& out);
  void DifferentiateStepInputs(Eigen::MatrixXd& end_by_inputs);

 private:
  bool Accepts(double residual) const;
  StepInputs inputs() const { return {.u = u_, .u_end = u_end_, .fired = fired_}; }
  /// The step itself, with u_ and u_end_.
  bool TakeStep();
  bool AdvanceLocated(double t);
  /// The sink gets the step; false when it ends the rollout.
  bool Hand();

  const Stepper& stepper_;
  const Model& model_;
  RolloutOptions options_;
  StepSink* sink_ = nullptr;
  std::unique_ptr<Workspace> workspace_;
  std::optional<LocatedSteps> located_;
  double t0_ = 0, h_ = 0;
  long count_ = 0;
  bool stopped_ = false;
  State from_;
  StepResult step_;
  std::vector<double> u_, u_end_;   // of the last step
  std::vector<char> fired_, next_;  // triggers that fire in the last step and in the next one
  // Derivatives.
  bool differentiated_ = false;
  std::vector<NumberId> numbers_;
  Eigen::MatrixXd number_by_value_, before_, after_;
  StepDerivatives derivatives_;
};

}  // namespace ricochet
