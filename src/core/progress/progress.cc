// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/progress/progress.h"

#include <algorithm>
#include <utility>

#include "core/context_state.h"

namespace ricochet {

ProgressMeter::ProgressMeter(std::string task, std::int64_t total)
    : context_(CurrentContext()),
      search_(CurrentState().search),
      task_(std::move(task)),
      total_(total),
      start_(Clock::now()),
      last_(start_) {
  if (search_) ++search_->meters;
}

ProgressMeter::~ProgressMeter() {
  if (search_) --search_->meters;
  if (reported_) Report(true);
}

void ProgressMeter::Count(std::int64_t steps, bool from_before) {
  if (!context_.progress) return;
  const std::lock_guard lock(mutex_);
  done_ += steps;
  if (from_before) from_before_ += steps;
  const Clock::time_point now = Clock::now();
  if (reported_ && now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  reported_ = true;
  Report(false);
}

void ProgressMeter::Report(bool finished) {
  const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
  context_.progress({.task = task_,
                     .done = done_,
                     .total = total_,
                     .elapsed = elapsed,
                     .remaining = RemainingTime(done_, total_, elapsed, from_before_),
                     .finished = finished});
}

std::optional<double> RemainingTime(std::int64_t done, std::int64_t total, double elapsed, std::int64_t from_before) {
  constexpr double kLeast = 0.5;  // [s]: sooner, the first steps say little
  if (total <= 0 || done <= from_before || elapsed < kLeast) return std::nullopt;
  done = std::min(done, total);
  return elapsed / static_cast<double>(done - from_before) * static_cast<double>(total - done);
}

}  // namespace ricochet
