// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Tangents of one stage: columns of changes of what goes in to columns of changes of what comes out, the active set
// held. A column is a direction in (poses, velocities, parameters) or a motor input.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "math/jet.h"
#include "math/so3.h"
#include "steppers/spook/spook_contacts.h"
#include "steppers/spook/spook_residual.h"
#include "steppers/spook/spook_workspace.h"

namespace ricochet {

/// The model compiled with derivatives with respect to chosen numbers, kWidth at a time.
struct ParameterModels {
  static constexpr int kWidth = 8;
  using Scalar = Jet<kWidth>;
  std::vector<SpatialModel<Scalar>> chunks;
  int count = 0;

  ParameterModels(const Scene& scene, std::span<const NumberId> parameters);
};

struct StageTangentInput {
  SpookStageInput stage;            // as the stage was solved
  double time = 0, force_time = 0;  // loads act from `time` over `force_time` [s]
  std::span<const char> fired;
  double impact_speed = 0;
  const Eigen::MatrixXd* dq = nullptr;       // 6 per body, tangents on the world side
  const Eigen::MatrixXd* dv = nullptr;       // before the stage
  const Eigen::MatrixXd* dtarget = nullptr;  // kPosition, kVelocity: of row_target
  const Eigen::MatrixXd* dshaft = nullptr;   // kPosition, kVelocity: of shaft
  const ParameterModels* parameters = nullptr;
  int parameter_column = 0;  // column of the first parameter
  int input_column = -1;     // column of the first motor input; -1: none is differentiated
};

struct StageTangents {
  Eigen::MatrixXd v;       // after the stage, 6 per body
  Eigen::MatrixXd lambda;  // multipliers of the joints' rows
  bool regular = true;     // false: the active set's equations are singular; tangents are then meaningless
};

void ComputeStageTangents(const Model& model, SpookWorkspace& workspace, const StageTangentInput& input,
                          SpookStageResult& stage, StageTangents& out);

/// Pose with its six tangent coordinates as variables first .. first + 5.
template <int N>
MassPose<Jet<N>> SeedPose(const MassPose<double>& pose, int first) {
  MassPose<Jet<N>> out{pose.p.template cast<Jet<N>>(), pose.R.template cast<Jet<N>>()};
  for (int i = 0; i < 3; ++i) {
    out.p[i].v[first + i] = 1;
    const Matrix3<double> dR = Skew(Vector3<double>(Vector3<double>::Unit(i))) * pose.R;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) out.R(r, c).v[first + 3 + i] = dR(r, c);
    }
  }
  return out;
}

template <class T>
MassPose<T> CastPose(const MassPose<double>& pose) {
  return {pose.p.template cast<T>(), pose.R.template cast<T>()};
}

/// A one-sided row on any scalar, whichever kind it is.
template <class T>
UnilateralGeometry<T> UnilateralGeometryOf(const SpatialModel<T>& model, const SpookOptions& options, double h,
                                           const SpookUnilateral& row, const MassPose<T>& a, const MassPose<T>& b) {
  if (row.joint >= 0) return LimitGeometry<T>(model, row, a, b);
  BodyContactWorkspace<T> scratch;
  Vector3<T> p_WC;
  bool present = true;
  return ContactGeometry<T>(model, options, h, row.pair, row.index, a, b, scratch, p_WC, present);
}

}  // namespace ricochet
