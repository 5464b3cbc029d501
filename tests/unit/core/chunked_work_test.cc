// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/work/chunked_work.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/context.h"
#include "ricochet/error.h"

namespace ricochet {
namespace {

/// Ranks that are threads of this process.
class World {
 public:
  explicit World(int count) : count_(count), answers_(static_cast<std::size_t>(count)), barrier_(count) {}

  class Link : public RankLink {
   public:
    Link(World& world, int rank) : world_(world), rank_(rank) {}
    int rank() const override { return rank_; }
    int count() const override { return world_.count_; }
    void Send(std::span<const double> message) override {
      const std::lock_guard lock(world_.mutex_);
      world_.messages_.push_back({rank_, {message.begin(), message.end()}});
    }
    std::int64_t Receive() override {
      std::unique_lock lock(world_.mutex_);
      auto& mine = world_.answers_[static_cast<std::size_t>(rank_)];
      world_.changed_.wait(lock, [&] { return !mine.empty(); });
      const std::int64_t part = mine.front();
      mine.pop_front();
      return part;
    }
    bool Poll(int& from, std::vector<double>& message) override {
      const std::lock_guard lock(world_.mutex_);
      if (world_.messages_.empty()) return false;
      from = world_.messages_.front().first;
      message = world_.messages_.front().second;
      world_.messages_.pop_front();
      return true;
    }
    void Answer(int to, std::int64_t part) override {
      const std::lock_guard lock(world_.mutex_);
      world_.answers_[static_cast<std::size_t>(to)].push_back(part);
      world_.changed_.notify_all();
    }
    void Broadcast(std::span<double> values) override {
      if (rank_ == 0) world_.shared_.assign(values.begin(), values.end());
      world_.barrier_.arrive_and_wait();
      std::copy(world_.shared_.begin(), world_.shared_.end(), values.begin());
      world_.barrier_.arrive_and_wait();
    }

   private:
    World& world_;
    int rank_;
  };

 private:
  int count_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<int, std::vector<double>>> messages_;
  std::vector<std::deque<std::int64_t>> answers_;
  std::vector<double> shared_;
  std::barrier<> barrier_;
};

constexpr std::int64_t kChunks = 300;

void Compute(std::int64_t chunk, std::span<double> result) {
  double sum = 0;
  for (int k = 1; k < 2000; ++k) sum += std::sin(static_cast<double>(chunk) * k) / k;
  result[0] = sum;
  result[1] = static_cast<double>(chunk);
}

struct Kept {
  std::vector<double> values = std::vector<double>(kChunks, NAN);
  std::vector<std::atomic<int>> times = std::vector<std::atomic<int>>(kChunks);
  std::int64_t resumed = 0;
};

/// The work on `ranks` ranks of this process; chunks below `there` are there from before.
std::unique_ptr<Kept> RunOn(int ranks, int threads_each, std::int64_t there = 0) {
  auto kept = std::make_unique<Kept>();
  World world(ranks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      const ContextScope scope({.threads = threads_each});
      World::Link link(world, rank);
      ChunkedWork work{.task = "test", .chunks = kChunks, .doubles = 2, .compute = Compute};
      work.done = [&](std::int64_t chunk) { return chunk < there; };
      work.keep = [&](std::int64_t chunk, std::span<const double> result) {
        EXPECT_EQ(result[1], static_cast<double>(chunk));
        kept->values[static_cast<std::size_t>(chunk)] = result[0];
        ++kept->times[static_cast<std::size_t>(chunk)];
      };
      const std::int64_t resumed = RunChunks(work, ranks > 1 ? &link : nullptr);
      if (rank == 0) kept->resumed = resumed;
    });
  }
  for (std::thread& thread : threads) thread.join();
  return kept;
}

TEST(ChunkedWork, GivesTheSameBitsForAnyNumberOfThreadsAndRanks) {
  const auto alone = RunOn(1, 1);
  for (const int threads : {1, 2, 7}) {
    for (const int ranks : {1, 2, 4}) {
      const auto shared = RunOn(ranks, threads);
      EXPECT_EQ(shared->values, alone->values) << threads << " threads, " << ranks << " ranks";
      for (const auto& times : shared->times) ASSERT_EQ(times.load(), 1);
    }
  }
}

TEST(ChunkedWork, ComputesNothingTwice) {
  for (const int ranks : {1, 3}) {
    const auto resumed = RunOn(ranks, 2, 120);
    EXPECT_EQ(resumed->resumed, 120);
    for (std::int64_t i = 0; i < kChunks; ++i)
      ASSERT_EQ(resumed->times[static_cast<std::size_t>(i)].load(), i < 120 ? 0 : 1);
  }
}

TEST(ChunkedWork, AnErrorComesOut) {
  for (const int threads : {1, 3}) {
    const ContextScope scope({.threads = threads});
    ChunkedWork work{.task = "test", .chunks = 50, .doubles = 1};
    work.compute = [](std::int64_t chunk, std::span<double>) {
      if (chunk == 20) throw std::runtime_error("the disk is full");
    };
    work.keep = [](std::int64_t, std::span<const double>) {};
    EXPECT_THROW(RunChunks(work), std::runtime_error);
  }
}

TEST(ChunkedWork, OfSeveralErrorsTheFirstComesOutAndTheRestIsLeft) {
  for (const int threads : {1, 3}) {
    const ContextScope scope({.threads = threads});
    std::atomic<int> computed{0};
    ChunkedWork work{.task = "test", .chunks = 1000000, .doubles = 1};
    work.compute = [&](std::int64_t chunk, std::span<double>) {
      ++computed;
      if (chunk >= 20) throw std::runtime_error(std::to_string(chunk));
    };
    work.keep = [](std::int64_t, std::span<const double>) {};
    try {
      RunChunks(work);
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "20");
    }
    EXPECT_LE(computed.load(), 20 + threads);
  }
}

/// The root is cancelled: all ranks stop and say so, and what is finished has been kept.
TEST(ChunkedWork, CancelledWorkStopsOnEveryRank) {
  for (const int ranks : {1, 3}) {
    World world(ranks);
    CancelToken token;
    std::atomic<int> kept{0}, cancelled{0};
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([&, rank] {
        Context context{.threads = 2};
        if (rank == 0) context.cancel = token;
        const ContextScope scope(context);
        World::Link link(world, rank);
        ChunkedWork work{.task = "test", .store = "part", .chunks = kChunks, .doubles = 2, .compute = Compute};
        work.keep = [&](std::int64_t, std::span<const double>) {
          if (++kept == 20) token.Cancel();
        };
        try {
          RunChunks(work, ranks > 1 ? &link : nullptr);
        } catch (const Cancelled& error) {
          EXPECT_EQ(error.store(), "part");
          ++cancelled;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(cancelled.load(), ranks);
    EXPECT_GE(kept.load(), 20);
    EXPECT_LT(kept.load(), kChunks);
  }
}

TEST(ChunkedWork, AnErrorEndsTheOtherThreadsOfItsRank) {
  World world(2);
  std::atomic<int> computed{0};
  std::atomic<bool> thrown{false};
  ChunkedWork work{.task = "test", .chunks = 3000, .doubles = 1};
  work.keep = [](std::int64_t, std::span<const double>) {};
  std::thread other([&] {
    const ContextScope scope({.threads = 3});
    World::Link link(world, 1);
    ChunkedWork own = work;
    own.compute = [&](std::int64_t, std::span<double>) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));  // longer than an error takes to arrive
      if (++computed == 10) throw std::runtime_error("a recording cannot be read");
    };
    EXPECT_THROW(RunChunks(own, &link), std::runtime_error);
    thrown = true;
  });
  // The root of a program would be ended by the other rank; here it serves until that one has left.
  World::Link link(world, 0);
  std::vector<double> message;
  std::int64_t next = 0;
  while (!thrown) {
    int from = 0;
    if (link.Poll(from, message)) link.Answer(from, next++);
    std::this_thread::yield();
  }
  other.join();
  EXPECT_LT(computed.load(), 20);
}

constexpr int kRanks = 3;

/// The chunks that each of three ranks computed. The others stay at their first until rank 0 has done `fast`.
std::vector<std::vector<std::int64_t>> ChunksOfRanks(std::int64_t worth_taking, std::size_t fast) {
  World world(kRanks);
  std::vector<std::vector<std::int64_t>> computed(kRanks);
  std::atomic<bool> ahead = false;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < kRanks; ++rank) {
    threads.emplace_back([&, rank] {
      const ContextScope scope({.threads = 1});
      World::Link link(world, rank);
      ChunkedWork work{.task = "test", .chunks = kChunks, .doubles = 1, .worth_taking = worth_taking};
      work.compute = [&, rank](std::int64_t chunk, std::span<double>) {
        std::vector<std::int64_t>& own = computed[static_cast<std::size_t>(rank)];
        own.push_back(chunk);
        if (rank == 0 && own.size() >= fast) ahead = true;
        while (rank != 0 && !ahead) std::this_thread::sleep_for(std::chrono::microseconds(100));
      };
      work.keep = [](std::int64_t, std::span<const double>) {};
      RunChunks(work, &link);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return computed;
}

TEST(ChunkedWork, RanksWorkOnNeighbors) {
  const std::vector<std::vector<std::int64_t>> computed = ChunksOfRanks(1, kChunks / kRanks + 1);
  std::size_t total = 0;
  for (const std::vector<std::int64_t>& own : computed) {
    total += own.size();
    int jumps = 0;
    for (std::size_t i = 1; i < own.size(); ++i) jumps += own[i] != own[i - 1] + 1 ? 1 : 0;
    EXPECT_LE(jumps, 16);  // halves of ranges: about the logarithm of their length for each of the others
  }
  EXPECT_EQ(total, kChunks);
  EXPECT_GT(computed[0].size(), kChunks / kRanks);  // the fast one has taken from the slow ones
}

TEST(ChunkedWork, RanksKeepWhatIsNotWorthTaking) {
  for (const std::vector<std::int64_t>& own : ChunksOfRanks(kChunks, kChunks / kRanks))
    EXPECT_EQ(own.size(), kChunks / kRanks);
}

}  // namespace
}  // namespace ricochet
