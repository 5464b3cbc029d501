// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/threads.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>

namespace ricochet {
namespace {

struct Pool {
  explicit Pool(int threads)
      : allowed(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)), arena(threads) {}
  tbb::global_control allowed;
  tbb::task_arena arena;
};

std::mutex pool_mutex;
std::shared_ptr<Pool> pool;  // made at the first loop
int limit = 0;               // 0: one per core

std::shared_ptr<Pool> CurrentPool() {
  const std::lock_guard lock(pool_mutex);
  if (!pool) pool = std::make_shared<Pool>(limit > 0 ? limit : tbb::info::default_concurrency());
  return pool;
}

}  // namespace

void SetThreadLimit(int threads) {
  const std::lock_guard lock(pool_mutex);
  limit = std::max(0, threads);
  pool.reset();
}

int ThreadLimit() {
  const std::lock_guard lock(pool_mutex);
  return limit > 0 ? limit : tbb::info::default_concurrency();
}

void ParallelFor(int count, const std::function<void(int)>& body) {
  if (count <= 0) return;
  if (count == 1 || ThreadLimit() == 1) {
    for (int i = 0; i < count; ++i) body(i);
    return;
  }

  // Indices above one that has thrown are left out; all below it are run, so the lowest that throws is always found.
  std::atomic<int> lowest_failed{count};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto guarded = [&](int i) {
    if (i > lowest_failed.load(std::memory_order_relaxed)) return;
    try {
      body(i);
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (i < lowest_failed.load()) {
        lowest_failed.store(i);
        failure = std::current_exception();
      }
    }
  };
  const std::shared_ptr<Pool> running = CurrentPool();
  running->arena.execute([&] {
    // Isolated: a thread that waits for an inner loop must not start another index of the outer one meanwhile.
    tbb::this_task_arena::isolate([&] { tbb::parallel_for(0, count, guarded); });
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace ricochet
