// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/threads.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <exception>
#include <mutex>

#include "core/context.h"
#include "core/context_state.h"

namespace ricochet {

int ThreadCount() { return CurrentState().threads; }

void ParallelFor(int count, const std::function<void(int)>& body) {
  const ContextState& state = CurrentState();
  if (count <= 1 || state.threads == 1) {
    for (int i = 0; i < count; ++i) {
      StopIfCancelled();
      body(i);
    }
    return;
  }

  // Indices above one that has thrown are left out; all below it are run, so the lowest that throws is always found.
  std::atomic<int> lowest_failed{count};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto guarded = [&](int i) {
    if (i > lowest_failed.load(std::memory_order_relaxed)) return;
    const CarriedState carried(state);
    try {
      StopIfCancelled();
      body(i);
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (i < lowest_failed.load()) {
        lowest_failed.store(i);
        failure = std::current_exception();
      }
    }
  };
  state.arena->execute([&] {
    // Isolated: a thread that waits for an inner loop must not start another index of the outer one meanwhile.
    tbb::this_task_arena::isolate([&] { tbb::parallel_for(0, count, guarded); });
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace ricochet
