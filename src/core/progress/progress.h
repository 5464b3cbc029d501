// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Counts the steps of long work and reports them to the progress callback of the current context.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

#include "ricochet/context.h"

namespace ricochet {

struct SearchState;

class ProgressMeter {
 public:
  /// `total` steps of work called `task`; 0: their number is not known.
  ProgressMeter(std::string task, std::int64_t total);

  /// Reports the end, if anything was reported before.
  ~ProgressMeter();
  ProgressMeter(const ProgressMeter&) = delete;
  ProgressMeter& operator=(const ProgressMeter&) = delete;

  /// More steps are finished. May be called by several threads; reports at most ten times per second.
  void Advance(std::int64_t steps = 1) { Count(steps, false); }
  /// Steps that were finished before this call began: they say nothing about how long the rest will take.
  void Resume(std::int64_t steps = 1) { Count(steps, true); }

 private:
  void Count(std::int64_t steps, bool from_before);
  void Report(bool finished);

  using Clock = std::chrono::steady_clock;

  const Context context_;      // of the thread that made it
  SearchState* const search_;  // that it is a part of, whose own steps are not reported meanwhile; may be null
  const std::string task_;
  const std::int64_t total_;
  const Clock::time_point start_;
  Clock::time_point last_;
  std::int64_t done_ = 0, from_before_ = 0;
  bool reported_ = false;
  std::mutex mutex_;
};

/// Expected time until `total` steps are finished [s], none while nothing can be said: of the steps that are `done`,
/// `from_before` took none of the time that has elapsed.
std::optional<double> RemainingTime(std::int64_t done, std::int64_t total, double elapsed, std::int64_t from_before);

}  // namespace ricochet
