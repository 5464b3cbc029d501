// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/context.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "core/threads.h"
#include "ricochet/error.h"

namespace ricochet {
namespace {

TEST(Context, OutsideOfAnyScopeTheDefaultsHold) {
  EXPECT_EQ(CurrentContext().threads, 0);
  EXPECT_EQ(CurrentContext().seed, 0u);
  EXPECT_GE(ThreadCount(), 1);
  EXPECT_NO_THROW(StopIfCancelled());
}

TEST(Context, ScopesNestAndEnd) {
  const ContextScope outer({.threads = 3, .seed = 1});
  {
    const ContextScope inner({.threads = 1, .seed = 2});
    EXPECT_EQ(CurrentContext().seed, 2u);
    EXPECT_EQ(ThreadCount(), 1);
  }
  EXPECT_EQ(CurrentContext().seed, 1u);
  EXPECT_EQ(ThreadCount(), 3);
}

TEST(Context, LoopsCarryItToTheirThreads) {
  const ContextScope scope({.threads = 4, .seed = 7});
  std::atomic<int> wrong{0};
  ParallelFor(200, [&](int) {
    if (CurrentContext().seed != 7) ++wrong;
    ParallelFor(3, [&](int) {
      if (CurrentContext().seed != 7) ++wrong;
    });
  });
  EXPECT_EQ(wrong.load(), 0);
}

/// Threads that take part in a loop of this context.
std::size_t ThreadsUsed(int threads, std::uint64_t seed, std::barrier<>& both) {
  const ContextScope scope({.threads = threads, .seed = seed});
  std::mutex mutex;
  std::set<std::thread::id> seen;
  both.arrive_and_wait();
  ParallelFor(2000, [&](int i) {
    volatile double x = i;
    for (int k = 0; k < 2000; ++k) x = x * 0.5 + 1;
    const std::lock_guard lock(mutex);
    EXPECT_EQ(CurrentContext().seed, seed);
    seen.insert(std::this_thread::get_id());
  });
  both.arrive_and_wait();
  return seen.size();
}

TEST(Context, TwoThreadsCallWithDifferentNumbersOfThreads) {
  std::barrier both(2);
  std::size_t one = 0, several = 0;
  std::thread first([&] { one = ThreadsUsed(1, 11, both); });
  std::thread second([&] { several = ThreadsUsed(4, 12, both); });
  first.join();
  second.join();
  EXPECT_EQ(one, 1u);
  EXPECT_LE(several, 4u);
}

TEST(Context, ACancelledTokenEndsALoopOnAnyNumberOfThreads) {
  for (const int threads : {1, 4}) {
    const Context context{.threads = threads};
    const CancelToken stop = context.cancel;  // shares its state
    const ContextScope scope(context, "study");
    std::atomic<int> calls{0};
    try {
      ParallelFor(1000000, [&](int) {
        if (++calls == 100) stop.Cancel();
      });
      FAIL() << "nothing was thrown";
    } catch (const Cancelled& cancelled) {
      EXPECT_EQ(cancelled.task(), "study");
      EXPECT_TRUE(cancelled.store().empty());
    }
    EXPECT_LT(calls.load(), 1000);
  }
}

TEST(Context, AnUncancellableScopeGoesOn) {
  const Context context;
  const ContextScope scope(context);
  context.cancel.Cancel();
  EXPECT_THROW(StopIfCancelled(), Cancelled);
  {
    const UncancellableScope uncancellable;
    EXPECT_NO_THROW(StopIfCancelled());
  }
  EXPECT_THROW(StopIfCancelled(), Cancelled);
}

TEST(Context, AnotherSeedKeepsTheTokenAndDropsProgress) {
  const Context context{.threads = 2, .seed = 1, .progress = [](const Progress&) {}};
  const ContextScope scope(context);
  const Context other = ContextWithSeed(9);
  EXPECT_EQ(other.seed, 9u);
  EXPECT_EQ(other.threads, 2);
  EXPECT_FALSE(other.progress);
  context.cancel.Cancel();
  EXPECT_TRUE(other.cancel.cancelled());
}

}  // namespace
}  // namespace ricochet
