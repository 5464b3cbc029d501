// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// From a spatial model to the mixed complementarity problems of SPOOK: structure, evaluated joints, one-sided rows, and
// the stages that a step is made of.
//
// Unknowns x = (v+ of the moving bodies, -lambda of the joints), six per node; K = [M^ G^T; G -Sigma] (block_ldlt.h),
// M^ the mass matrix with the implicit resistances of the joints (resistance_part.h). Complementary unknowns z:
//
//     dry joint   t+, t-, sigma:   w_t = +-r+ + sigma,   w_sigma = beta(lambda) - t+ - t-      lambda_d = t+ - t-
//                 (friction by the load, or a constant Coulomb torque, or both)
//     limit       n:               w = one-sided row of (2.21)
//     contact     n, t_1 .. t_d, sigma:  (2.24) with d directions of a regular polygon, regularized along the tangents
//                                        (TangentialSigma); friction 0 has n alone
//
// Stages, each a linear velocity update with these rows (rate r, gap or violation g, gamma = 1 / (1 + 4 tau / h)):
//
//     kStep       SPOOK (2.8), (2.21):  r+ + (4 eps gamma / h^2) lambda = gamma (r - 4 g / h)
//     kImpact     no forces; r+ + (4 eps gamma / h^2) lambda = r for joints, r+ >= -e r for contacts and limits
//     kPosition   first half of order 2 (spook_second_order.h): r+ + (2 eps / h^2) lambda = -(g + c) / h
//     kVelocity   second half of order 2: r+ + (2 eps / h^2) (lambda - lambda_1) = (g' - g) / h
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "complementarity/mlcp/dry_chain.h"
#include "complementarity/mlcp/mlcp.h"
#include "dynamics/drag.h"
#include "dynamics/joints/dry_friction_part.h"
#include "dynamics/joints/joint.h"
#include "dynamics/joints/resistance_part.h"
#include "dynamics/state.h"
#include "model/spatial_model.h"

namespace ricochet {

enum class SpookStage { kStep, kImpact, kPosition, kVelocity };

/// The stage's share of the step [s], over which resistances and motors act.
double ResistanceTime(SpookStage stage, double h);

/// simulation.options of `spook`.
struct SpookOptions {
  int order = 1;                     // 1: the paper's stepper; 2: second order in h for smooth motion
  int directions = 8;                // of the polyhedral friction cone, even, at least 4
  double contact_compliance = 1e-8;  // [m/N]
  double contact_damping = 0;        // [s]; 0: two steps
  double impact_speed = 0;           // approach slower than this is no impact [m/s]; 0: 2 |gravity| h
  double limit_restitution = 0;      // of joint limits
};

/// Nodes and edges of the constraint graph.
struct SpookStructure {
  struct JointNode {
    int node = -1;  // of the joint's rows
    int rows = 0;
    int offset = 0;                         // of its first multiplier
    int parent_node = -1, child_node = -1;  // bodies; -1: fixed or the world
    int parent_edge = -1, child_edge = -1, body_edge = -1;
    int dry = -1;  // number among the dry joints
  };
  std::vector<int> node_of_body;  // -1: fixed
  std::vector<int> body_of_node;
  std::vector<JointNode> joints;
  std::vector<int> dry_joints, dry_nodes;
  BlockLdlt::Graph graph;
  int multiplier_count = 0;
  bool has_limits = false;

  SpookStructure() = default;
  explicit SpookStructure(const SpatialModel<double>& model);
  /// True when it is the structure of this model. Bodies share an edge only where a joint resists their motion, so that
  /// a friction that an estimator moves away from 0 changes the graph.
  bool Fits(const SpatialModel<double>& model) const;
};

/// A joint at the start of the step.
struct SpookJoint {
  JointFrames<double> frames;
  ConstraintRows<double> rows;
  JointMotions<double> motions;
};

/// A one-sided row: a contact or a joint limit that may act in this step. Rows are wrenches on body a (and b).
struct SpookUnilateral {
  int pair = -1, index = 0;      // contact: pair of the model and number of the contact point
  int joint = -1;                // limit: joint, and
  int limit_motion = 0;          // number of its coordinate (limit_part.h)
  double limit_sign = 1;         // +1 lower, -1 upper
  int body_a = -1, body_b = -1;  // bodies; -1: none
  double gap = 0;                // [m] or [rad]
  double friction = 0, restitution = 0;
  double compliance = 0, damping = 0;
  Eigen::Matrix<double, 6, 3> rows_a = Eigen::Matrix<double, 6, 3>::Zero();  // columns: normal, tangents x, y
  Eigen::Matrix<double, 6, 3> rows_b = Eigen::Matrix<double, 6, 3>::Zero();
  Eigen::Vector3d bias = Eigen::Vector3d::Zero();  // velocity of the surface along them [m/s]
  Eigen::Vector3d p_WC = Eigen::Vector3d::Zero();
  int z = -1;  // first complementary unknown
  Eigen::Vector3d RateOf(const Eigen::VectorXd& v) const;
};

/// What a stage is given besides the model.
struct SpookStageInput {
  SpookStage stage = SpookStage::kStep;
  double h = 0;                             // of the whole step [s]
  std::span<const MassPose<double>> poses;  // of all bodies
  std::span<const SpookJoint> joints;
  std::span<SpookUnilateral> unilateral;
  const Eigen::VectorXd* v = nullptr;           // velocities of all bodies before the stage
  const Eigen::VectorXd* impulse = nullptr;     // of gravity and loads in this stage, per body 6
  const Eigen::VectorXd* row_target = nullptr;  // kPosition, kVelocity: right side of the joints' rows, per multiplier
  // Per joint (spook_second_order.h). kPosition: what the shaft's rate over the drift exceeds J v+ by; kVelocity: that
  // rate itself.
  const Eigen::VectorXd* shaft = nullptr;
  const Eigen::VectorXd* shaft_change = nullptr;  // kPosition, ResolveStage: change of `shaft` since the last solution
  std::span<const double> u;                      // motor inputs
};

struct SpookStageResult {
  MlcpProblem problem;
  MlcpWorkspace workspace;
  MlcpSolution solution;
  std::vector<char> guess;
  DryChain chain;                      // dry joints alone: their modes, in O(n) for a chain
  std::vector<DryMode> modes;          // of the dry joints, if by_chain
  std::vector<char> held;              // those that stick in the factors of K, if by_chain
  Eigen::VectorXd correction;          // scratch of their rounds
  bool prepared = false;               // the factors of K are those of the problem, without rows of sticking joints
  bool by_chain = false;               // the solution came that way; its factors serve derivatives
  Eigen::VectorXd v;                   // after the stage, all bodies
  Eigen::VectorXd lambda;              // multipliers of the joints' rows
  Eigen::VectorXd dry;                 // impulses of the dry joints
  std::vector<double> coefficient;     // of the dry joints in this stage
  std::vector<double> constant;        // part of each dry bound that does not depend on the load
  std::vector<Vector6<double>> bound;  // direction of each dry bound; beta = constant + bound . lambda
  int rounds = 0;                      // solutions with other bound directions before they agreed
  bool solved = true;
};

MassPose<double> PoseOf(const State& state, int body);
/// Pose of a joint's parent, the world included.
MassPose<double> ParentPose(std::span<const MassPose<double>> poses, int parent);

SpookJoint EvaluateJoint(const SpatialModel<double>& model, const SpatialJoint<double>& joint,
                         std::span<const MassPose<double>> poses);

/// Velocities of a motion or row: J_parent v_P + J_child v_C.
double MotionRate(const SpatialJoint<double>& joint, const JointMotion<double>& motion, const Eigen::VectorXd& v);
Vector6<double> RowRates(const SpatialJoint<double>& joint, const ConstraintRows<double>& rows,
                         const Eigen::VectorXd& v);

/// Regularization and right side of a holonomic row in kStep and kImpact.
template <class T>
struct RowLaw {
  T sigma, target;
};
template <class T>
RowLaw<T> SpookRow(SpookStage stage, double h, const T& compliance, const T& damping, const T& g, const T& rate) {
  const T gamma = h / (h + 4.0 * damping);
  const T sigma = (4.0 / (h * h)) * compliance * gamma;
  if (stage == SpookStage::kImpact) return {sigma, rate};
  return {sigma, gamma * (rate - (4.0 / h) * g)};
}

/// The same for a one-sided row in kStep. Closed (gap <= 0) it is (2.21). Open it only keeps the step from passing the
/// surface, r+ >= -gap / h: relaxation would brake the approach at a distance, to a speed of gap / tau.
template <class T>
RowLaw<T> UnilateralRow(double h, const T& compliance, const T& damping, const T& gap, const T& rate) {
  RowLaw<T> law = SpookRow<T>(SpookStage::kStep, h, compliance, damping, gap, rate);
  if (gap > 0.0) law.target = (-1.0 / h) * gap;
  return law;
}

/// Regularization of friction in a contact whose normal row has `sigma`: slip + sigma_t p = 0 while it sticks. Rows of
/// several contacts on one body can depend on each other, and how many do changes with a tilt of the body (four corners
/// of a box on a plane: 3 of 8 rows count, 5 once they are not level); without it the step has no derivative there. The
/// creep is sigma_t p: for 1e-8 m/N, 1 ms and a box of 1 kg on a slope about 1e-7 m/s.
template <class T>
T TangentialSigma(const T& sigma) {
  return 0.1 * sigma;
}

/// Impulse of air drag on a body in a stage, s - D v+, with v the velocity before: linearized at v, so that order 2 is
/// kept; explicit in kPosition, as resistances of joints are.
template <class T>
struct AirImpulse {
  Matrix3<T> D = Matrix3<T>::Zero();
  Vector3<T> s = Vector3<T>::Zero();
};
template <class T>
AirImpulse<T> AirImpulseOf(SpookStage stage, double h, const SpatialBody<T>& body, const Vector3<T>& v) {
  const double dt = ResistanceTime(stage, h);
  const DragResistance<T> air = ResistanceOfAir<T>(body.drag_linear, body.drag_quadratic, v);
  if (stage == SpookStage::kPosition) return {Matrix3<T>::Zero(), air.force * T(-dt)};
  return {air.by_v * T(dt), (air.by_v * v - air.force) * T(dt)};
}

/// World inertia times a vector etc. of one body: M = diag(m, R I R^T).
Eigen::Matrix<double, 6, 6> MassMatrix(const SpatialBody<double>& body, const Matrix3<double>& R);

/// Gyroscopic impulse over dt: -dt (0, w x J w).
Vector6<double> GyroscopicImpulse(const SpatialBody<double>& body, const Matrix3<double>& R, const Vector3<double>& w,
                                  double dt);

/// Assembles the stage's problem and solves it, bound directions included.
void SolveStage(const SpatialModel<double>& model, const SpookStructure& structure, const SpookOptions& options,
                const SpookStageInput& input, SpookStageResult& out);

/// The second half of it: solves what is assembled in `out`, with bound directions that agree with the solution, and
/// takes velocities and impulses from it. `again`: only right sides changed since the last call.
void SolveAssembledStage(const SpatialModel<double>& model, const SpookStructure& structure,
                         const SpookStageInput& input, bool again, SpookStageResult& out);
void ExtractStage(const SpookStructure& structure, const SpookStageInput& input, SpookStageResult& out);

/// Solves again with other right sides of the joints' rows and other `shaft` (and nothing else changed).
void ResolveStage(const SpatialModel<double>& model, const SpookStructure& structure, const SpookStageInput& input,
                  SpookStageResult& out);

}  // namespace ricochet
