// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The page's summary in words: what was requested, the answer with its interval, whether the fit is good, what the data
// do not determine and what to do about it, and what was excluded.
#pragma once

#include <string>
#include <vector>

#include "ricochet/report.h"

namespace ricochet {

/// Pattern of residuals (recorded minus fitted) of one channel.
struct ResidualPattern {
  std::string channel, unit;
  int count = 0;
  double rms = 0;
  double correlation = 0;  // of neighbors: 0 for noise, toward 1 for a trend that the model does not have
  double limit = 0;        // below which the correlation is what noise shows in 99 of 100 cases
  bool random() const { return correlation < limit; }
};

/// Of all pose and joint channels that both tracks have at the same times.
std::vector<ResidualPattern> FindResidualPatterns(const ReportTrack& recorded, const ReportTrack& fitted);

/// Number with its standard deviation, rounded to two digits of the latter: "0.3004 ± 0.0003".
std::string WithUncertainty(double value, double std);

std::vector<ReportSentence> SummarizeEstimate(const Estimate& estimate, const std::vector<ReportMotion>& motions);
std::vector<ReportSentence> SummarizeSimulation(const SimulationSummary& summary, const ReportMotion& motion,
                                                const std::vector<std::string>& pairs);
std::vector<ReportSentence> SummarizeEvaluation(const Evaluation& evaluation);

}  // namespace ricochet
