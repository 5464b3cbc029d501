// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// From solvers' traces to that of an estimate.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ricochet/estimate.h"

namespace ricochet {

/// Adds a stage of steps with a `cost` and the length of the `step` to it; without an accepted step it says nothing and
/// is left out, unless it is the first.
template <class Step>
void AddStage(std::string name, const std::vector<Step>& steps, std::vector<OptimizerStage>& trace) {
  if (steps.size() < (trace.empty() ? 1u : 2u)) return;
  OptimizerStage stage{std::move(name), {}, {}};
  for (const Step& step : steps) {
    stage.cost.push_back(step.cost);
    stage.step.push_back(step.step);
  }
  trace.push_back(std::move(stage));
}

/// Adds the stages of one recording's fit, with the recording's name before theirs where there are several.
inline void AddStages(std::string_view recording, const std::vector<OptimizerStage>& stages,
                      std::vector<OptimizerStage>& trace) {
  for (const OptimizerStage& stage : stages) {
    trace.push_back(stage);
    if (!recording.empty()) trace.back().name = std::string(recording) + ", " + stage.name;
  }
}

}  // namespace ricochet
