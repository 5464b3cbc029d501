// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Reports made in memory, for tests of the page.
#pragma once

#include <string>
#include <vector>

#include "ricochet/report.h"

namespace ricochet::testing {

/// A box that flies, bounces and slides, `recordings` times `rows`, recorded and fitted; spatial, with contacts.
ReportData TossReport(int recordings, int rows);

/// What sweep, validate and a sensitivity study give: a cost map of 21 x 17 with its minimum at friction 0.4 and
/// restitution 0.25, errors of two models on 6 recordings, rest poses with regions, a fan of 9.
Evaluation SampleEvaluation();

/// 24 texts that are code somewhere, or turn the direction of writing.
std::vector<std::string> HostileTexts();

/// A report with every text in every field that shows text; `expected` are the texts that the page must show.
ReportData HostileReport(std::vector<std::string>& expected);

}  // namespace ricochet::testing
