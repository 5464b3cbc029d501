// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// From the files that commands wrote to a report: what `ricochet report RESULT...` does.
//
// Files are distinguished by their content: an estimate (`identify -o`), a validation (`validate -o`), a
// cost map (`sweep -o`), an evaluation (include/ricochet/evaluation.h),
// the summary of a run (`simulate --json`), contacts, recordings, a scene. An estimate names the scene and the
// recordings that it came from; they are looked for under these names, then beside the estimate, and a file that has
// changed since is said to have.
#pragma once

#include <string>
#include <vector>

#include "ricochet/report.h"

namespace ricochet {

/// `scene_file` may be empty: the scene among the files, or the one that the estimate names. Throws InputError.
ReportData ReadResults(const std::vector<std::string>& files, const std::string& scene_file);

}  // namespace ricochet
