// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Contact impulses in world axes: where they act and which way.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dynamics/state.h"
#include "report/tracks.h"
#include "ricochet/report.h"

namespace ricochet {

/// Index of a pair's name in `pairs`, added when it is new.
int PairIndex(std::string_view name, std::vector<std::string>& pairs);

/// Fills `impulse` from the normal and tangential parts when the pair is a body and a surface of the scene.
void SetImpulse(const Model& model, std::string_view pair, ReportContact& contact);

/// The same between two bodies in space, whose normal is found again at the middle of the step; left at 0 when the two
/// do not touch there.
void SetBodyImpulse(const Model& model, int pair, const State& start, const State& end, ReportContact& contact);

/// A fitted impulse; its point is where the body touches at the pose of the fitted motion then.
ReportContact FromEstimate(const Model& model, const EstimatedImpulse& impulse, const ReportTrack& fitted,
                           std::vector<std::string>& pairs);

/// Rows of contacts.csv. A row is an impact when its contact was open in the row of steps before, `step` being the time
/// between steps (0: taken from the rows).
std::vector<ReportContact> FromRows(const Model& model, const std::vector<ContactRow>& rows, double step,
                                    std::vector<std::string>& pairs);

}  // namespace ricochet
