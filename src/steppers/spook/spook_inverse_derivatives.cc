// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <algorithm>
#include <map>

#include "dynamics/loads.h"
#include "model/cast_model.h"
#include "steppers/spook/spook_inverse.h"
#include "steppers/spook/spook_inverse_parts.h"
#include "steppers/spook/spook_tangents.h"

namespace ricochet {

namespace {

using Local = Jet<36>;  // poses, velocities and end velocities of two bodies, six each in the order a, b
using Parameter = ParameterModels::Scalar;

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
  void Add(int row, int a, int b, const Vector6<Local>& value) {
    const auto J = JacobianOf(value);
    for (int side = 0; side < 2; ++side) {
      const int column = side == 0 ? a : b;
      if (column < 0) continue;
      SpookInverseBlock& block = At(row, column);
      block.by_pose += J.middleCols<6>(6 * side);
      block.by_velocity += J.middleCols<6>(12 + 6 * side);
      block.by_end_velocity += J.middleCols<6>(24 + 6 * side);
    }
  }

 private:
  SpookInverseDerivatives& out_;
  std::map<std::pair<int, int>, int> index_;
};

void AddParameters(int row, int chunk, const Vector6<Parameter>& value, SpookInverseDerivatives& out) {
  const int first = chunk * ParameterModels::kWidth;
  const int width = std::min<int>(ParameterModels::kWidth, static_cast<int>(out.by_parameters.cols()) - first);
  out.by_parameters.block(6 * row, first, 6, width) += JacobianOf(value).leftCols(width);
}

}  // namespace

struct SpookInverseModels::Parts {
  ParameterModels with;
  SpatialModel<Local> constant;
};

SpookInverseModels::SpookInverseModels(const Model& model, std::span<const NumberId> parameters)
    : parts_(new Parts{ParameterModels(*model.scene, parameters), CastModel<Local>(model.spatial)}) {}

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
  const SpatialModel<Local>& constant = models.parts().constant;
  out.by_parameters.setZero(start.v.size(), with.count);
  Blocks blocks(out);
  const auto moves = [&](int body) { return body >= 0 && !spatial.bodies[body].fixed; };

  for (int i = 0; i < model.body_count(); ++i) {
    if (!moves(i)) continue;
    const Vector6<Local> v = SeedVariables<36>(SixOf(start.v, i), 12);
    const Matrix3<Local> R = SeedPose<36>(ws.poses[i], 0).R;
    // MomentumResidual takes the end velocity as a constant; its derivative by it is the mass matrix.
    Vector6<Local> value = MomentumResidual<Local>(constant.bodies[i], R, v, SixOf(v_end, i), h);
    blocks.Add(i, i, -1, value);
    blocks.At(i, i).by_end_velocity += MassMatrix(spatial.bodies[i], ws.poses[i].R);
    for (size_t c = 0; c < with.chunks.size(); ++c) {
      const SpatialModel<Parameter>& chunk = with.chunks[c];
      Vector6<Parameter> p = MomentumResidual<Parameter>(chunk.bodies[i], ws.poses[i].R.cast<Parameter>(),
                                                         SixOf(start.v, i).cast<Parameter>(), SixOf(v_end, i), h);
      p -= LoadImpulse<Parameter>(chunk.loads, i, start.time, h, inputs.fired);
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
    const auto at = InverseJoint<Local>(
        h, constant, constant.joints[j], SeedPose<36>(pa, 0), SeedPose<36>(pb, 6),
        SeedVariables<36>(SixOf(start.v, a), 12), SeedVariables<36>(SixOf(start.v, b), 18),
        SeedVariables<36>(SixOf(v_end, a), 24), SeedVariables<36>(SixOf(v_end, b), 30), u, mode, held);
    if (moves(a)) blocks.Add(a, a, b, -at.parent);
    if (moves(b)) blocks.Add(b, a, b, -at.child);
    for (size_t c = 0; c < with.chunks.size(); ++c) {
      const SpatialModel<Parameter>& chunk = with.chunks[c];
      const auto p =
          InverseJoint<Parameter>(h, chunk, chunk.joints[j], CastPose<Parameter>(pa), CastPose<Parameter>(pb),
                                  SixOf(start.v, a).cast<Parameter>(), SixOf(start.v, b).cast<Parameter>(),
                                  SixOf(v_end, a).cast<Parameter>(), SixOf(v_end, b).cast<Parameter>(), u, mode, held);
      if (moves(a)) AddParameters(a, static_cast<int>(c), -p.parent, out);
      if (moves(b)) AddParameters(b, static_cast<int>(c), -p.child, out);
    }
  }

  // Limits and contacts that act.
  for (size_t k = 0; k < inverse.unilateral.size(); ++k) {
    const SpookUnilateral& row = inverse.unilateral[k];
    if (!(inverse.unilateral_impulse[k][0] > 0)) continue;
    const int a = row.body_a, b = row.body_b;
    const auto wrench = [&](const auto& geometry, const auto& va, const auto& vb, const auto& ea, const auto& eb) {
      using T = typename std::decay_t<decltype(va)>::Scalar;
      const T before = geometry.rows_a.col(0).dot(va) + geometry.rows_b.col(0).dot(vb) - geometry.bias[0];
      const Vector3<T> after = geometry.rows_a.transpose() * ea + geometry.rows_b.transpose() * eb - geometry.bias;
      const auto law = UnilateralRow<T>(h, geometry.compliance, geometry.damping, geometry.gap, before);
      Vector3<T> p = Vector3<T>::Zero();
      p[0] = (law.target - after[0]) / law.sigma;
      if (row.friction > 0) {
        p.template tail<2>() = PolygonImpulse<T>(after.template tail<2>(), TangentialSigma<T>(law.sigma),
                                                 geometry.friction * p[0], ws.options.directions);
      }
      return p;
    };
    const MassPose<double> pa = ParentPose(ws.poses, a), pb = ParentPose(ws.poses, b);
    const auto geometry =
        UnilateralGeometryOf<Local>(constant, ws.options, h, row, SeedPose<36>(pa, 0), SeedPose<36>(pb, 6));
    const Vector3<Local> p = wrench(geometry, Vector6<Local>(SeedVariables<36>(SixOf(start.v, a), 12)),
                                    Vector6<Local>(SeedVariables<36>(SixOf(start.v, b), 18)),
                                    Vector6<Local>(SeedVariables<36>(SixOf(v_end, a), 24)),
                                    Vector6<Local>(SeedVariables<36>(SixOf(v_end, b), 30)));
    if (moves(a)) blocks.Add(a, a, b, Vector6<Local>(-geometry.rows_a * p));
    if (moves(b)) blocks.Add(b, a, b, Vector6<Local>(-geometry.rows_b * p));
    for (size_t c = 0; c < with.chunks.size(); ++c) {
      const auto g = UnilateralGeometryOf<Parameter>(with.chunks[c], ws.options, h, row, CastPose<Parameter>(pa),
                                                     CastPose<Parameter>(pb));
      const Vector3<Parameter> q = wrench(g, Vector6<Parameter>(SixOf(start.v, a).cast<Parameter>()),
                                          Vector6<Parameter>(SixOf(start.v, b).cast<Parameter>()),
                                          Vector6<Parameter>(SixOf(v_end, a).cast<Parameter>()),
                                          Vector6<Parameter>(SixOf(v_end, b).cast<Parameter>()));
      if (moves(a)) AddParameters(a, static_cast<int>(c), Vector6<Parameter>(-g.rows_a * q), out);
      if (moves(b)) AddParameters(b, static_cast<int>(c), Vector6<Parameter>(-g.rows_b * q), out);
    }
  }
}

}  // namespace ricochet
