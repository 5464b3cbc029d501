// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What `validate` and `sweep` wrote, as the page shows it.
#pragma once

#include <string>
#include <vector>

#include "ricochet/evaluation.h"
#include "ricochet/report.h"

namespace ricochet {

/// The JSON of `validate -o`: errors per recording and model in mm and deg, mean errors over numbers that were varied;
/// values found without each fold become a table. Throws InputError.
Evaluation EvaluationOfValidation(const std::string& text, const std::string& name_in_messages,
                                  std::vector<ReportTable>& tables);

/// The CSV of `sweep -o`: the cost over one or two numbers; over more, planes through the best cell. Throws InputError.
std::vector<CostMap> CostMapsOfSweep(const std::string& text, const std::string& name_in_messages);

}  // namespace ricochet
