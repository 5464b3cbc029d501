// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Work cut into numbered chunks, done on the threads of all ranks.
//
// Chunks are handed out one by one as threads become free, so that none waits for another; each rank works on
// neighbors as long as it can, so that what they share is prepared once. What a chunk gives depends on its number
// alone: the results are the same bits for any number of threads and ranks, and after any interruption.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "core/work/ranks.h"

namespace ricochet {

struct ChunkedWork {
  std::string task;         // for Progress and Cancelled
  std::string store{};      // file that keeps finished chunks, for Cancelled; empty: none
  std::int64_t chunks = 0;  // numbered from 0
  int doubles = 1;          // results of a chunk
  /// A rank whose own chunks are done takes half of another's where that has at least this many left: what neighbors
  /// share has to be prepared again.
  std::int64_t worth_taking = 1;

  /// Computes a chunk. Called by several threads, on any rank.
  std::function<void(std::int64_t chunk, std::span<double> result)> compute{};

  /// Root only. Whether a chunk is there from before (may be empty: none is); called by one thread at a time.
  std::function<bool(std::int64_t chunk)> done{};
  /// Root only. Keeps a result; called by several threads, for different chunks.
  std::function<void(std::int64_t chunk, std::span<const double> result)> keep{};
};

/// All ranks call it. It returns when all chunks are kept, with the number of those that were there from before (root
/// only). Throws Cancelled at every rank when the root's context is cancelled; chunks that are finished are kept. The
/// error of a chunk comes out at the rank that computed it, which then has to end the others: they may wait for it.
std::int64_t RunChunks(const ChunkedWork& work, RankLink* link = Ranks());

}  // namespace ricochet
