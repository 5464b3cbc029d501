// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A search that may take long: how much time it has, and how its progress is shown.
//
// Iterative loops of any depth count their steps (CountSearchStep) and end with the best so far when the time is over
// (OutOfTime). Code between them that does not look at the clock is stopped by StopIfCancelled, which throws TimeOver
// when the search takes half as long again as it may.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

namespace ricochet {

struct ContextState;
struct SearchState;

/// Makes a search of at most `seconds` (infinite: no limit) the current one of this thread and of those that work for
/// it. After two seconds its steps are reported to the progress callback of the context, unless a ProgressMeter counts
/// something else.
class SearchScope {
 public:
  SearchScope(std::string task, double seconds);
  ~SearchScope();
  SearchScope(const SearchScope&) = delete;
  SearchScope& operator=(const SearchScope&) = delete;

 private:
  std::unique_ptr<SearchState> search_;
  std::unique_ptr<ContextState> own_;
  const ContextState* outer_;
};

/// One more step of the current search is done.
void CountSearchStep();

/// Whether the current search has used its time; false outside of any.
bool OutOfTime();

/// The current search took much longer than it may.
class TimeOver : public std::runtime_error {
 public:
  TimeOver() : std::runtime_error("the time limit is exceeded") {}
};

}  // namespace ricochet
