// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "steppers/spook/spook_derivatives.h"

#include <cmath>

#include "math/manifold.h"
#include "model/cast_model.h"
#include "steppers/spook/spook_second_order.h"
#include "steppers/spook/spook_tangents.h"

namespace ricochet {

namespace {

/// Columns of the requested derivatives: start poses, start velocities and parameters, or motor inputs alone.
struct Seeds {
  Eigen::MatrixXd q, v;
  int parameter_column = 0;
  int input_column = -1;  // none

  static Seeds OfStateAndParameters(int bodies, int parameters) {
    Seeds seeds(bodies, 12 * bodies + parameters);
    seeds.parameter_column = 12 * bodies;
    seeds.q.leftCols(6 * bodies).setIdentity();
    seeds.v.middleCols(6 * bodies, 6 * bodies).setIdentity();
    return seeds;
  }
  static Seeds OfInputs(int bodies, int inputs) {
    Seeds seeds(bodies, inputs);
    seeds.input_column = 0;
    return seeds;
  }

 private:
  Seeds(int bodies, int columns)
      : q(Eigen::MatrixXd::Zero(6 * bodies, columns)), v(Eigen::MatrixXd::Zero(6 * bodies, columns)) {}
};

/// Tangents of the end poses: q' = q [+] h v.
Eigen::MatrixXd AdvanceTangents(const Model& model, const StepResult& step, const Eigen::MatrixXd& dq,
                                const Eigen::MatrixXd& dv) {
  Eigen::MatrixXd end = dq;
  for (size_t i = 0; i < model.spatial.bodies.size(); ++i) {
    if (model.spatial.bodies[i].fixed) continue;
    const Vector3<double> turn = step.h * step.end.v.segment<3>(6 * i + 3);
    end.middleRows<3>(6 * i) += step.h * dv.middleRows<3>(6 * i);
    end.middleRows<3>(6 * i + 3) =
        ExpMatrixSO3(turn) * dq.middleRows<3>(6 * i + 3) + step.h * LeftJacobianSO3(turn) * dv.middleRows<3>(6 * i + 3);
  }
  return end;
}

void FirstOrder(const Model& model, const StepResult& step, const StepInputs& inputs, const ParameterModels& parameters,
                const Seeds& seeds, SpookWorkspace& ws, Eigen::MatrixXd& dq, Eigen::MatrixXd& dv) {
  StageTangentInput in;
  in.stage.h = step.h;
  in.stage.poses = ws.poses;
  in.stage.joints = ws.joints;
  in.stage.u = ws.u;
  in.stage.v = &step.start.v;
  in.time = step.start.time;
  in.fired = inputs.fired;
  in.impact_speed = ws.options.impact_speed == 0 ? 2 * model.spatial.gravity.norm() * step.h : ws.options.impact_speed;
  in.parameters = &parameters;
  in.parameter_column = seeds.parameter_column;
  in.input_column = seeds.input_column;
  in.dq = &seeds.q;
  in.dv = &seeds.v;
  StageTangents impact, stage;
  if (ws.had_impact) {
    in.stage.stage = SpookStage::kImpact;
    in.stage.unilateral = ws.touching;
    ComputeStageTangents(model, ws, in, ws.impact, impact);
    in.stage.v = &ws.impact.v;
    in.dv = &impact.v;
  }
  in.stage.stage = SpookStage::kStep;
  in.stage.unilateral = ws.unilateral;
  in.force_time = step.h;
  ComputeStageTangents(model, ws, in, ws.first, stage);
  dv = stage.v;
  dq = AdvanceTangents(model, step, seeds.q, dv);
}

/// Tangents of violations g of all rows at poses whose tangents are dq.
Eigen::MatrixXd ViolationTangents(const Model& model, const SpookStructure& structure,
                                  std::span<const MassPose<double>> poses, std::span<const SpookJoint> joints,
                                  const Eigen::MatrixXd& dq, const ParameterModels& parameters, int parameter_column) {
  Eigen::MatrixXd dg(structure.multiplier_count, dq.cols());
  for (size_t j = 0; j < joints.size(); ++j) {
    const SpatialJoint<double>& joint = model.spatial.joints[j];
    const auto& node = structure.joints[j];
    // The Jacobians of the rows are their derivatives by world-side increments of the poses.
    auto rows = dg.middleRows(node.offset, node.rows);
    rows = joints[j].rows.J_child.topRows(node.rows) * dq.middleRows<6>(6 * joint.child);
    if (joint.parent >= 0) rows += joints[j].rows.J_parent.topRows(node.rows) * dq.middleRows<6>(6 * joint.parent);
    for (size_t c = 0; c < parameters.chunks.size(); ++c) {
      const SpatialModel<SpookJet>& with = parameters.chunks[c];
      const auto frames = FramesOf<SpookJet>(with, with.joints[j], ConstantPose(ParentPose(poses, joint.parent)),
                                             ConstantPose(poses[joint.child]));
      const auto value = RowsOf<SpookJet>(with.joints[j], frames);
      const int first = static_cast<int>(c) * ParameterModels::kWidth;
      const int width = std::min(ParameterModels::kWidth, parameters.count - first);
      for (int i = 0; i < node.rows; ++i) {
        rows.row(i).segment(parameter_column + first, width) += value.g[i].v.head(width).transpose();
      }
    }
  }
  return dg;
}

/// Tangents of the rates J v of all rows, or (`motion`) of the first motion of each joint.
Eigen::MatrixXd RateTangents(const Model& model, const SpookWorkspace& ws, const Eigen::VectorXd& v,
                             const Eigen::MatrixXd& dq, const Eigen::MatrixXd& dv, const ParameterModels& parameters,
                             int parameter_column, bool motion) {
  const SpookStructure& structure = ws.structure;
  const SpatialModel<SpookJet> constant = CastModel<SpookJet>(model.spatial);
  const Eigen::Index count = motion ? static_cast<Eigen::Index>(ws.joints.size()) : structure.multiplier_count;
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(count, dq.cols());
  const auto rates = [&](const auto& with, const auto& joint, const auto& parent, const auto& child,
                         const Vector6<double>& vp, const Vector6<double>& vc) {
    using T = typename std::decay_t<decltype(parent.p)>::Scalar;
    const auto frames = FramesOf<T>(with, joint, parent, child);
    if (!motion) {
      const auto rows = RowsOf<T>(joint, frames);
      return Vector6<T>(rows.J_parent * vp.cast<T>() + rows.J_child * vc.cast<T>());
    }
    const auto motions = MotionsOf<T>(joint, frames);
    Vector6<T> value = Vector6<T>::Zero();
    value[0] = motions.motion[0].J_parent.dot(vp.cast<T>()) + motions.motion[0].J_child.dot(vc.cast<T>());
    return value;
  };
  for (size_t j = 0; j < ws.joints.size(); ++j) {
    const SpatialJoint<double>& joint = model.spatial.joints[j];
    const auto& node = structure.joints[j];
    const int rows = motion ? (ws.joints[j].motions.count > 0 ? 1 : 0) : node.rows;
    const Eigen::Index offset = motion ? static_cast<Eigen::Index>(j) : node.offset;
    const MassPose<double> parent = ParentPose(ws.poses, joint.parent), child = ws.poses[joint.child];
    const Vector6<double> vc = v.segment<6>(6 * joint.child);
    const Vector6<double> vp =
        joint.parent < 0 ? Vector6<double>(Vector6<double>::Zero()) : Vector6<double>(v.segment<6>(6 * joint.parent));
    const auto by_pose = rates(constant, constant.joints[j], SeedPose(parent, 0), SeedPose(child, 6), vp, vc);
    for (int i = 0; i < rows; ++i) {
      auto row = out.row(offset + i);
      const auto& J_child = ws.joints[j].rows.J_child;
      const auto& J_parent = ws.joints[j].rows.J_parent;
      const auto& m = ws.joints[j].motions.motion[0];
      row += by_pose[i].v.tail<6>().transpose() * dq.middleRows<6>(6 * joint.child);
      row += (motion ? Eigen::RowVectorXd(m.J_child.transpose()) : Eigen::RowVectorXd(J_child.row(i))) *
             dv.middleRows<6>(6 * joint.child);
      if (joint.parent >= 0) {
        row += by_pose[i].v.head<6>().transpose() * dq.middleRows<6>(6 * joint.parent);
        row += (motion ? Eigen::RowVectorXd(m.J_parent.transpose()) : Eigen::RowVectorXd(J_parent.row(i))) *
               dv.middleRows<6>(6 * joint.parent);
      }
    }
    for (size_t c = 0; c < parameters.chunks.size(); ++c) {
      const SpatialModel<SpookJet>& with = parameters.chunks[c];
      const auto value = rates(with, with.joints[j], ConstantPose(parent), ConstantPose(child), vp, vc);
      const int first = static_cast<int>(c) * ParameterModels::kWidth;
      const int width = std::min(ParameterModels::kWidth, parameters.count - first);
      for (int i = 0; i < rows; ++i) {
        out.row(offset + i).segment(parameter_column + first, width) += value[i].v.head(width).transpose();
      }
    }
  }
  return out;
}

/// Tangents of the coordinates of joints with a motor (others: 0) at poses whose tangents are dq.
Eigen::MatrixXd CoordinateTangents(const Model& model, std::span<const MassPose<double>> poses,
                                   const Eigen::MatrixXd& dq, const ParameterModels& parameters, int parameter_column) {
  const SpatialModel<SpookJet> constant = CastModel<SpookJet>(model.spatial);
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(model.spatial.joints.size()), dq.cols());
  const auto coordinate = [](const auto& with, const auto& joint, const auto& parent, const auto& child) {
    using T = typename std::decay_t<decltype(parent.p)>::Scalar;
    return MotionsOf<T>(joint, FramesOf<T>(with, joint, parent, child)).motion[0].coordinate;
  };
  for (size_t j = 0; j < model.spatial.joints.size(); ++j) {
    const SpatialJoint<double>& joint = model.spatial.joints[j];
    if (!joint.has_motor) continue;
    auto row = out.row(static_cast<Eigen::Index>(j));
    const MassPose<double> parent = ParentPose(poses, joint.parent), child = poses[joint.child];
    const SpookJet by_pose = coordinate(constant, constant.joints[j], SeedPose(parent, 0), SeedPose(child, 6));
    row += by_pose.v.tail<6>().transpose() * dq.middleRows<6>(6 * joint.child);
    if (joint.parent >= 0) row += by_pose.v.head<6>().transpose() * dq.middleRows<6>(6 * joint.parent);
    for (size_t c = 0; c < parameters.chunks.size(); ++c) {
      const SpatialModel<SpookJet>& with = parameters.chunks[c];
      const SpookJet value = coordinate(with, with.joints[j], ConstantPose(parent), ConstantPose(child));
      const int first = static_cast<int>(c) * ParameterModels::kWidth;
      const int width = std::min(ParameterModels::kWidth, parameters.count - first);
      row.segment(parameter_column + first, width) += value.v.head(width).transpose();
    }
  }
  return out;
}

/// Tangents of the drift: end poses and velocities after it.
void DriftTangents(const Model& model, SpookWorkspace& ws, double h, const Eigen::MatrixXd& dq,
                   const Eigen::MatrixXd& dv, const ParameterModels& parameters, int parameter_column,
                   Eigen::MatrixXd& dq_end, Eigen::MatrixXd& dv_end) {
  dq_end = dq;
  dv_end = dv;
  // Change of R' = change of rotation on the world side: vee(dR' R'^T).
  const auto turn = [](const Matrix3<double>& dR, const Matrix3<double>& R) {
    const Matrix3<double> S = dR * R.transpose();
    return Vector3<double>(S(2, 1), S(0, 2), S(1, 0));
  };
  for (size_t i = 0; i < model.spatial.bodies.size(); ++i) {
    if (model.spatial.bodies[i].fixed) continue;
    dq_end.middleRows<3>(6 * i) += h * dv.middleRows<3>(6 * i);
    const Vector3<double> w = ws.first.v.segment<3>(6 * i + 3);
    MassPose<double> at_origin = ws.poses[i];
    Matrix3<SpookJet> R = at_origin.R.cast<SpookJet>();
    for (int k = 0; k < 3; ++k) {
      const Matrix3<double> dR = Skew(Vector3<double>(Vector3<double>::Unit(k))) * at_origin.R;
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) R(r, c).v[k] = dR(r, c);
      }
    }
    const Matrix3<double>& inertia = model.spatial.bodies[i].I_BBcm_B;
    const auto own =
        DriftRotation<SpookJet>(inertia.cast<SpookJet>(), R, SeedVariables<SpookJet::kSize>(w, 3), h, ws.body_rate[i]);
    const auto derivative = [&](const auto& drift, int k) {
      Matrix3<double> dR;
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) dR(r, c) = drift.R(r, c).v[k];
      }
      Vector6<double> out;
      out << turn(dR, ValueOf(drift.R)), drift.w[0].v[k], drift.w[1].v[k], drift.w[2].v[k];
      return out;
    };
    Eigen::Matrix<double, 6, 6> J;
    for (int k = 0; k < 6; ++k) J.col(k) = derivative(own, k);
    Eigen::MatrixXd in(6, dq.cols());
    in << dq.middleRows<3>(6 * i + 3), dv.middleRows<3>(6 * i + 3);
    Eigen::MatrixXd change = J * in;
    for (size_t c = 0; c < parameters.chunks.size(); ++c) {
      const auto with = DriftRotation<SpookJet>(parameters.chunks[c].bodies[i].I_BBcm_B, at_origin.R.cast<SpookJet>(),
                                                w.cast<SpookJet>(), h, ws.body_rate[i]);
      const int first = static_cast<int>(c) * ParameterModels::kWidth;
      for (int k = 0; k < std::min(ParameterModels::kWidth, parameters.count - first); ++k) {
        change.col(parameter_column + first + k) += derivative(with, k);
      }
    }
    dq_end.middleRows<3>(6 * i + 3) = change.topRows<3>();
    dv_end.middleRows<3>(6 * i + 3) = change.bottomRows<3>();
  }
}

/// Equal up to 1e-13 of the largest entry.
bool IsClose(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return a.size() == 0 || (a - b).cwiseAbs().maxCoeff() <= 1e-13 * a.cwiseAbs().maxCoeff();
}

void SecondOrder(const Model& model, const StepResult& step, const StepInputs& inputs,
                 const ParameterModels& parameters, const Seeds& seeds, SpookWorkspace& ws, Eigen::MatrixXd& dq,
                 Eigen::MatrixXd& dv) {
  const double h = step.h;
  const int column = seeds.parameter_column;
  const SpookStructure& structure = ws.structure;
  StageTangentInput in;
  in.stage.stage = SpookStage::kPosition;
  in.stage.h = h;
  in.stage.poses = ws.poses;
  in.stage.joints = ws.joints;
  in.stage.u = inputs.u;
  in.stage.v = &step.start.v;
  in.time = step.start.time;
  in.force_time = 0.5 * h;
  in.fired = inputs.fired;
  in.parameters = &parameters;
  in.parameter_column = column;
  in.input_column = seeds.input_column;
  in.dq = &seeds.q;
  in.dv = &seeds.v;

  // The first half's right side is J v_h - g'/h with v_h itself unknown: iterate as the step did.
  Eigen::VectorXd target(structure.multiplier_count);
  for (size_t j = 0; j < ws.joints.size(); ++j) {
    const auto& node = structure.joints[j];
    target.segment(node.offset, node.rows) =
        RowRates(model.spatial.joints[j], ws.joints[j].rows, ws.first.v).head(node.rows) -
        ws.joints_end[j].rows.g.head(node.rows) / h;
  }
  in.stage.row_target = &target;
  Eigen::MatrixXd dtarget = Eigen::MatrixXd::Zero(structure.multiplier_count, seeds.q.cols());
  in.dtarget = &dtarget;
  // So is the shafts' excess c = (x' - x) / h - J v_h.
  Eigen::VectorXd shaft = ws.shaft;
  for (size_t j = 0; j < ws.joints.size(); ++j) {
    const SpatialJoint<double>& joint = model.spatial.joints[j];
    if (joint.has_motor) shaft[j] -= MotionRate(joint, ws.joints[j].motions.motion[0], ws.first.v);
  }
  in.stage.shaft = &shaft;
  const Eigen::MatrixXd dcoordinate = CoordinateTangents(model, ws.poses, seeds.q, parameters, column);
  Eigen::MatrixXd dmean, dshaft = Eigen::MatrixXd::Zero(dcoordinate.rows(), dcoordinate.cols());
  in.dshaft = &dshaft;
  StageTangents first, second;
  Eigen::MatrixXd dv_drift;
  for (int round = 0; round < 60; ++round) {
    ComputeStageTangents(model, ws, in, ws.first, first);
    DriftTangents(model, ws, h, seeds.q, first.v, parameters, column, dq, dv_drift);
    const Eigen::MatrixXd next =
        RateTangents(model, ws, ws.first.v, seeds.q, first.v, parameters, column, false) -
        ViolationTangents(model, structure, ws.poses_end, ws.joints_end, dq, parameters, column) / h;
    dmean = (CoordinateTangents(model, ws.poses_end, dq, parameters, column) - dcoordinate) / h;
    const Eigen::MatrixXd excess =
        dmean - RateTangents(model, ws, ws.first.v, seeds.q, first.v, parameters, column, true);
    const bool same = IsClose(next, dtarget) && IsClose(excess, dshaft);
    dtarget = next;
    dshaft = excess;
    if (same) break;
  }

  // Second half.
  dshaft = dmean;
  dtarget = (ViolationTangents(model, structure, ws.poses_end, ws.joints_end, dq, parameters, column) -
             ViolationTangents(model, structure, ws.poses, ws.joints, seeds.q, parameters, column)) /
            h;
  for (size_t j = 0; j < ws.joints.size(); ++j) {
    const auto& node = structure.joints[j];
    const SpatialJoint<double>& joint = model.spatial.joints[j];
    for (int i = 0; i < node.rows; ++i) {
      const bool angular = ws.joints[j].rows.angular[i];
      const double compliance = angular ? joint.compliance_angular : joint.compliance_linear;
      dtarget.row(node.offset + i) += 2 * compliance / (h * h) * first.lambda.row(node.offset + i);
      for (size_t c = 0; c < parameters.chunks.size(); ++c) {
        const auto& with = parameters.chunks[c].joints[j];
        const auto& gradient = (angular ? with.compliance_angular : with.compliance_linear).v;
        const int begin = static_cast<int>(c) * ParameterModels::kWidth;
        const int width = std::min(ParameterModels::kWidth, parameters.count - begin);
        dtarget.row(node.offset + i).segment(column + begin, width) +=
            2 / (h * h) * ws.first.lambda[node.offset + i] * gradient.head(width).transpose();
      }
    }
  }
  in.stage.stage = SpookStage::kVelocity;
  in.stage.poses = ws.poses_end;
  in.stage.joints = ws.joints_end;
  in.stage.u = ws.u;
  in.stage.v = &ws.v_drift;
  in.stage.row_target = &ws.row_target;
  in.stage.shaft = &ws.shaft;
  in.time = step.start.time + 0.5 * h;
  in.fired = {};
  in.dq = &dq;
  in.dv = &dv_drift;
  ComputeStageTangents(model, ws, in, ws.second, second);
  dv = second.v;
}

/// Tangents of the end state in the seeded directions, poses above velocities.
Eigen::MatrixXd EndTangents(const Model& model, const StepResult& step, const StepInputs& inputs,
                            const ParameterModels& parameters, const Seeds& seeds, SpookWorkspace& ws) {
  Eigen::MatrixXd dq, dv;
  if (ws.second_order) {
    SecondOrder(model, step, inputs, parameters, seeds, ws, dq, dv);
  } else {
    FirstOrder(model, step, inputs, parameters, seeds, ws, dq, dv);
  }
  Eigen::MatrixXd out(dq.rows() + dv.rows(), dq.cols());
  out << dq, dv;
  return out;
}

}  // namespace

void DifferentiateSpook(const Model& model, const StepResult& step, const StepInputs& inputs,
                        std::span<const NumberId> parameters, SpookWorkspace& ws, StepDerivatives& out) {
  const int n = static_cast<int>(model.spatial.bodies.size());
  const ParameterModels models(*model.scene, parameters);
  const Eigen::MatrixXd tangents =
      EndTangents(model, step, inputs, models, Seeds::OfStateAndParameters(n, models.count), ws);
  out.end_by_start = tangents.leftCols(12 * n);
  out.end_by_parameters = tangents.rightCols(models.count);
}

void DifferentiateSpookInputs(const Model& model, const StepResult& step, const StepInputs& inputs, SpookWorkspace& ws,
                              Eigen::MatrixXd& end_by_inputs) {
  const int n = static_cast<int>(model.spatial.bodies.size());
  const ParameterModels none(*model.scene, {});
  const int count = static_cast<int>(model.spatial.inputs.size());
  end_by_inputs = EndTangents(model, step, inputs, none, Seeds::OfInputs(n, count), ws);
}

}  // namespace ricochet
