// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/progress/progress_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ricochet {

std::string ProgressLine(const Progress& progress) {
  if (progress.total <= 0) {
    std::string line =
        fmt::format("{}: {} steps in {}", progress.task, progress.done, FormatDuration(progress.elapsed));
    if (progress.remaining) line += fmt::format(", at most {} more", FormatDuration(*progress.remaining));
    return line;
  }
  const std::int64_t done = std::clamp<std::int64_t>(progress.done, 0, progress.total);
  const double percent = 100 * static_cast<double>(done) / static_cast<double>(progress.total);
  std::string line = fmt::format("{} {:.0f} % ({} of {})", progress.task, std::floor(percent), done, progress.total);
  if (progress.remaining) line += fmt::format(", {} left", FormatDuration(*progress.remaining));
  return line;
}

std::string FormatDuration(double seconds) {
  if (!(seconds >= 0)) return "?";
  const double whole = std::min(std::ceil(seconds), 1e9);
  const auto s = static_cast<std::int64_t>(whole);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} h {} min", s / 3600, s / 60 % 60);
}

}  // namespace ricochet
