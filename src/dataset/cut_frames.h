// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The best way to cut a recording into pieces that one motion explains each.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

namespace ricochet {

/// Frames first .. last - 1.
struct FrameRange {
  int first = 0, last = 0;
  int frames() const { return last - first; }
};

/// Cuts n frames into the ranges with the least sum of costs, each that of its motion and `penalty` (dynamic
/// programming over their ends). `begin(first)` gives a function that takes last = first + 1, first + 2, ... in turn
/// and returns chi^2 of the range; none: no longer ones. A range is not extended beyond `hopeless` penalties.
template <class Begin>
std::vector<FrameRange> CutFrames(int n, double penalty, double hopeless, Begin begin) {
  std::vector<double> best(static_cast<std::size_t>(n) + 1, std::numeric_limits<double>::infinity());
  std::vector<int> from(best.size(), 0);
  best[0] = 0;
  for (int first = 0; first < n; ++first) {
    auto extend = begin(first);
    for (int last = first + 1; last <= n; ++last) {
      const std::optional<double> chi2 = extend(last);
      if (!chi2) break;
      const std::size_t end = static_cast<std::size_t>(last);
      const double cost = best[static_cast<std::size_t>(first)] + *chi2 + penalty;
      if (cost < best[end]) {
        best[end] = cost;
        from[end] = first;
      }
      if (*chi2 > hopeless * penalty + 12 * (last - first)) break;  // longer ones only get worse
    }
  }
  std::vector<FrameRange> cuts;
  for (int last = n; last > 0; last = cuts.back().first) cuts.push_back({from[static_cast<std::size_t>(last)], last});
  std::reverse(cuts.begin(), cuts.end());
  return cuts;
}

}  // namespace ricochet
