// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Processes that share one piece of work, on one machine or on many.
//
// Every process ("rank") reads the same inputs and knows the whole work; rank 0, the root, hands out numbered parts of
// it and alone touches outputs. The library knows the few messages this takes as an interface, not MPI: a program that
// is started by mpirun says SetRanks() with a link that speaks MPI (app/mpi_ranks.h), and a process by itself has none.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ricochet {

class RankLink {
 public:
  virtual ~RankLink() = default;
  virtual int rank() const = 0;
  virtual int count() const = 0;

  /// Other ranks: a message to the root, and the next of its answers, waited for: the number of a part, or -1. Both
  /// keep their order.
  virtual void Send(std::span<const double> message) = 0;
  virtual std::int64_t Receive() = 0;

  /// Root: takes a message of another rank, if one has come; does not wait.
  virtual bool Poll(int& from, std::vector<double>& message) = 0;
  virtual void Answer(int to, std::int64_t part) = 0;

  /// All: `values` of the root come out at every rank.
  virtual void Broadcast(std::span<double> values) = 0;
};

/// The link of this process; null when it is alone. Not owned.
RankLink* Ranks();
void SetRanks(RankLink* link);

/// All ranks call it, since they must compute the same thing. Throws InputError at those whose inputs differ from the
/// root's by their fingerprint.
void RefuseOtherInputs(const std::string& fingerprint);

inline bool IsRoot(const RankLink* link = Ranks()) { return !link || link->rank() == 0; }

}  // namespace ricochet
