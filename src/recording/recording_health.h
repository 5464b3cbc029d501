// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What the clock and the digits of a recording show, without any model: rate, jitter, dropped and frozen frames.
#pragma once

#include <vector>

#include "ricochet/recording.h"

namespace ricochet {

struct ClockHealth {
  double interval = 0;        // median spacing [s]
  double rate = 0;            // 1 / interval [Hz]
  double jitter = 0;          // standard deviation of the spacing of neighbors, relative to the interval
  int dropped_frames = 0;     // missing rows, counted by the interval
  int gaps = 0;               // places where rows are missing
  double longest_gap = 0;     // [s]
  std::vector<int> gap_rows;  // rows after a gap
};

/// A row is missing where the spacing is at least 1.5 intervals.
ClockHealth CheckClock(const std::vector<double>& time);

/// Rows that repeat the row before exactly in all given columns although the body moves: when the tracker comes back,
/// it jumps by more than 3 steps of the file's last digit and a millionth of the whole motion, and the pace over the
/// repeats is that of the row before them to within a factor of 3. Repeats in a standstill are no fault and are not
/// counted.
std::vector<int> FindFrozenRows(const Recording& recording, const std::vector<int>& columns);

}  // namespace ricochet
