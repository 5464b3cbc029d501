// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Turns the steps of a run into the rows of a recording and of contacts.csv.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/random.h"
#include "dynamics/joint_angle.h"
#include "observation/body_sensors.h"
#include "ricochet/simulate.h"
#include "rollout/run.h"
#include "steppers/stepper.h"

namespace ricochet {

/// Receives finished rows: a time and one value per column.
using RowFunction = std::function<void(double time, std::span<const double> row)>;
using ContactFunction = std::function<void(double time, const ContactRecord& contact)>;

/// SimulateToFiles in the current context that also hands every step to `extra`, unless it is null.
SimulationSummary SimulateToSinks(const Scene& scene, const SimulateOptions& options, const SimulationFiles& files,
                                  StepSink* extra);

/// Whether `simulate` writes velocities beside what is recorded: not with noise.
bool WritesVelocities(const SimulateOptions& options);

/// Simulate in the current context, with the recording alone; `velocities` beside it or not.
Recording SimulateRecording(const Scene& scene, const SimulateOptions& options, bool velocities);

/// Samples a run as the sensors of the scene record it: the row of the state at t is at t + `observe.delay`, with the
/// points and tracked frames of `observe` (body_sensors.h), scaled and shifted, then with noise. Velocities are those
/// of the centers of mass in the world, which is what all methods take them for.
///
/// Without a rate there is a row per step. With one, rows are at k / rate and poses lie on the motion between two steps
/// (straight in position, shortest turn in orientation, which is what the steppers assume there); velocities are those
/// of the step that covers the time.
///
/// A scene that observes joints (`observe: [hinge1.angle, ...]`) has these columns in place of poses (which `poses` in
/// the list brings back): the angles with turns counted, then the rates of the same joints; after them the motor inputs
/// that came from `inputs`, so that the run can be identified as it stands.
class RunSampler final : public StepSink {
 public:
  RunSampler(const Model& model, const State& start, const SimulateOptions& options, bool velocities, RowFunction row,
             ContactFunction contact);

  /// Column names, without `t`.
  static std::vector<std::string> Columns(const Scene& scene, const SimulateOptions& options, bool velocities);

  bool OnStep(const StepResult& step) override;

 private:
  void Emit(const State& state);
  void AppendBodies(const State& state);
  void AppendJoints(const State& state);
  void DisturbRotation(double* rotation);

  const Model& model_;
  SimulateOptions options_;
  bool velocities_;
  std::vector<BodySensor> bodies_;
  std::vector<JointSensorNumbers> joints_;
  double delay_ = 0;  // [s]
  RowFunction row_;
  ContactFunction contact_;
  Random random_;
  double start_time_ = 0;
  long next_sample_ = 1;
  State between_;
  TurnCounter turns_;
  InputSignal inputs_;
  std::vector<double> values_, angles_, rates_, u_;
};

}  // namespace ricochet
