// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <algorithm>
#include <map>
#include <utility>

#include "dynamics/loads.h"
#include "model/cast_model.h"
#include "steppers/spook/spook_inverse.h"
#include "steppers/spook/spook_inverse_parts.h"
#include "steppers/spook/spook_tangents.h"

namespace ricochet {

namespace {

/// Two bodies a, b in a step with the directions of one pass as variables: six of a, then six of b.
enum class StepPass { kPoses, kVelocities, kEndVelocities };

struct StepPair {
  MassPose<SpookJet> pose_a, pose_b;
  Vector6<SpookJet> v_a, v_b, end_a, end_b;

  StepPair(const MassPose<double>& a, const MassPose<double>& b, const Vector6<double>& va, const Vector6<double>& vb,
           const Vector6<double>& ea, const Vector6<double>& eb)
      : pose_a(ConstantPose(a)),
        pose_b(ConstantPose(b)),
        v_a(va.cast<SpookJet>()),
        v_b(vb.cast<SpookJet>()),
        end_a(ea.cast<SpookJet>()),
        end_b(eb.cast<SpookJet>()) {}

  StepPair(StepPass pass, const MassPose<double>& a, const MassPose<double>& b, const Vector6<double>& va,
           const Vector6<double>& vb, const Vector6<double>& ea, const Vector6<double>& eb)
      : StepPair(a, b, va, vb, ea, eb) {
    switch (pass) {
      case StepPass::kPoses:
        pose_a = SeedPose(a, 0);
        pose_b = SeedPose(b, 6);
        break;
      case StepPass::kVelocities:
        v_a = SeedVariables<SpookJet::kSize>(va, 0);
        v_b = SeedVariables<SpookJet::kSize>(vb, 6);
        break;
      case StepPass::kEndVelocities:
        end_a = SeedVariables<SpookJet::kSize>(ea, 0);
        end_b = SeedVariables<SpookJet::kSize>(eb, 6);
        break;
    }
  }
};
constexpr StepPass kStepPasses[] = {StepPass::kPoses, StepPass::kVelocities, StepPass::kEndVelocities};

class Blocks {
 public:
  explicit Blocks(SpookInverseDerivatives& out) : out_(out) { out_.blocks.clear(); }

  SpookInverseBlock& At(int row, int column) {
    const auto [at, is_new] = index_.try_emplace({row, column}, static_cast<int>(out_.blocks.size()));
    if (is_new) {
      SpookInverseBlock block;
      block.row = row;
      block.column = column;
      block.by_pose.setZero();
      block.by_velocity.setZero();
      block.by_end_velocity.setZero();
      out_.blocks.push_back(block);
    }
    return out_.blocks[at->second];
  }

  /// Adds the derivatives of `value` (the residual of body `row`) that depends on bodies a and b.
  void Add(StepPass pass, int row, int a, int b, const Vector6<SpookJet>& value) {
    const auto J = JacobianOf(value);
    const auto derivative = [&](SpookInverseBlock & block) -> auto& {
      return pass == StepPass::kPoses        ? block.by_pose
             : pass == StepPass::kVelocities ? block.by_velocity
                                             : block.by_end_velocity;
    };
    if (a >= 0) derivative(At(row, a)) += J.leftCols<6>();
    if (b >= 0) derivative(At(row, b)) += J.rightCols<6>();
  }

 private:
  SpookInverseDerivatives& out_;
  std::map<std::pair<int, int>, int> index_;
};

void AddParameters(int row, int chunk, const Vector6<SpookJet>& value, SpookInverseDerivatives& out) {
  const int first = chunk * ParameterModels::kWidth;
  const int width = std::min<int>(ParameterModels::kWidth, static_cast<int>(out.by_parameters.cols()) - first);
  out.by_parameters.block(6 * row, first, 6, width) += JacobianOf(value).leftCols(width);
}

}  // namespace

struct SpookInverseModels::Parts {
  ParameterModels with;
  SpatialModel<SpookJet> constant;
};

SpookInverseModels::SpookInverseModels(const Model& model, std::span<const NumberId> parameters)
    : parts_(new Parts{ParameterModels(*model.scene, parameters), CastModel<SpookJet>(model.spatial)}) {}

SpookInverseModels::~SpookInverseModels() = default;

void DifferentiateSpookInverse(const Model& model, const State& start, const Eigen::VectorXd& v_end,
                               const StepInputs& inputs, double h, std::span<const NumberId> parameters,
                               const SpookInverse& inverse, SpookWorkspace& ws, SpookInverseDerivatives& out) {
  DifferentiateSpookInverse(model, start, v_end, inputs, h, SpookInverseModels(model, parameters), inverse, ws, out);
}

void DifferentiateSpookInverse(const Model& model, const State& start, const Eigen::VectorXd& v_end,
                               const StepInputs& inputs, double h, const SpookInverseModels& models,
                               const SpookInverse& inverse, SpookWorkspace& ws, SpookInverseDerivatives& out) {
  const SpatialModel<double>& spatial = model.spatial;
  const ParameterModels& with = models.parts().with;
  const SpatialModel<SpookJet>& constant = models.parts().constant;
  out.by_parameters.setZero(start.v.size(), with.count);
  Blocks blocks(out);
  const auto moves = [&](int body) { return body >= 0 && !spatial.bodies[body].fixed; };

  for (int i = 0; i < model.body_count(); ++i) {
    if (!moves(i)) continue;
    // MomentumResidual takes the end velocity as a constant; its derivative by it is the mass matrix and drag.
    const auto J =
        JacobianOf(MomentumResidual<SpookJet>(SpookStage::kStep, h, constant.bodies[i], SeedPose(ws.poses[i], 0).R,
                                              SeedVariables<SpookJet::kSize>(SixOf(start.v, i), 6), SixOf(v_end, i)));
    SpookInverseBlock& own = blocks.At(i, i);
    own.by_pose += J.leftCols<6>();
    own.by_velocity += J.rightCols<6>();
    own.by_end_velocity += MassMatrix(spatial.bodies[i], ws.poses[i].R);
    own.by_end_velocity.topLeftCorner<3, 3>() +=
        AirImpulseOf<double>(SpookStage::kStep, h, spatial.bodies[i], start.v.segment<3>(6 * i)).D;
    for (size_t c = 0; c < with.chunks.size(); ++c) {
      const SpatialModel<SpookJet>& chunk = with.chunks[c];
      Vector6<SpookJet> p =
          MomentumResidual<SpookJet>(SpookStage::kStep, h, chunk.bodies[i], ws.poses[i].R.cast<SpookJet>(),
                                     SixOf(start.v, i).cast<SpookJet>(), SixOf(v_end, i));
      p -= LoadImpulse<SpookJet>(chunk.loads, i, start.time, h, inputs.fired);
      p.head<3>() -= h * chunk.bodies[i].mass * chunk.gravity;
      AddParameters(i, static_cast<int>(c), p, out);
    }
  }

  for (size_t j = 0; j < spatial.joints.size(); ++j) {
    const SpatialJoint<double>& joint = spatial.joints[j];
    const int a = joint.parent, b = joint.child, dry = ws.structure.joints[j].dry;
    const int mode = dry < 0 ? 0 : inverse.dry_mode[dry];
    const double held = dry < 0 ? 0.0 : inverse.dry[dry];
    const double u = MotorInput(joint, inputs);
    const MassPose<double> pa = ParentPose(ws.poses, a), pb = ws.poses[b];
    const Vector6<double> va = SixOf(start.v, a), vb = SixOf(start.v, b), ea = SixOf(v_end, a), eb = SixOf(v_end, b);
    const auto impulses = [&](const SpatialModel<SpookJet>& numbers, const StepPair& at) {
      return InverseJoint<SpookJet>(h, numbers, numbers.joints[j], at.pose_a, at.pose_b, at.v_a, at.v_b, at.end_a,
                                    at.end_b, u, mode, held);
    };
    for (const StepPass pass : kStepPasses) {
      const auto at = impulses(constant, StepPair(pass, pa, pb, va, vb, ea, eb));
      if (moves(a)) blocks.Add(pass, a, a, b, -at.parent);
      if (moves(b)) blocks.Add(pass, b, a, b, -at.child);
    }
    for (size_t c = 0; c < with.chunks.size(); ++c) {
      const auto p = impulses(with.chunks[c], StepPair(pa, pb, va, vb, ea, eb));
      if (moves(a)) AddParameters(a, static_cast<int>(c), -p.parent, out);
      if (moves(b)) AddParameters(b, static_cast<int>(c), -p.child, out);
    }
  }

  // Limits and contacts that act.
  for (size_t k = 0; k < inverse.unilateral.size(); ++k) {
    const SpookUnilateral& row = inverse.unilateral[k];
    if (!(inverse.unilateral_impulse[k][0] > 0)) continue;
    const int a = row.body_a, b = row.body_b;
    const MassPose<double> pa = ParentPose(ws.poses, a), pb = ParentPose(ws.poses, b);
    const Vector6<double> va = SixOf(start.v, a), vb = SixOf(start.v, b), ea = SixOf(v_end, a), eb = SixOf(v_end, b);
    /// Wrenches on a and b.
    const auto wrenches = [&](const SpatialModel<SpookJet>& numbers, const StepPair& at) {
      const auto geometry = UnilateralGeometryOf(numbers, ws.options, h, row, at.pose_a, at.pose_b);
      const SpookJet before =
          geometry.rows_a.col(0).dot(at.v_a) + geometry.rows_b.col(0).dot(at.v_b) - geometry.bias[0];
      const Vector3<SpookJet> after =
          geometry.rows_a.transpose() * at.end_a + geometry.rows_b.transpose() * at.end_b - geometry.bias;
      const auto law = UnilateralRow<SpookJet>(h, geometry.compliance, geometry.damping, geometry.gap, before);
      Vector3<SpookJet> p = Vector3<SpookJet>::Zero();
      p[0] = (law.target - after[0]) / law.sigma;
      if (row.friction > 0) {
        p.tail<2>() = PolygonImpulse<SpookJet>(after.tail<2>(), TangentialSigma<SpookJet>(law.sigma),
                                               geometry.friction * p[0], ws.options.directions);
      }
      return std::pair<Vector6<SpookJet>, Vector6<SpookJet>>(-geometry.rows_a * p, -geometry.rows_b * p);
    };
    for (const StepPass pass : kStepPasses) {
      const auto [on_a, on_b] = wrenches(constant, StepPair(pass, pa, pb, va, vb, ea, eb));
      if (moves(a)) blocks.Add(pass, a, a, b, on_a);
      if (moves(b)) blocks.Add(pass, b, a, b, on_b);
    }
    for (size_t c = 0; c < with.chunks.size(); ++c) {
      const auto [on_a, on_b] = wrenches(with.chunks[c], StepPair(pa, pb, va, vb, ea, eb));
      if (moves(a)) AddParameters(a, static_cast<int>(c), on_a, out);
      if (moves(b)) AddParameters(b, static_cast<int>(c), on_b, out);
    }
  }
}

}  // namespace ricochet
