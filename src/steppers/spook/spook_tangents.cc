// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "steppers/spook/spook_tangents.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "dynamics/loads.h"
#include "model/cast_model.h"
#include "model/seeded_numbers.h"

namespace ricochet {

ParameterModels::ParameterModels(const Scene& scene, std::span<const NumberId> parameters)
    : count(static_cast<int>(parameters.size())) {
  for (const auto& numbers : SeededNumbers<kWidth>(scene, parameters, 0)) {
    chunks.push_back(CompileSpatial<Scalar>(scene, numbers));
  }
}

MassPose<SpookJet> ConstantPose(const MassPose<double>& pose) {
  return {pose.p.cast<SpookJet>(), pose.R.cast<SpookJet>()};
}

MassPose<SpookJet> SeedPose(const MassPose<double>& pose, int first) {
  MassPose<SpookJet> out = ConstantPose(pose);
  for (int i = 0; i < 3; ++i) {
    out.p[i].v[first + i] = 1;
    const Matrix3<double> dR = Skew(Vector3<double>(Vector3<double>::Unit(i))) * pose.R;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) out.R(r, c).v[first + 3 + i] = dR(r, c);
    }
  }
  return out;
}

namespace {

/// Two bodies a, b before a stage, with the directions of the one pass or the other as variables (a first).
enum class Pass { kPoses, kVelocities };

struct BodyPair {
  MassPose<SpookJet> pose_a, pose_b;
  Vector6<SpookJet> v_a, v_b;

  BodyPair(Pass pass, const MassPose<double>& a, const MassPose<double>& b, const Vector6<double>& va,
           const Vector6<double>& vb)
      : pose_a(pass == Pass::kPoses ? SeedPose(a, 0) : ConstantPose(a)),
        pose_b(pass == Pass::kPoses ? SeedPose(b, 6) : ConstantPose(b)),
        v_a(va.cast<SpookJet>()),
        v_b(vb.cast<SpookJet>()) {
    if (pass == Pass::kVelocities) {
      v_a = SeedVariables<SpookJet::kSize>(va, 0);
      v_b = SeedVariables<SpookJet::kSize>(vb, 6);
    }
  }
};

/// A row of a matrix stored by columns.
using RowRef = Eigen::Ref<Eigen::RowVectorXd, 0, Eigen::InnerStride<>>;

/// Rows of -dR, by block and complementary row, one column per tangent.
class RightSide {
 public:
  RightSide(const StageTangentInput& input, const SpookStageResult& stage)
      : input_(input),
        columns_(static_cast<int>(input.dq->cols())),
        x_(Eigen::MatrixXd::Zero(stage.problem.K.size(), columns_)),
        z_(Eigen::MatrixXd::Zero(stage.problem.complementary_count(), columns_)) {}

  /// Subtracts derivative * (tangents of a, b) of a quantity of two bodies from row `row`.
  void AddPair(Pass pass, double scale, const SpookJet& value, int a, int b, RowRef row) const {
    const Eigen::MatrixXd& tangents = pass == Pass::kPoses ? *input_.dq : *input_.dv;
    if (a >= 0) row -= scale * value.v.head<6>().transpose() * tangents.middleRows<6>(6 * a);
    if (b >= 0) row -= scale * value.v.tail<6>().transpose() * tangents.middleRows<6>(6 * b);
  }
  void AddParameter(double scale, const SpookJet& value, int chunk, RowRef row) const {
    const int first = chunk * ParameterModels::kWidth;
    const int width = std::min(ParameterModels::kWidth, input_.parameters->count - first);
    row.segment(input_.parameter_column + first, width) -= scale * value.v.head(width).transpose();
  }
  auto x(int node, int i) { return x_.row(6 * node + i); }
  auto z(int i) { return z_.row(i); }
  Eigen::MatrixXd& x() { return x_; }
  Eigen::MatrixXd& z() { return z_; }
  int columns() const { return columns_; }

 private:
  const StageTangentInput& input_;
  int columns_;
  Eigen::MatrixXd x_, z_;
};

Vector6<double> BodySix(const Eigen::VectorXd& v, int body) {
  return body < 0 ? Vector6<double>(Vector6<double>::Zero()) : Vector6<double>(v.segment<6>(6 * body));
}

/// Subtracts the derivative of a quantity from a row of the right side, `scale` times.
using AddToRow = std::function<void(double scale, const SpookJet& value, RowRef row)>;

/// Puts a residual of a joint in place.
void PlaceJoint(const SpookStructure& structure, int j, const JointResidual<SpookJet>& r, bool dry, RightSide& right,
                const AddToRow& add) {
  const auto& node = structure.joints[j];
  for (int i = 0; i < 6; ++i) {
    if (node.parent_node >= 0) add(1.0, r.parent[i], right.x(node.parent_node, i));
    if (node.child_node >= 0) add(1.0, r.child[i], right.x(node.child_node, i));
  }
  for (int i = 0; i < node.rows; ++i) add(1.0, r.rows[i], right.x(node.node, i));
  if (dry && node.dry >= 0) {
    add(1.0, r.slip, right.z(3 * node.dry));
    add(-1.0, r.slip, right.z(3 * node.dry + 1));
    add(1.0, r.bound, right.z(3 * node.dry + 2));
  }
}

void PlaceUnilateral(const SpookStructure& structure, const SpookOptions& options, const SpookUnilateral& row,
                     const UnilateralResidual<SpookJet>& r, RightSide& right, const AddToRow& add) {
  const int a = row.body_a < 0 ? -1 : structure.node_of_body[row.body_a];
  const int b = row.body_b < 0 ? -1 : structure.node_of_body[row.body_b];
  for (int i = 0; i < 6; ++i) {
    if (a >= 0) add(1.0, r.a[i], right.x(a, i));
    if (b >= 0) add(1.0, r.b[i], right.x(b, i));
  }
  add(1.0, r.normal, right.z(row.z));
  if (!(row.friction > 0)) return;
  for (int k = 0; k < options.directions; ++k) {
    const double angle = 2 * M_PI * k / options.directions;
    const SpookJet slip = std::cos(angle) * r.slip_x + std::sin(angle) * r.slip_y;
    add(1.0, slip, right.z(row.z + 1 + k));
  }
  add(1.0, r.bound, right.z(row.z + 1 + options.directions));
}

void AddBodies(const Model& model, const SpookStructure& structure, const StageTangentInput& in,
               const SpookStageResult& stage, RightSide& right) {
  for (size_t node = 0; node < structure.body_of_node.size(); ++node) {
    const int body = structure.body_of_node[node];
    const Vector6<double> v = BodySix(*in.stage.v, body), v_out = BodySix(stage.v, body);
    SpatialBody<SpookJet> constant;
    constant.mass = SpookJet(model.spatial.bodies[body].mass);
    constant.I_BBcm_B = model.spatial.bodies[body].I_BBcm_B.cast<SpookJet>();
    constant.has_drag = model.spatial.bodies[body].has_drag;
    constant.drag_linear = SpookJet(model.spatial.bodies[body].drag_linear);
    constant.drag_quadratic = SpookJet(model.spatial.bodies[body].drag_quadratic);
    const auto r = MomentumResidual<SpookJet>(in.stage.stage, in.stage.h, constant, SeedPose(in.stage.poses[body], 0).R,
                                              SeedVariables<SpookJet::kSize>(v, 6), v_out);
    for (int i = 0; i < 6; ++i) {
      right.x(node, i) -= r[i].v.head<6>().transpose() * in.dq->middleRows<6>(6 * body) +
                          r[i].v.tail<6>().transpose() * in.dv->middleRows<6>(6 * body);
    }
    for (size_t c = 0; c < in.parameters->chunks.size(); ++c) {
      const SpatialModel<SpookJet>& with = in.parameters->chunks[c];
      Vector6<SpookJet> q =
          MomentumResidual<SpookJet>(in.stage.stage, in.stage.h, with.bodies[body],
                                     in.stage.poses[body].R.cast<SpookJet>(), v.cast<SpookJet>(), v_out);
      if (in.force_time > 0) {
        q -= LoadImpulse<SpookJet>(with.loads, body, in.time, in.force_time, in.fired);
        q.head<3>() -= in.force_time * with.bodies[body].mass * with.gravity;
      }
      for (int i = 0; i < 6; ++i) right.AddParameter(1.0, q[i], static_cast<int>(c), right.x(node, i));
    }
  }
}

JointUnknowns UnknownsOf(const SpatialJoint<double>& joint, int j, const SpookStructure& structure,
                         const SpookStageInput& in, const SpookStageResult& stage) {
  const auto& node = structure.joints[j];
  JointUnknowns at;
  at.v_parent = BodySix(stage.v, joint.parent);
  at.v_child = BodySix(stage.v, joint.child);
  at.lambda.head(node.rows) = stage.lambda.segment(node.offset, node.rows);
  if (node.dry >= 0) at.dry = stage.dry[node.dry];
  if (in.row_target) at.target.head(node.rows) = in.row_target->segment(node.offset, node.rows);
  if (in.shaft) at.shaft = (*in.shaft)[j];
  if (joint.has_motor && joint.motor_input < static_cast<int>(in.u.size())) at.u = in.u[joint.motor_input];
  return at;
}

/// A motor's impulse is J' gain u dt (resistance_part.h), so that dR/du = -J' gain dt.
void AddMotorInput(const SpatialJoint<double>& joint, const SpookStructure::JointNode& node,
                   const StageTangentInput& in, const SpookJoint& at, RightSide& right) {
  const double impulse = joint.motor_gain * ResistanceTime(in.stage.stage, in.stage.h);
  const JointMotion<double>& motion = at.motions.motion[0];
  const int column = in.input_column + joint.motor_input;
  for (int i = 0; i < 6; ++i) {
    if (node.parent_node >= 0) right.x(node.parent_node, i)[column] += motion.J_parent[i] * impulse;
    if (node.child_node >= 0) right.x(node.child_node, i)[column] += motion.J_child[i] * impulse;
  }
}

void AddJoints(const Model& model, const SpatialModel<SpookJet>& constant, const SpookStructure& structure,
               const StageTangentInput& in, const SpookStageResult& stage, RightSide& right) {
  const bool dry = in.stage.stage != SpookStage::kImpact;
  for (size_t j = 0; j < model.spatial.joints.size(); ++j) {
    const SpatialJoint<double>& joint = model.spatial.joints[j];
    const auto& node = structure.joints[j];
    const JointUnknowns at = UnknownsOf(joint, static_cast<int>(j), structure, in.stage, stage);
    const MassPose<double> parent = ParentPose(in.stage.poses, joint.parent), child = in.stage.poses[joint.child];
    const Vector6<double> vp = BodySix(*in.stage.v, joint.parent), vc = BodySix(*in.stage.v, joint.child);
    for (const Pass pass : {Pass::kPoses, Pass::kVelocities}) {
      const BodyPair at_start(pass, parent, child, vp, vc);
      const auto r = EvaluateJointResidual<SpookJet>(in.stage.stage, in.stage.h, constant, constant.joints[j],
                                                     at_start.pose_a, at_start.pose_b, at_start.v_a, at_start.v_b, at);
      PlaceJoint(structure, static_cast<int>(j), r, dry, right, [&](double scale, const SpookJet& value, RowRef to) {
        right.AddPair(pass, scale, value, joint.parent, joint.child, to);
      });
    }
    for (size_t c = 0; c < in.parameters->chunks.size(); ++c) {
      const SpatialModel<SpookJet>& with = in.parameters->chunks[c];
      const auto p =
          EvaluateJointResidual<SpookJet>(in.stage.stage, in.stage.h, with, with.joints[j], ConstantPose(parent),
                                          ConstantPose(child), vp.cast<SpookJet>(), vc.cast<SpookJet>(), at);
      PlaceJoint(structure, static_cast<int>(j), p, dry, right, [&](double scale, const SpookJet& value, RowRef to) {
        right.AddParameter(scale, value, static_cast<int>(c), to);
      });
    }
    if (in.input_column >= 0 && joint.has_motor) AddMotorInput(joint, node, in, in.stage.joints[j], right);
    // Right sides that the caller differentiated.
    if (in.dtarget) {
      for (int i = 0; i < node.rows; ++i) right.x(node.node, i) += in.dtarget->row(node.offset + i);
    }
    if (in.dshaft && joint.has_motor) {
      const JointMotion<double>& motion = in.stage.joints[j].motions.motion[0];
      const double sign = in.stage.stage == SpookStage::kPosition ? -1 : 1;
      const Eigen::RowVectorXd change = sign * joint.motor_shaft_inertia * in.dshaft->row(static_cast<Eigen::Index>(j));
      for (int i = 0; i < 6; ++i) {
        if (node.parent_node >= 0) right.x(node.parent_node, i) += motion.J_parent[i] * change;
        if (node.child_node >= 0) right.x(node.child_node, i) += motion.J_child[i] * change;
      }
    }
  }
}

void AddUnilateral(const SpatialModel<SpookJet>& constant, const SpookWorkspace& ws, const StageTangentInput& in,
                   const SpookStageResult& stage, RightSide& right) {
  for (const SpookUnilateral& row : in.stage.unilateral) {
    const MassPose<double> a = ParentPose(in.stage.poses, row.body_a), b = ParentPose(in.stage.poses, row.body_b);
    const Vector6<double> va = BodySix(*in.stage.v, row.body_a), vb = BodySix(*in.stage.v, row.body_b);
    const Vector6<double> out_a = BodySix(stage.v, row.body_a), out_b = BodySix(stage.v, row.body_b);
    const Eigen::Vector3d impulse = UnilateralImpulse(row, ws.options, stage.solution.z);
    for (const Pass pass : {Pass::kPoses, Pass::kVelocities}) {
      const BodyPair at_start(pass, a, b, va, vb);
      const auto geometry =
          UnilateralGeometryOf(constant, ws.options, in.stage.h, row, at_start.pose_a, at_start.pose_b);
      const auto r = EvaluateUnilateralResidual<SpookJet>(in.stage.stage, in.stage.h, geometry, at_start.v_a,
                                                          at_start.v_b, out_a, out_b, impulse, in.impact_speed);
      PlaceUnilateral(ws.structure, ws.options, row, r, right, [&](double scale, const SpookJet& value, RowRef to) {
        right.AddPair(pass, scale, value, row.body_a, row.body_b, to);
      });
    }
    for (size_t c = 0; c < in.parameters->chunks.size(); ++c) {
      const auto with =
          UnilateralGeometryOf(in.parameters->chunks[c], ws.options, in.stage.h, row, ConstantPose(a), ConstantPose(b));
      const auto p = EvaluateUnilateralResidual<SpookJet>(in.stage.stage, in.stage.h, with, va.cast<SpookJet>(),
                                                          vb.cast<SpookJet>(), out_a, out_b, impulse, in.impact_speed);
      PlaceUnilateral(ws.structure, ws.options, row, p, right, [&](double scale, const SpookJet& value, RowRef to) {
        right.AddParameter(scale, value, static_cast<int>(c), to);
      });
    }
  }
}

/// The active set for derivatives: where friction sticks, equations for all tangential directions, also those whose
/// multiplier happens to be zero.
void CompleteSticking(const SpookWorkspace& ws, const SpookStageInput& in, SpookStageResult& stage) {
  auto& active = stage.solution.active;
  if (in.stage != SpookStage::kImpact) {
    for (size_t k = 0; k < ws.structure.dry_joints.size(); ++k) {
      const size_t z = 3 * k;
      if (!active[z] && !active[z + 1] && !active[z + 2]) active[z] = 1;
    }
  }
  const int d = ws.options.directions;
  for (const SpookUnilateral& row : in.unilateral) {
    if (!(row.friction > 0) || !active[row.z] || active[row.z + 1 + d]) continue;
    int first = -1, second = -1;
    for (int k = 0; k < d; ++k) {
      if (active[row.z + 1 + k]) (first < 0 ? first : second) = k;
    }
    const auto independent = [&](int k) { return first >= 0 && (k - first) % (d / 2) != 0; };
    if (first < 0) active[row.z + 1 + (first = 0)] = 1;
    if (second < 0 || !independent(second)) active[row.z + 1 + (first + 1) % d] = 1;
  }
}

}  // namespace

void ComputeStageTangents(const Model& model, SpookWorkspace& ws, const StageTangentInput& in, SpookStageResult& stage,
                          StageTangents& out) {
  const SpatialModel<SpookJet> constant = CastModel<SpookJet>(model.spatial);
  RightSide right(in, stage);
  AddBodies(model, ws.structure, in, stage, right);
  AddJoints(model, constant, ws.structure, in, stage, right);
  AddUnilateral(constant, ws, in, stage, right);
  CompleteSticking(ws, in.stage, stage);

  out.v.setZero(in.dq->rows(), right.columns());
  out.lambda.setZero(ws.structure.multiplier_count, right.columns());
  out.regular = true;
  Eigen::VectorXd x, z;
  // The step may have ended with factors of bounds that were slightly different.
  if (stage.by_chain) out.regular = stage.chain.Factorize(stage.problem, ws.structure.dry_nodes, stage.modes);
  for (int c = 0; c < right.columns(); ++c) {
    // SolveActive takes the explicit part of w with its own sign.
    x = right.x().col(c);
    z = -right.z().col(c);
    if (stage.by_chain) {
      stage.chain.Solve(stage.problem, x, z);
    } else {
      out.regular = SolveActive(stage.problem, stage.solution.active, stage.workspace, x, z) && out.regular;
    }
    for (size_t node = 0; node < ws.structure.body_of_node.size(); ++node) {
      out.v.col(c).segment<6>(6 * ws.structure.body_of_node[node]) = x.segment<6>(6 * node);
    }
    for (const auto& node : ws.structure.joints) {
      out.lambda.col(c).segment(node.offset, node.rows) = -x.segment(6 * node.node, node.rows);
    }
  }
}

UnilateralGeometry<SpookJet> UnilateralGeometryOf(const SpatialModel<SpookJet>& model, const SpookOptions& options,
                                                  double h, const SpookUnilateral& row, const MassPose<SpookJet>& a,
                                                  const MassPose<SpookJet>& b) {
  if (row.joint >= 0) return LimitGeometry<SpookJet>(model, row, a, b);
  BodyContactWorkspace<SpookJet> scratch;
  Vector3<SpookJet> p_WC;
  bool present = true;
  return ContactGeometry<SpookJet>(model, options, h, row.pair, row.index, a, b, scratch, p_WC, present);
}

}  // namespace ricochet
