// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Costs of predicted tosses in the cells of a grid over numbers of the scene, for `sweep`.
//
// Recordings are taken in blocks: a block is read and preprocessed when its turn comes and kept for a while, so that
// memory grows neither with cells nor with recordings, and neighboring pieces of work share it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "estimators/tosses/toss_rollout.h"
#include "evaluate/toss_model.h"
#include "model/parameter_map.h"
#include "ricochet/sweep.h"

namespace ricochet {

/// File that keeps finished chunks until the map is complete; empty for an output that is no regular file (a device),
/// beside which nothing is kept.
std::string PartFile(const std::string& output);

/// Index on each axis of a cell.
std::vector<int> IndicesOf(const std::vector<SweepAxis>& axes, std::int64_t cell);

/// Preprocessed recordings, a block at a time. Threads share it: one that needs a block which another is reading waits
/// for it; two may read different ones.
class TossBlocks;

/// Threads share it. What is given to the constructor must outlive it.
class SweepCosts {
 public:
  SweepCosts(const Scene& scene, const RecordingSource& recordings, const std::vector<SweepAxis>& axes,
             const SweepOptions& options);
  ~SweepCosts();
  SweepCosts(const SweepCosts&) = delete;
  SweepCosts& operator=(const SweepCosts&) = delete;

  std::int64_t blocks() const;

  /// Which recordings of a block have the requested cost: a bit each, from the lowest.
  std::uint64_t UsableOfBlock(std::int64_t block) const;
  /// Says so for all blocks, before `used`, `Excluded` and `Costs`. Root only.
  void SetUsable(std::span<const std::uint64_t> blocks);
  int used() const { return used_; }
  /// Those that are not used, with the reason. Root only.
  std::vector<std::string> Excluded() const;

  /// ChunkedWork::worth_taking of chunks with so many cells of a block.
  std::int64_t WorthTaking(std::int64_t cells) const;

  /// Cost in the cell of each used recording of a block; NaN where a rollout has none. Counts those that failed in
  /// `unsolved`.
  std::vector<double> CostsOfBlock(std::int64_t cell, std::int64_t block, std::int64_t* unsolved = nullptr) const;

  /// The same of all recordings, for some cells. All ranks call it and share the work; the root gets the costs.
  std::vector<std::vector<double>> Costs(const std::vector<std::int64_t>& cells) const;

 private:
  bool Usable(const PreparedToss& toss) const;

  const ParameterMap parameters_;  // every number of every axis
  const RecordingSource& recordings_;
  const std::vector<SweepAxis>& axes_;
  const SweepOptions& options_;
  const TossModel compiled_;
  const bool again_;  // the start of rollouts depends on the cell
  const std::unique_ptr<TossBlocks> blocks_;
  int used_ = 0;
  std::vector<int> first_used_;  // number of used recordings before each block, and of all
  std::vector<std::size_t> unusable_;
};

}  // namespace ricochet
