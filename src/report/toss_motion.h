// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Rollouts beside recorded tosses for the page: predicted motion and impulses, and rest poses from above.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/model.h"
#include "ricochet/evaluation.h"
#include "ricochet/report.h"
#include "ricochet/validate.h"

namespace ricochet {

struct TossMotion {
  ReportMotion motion;             // recorded (brought to the scene's lengths) and predicted
  std::vector<std::string> pairs;  // that the motion's contacts name
  std::optional<RestPose> measured, predicted;
};

/// The rollout that `validate` compares with the recording. Recordings that cannot be used are shown as they are, with
/// the reason.
TossMotion MakeTossMotion(const Model& model, const Recording& recording, const ValidateOptions& options);

/// Rest poses over a number of the scene (Jongeneel Fig. 14); empty when the recording does not show its rest.
std::optional<RestFan> MakeRestFan(const Scene& scene, const Recording& recording, const std::string& path,
                                   const std::vector<double>& values, const ValidateOptions& options);

/// Adds a motion to the report, its pairs to the report's.
void AddTossMotion(TossMotion toss, ReportData& data);

}  // namespace ricochet
