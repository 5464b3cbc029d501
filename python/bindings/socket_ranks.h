// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Ranks that are Python processes, connected by sockets (ricochet/ranks.h). The root has one connected socket per other
// rank, each other rank one to the root.
//
// A rank that is lost (killed, or its machine gone) ends the call: the root's token is cancelled, and the next
// Broadcast throws RankLost. What was finished is in the store of the call, so that the caller runs it again with the
// ranks that are left and loses nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "ricochet/context.h"
#include "ricochet/ranks.h"

namespace ricochet::python {

/// A rank ended before the call did.
class RankLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The sockets are owned by the caller, who closes them after the call.
class SocketRanks : public RankLink {
 public:
  /// At rank 0 `sockets` has one entry per other rank, in their order; at other ranks one, to the root.
  SocketRanks(int rank, int count, std::vector<int> sockets);

  int rank() const override { return rank_; }
  int count() const override { return count_; }
  void Send(std::span<const double> message) override;
  std::int64_t Receive() override;
  bool Poll(int& from, std::vector<double>& message) override;
  void Answer(int to, std::int64_t part) override;
  void Broadcast(std::span<double> values) override;

  /// The token of the call that uses the link.
  void SetToken(CancelToken token) { token_ = std::move(token); }

  /// Whether a rank was lost.
  bool lost() const { return lost_; }

 private:
  void Lose(std::size_t connection);
  bool WriteTo(std::size_t connection, std::span<const std::byte> bytes);
  bool ReadFrom(std::size_t connection, std::span<std::byte> bytes);

  const int rank_, count_;
  const std::vector<int> sockets_;
  std::vector<bool> open_;       // per connection
  std::vector<bool> announced_;  // per connection: its end was reported by Poll
  bool lost_ = false;
  CancelToken token_;
};

}  // namespace ricochet::python
