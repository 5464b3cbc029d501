// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "steppers/spook/spook_system.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "math/so3.h"

namespace ricochet {

namespace {

/// True when the joint puts something into the mass matrix that couples its bodies.
bool CouplesBodies(const SpatialJoint<double>& joint) {
  return HasResistance(joint.type) && (joint.viscous != 0 || joint.has_motor || joint.has_drive);
}

}  // namespace

bool SpookStructure::Fits(const SpatialModel<double>& model) const {
  for (size_t j = 0; j < joints.size(); ++j) {
    const JointNode& node = joints[j];
    const bool both = node.parent_node >= 0 && node.child_node >= 0;
    if (both && CouplesBodies(model.joints[j]) && node.body_edge < 0) return false;
    if (HasJointFriction(model.joints[j]) != (node.dry >= 0)) return false;
  }
  return true;
}

SpookStructure::SpookStructure(const SpatialModel<double>& model) {
  node_of_body.assign(model.bodies.size(), -1);
  for (size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].fixed) continue;
    node_of_body[i] = static_cast<int>(body_of_node.size());
    body_of_node.push_back(static_cast<int>(i));
  }
  graph.dual.assign(body_of_node.size(), 0);
  std::map<std::pair<int, int>, int> body_edges;
  for (size_t j = 0; j < model.joints.size(); ++j) {
    const SpatialJoint<double>& joint = model.joints[j];
    JointNode node;
    node.rows = RowCount(joint);
    has_limits = has_limits || joint.has_limits;
    node.offset = multiplier_count;
    multiplier_count += node.rows;
    node.parent_node = joint.parent < 0 ? -1 : node_of_body[joint.parent];
    node.child_node = node_of_body[joint.child];
    node.node = static_cast<int>(graph.dual.size());
    graph.dual.push_back(1);
    const auto edge = [&](int a, int b) {
      graph.edges.emplace_back(a, b);
      return static_cast<int>(graph.edges.size()) - 1;
    };
    if (node.parent_node >= 0) node.parent_edge = edge(node.node, node.parent_node);
    if (node.child_node >= 0) node.child_edge = edge(node.node, node.child_node);
    if (CouplesBodies(joint) && node.parent_node >= 0 && node.child_node >= 0) {
      const auto key = std::minmax(node.parent_node, node.child_node);
      const auto [at, is_new] = body_edges.try_emplace(key, 0);
      if (is_new) at->second = edge(key.first, key.second);
      node.body_edge = at->second;
    }
    if (HasJointFriction(joint)) {
      node.dry = static_cast<int>(dry_joints.size());
      dry_joints.push_back(static_cast<int>(j));
      dry_nodes.push_back(node.node);
    }
    joints.push_back(node);
  }
}

Eigen::Vector3d SpookUnilateral::RateOf(const Eigen::VectorXd& v) const {
  Eigen::Vector3d rate = -bias;
  if (body_a >= 0) rate += rows_a.transpose() * v.segment<6>(6 * body_a);
  if (body_b >= 0) rate += rows_b.transpose() * v.segment<6>(6 * body_b);
  return rate;
}

MassPose<double> PoseOf(const State& state, int body) {
  const auto q = state.q.segment<7>(7 * body);
  return {q.head<3>(), RotationMatrix<double>(q.tail<4>())};
}

MassPose<double> ParentPose(std::span<const MassPose<double>> poses, int parent) {
  return parent < 0 ? MassPose<double>{} : poses[parent];
}

SpookJoint EvaluateJoint(const SpatialModel<double>& model, const SpatialJoint<double>& joint,
                         std::span<const MassPose<double>> poses) {
  const auto frames = FramesOf<double>(model, joint, ParentPose(poses, joint.parent), poses[joint.child]);
  return {frames, RowsOf<double>(joint, frames), MotionsOf<double>(joint, frames)};
}

double MotionRate(const SpatialJoint<double>& joint, const JointMotion<double>& motion, const Eigen::VectorXd& v) {
  double rate = motion.J_child.dot(v.segment<6>(6 * joint.child));
  if (joint.parent >= 0) rate += motion.J_parent.dot(v.segment<6>(6 * joint.parent));
  return rate;
}

Vector6<double> RowRates(const SpatialJoint<double>& joint, const ConstraintRows<double>& rows,
                         const Eigen::VectorXd& v) {
  Vector6<double> rate = rows.J_child.lazyProduct(v.segment<6>(6 * joint.child));
  if (joint.parent >= 0) rate += rows.J_parent.lazyProduct(v.segment<6>(6 * joint.parent));
  return rate;
}

Eigen::Matrix<double, 6, 6> MassMatrix(const SpatialBody<double>& body, const Matrix3<double>& R) {
  Eigen::Matrix<double, 6, 6> M = Eigen::Matrix<double, 6, 6>::Zero();
  M.topLeftCorner<3, 3>().diagonal().setConstant(body.mass);
  M.bottomRightCorner<3, 3>() = R * body.I_BBcm_B * R.transpose();
  return M;
}

Vector6<double> GyroscopicImpulse(const SpatialBody<double>& body, const Matrix3<double>& R, const Vector3<double>& w,
                                  double dt) {
  Vector6<double> impulse = Vector6<double>::Zero();
  impulse.tail<3>() = -dt * w.cross(R * (body.I_BBcm_B * (R.transpose() * w)));
  return impulse;
}

double ResistanceTime(SpookStage stage, double h) {
  switch (stage) {
    case SpookStage::kStep:
      return h;
    case SpookStage::kImpact:
      return 0;
    case SpookStage::kPosition:
    case SpookStage::kVelocity:
      return 0.5 * h;
  }
  return h;
}

namespace {

ResistanceScheme SchemeOf(SpookStage stage) {
  if (stage == SpookStage::kPosition) return ResistanceScheme::kExplicit;
  if (stage == SpookStage::kVelocity) return ResistanceScheme::kImplicitRate;
  return ResistanceScheme::kImplicit;
}

/// Number of complementary unknowns of a one-sided row.
int SizeOf(const SpookUnilateral& row, int directions) { return row.friction > 0 ? 2 + directions : 1; }

void AssembleBodies(const SpatialModel<double>& model, const SpookStructure& structure, const SpookStageInput& in,
                    MlcpProblem& problem) {
  for (size_t node = 0; node < structure.body_of_node.size(); ++node) {
    const int body = structure.body_of_node[node];
    auto& M = problem.K.Diagonal(static_cast<int>(node));
    M = MassMatrix(model.bodies[body], in.poses[body].R);
    auto momentum = problem.a.segment<6>(6 * node);
    momentum = in.impulse->segment<6>(6 * body);
    momentum.head<3>() += model.bodies[body].mass * in.v->segment<3>(6 * body);
    momentum.tail<3>() += M.bottomRightCorner<3, 3>().lazyProduct(in.v->segment<3>(6 * body + 3));
    if (!model.bodies[body].has_drag) continue;
    const AirImpulse<double> air = AirImpulseOf<double>(in.stage, in.h, model.bodies[body], in.v->segment<3>(6 * body));
    M.topLeftCorner<3, 3>() += air.D;
    momentum.head<3>() += air.s;
  }
}

void AssembleResistances(const SpookStructure::JointNode& node, const SpatialJoint<double>& joint,
                         const SpookJoint& evaluated, int index, const SpookStageInput& in, MlcpProblem& problem) {
  if (!CouplesBodies(joint)) return;
  const double dt = ResistanceTime(in.stage, in.h);
  const double u = joint.has_motor && joint.motor_input < static_cast<int>(in.u.size()) ? in.u[joint.motor_input] : 0;
  for (int m = 0; m < evaluated.motions.count; ++m) {
    const JointMotion<double>& motion = evaluated.motions.motion[m];
    const double rate = MotionRate(joint, motion, *in.v);
    double shaft_rate = rate;
    if (in.shaft && m == 0)
      shaft_rate = in.stage == SpookStage::kPosition ? rate - (*in.shaft)[index] : (*in.shaft)[index];
    const auto [D, s] = ResistanceOf<double>(joint, m, motion.coordinate, rate, shaft_rate, u, dt, SchemeOf(in.stage));
    if (node.child_node >= 0) {
      problem.K.Diagonal(node.child_node).noalias() += (D * motion.J_child) * motion.J_child.transpose();
      problem.a.segment<6>(6 * node.child_node) += s * motion.J_child;
    }
    if (node.parent_node >= 0) {
      problem.K.Diagonal(node.parent_node).noalias() += (D * motion.J_parent) * motion.J_parent.transpose();
      problem.a.segment<6>(6 * node.parent_node) += s * motion.J_parent;
    }
    if (node.body_edge >= 0) {
      // The edge's rows belong to the node of smaller number.
      const bool parent_first = node.parent_node < node.child_node;
      const auto& first = parent_first ? motion.J_parent : motion.J_child;
      const auto& second = parent_first ? motion.J_child : motion.J_parent;
      problem.K.Edge(node.body_edge).noalias() += (D * first) * second.transpose();
    }
  }
}

void AssembleRows(const SpookStructure::JointNode& node, const SpatialJoint<double>& joint, const SpookJoint& evaluated,
                  const SpookStageInput& in, MlcpProblem& problem) {
  const ConstraintRows<double>& rows = evaluated.rows;
  auto target = problem.a.segment<6>(6 * node.node);
  auto& diagonal = problem.K.Diagonal(node.node);
  diagonal.setZero();
  diagonal.diagonal().setConstant(-1.0);
  target.setZero();
  const bool paper = in.stage == SpookStage::kStep || in.stage == SpookStage::kImpact;
  const Vector6<double> rate = RowRates(joint, rows, *in.v);
  for (int i = 0; i < rows.count; ++i) {
    const double compliance = rows.angular[i] ? joint.compliance_angular : joint.compliance_linear;
    if (paper) {
      const auto law = SpookRow<double>(in.stage, in.h, compliance, joint.damping, rows.g[i], rate[i]);
      diagonal(i, i) = -law.sigma;
      target[i] = law.target;
    } else {
      diagonal(i, i) = -2 * compliance / (in.h * in.h);
      target[i] = (*in.row_target)[node.offset + i];
    }
  }
  if (node.parent_edge >= 0) problem.K.Edge(node.parent_edge) = rows.J_parent;
  if (node.child_edge >= 0) problem.K.Edge(node.child_edge) = rows.J_child;
}

void AddRow(const SpookStructure& structure, int body, const Vector6<double>& row, BlockSparseVector& out) {
  if (body >= 0 && structure.node_of_body[body] >= 0) out.Add(structure.node_of_body[body], row);
}

/// Complementary unknowns of a dry joint at z, z + 1, z + 2. Returns its rate before the stage.
double AssembleDry(const SpatialModel<double>& model, const SpookStructure& structure, int joint_index, int z,
                   const SpookStageInput& in, MlcpProblem& problem, std::span<char> guess) {
  const SpatialJoint<double>& joint = model.joints[joint_index];
  const JointMotion<double>& motion = in.joints[joint_index].motions.motion[0];
  for (int side = 0; side < 2; ++side) {
    const double sign = side == 0 ? 1 : -1;
    for (BlockSparseVector* row : {&problem.C[z + side], &problem.N[z + side]}) {
      AddRow(structure, joint.child, sign * motion.J_child, *row);
      AddRow(structure, joint.parent, sign * motion.J_parent, *row);
    }
    problem.Couple(z + side, z + 2, 1);
    problem.Couple(z + 2, z + side, -1);
  }
  problem.mirror[z + 1] = z;
  // A joint that turns will go on turning: friction against the rate, at its bound. One at rest sticks.
  const double rate = MotionRate(joint, motion, *in.v);
  guess[z] = rate <= 1e-12;
  guess[z + 1] = rate > 1e-12;
  guess[z + 2] = std::abs(rate) > 1e-12;
  return rate;
}

void AssembleUnilateral(const SpookStructure& structure, const SpookOptions& options, const SpookStageInput& in,
                        SpookUnilateral& row, MlcpProblem& problem, std::span<char> guess) {
  const int z = row.z;
  const Eigen::Vector3d rate = row.RateOf(*in.v);
  const auto law = UnilateralRow<double>(in.h, row.compliance, row.damping, row.gap, rate[0]);
  for (BlockSparseVector* sparse : {&problem.C[z], &problem.N[z]}) {
    AddRow(structure, row.body_a, row.rows_a.col(0), *sparse);
    AddRow(structure, row.body_b, row.rows_b.col(0), *sparse);
  }
  problem.Couple(z, z, law.sigma);
  if (in.stage == SpookStage::kImpact) {
    // Slow approach is inelastic; what separates already is left alone by complementarity.
    const double e = rate[0] < -options.impact_speed ? row.restitution : 0.0;
    problem.b[z] = e * rate[0] - row.bias[0];
    guess[z] = rate[0] < 0;
  } else {
    problem.b[z] = -law.target - row.bias[0];
    guess[z] = row.gap <= 0 || rate[0] * in.h < -row.gap;
  }
  if (!(row.friction > 0)) return;
  const int d = options.directions, sigma = z + 1 + d;
  int most = 0;
  double slowest = 0;
  for (int i = 0; i < d; ++i) {
    const double angle = 2 * M_PI * i / d, c = std::cos(angle), s = std::sin(angle);
    for (BlockSparseVector* sparse : {&problem.C[z + 1 + i], &problem.N[z + 1 + i]}) {
      AddRow(structure, row.body_a, c * row.rows_a.col(1) + s * row.rows_a.col(2), *sparse);
      AddRow(structure, row.body_b, c * row.rows_b.col(1) + s * row.rows_b.col(2), *sparse);
    }
    if (i >= d / 2) problem.mirror[z + 1 + i] = z + 1 + i - d / 2;
    problem.b[z + 1 + i] = -(c * row.bias[1] + s * row.bias[2]);
    problem.group[z + 1 + i] = z;
    problem.Couple(z + 1 + i, sigma, 1);
    problem.Couple(sigma, z + 1 + i, -1);
    for (int k = 0; k < d; ++k) {
      problem.Couple(z + 1 + i, z + 1 + k, TangentialSigma(law.sigma) * std::cos(2 * M_PI * (i - k) / d));
    }
    const double slip = c * rate[1] + s * rate[2];
    if (slip < slowest) {
      slowest = slip;
      most = i;
    }
  }
  problem.Couple(sigma, z, row.friction);
  if (guess[z] && slowest < -1e-9) guess[z + 1 + most] = guess[sigma] = 1;
}

}  // namespace

void SolveStage(const SpatialModel<double>& model, const SpookStructure& structure, const SpookOptions& options,
                const SpookStageInput& in, SpookStageResult& out) {
  MlcpProblem& problem = out.problem;
  if (problem.K.node_count() != static_cast<int>(structure.graph.dual.size()) ||
      problem.K.edges() != structure.graph.edges) {
    problem.K.Analyze(structure.graph);
  }
  // Assembly overwrites all blocks but those that resistances add to.
  for (const auto& node : structure.joints) {
    if (node.body_edge >= 0) problem.K.Edge(node.body_edge).setZero();
  }
  problem.a.resize(problem.K.size());
  const bool dry = in.stage != SpookStage::kImpact;
  int size = dry ? 3 * static_cast<int>(structure.dry_joints.size()) : 0;
  for (SpookUnilateral& row : in.unilateral) {
    row.z = size;
    size += SizeOf(row, options.directions);
  }
  problem.Resize(size);
  out.guess.assign(size, 0);
  out.bound.assign(structure.dry_joints.size(), Vector6<double>::Zero());
  out.coefficient.resize(structure.dry_joints.size());
  out.constant.resize(structure.dry_joints.size());

  AssembleBodies(model, structure, in, problem);
  for (size_t j = 0; j < model.joints.size(); ++j) {
    const auto& node = structure.joints[j];
    AssembleResistances(node, model.joints[j], in.joints[j], static_cast<int>(j), in, problem);
    AssembleRows(node, model.joints[j], in.joints[j], in, problem);
  }
  if (dry) {
    for (size_t k = 0; k < structure.dry_joints.size(); ++k) {
      const double rate =
          AssembleDry(model, structure, structure.dry_joints[k], 3 * static_cast<int>(k), in, problem, out.guess);
      const SpatialJoint<double>& joint = model.joints[structure.dry_joints[k]];
      out.coefficient[k] = DryCoefficient<double>(joint, rate);
      problem.b[3 * k + 2] = out.constant[k] = ResistanceTime(in.stage, in.h) * joint.coulomb;
    }
  }
  for (SpookUnilateral& row : in.unilateral) AssembleUnilateral(structure, options, in, row, problem, out.guess);

  SolveAssembledStage(model, structure, in, false, out);
}

void ResolveStage(const SpatialModel<double>& model, const SpookStructure& structure, const SpookStageInput& in,
                  SpookStageResult& out) {
  for (const auto& node : structure.joints) {
    out.problem.a.segment(6 * node.node, node.rows) = in.row_target->segment(node.offset, node.rows);
  }
  for (size_t j = 0; j < model.joints.size(); ++j) {
    if (!model.joints[j].has_motor) continue;
    const auto& node = structure.joints[j];
    const JointMotion<double>& motion = in.joints[j].motions.motion[0];
    const double impulse = -model.joints[j].motor_shaft_inertia * (*in.shaft_change)[static_cast<Eigen::Index>(j)];
    if (node.child_node >= 0) out.problem.a.segment<6>(6 * node.child_node) += impulse * motion.J_child;
    if (node.parent_node >= 0) out.problem.a.segment<6>(6 * node.parent_node) += impulse * motion.J_parent;
  }
  out.guess = out.solution.active;
  SolveAssembledStage(model, structure, in, true, out);
}

}  // namespace ricochet
