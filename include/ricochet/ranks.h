// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Processes ("ranks") that share one piece of work, on one machine or on many.
//
// Every rank makes the same call with the same inputs. Rank 0, the root, hands out numbered parts of the work and alone
// writes files. The library does not depend on MPI: it sends its few messages through the interface RankLink. A program
// that mpirun starts implements RankLink with MPI and passes it in its Context, as app/mpi_ranks.cc does.
//
//     MyLink link;                                  // derives from RankLink
//     ricochet::Sweep(scene, recordings, axes, options, {.ranks = &link});
//
// Results have the same bits for any number of ranks. Only Sweep and the bootstrap of Identify share work; other calls
// compute everything on every rank.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ricochet {

/// Messages between ranks. Each process has one link, which one thread uses at a time.
class RankLink {
 public:
  virtual ~RankLink() = default;

  /// Number of this process, from 0, and number of all.
  virtual int rank() const = 0;
  virtual int count() const = 0;

  /// Ranks other than the root: sends a message to the root. Messages keep their order.
  virtual void Send(std::span<const double> message) = 0;

  /// Ranks other than the root: waits for the next answer of the root, the number of a part or -1. Answers keep their
  /// order.
  virtual std::int64_t Receive() = 0;

  /// Root: takes a message of another rank, if one has come, and says from whom. Does not wait.
  virtual bool Poll(int& from, std::vector<double>& message) = 0;

  /// Root: answers another rank.
  virtual void Answer(int to, std::int64_t part) = 0;

  /// All ranks call it: afterwards each has the root's `values`.
  virtual void Broadcast(std::span<double> values) = 0;
};

}  // namespace ricochet
