// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/recording_health.h"

#include <algorithm>
#include <cmath>

namespace ricochet {
namespace {

constexpr double kSamePace = 3;  // factor within which the pace over repeated rows is that before them

/// The decimal place that all values are multiples of; 0 when there is none (computed numbers).
double LastDigit(const std::vector<double>& values) {
  constexpr int kMostPlaces = 12;
  constexpr std::size_t kMostValues = 2000;
  double scale = 1;
  for (int places = 0; places <= kMostPlaces; ++places, scale *= 10) {
    bool whole = true;
    for (std::size_t i = 0; i < std::min(values.size(), kMostValues) && whole; ++i) {
      const double scaled = values[i] * scale;
      whole = std::isnan(scaled) || std::abs(scaled - std::round(scaled)) < 1e-3;
    }
    if (whole) return 1 / scale;
  }
  return 0;
}

}  // namespace

ClockHealth CheckClock(const std::vector<double>& time) {
  ClockHealth health;
  std::vector<double> steps;
  for (std::size_t i = 1; i < time.size(); ++i) steps.push_back(time[i] - time[i - 1]);
  if (steps.empty()) return health;
  std::vector<double> sorted = steps;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
  health.interval = sorted[sorted.size() / 2];
  health.rate = health.interval > 0 ? 1 / health.interval : 0;
  double squares = 0;
  int even = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double ratio = steps[i] / health.interval;
    if (ratio < 1.5) {
      squares += (ratio - 1) * (ratio - 1);
      ++even;
      continue;
    }
    ++health.gaps;
    health.gap_rows.push_back(static_cast<int>(i) + 1);
    health.longest_gap = std::max(health.longest_gap, steps[i]);
    health.dropped_frames += static_cast<int>(std::min(1e9, std::round(ratio) - 1));
  }
  if (even > 0) health.jitter = std::sqrt(squares / even);
  return health;
}

std::vector<int> FindFrozenRows(const Recording& recording, const std::vector<int>& columns) {
  std::vector<int> frozen;
  const int rows = recording.rows();
  const auto value = [&](int column, int row) {
    return recording.values[static_cast<std::size_t>(column)][static_cast<std::size_t>(row)];
  };
  std::vector<double> digit, extent;
  for (const int column : columns) {
    const std::vector<double>& values = recording.values[static_cast<std::size_t>(column)];
    double low = INFINITY, high = -INFINITY;
    for (const double z : values) {
      if (std::isnan(z)) continue;
      low = std::min(low, z);
      high = std::max(high, z);
    }
    digit.push_back(LastDigit(values));
    extent.push_back(high > low ? high - low : 0);
  }
  const auto same = [&](int a, int b) {
    return !columns.empty() && std::all_of(columns.begin(), columns.end(),
                                           [&](int column) { return value(column, a) == value(column, b); });
  };
  for (int row = 1; row < rows; ++row) {
    if (!same(row - 1, row)) continue;
    int last = row;
    while (last + 1 < rows && same(last, last + 1)) ++last;
    bool moves = false;
    for (std::size_t c = 0; c < columns.size() && row >= 2 && last + 1 < rows; ++c) {
      const double jump = std::abs(value(columns[c], last + 1) - value(columns[c], last));
      const double before = std::abs(value(columns[c], row - 1) - value(columns[c], row - 2));
      const double pace = jump / (last - row + 2);  // per row, over the repeats
      moves = moves || (jump > std::max(3 * digit[c], 1e-6 * extent[c]) && before > pace / kSamePace &&
                        before < pace * kSamePace);
    }
    if (moves)
      for (int k = row; k <= last; ++k) frozen.push_back(k);
    row = last;
  }
  return frozen;
}

}  // namespace ricochet
