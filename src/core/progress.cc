// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace ricochet {

Progress::Progress(std::string label, std::int64_t total, bool enabled, std::FILE* stream)
    : label_(std::move(label)),
      total_(total),
      stream_(stream),
      shown_(enabled && isatty(fileno(stream)) == 1),
      start_(Clock::now()),
      last_drawn_(start_) {}

Progress::~Progress() {
  if (!drawn_) return;
  std::fputs("\r\033[K", stream_);
  std::fflush(stream_);
}

void Progress::Count(std::int64_t steps, bool from_before) {
  if (!shown_) return;
  const std::lock_guard lock(mutex_);
  done_ += steps;
  if (from_before) from_before_ += steps;
  const Clock::time_point now = Clock::now();
  if (now - last_drawn_ < std::chrono::milliseconds(100)) return;
  last_drawn_ = now;
  drawn_ = true;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  fmt::print(stream_, "\r\033[K{}", ProgressLine(label_, done_, total_, elapsed, from_before_));
  std::fflush(stream_);
}

std::string ProgressLine(const std::string& label, std::int64_t done, std::int64_t total, double elapsed_seconds,
                         std::int64_t from_before) {
  if (total <= 0) return fmt::format("{} {}", label, done);
  done = std::clamp<std::int64_t>(done, 0, total);
  const double percent = 100 * static_cast<double>(done) / static_cast<double>(total);
  std::string line = fmt::format("{} {:.0f} % ({} of {})", label, std::floor(percent), done, total);
  if (done > from_before && elapsed_seconds >= 0.5) {
    const double each = elapsed_seconds / static_cast<double>(done - from_before);
    line += fmt::format(", {} left", FormatDuration(each * static_cast<double>(total - done)));
  }
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
