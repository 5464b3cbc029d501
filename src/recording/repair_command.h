// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The command that writes a recording again with other units or signs of some of its columns.
#pragma once

#include <map>
#include <string>

#include "ricochet/recording.h"

namespace ricochet {

/// "run: ricochet import toss.csv option `columns` 't=t*ms,x=x,...' -o repaired, and use repaired/toss.csv" with a term
/// for the time "t" and for each column: the one in `terms`, or else the column as it is. For a recording without a
/// file: "convert its columns: t=t*ms".
std::string RepairByImport(const Recording& recording, const std::map<std::string, std::string>& terms);

}  // namespace ricochet
