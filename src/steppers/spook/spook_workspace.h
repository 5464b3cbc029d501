// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Scratch of `spook`, shared by the step, its derivatives and inverse dynamics.
#pragma once

#include <vector>

#include "geometry/body_contact.h"
#include "model/model.h"
#include "steppers/spook/spook_system.h"
#include "steppers/stepper.h"

namespace ricochet {

class SpookWorkspace final : public Workspace {
 public:
  explicit SpookWorkspace(const Model& model);

  SpookStructure structure;
  SpookOptions options;
  std::vector<MassPose<double>> poses, poses_end;
  std::vector<SpookJoint> joints, joints_end;
  std::vector<SpookUnilateral> unilateral, touching;
  Eigen::VectorXd impulse;                          // of gravity, gyroscopic torque and loads, per body 6
  Eigen::VectorXd row_target, shaft, shaft_change;  // order 2, see SpookStageInput
  Eigen::VectorXd v_drift;                          // order 2: velocities after the drift, and
  std::vector<Vector3<double>> body_rate;           // body rates W during it
  std::vector<double> u;                            // motor inputs of the stage
  SpookStageResult impact, first, second;           // order 1 uses `first` alone
  bool had_impact = false;
  bool second_order = false;  // the last step was one of order 2
  BodyContactWorkspace<double> contact_scratch;
};

/// simulation.options of the scene. Throws InputError for unknown or impossible ones.
SpookOptions ReadSpookOptions(const Scene& scene);

/// Joint limits and contacts that may act within the next step.
void CollectUnilateral(const Model& model, const SpookOptions& options, double h, const Eigen::VectorXd& v,
                       SpookWorkspace& workspace);

/// Order 2: kick, drift, kick. See spook_second_order.cc.
void StepSecondOrder(const Model& model, const StepInputs& inputs, double h, SpookWorkspace& workspace,
                     StepResult& out);

/// Impulse of gravity and loads (not gyroscopic) over the part [t, t + dt] of the step, per body 6.
void ForceImpulse(const Model& model, double t, double dt, std::span<const char> fired, Eigen::VectorXd& impulse);

/// Energy lost in a stage to dry and viscous friction of joints and to contacts [J].
double StageLoss(const Model& model, SpookWorkspace& workspace, std::span<const SpookJoint> joints,
                 std::span<const SpookUnilateral> unilateral, const Eigen::VectorXd& v, const SpookStageResult& stage,
                 SpookStage kind, double h);

/// Impulse of a one-sided row: normal and two tangents [N s].
Eigen::Vector3d UnilateralImpulse(const SpookUnilateral& row, const SpookOptions& options,
                                  const Eigen::Ref<const Eigen::VectorXd>& z);

/// Poses and joints of a state.
void EvaluateState(const Model& model, const State& state, std::vector<MassPose<double>>& poses,
                   std::vector<SpookJoint>& joints);

}  // namespace ricochet
