// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/chunked_work.h"

#include <chrono>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "core/progress.h"
#include "core/signals.h"
#include "core/threads.h"

namespace ricochet {
namespace {

constexpr std::int64_t kNoMore = -1;
constexpr auto kPause = std::chrono::microseconds(200);  // between looks for messages

/// Hands out the chunks that are not there yet, in order.
class Queue {
 public:
  Queue(const ChunkedWork& work, Progress& progress) : work_(work), progress_(progress) {}

  std::int64_t Next() {
    const std::lock_guard lock(mutex_);
    while (next_ < work_.chunks && !stopped_ && !Interrupted()) {
      const std::int64_t chunk = next_++;
      if (!work_.done || !work_.done(chunk)) return chunk;
      ++resumed_;
      progress_.Advance();
    }
    if (next_ < work_.chunks) stopped_ = true;
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
  const ChunkedWork& work_;
  Progress& progress_;
  std::mutex mutex_;
  std::int64_t next_ = 0, resumed_ = 0;
  bool stopped_ = false;
};

/// Answers the other ranks until each has heard that there is no more and has handed in what it had.
void Serve(RankLink& link, Queue& queue, std::exception_ptr& failure) {
  struct Other {
    bool told = false;  // that there is no more
    int out = 0;        // chunks it computes
  };
  std::vector<Other> others(static_cast<std::size_t>(link.count()));
  int open = link.count() - 1;
  std::vector<double> message;
  while (open > 0) {
    int from = 0;
    if (!link.Poll(from, message)) {
      std::this_thread::sleep_for(kPause);
      continue;
    }
    Other& other = others[static_cast<std::size_t>(from)];
    if (!message.empty()) {
      --other.out;
      try {
        queue.Keep(static_cast<std::int64_t>(message[0]), std::span<const double>(message).subspan(1));
      } catch (...) {
        if (!failure) failure = std::current_exception();
        queue.Stop();
      }
    }
    const std::int64_t next = queue.Next();
    link.Answer(from, next);
    if (next == kNoMore) {
      other.told = true;
    } else {
      ++other.out;
    }
    if (other.told && other.out == 0) --open;
  }
}

/// The part of a rank that is not the root. The link is used by one thread at a time.
void Work(const ChunkedWork& work, RankLink& link) {
  std::mutex mutex;
  bool more = true;
  ParallelFor(ThreadLimit(), [&](int) {
    std::vector<double> result;
    while (true) {
      std::int64_t chunk = kNoMore;
      {
        const std::lock_guard lock(mutex);
        if (!more && result.empty()) return;
        chunk = link.Exchange(result);
        if (chunk == kNoMore) more = false;
      }
      if (chunk == kNoMore) return;
      result.assign(static_cast<std::size_t>(work.doubles) + 1, 0.0);
      result[0] = static_cast<double>(chunk);
      work.compute(chunk, std::span<double>(result).subspan(1));
    }
  });
}

}  // namespace

ChunkedRun RunChunks(const ChunkedWork& work, RankLink* link) {
  const InterruptScope interrupt;
  double complete = 0;
  ChunkedRun run;
  if (IsRoot(link)) {
    Progress progress(work.label, work.chunks);
    Queue queue(work, progress);
    std::exception_ptr failure;
    std::thread server;
    if (link && link->count() > 1) server = std::thread([&] { Serve(*link, queue, failure); });
    std::exception_ptr own_failure;
    try {
      ParallelFor(ThreadLimit(), [&](int) {
        std::vector<double> result(static_cast<std::size_t>(work.doubles));
        for (std::int64_t chunk = queue.Next(); chunk != kNoMore; chunk = queue.Next()) {
          work.compute(chunk, result);
          queue.Keep(chunk, result);
        }
      });
    } catch (...) {
      own_failure = std::current_exception();
      queue.Stop();
    }
    if (server.joinable()) server.join();
    if (own_failure) std::rethrow_exception(own_failure);
    if (failure) std::rethrow_exception(failure);
    run.resumed = queue.resumed();
    complete = queue.stopped() ? 0 : 1;
  } else {
    Work(work, *link);
  }
  if (link) link->Broadcast(std::span<double>(&complete, 1));
  run.complete = complete != 0;
  return run;
}

}  // namespace ricochet
