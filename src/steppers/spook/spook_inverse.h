// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Inverse dynamics of `spook`: the impulses from outside that a given motion needs (Spook 2.29-2.31, 3.7, 3.8).
//
// Given (q_k, v_k) and the velocity v+ at the end of the step, the regularized rows give the multipliers directly,
//
//     lambda = Sigma^-1 (target - G v+),          limits and contacts: max(0, ...) of the same,
//     dry    = -sign(r+) beta(lambda)  where the joint slides,
//
// and what is left of the momentum balance is the residual
//
//     dp = M (v+ - v) - h (f + f_g) - G^T lambda - B^T lambda_B.
//
// v+ is v_{k+1} for the velocity residual (3.7) and (q_{k+1} [-] q_k) / h for the configuration residual (3.8); each
// has its own multipliers (erratum: with those of (3.7), (3.14) does not hold). At a step of the forward stepper both
// vanish to rounding.
//
// Contacts: the tangential impulse follows from the slip by the regularized law (PolygonImpulse). Where a dry joint
// sticks (rate below `stick_speed`) the law leaves its impulse open within the bound. The impulse taken is the one that
// leaves the smallest dp, |dp|^2 weighted by M^-1, cut off at the bound; for a forward step that is the impulse that
// acted. Rows without compliance have no such inverse: InputError names the joint.
//
// A step with an impact is not inverted (`had_impact` in the result): its velocity jumps within the step.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <vector>

#include "steppers/spook/spook_workspace.h"

namespace ricochet {

struct SpookInverseOptions {
  double stick_speed = 1e-9;  // a dry joint slower than this sticks [rad/s, m/s]
};

/// Impulses for one choice of v+.
struct SpookInverse {
  Eigen::VectorXd residual;                         // dp, 6 per body; zero for fixed bodies [N s, N m s]
  Eigen::VectorXd lambda;                           // multipliers of the joints' rows, as in StepResult::multipliers
  Eigen::VectorXd dry;                              // impulses of the dry joints
  std::vector<int> dry_mode;                        // -1, +1: slides with r+ of that sign; 0: sticks
  std::vector<SpookUnilateral> unilateral;          // limits and contacts looked at
  std::vector<Eigen::Vector3d> unilateral_impulse;  // normal, tangents
  bool had_impact = false;
};

/// Derivatives of the residual by blocks: body `row`'s residual by body `column`'s pose, velocity and v+. A block
/// exists for a body itself and for bodies that a joint or contact connects, so a chain has a band.
struct SpookInverseBlock {
  int row = 0, column = 0;
  Eigen::Matrix<double, 6, 6> by_pose, by_velocity, by_end_velocity;
};

struct SpookInverseDerivatives {
  std::vector<SpookInverseBlock> blocks;
  Eigen::MatrixXd by_parameters;  // 6 per body; one column per requested number
};

/// Velocity that takes start poses to end poses in h: (q_{k+1} [-] q_k) / h, 6 per body.
Eigen::VectorXd VelocityBetween(const Model& model, const State& start, const State& end, double h);

/// Impulses that `start` needs to have velocity `v_end` after h.
void InvertSpookStep(const Model& model, const State& start, const Eigen::VectorXd& v_end, const StepInputs& inputs,
                     double h, const SpookInverseOptions& options, SpookWorkspace& workspace, SpookInverse& out);

/// A model with derivatives, for many steps: compiled once.
class SpookInverseModels {
 public:
  SpookInverseModels(const Model& model, std::span<const NumberId> parameters);
  ~SpookInverseModels();
  struct Parts;
  const Parts& parts() const { return *parts_; }

 private:
  std::unique_ptr<Parts> parts_;
};

/// Derivatives of the residual of the call before, modes and sticking impulses held. Contacts and limits that act are
/// included; their blocks couple the two bodies.
void DifferentiateSpookInverse(const Model& model, const State& start, const Eigen::VectorXd& v_end,
                               const StepInputs& inputs, double h, const SpookInverseModels& models,
                               const SpookInverse& inverse, SpookWorkspace& workspace, SpookInverseDerivatives& out);

/// The same for one step.
void DifferentiateSpookInverse(const Model& model, const State& start, const Eigen::VectorXd& v_end,
                               const StepInputs& inputs, double h, std::span<const NumberId> parameters,
                               const SpookInverse& inverse, SpookWorkspace& workspace, SpookInverseDerivatives& out);

}  // namespace ricochet
