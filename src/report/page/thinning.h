// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Long motions are thinned for display. The rows are cut into stretches; of each the rows with the smallest and the
// largest value of every channel stay, so that a plot of what is left has the same outline, and the rows beside every
// impact stay, so that playback shows it where it was.
#pragma once

#include <span>
#include <vector>

#include "ricochet/report.h"

namespace ricochet {

inline constexpr int kMostRows = 20000;      // of a track on the page, as a rule
inline constexpr int kMostContacts = 20000;  // on the page, impacts not counted

/// Rows that stay, ascending; all of them when there are at most `most`. `impacts` are times, in any order.
std::vector<int> RowsToKeep(const ReportTrack& track, std::span<const double> impacts, int most = kMostRows);

/// The track with only these rows.
ReportTrack KeepRows(const ReportTrack& track, std::span<const int> rows);

/// Contacts that stay, in their order: every impact, and of the others the largest normal impulse of each stretch of
/// time and contact.
std::vector<ReportContact> ThinContacts(const std::vector<ReportContact>& contacts, int most = kMostContacts);

}  // namespace ricochet
