// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/work/search_scope.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/context_state.h"

namespace ricochet {
namespace {

constexpr double kQuiet = 2;          // [s] before the first report
constexpr double kBetween = 0.1;      // [s] from one to the next
constexpr double kMostOverrun = 1.5;  // of the limit, beyond which the search is stopped

}  // namespace

double SearchState::Elapsed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void SearchState::StopIfOverdue() const {
  if (Elapsed() > kMostOverrun * limit) throw TimeOver();
}

void SearchState::Report(double elapsed, bool finished) {
  reported = elapsed;
  context.progress({.task = task,
                    .done = steps.load(),
                    .total = 0,
                    .elapsed = elapsed,
                    .remaining = std::isfinite(limit) ? std::optional(std::max(0.0, limit - elapsed)) : std::nullopt,
                    .finished = finished});
}

SearchScope::SearchScope(std::string task, double seconds)
    : search_(std::make_unique<SearchState>()), own_(std::make_unique<ContextState>(CurrentState())) {
  search_->context = own_->context;
  search_->task = std::move(task);
  search_->limit = seconds;
  own_->search = search_.get();
  outer_ = SetCurrentState(own_.get());
}

SearchScope::~SearchScope() {
  SetCurrentState(outer_);
  if (search_->reported > 0) search_->Report(search_->Elapsed(), true);
}

void CountSearchStep() {
  SearchState* const search = CurrentState().search;
  if (!search) return;
  ++search->steps;
  if (!search->context.progress || search->meters > 0) return;
  const std::unique_lock lock(search->mutex, std::try_to_lock);
  if (!lock) return;
  const double elapsed = search->Elapsed();
  if (elapsed > kQuiet && elapsed - search->reported > kBetween) search->Report(elapsed, false);
}

bool OutOfTime() {
  const SearchState* const search = CurrentState().search;
  return search && search->Elapsed() > search->limit;
}

}  // namespace ricochet
