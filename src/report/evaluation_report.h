// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What a sweep wrote, as the page shows it.
#pragma once

#include <string>
#include <vector>

#include "ricochet/evaluation.h"

namespace ricochet {

/// The CSV of `sweep -o`: the cost over one or two parameters; over more, planes through the best cell. Throws
/// InputError.
std::vector<CostMap> CostMapsOfSweep(const std::string& text, const std::string& name_in_messages);

}  // namespace ricochet
