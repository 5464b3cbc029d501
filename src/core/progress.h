// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A line on the terminal that says how far long work is and how long it will take. Quiet when standard error is no
// terminal, so that pipes and logs hold messages only.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>

namespace ricochet {

class Progress {
 public:
  /// `total` steps of work called `label`, shown on `stream` when that is a terminal and `enabled`.
  Progress(std::string label, std::int64_t total, bool enabled = true, std::FILE* stream = stderr);

  /// Removes the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// More work is done. May be called by several threads; draws at most ten times per second.
  void Advance(std::int64_t steps = 1) { Count(steps, false); }
  /// Work that was there from before: it is done, but says nothing about how long the rest will take.
  void Resume(std::int64_t steps = 1) { Count(steps, true); }

 private:
  void Count(std::int64_t steps, bool from_before);

  using Clock = std::chrono::steady_clock;

  std::string label_;
  std::int64_t total_;
  std::FILE* stream_;
  bool shown_;
  Clock::time_point start_, last_drawn_;
  std::int64_t done_ = 0, from_before_ = 0;
  bool drawn_ = false;
  std::mutex mutex_;
};

/// The line: "sweep 42 % (420 of 1000), 1 min 12 s left". The time is left out while nothing can be said about it; of
/// what is done, `from_before` took none of the time that has elapsed.
std::string ProgressLine(const std::string& label, std::int64_t done, std::int64_t total, double elapsed_seconds,
                         std::int64_t from_before = 0);

/// "8 s", "1 min 12 s", "2 h 5 min".
std::string FormatDuration(double seconds);

}  // namespace ricochet
