// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What a ContextScope and a SearchScope keep, for src/core alone.
#pragma once

#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "ricochet/context.h"

namespace ricochet {

/// A search in progress (core/work/search_scope.h).
struct SearchState {
  Context context;  // of the scope that began it
  std::string task;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  double limit = 0;                    // [s]
  std::atomic<std::int64_t> steps{0};  // done
  std::atomic<int> meters{0};          // that report something else meanwhile
  std::mutex mutex;                    // of what follows
  double reported = 0;                 // when the last report was made, after the start [s]; 0: none

  double Elapsed() const;  // [s]
  void StopIfOverdue() const;  // throws TimeOver
  void Report(double elapsed, bool finished);
};

struct ContextState {
  Context context;
  std::string task;
  int threads = 1;                         // at least 1
  std::shared_ptr<tbb::task_arena> arena;  // of `threads`; scopes within each other with equal counts share one
  SearchState* search = nullptr;           // of the innermost search; scopes within it inherit it
};

/// The state of a scope within `outer` (null: within none).
std::unique_ptr<const ContextState> MakeState(const Context& context, std::string task, const ContextState* outer);

/// The state of the innermost scope of this thread; null outside of any.
const ContextState* InnermostState();

/// The same; that of the defaults outside of any.
const ContextState& CurrentState();

/// Makes a state current on this thread (null: the defaults); returns the one before.
const ContextState* SetCurrentState(const ContextState* state);

/// Makes the state of another thread current on this one while it lives.
class CarriedState {
 public:
  explicit CarriedState(const ContextState& state);
  ~CarriedState();
  CarriedState(const CarriedState&) = delete;
  CarriedState& operator=(const CarriedState&) = delete;

 private:
  const ContextState* outer_;
};

}  // namespace ricochet
