// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "core/context.h"
#include "core/random.h"

namespace ricochet {
namespace {

TEST(Threads, EveryIndexOnce) {
  for (const int threads : {1, 2, 8}) {
    const ContextScope scope({.threads = threads});
    EXPECT_EQ(ThreadCount(), threads);
    std::vector<std::atomic<int>> calls(1000);
    ParallelFor(1000, [&](int i) { calls[i].fetch_add(1); });
    for (const auto& c : calls) ASSERT_EQ(c.load(), 1);
  }
  ParallelFor(0, [](int) { FAIL(); });
}

TEST(Threads, ResultsDoNotDependOnTheNumberOfThreads) {
  const auto run = [](int threads) {
    const ContextScope scope({.threads = threads});
    std::vector<double> result(500);
    ParallelFor(500, [&](int i) {
      Random random(9, static_cast<std::uint64_t>(i));
      double sum = 0;
      for (int k = 0; k < 100; ++k) sum += random.Normal();
      result[i] = sum;
    });
    return result;
  };
  const std::vector<double> one = run(1);
  EXPECT_EQ(one, run(2));
  EXPECT_EQ(one, run(7));
}

TEST(Threads, TheLowestExceptionComesOut) {
  for (const int threads : {1, 2, 8}) {
    const ContextScope scope({.threads = threads});
    for (int round = 0; round < 50; ++round) {
      try {
        ParallelFor(200, [](int i) {
          if (i >= 17 && i % 3 == 2) throw std::runtime_error(std::to_string(i));
        });
        FAIL() << "nothing was thrown";
      } catch (const std::runtime_error& error) {
        ASSERT_STREQ(error.what(), "17");
      }
    }
  }
}

TEST(Threads, LoopsNest) {
  const ContextScope scope({.threads = 4});
  std::vector<std::vector<int>> table(20, std::vector<int>(30));
  ParallelFor(20, [&](int i) { ParallelFor(30, [&](int j) { table[i][j] = i * j; }); });
  for (int i = 0; i < 20; ++i) {
    for (int j = 0; j < 30; ++j) ASSERT_EQ(table[i][j], i * j);
  }
}

TEST(Threads, AWaitingThreadStartsNoOtherOuterIndex) {
  const ContextScope scope({.threads = 4});
  std::atomic<bool> entered_twice{false};
  ParallelFor(16, [&](int) {
    thread_local bool inside = false;
    if (inside) entered_twice = true;
    inside = true;
    ParallelFor(16, [](int j) {
      volatile double x = j;
      for (int k = 0; k < 1000; ++k) x = x * 0.5 + 1;
    });
    inside = false;
  });
  EXPECT_FALSE(entered_twice);
}

}  // namespace
}  // namespace ricochet
