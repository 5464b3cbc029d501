// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/work/chunked_work.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "core/context.h"
#include "core/progress/progress.h"
#include "core/threads.h"
#include "ricochet/error.h"

namespace ricochet {
namespace {

constexpr std::int64_t kNoMore = -1;
// Pauses between looks for messages are this part of the time between the last two. Ranks have a chunk at hand while
// they wait, so that looking need not be frequent; the end must not wait long for the last.
constexpr int kPauses = 10;
constexpr std::chrono::nanoseconds kShortest = std::chrono::microseconds(100), kLongest = std::chrono::milliseconds(2);

/// The failure of the lowest chunk that failed, so that which one comes out does not depend on threads.
class Failures {
 public:
  void Take(std::int64_t chunk) {
    const std::lock_guard lock(mutex_);
    if (failure_ && chunk > chunk_) return;
    chunk_ = chunk;
    failure_ = std::current_exception();
  }

  void Rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::int64_t chunk_ = 0;
  std::exception_ptr failure_;
};

/// Hands out the chunks that are not there yet. Every rank has a range of its own and takes it in order; one whose
/// range is done goes on with the latter half of the longest that is left.
class Queue {
 public:
  Queue(const ChunkedWork& work, ProgressMeter& progress, int ranks) : work_(work), progress_(progress) {
    for (int rank = 0; rank < ranks; ++rank)
      ranges_.push_back({work.chunks * rank / ranks, work.chunks * (rank + 1) / ranks});
  }

  std::int64_t Next(int rank) {
    const std::lock_guard lock(mutex_);
    Range& own = ranges_[static_cast<std::size_t>(rank)];
    while (own.size() > 0 || TakeFromOthers(own)) {
      if (CurrentContext().cancel.cancelled()) stopped_ = true;
      if (stopped_) break;
      const std::int64_t chunk = own.first++;
      if (!work_.done || !work_.done(chunk)) return chunk;
      ++resumed_;
      progress_.Resume();
    }
    return kNoMore;
  }

  /// No more chunks are handed out.
  void Stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }

  void Keep(std::int64_t chunk, std::span<const double> result) {
    work_.keep(chunk, result);
    progress_.Advance();
  }

  bool stopped() const { return stopped_; }
  std::int64_t resumed() const { return resumed_; }

 private:
  struct Range {
    std::int64_t first = 0, end = 0;
    std::int64_t size() const { return end - first; }
  };

  bool TakeFromOthers(Range& own) {
    Range& longest = *std::max_element(ranges_.begin(), ranges_.end(),
                                       [](const Range& a, const Range& b) { return a.size() < b.size(); });
    if (longest.size() < std::max<std::int64_t>(1, work_.worth_taking)) return false;
    const std::int64_t middle = longest.first + longest.size() / 2;
    own = {middle, longest.end};
    longest.end = middle;
    return true;
  }

  const ChunkedWork& work_;
  ProgressMeter& progress_;
  std::mutex mutex_;
  std::vector<Range> ranges_;
  std::int64_t resumed_ = 0;
  bool stopped_ = false;
};

// Messages of other ranks: nothing (a chunk is requested), a chunk's number and result (the next is requested), or
// kNoMore alone (the rank has ended).

/// Answers the other ranks until all have ended.
void Serve(RankLink& link, Queue& queue, Failures& failures) {
  int open = link.count() - 1;
  std::vector<double> message;
  std::chrono::nanoseconds pause = kShortest;
  auto last = std::chrono::steady_clock::now();
  while (open > 0) {
    int from = 0;
    if (!link.Poll(from, message)) {
      std::this_thread::sleep_for(pause);
      continue;
    }
    const auto now = std::chrono::steady_clock::now();
    pause = std::clamp<std::chrono::nanoseconds>((now - last) / kPauses, kShortest, kLongest);
    last = now;
    const std::int64_t chunk = message.empty() ? 0 : static_cast<std::int64_t>(message[0]);
    if (chunk == kNoMore) {
      --open;
      continue;
    }
    std::int64_t next = kNoMore;
    try {
      if (!message.empty()) queue.Keep(chunk, std::span<const double>(message).subspan(1));
      next = queue.Next(from);
    } catch (...) {
      failures.Take(chunk);
      queue.Stop();
    }
    link.Answer(from, next);
  }
}

/// The part of a rank that is not the root. The link is used by one thread at a time. Each thread requests one chunk
/// ahead, which is there when it has done the one at hand. Once there is no more, there never is. The root decides
/// whether the work is cancelled, and waits for the chunks at hand.
void Work(const ChunkedWork& work, RankLink& link) {
  const UncancellableScope uncancellable;
  std::mutex mutex;
  std::atomic<bool> failed = false;
  Failures failures;
  ParallelFor(ThreadCount(), [&](int) {
    std::vector<double> result;
    {
      const std::lock_guard lock(mutex);
      link.Send({});
    }
    while (!failed) {
      std::int64_t chunk = kNoMore;
      {
        const std::lock_guard lock(mutex);
        link.Send(result);
        chunk = link.Receive();
        if (chunk == kNoMore) {
          link.Receive();  // the answer to what was asked ahead
          return;
        }
      }
      result.assign(static_cast<std::size_t>(work.doubles) + 1, 0.0);
      result[0] = static_cast<double>(chunk);
      try {
        work.compute(chunk, std::span<double>(result).subspan(1));
      } catch (...) {
        failures.Take(chunk);
        failed = true;
      }
    }
  });
  failures.Rethrow();
  const double ended = kNoMore;
  link.Send({&ended, 1});
}

}  // namespace

std::int64_t RunChunks(const ChunkedWork& work, RankLink* link) {
  double complete = 0;
  std::int64_t resumed = 0;
  if (IsRoot(link)) {
    ProgressMeter progress(work.task, work.chunks);
    Queue queue(work, progress, link ? link->count() : 1);
    Failures failures;
    std::thread server;
    if (link && link->count() > 1)
      server = std::thread([&, context = CurrentContext()] {
        const ContextScope scope(context, work.task);
        Serve(*link, queue, failures);
      });
    {
      // Threads look at the token between chunks (Queue::Next) and within them.
      const ContextScope scope(CurrentContext(), work.task);
      const auto take_chunks = [&](int) {
        std::int64_t chunk = 0;
        try {
          std::vector<double> result(static_cast<std::size_t>(work.doubles));
          while ((chunk = queue.Next(0)) != kNoMore) {
            work.compute(chunk, result);
            queue.Keep(chunk, result);
          }
        } catch (const Cancelled&) {
          queue.Stop();
        } catch (...) {
          failures.Take(chunk);
          queue.Stop();
        }
      };
      try {
        ParallelFor(ThreadCount(), take_chunks);
      } catch (const Cancelled&) {
        queue.Stop();
      }
    }
    if (server.joinable()) server.join();
    failures.Rethrow();
    resumed = queue.resumed();
    complete = queue.stopped() ? 0 : 1;
  } else {
    Work(work, *link);
  }
  if (link) link->Broadcast(std::span<double>(&complete, 1));
  if (complete == 0) throw Cancelled(work.task, work.store);
  return resumed;
}

}  // namespace ricochet
