// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Collects a run for the report while it is streamed to files. Memory stays bounded however long the run is: when the
// rows fill their place, they are thinned to half of it (thinning.h), which keeps extremes and impacts.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/tracks.h"
#include "ricochet/report.h"
#include "steppers/stepper.h"

namespace ricochet {

class RunCollector final : public StepSink {
 public:
  explicit RunCollector(const Scene& scene);

  bool OnStep(const StepResult& step) override;

  /// What was collected so far; the names of its pairs are added to `pairs`.
  ReportMotion TakeMotion(TrackKind kind, std::vector<std::string>& pairs);

  /// The report of the run.
  ReportData Finish(const SimulationSummary& summary);

 private:
  void Thin();

  Model model_;
  ReportMotion motion_;
  std::vector<std::string> pairs_;
  std::vector<int> pair_index_;                                  // of the model's pairs, -1: not met yet
  std::vector<std::pair<std::pair<int, int>, long>> last_step_;  // of every contact met
  long steps_ = 0;
};

}  // namespace ricochet
