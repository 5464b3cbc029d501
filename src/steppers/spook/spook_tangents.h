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

/// The one width of this stepper's Jets: six directions for each of two bodies (poses, velocities or end velocities),
/// or twelve parameters. More directions are taken in passes.
using SpookJet = Jet<12>;

/// The model compiled with derivatives with respect to chosen numbers, kWidth at a time.
struct ParameterModels {
  using Scalar = SpookJet;
  static constexpr int kWidth = SpookJet::kSize;
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
MassPose<SpookJet> SeedPose(const MassPose<double>& pose, int first);

/// Pose that does not move.
MassPose<SpookJet> ConstantPose(const MassPose<double>& pose);

/// A one-sided row with derivatives, whichever kind it is.
UnilateralGeometry<SpookJet> UnilateralGeometryOf(const SpatialModel<SpookJet>& model, const SpookOptions& options,
                                                  double h, const SpookUnilateral& row, const MassPose<SpookJet>& a,
                                                  const MassPose<SpookJet>& b);

}  // namespace ricochet
