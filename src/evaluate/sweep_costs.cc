// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "evaluate/sweep_costs.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "core/threads.h"
#include "core/work/chunked_work.h"
#include "ricochet/error.h"

namespace ricochet {
namespace {

constexpr int kMostPerBlock = 16;  // recordings
constexpr std::size_t kBlocksKept = 64;
constexpr std::int64_t kPreparation = 24;  // of a recording takes about as long as so many rollouts of it

const char* Missing(SweepCost cost) {
  return cost == SweepCost::kRest ? "it does not end at rest" : "it has no impact on a single corner";
}

std::vector<SelectedParameter> NumbersOf(const Scene& scene, const std::vector<SweepAxis>& axes) {
  std::vector<SelectedParameter> out;
  for (const SweepAxis& axis : axes)
    for (const NumberId id : axis.numbers) out.push_back({scene.number(id).path, id});
  return out;
}

}  // namespace

class TossBlocks {
 public:
  struct Block {
    std::vector<Recording> recordings;  // only where they are to be kept
    std::vector<PreparedToss> tosses;
  };

  TossBlocks(const Model& model, const RecordingSource& source, const RollStart& start, bool keep_recordings)
      : model_(model), source_(source), start_(start), keep_recordings_(keep_recordings) {
    const std::size_t fewest = (source.count + kMostPerBlock - 1) / kMostPerBlock;
    per_block_ = fewest > 0 ? (source.count + fewest - 1) / fewest : 1;
  }

  std::int64_t count() const { return static_cast<std::int64_t>((source_.count + per_block_ - 1) / per_block_); }
  /// Recordings of a block; the last may have fewer. Blocks are alike, so that they are the same work.
  std::size_t per_block() const { return per_block_; }

  std::shared_ptr<const Block> Get(std::int64_t index) {
    std::shared_ptr<Entry> entry;
    {
      const std::lock_guard lock(mutex_);
      std::weak_ptr<Entry>& known = known_[index];
      entry = known.lock();
      if (!entry) known = entry = std::make_shared<Entry>();
      recent_[static_cast<std::size_t>(index) % recent_.size()] = entry;
    }
    std::call_once(entry->read, [&] { Read(index, entry->block); });
    return {entry, &entry->block};
  }

 private:
  struct Entry {
    std::once_flag read;
    Block block;
  };

  void Read(std::int64_t index, Block& block) const {
    const std::size_t first = static_cast<std::size_t>(index) * per_block_;
    const std::size_t last = std::min(source_.count, first + per_block_);
    Block made;
    for (std::size_t i = first; i < last; ++i) {
      Recording recording = source_.read(i);
      made.tosses.push_back(PrepareToss(model_, recording, start_));
      if (keep_recordings_) made.recordings.push_back(std::move(recording));
    }
    block = std::move(made);
  }

  const Model& model_;
  const RecordingSource& source_;
  const RollStart start_;
  const bool keep_recordings_;
  std::size_t per_block_ = 1;
  std::mutex mutex_;
  std::map<std::int64_t, std::weak_ptr<Entry>> known_;
  std::array<std::shared_ptr<Entry>, kBlocksKept> recent_;  // kept though nobody uses them now
};

std::vector<int> IndicesOf(const std::vector<SweepAxis>& axes, std::int64_t cell) {
  std::vector<int> indices(axes.size());
  for (std::size_t a = axes.size(); a-- > 0;) {
    indices[a] = static_cast<int>(cell % axes[a].count);
    cell /= axes[a].count;
  }
  return indices;
}

SweepCosts::SweepCosts(const Scene& scene, const RecordingSource& recordings, const std::vector<SweepAxis>& axes,
                       const SweepOptions& options)
    : parameters_(scene, NumbersOf(scene, axes)),
      recordings_(recordings),
      axes_(axes),
      options_(options),
      compiled_(scene),
      again_(std::any_of(axes.begin(), axes.end(), [](const SweepAxis& axis) { return MovesStart(axis.path); })),
      blocks_(std::make_unique<TossBlocks>(compiled_.model, recordings, options.start, again_)) {}

SweepCosts::~SweepCosts() = default;

std::int64_t SweepCosts::blocks() const { return blocks_->count(); }

std::int64_t SweepCosts::WorthTaking(std::int64_t cells) const { return again_ ? 1 : 2 * kPreparation / cells; }

bool SweepCosts::Usable(const PreparedToss& toss) const {
  if (!toss.problem.empty()) return false;
  if (options_.cost == SweepCost::kRest) return toss.toss.rest == toss.end;
  return options_.cost != SweepCost::kVelocity || !toss.impacts.impacts.empty();
}

std::uint64_t SweepCosts::UsableOfBlock(std::int64_t block) const {
  const std::shared_ptr<const TossBlocks::Block> held = blocks_->Get(block);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < held->tosses.size(); ++i) bits |= std::uint64_t{Usable(held->tosses[i])} << i;
  return bits;
}

void SweepCosts::SetUsable(std::span<const std::uint64_t> blocks) {
  const std::size_t per_block = blocks_->per_block();
  for (std::size_t i = 0; i < recordings_.count; ++i) {
    if (i % per_block == 0) first_used_.push_back(used_);
    if (blocks[i / per_block] >> i % per_block & 1) {
      ++used_;
    } else {
      unusable_.push_back(i);
    }
  }
  first_used_.push_back(used_);
}

std::vector<std::string> SweepCosts::Excluded() const {
  std::vector<std::string> out(unusable_.size());
  ParallelFor(static_cast<int>(unusable_.size()), [&](int k) {
    const Recording recording = recordings_.read(unusable_[static_cast<std::size_t>(k)]);
    const std::string problem = PrepareToss(compiled_.model, recording, options_.start).problem;
    out[static_cast<std::size_t>(k)] = recording.file + ": " + (problem.empty() ? Missing(options_.cost) : problem);
  });
  return out;
}

std::vector<double> SweepCosts::CostsOfBlock(std::int64_t cell, std::int64_t block, std::int64_t* unsolved) const {
  const std::vector<int> indices = IndicesOf(axes_, cell);
  Eigen::VectorXd values(parameters_.size());
  Eigen::Index i = 0;
  for (std::size_t a = 0; a < axes_.size(); ++a)
    for (std::size_t k = 0; k < axes_[a].numbers.size(); ++k) values[i++] = axes_[a].Value(indices[a]);
  const Model model = CompileModel(parameters_.Apply(values));
  TossRoller roller(model, compiled_.stepper, options_.step.value_or(0));
  std::vector<SpatialPose<double>> poses;
  std::vector<double> costs;
  const std::shared_ptr<const TossBlocks::Block> held = blocks_->Get(block);
  for (std::size_t k = 0; k < held->tosses.size(); ++k) {
    if (!Usable(held->tosses[k])) continue;
    PreparedToss own;
    const PreparedToss* toss = &held->tosses[k];
    if (again_) {
      own = PrepareToss(model, held->recordings[k], options_.start);
      toss = &own;
    }
    double cost = std::numeric_limits<double>::quiet_NaN();
    if (Usable(*toss)) {
      if (options_.cost == SweepCost::kVelocity) {
        cost = roller.VelocityLoss(*toss).value_or(cost);
      } else {
        if (!roller.Roll(*toss, poses) && unsolved) ++*unsolved;
        const TossErrors errors = CompareToss(model, *toss, poses);
        cost = options_.cost == SweepCost::kTrajectory ? errors.trajectory_loss
                                                       : errors.rest_position_error.value_or(cost);
      }
    }
    costs.push_back(cost);
  }
  return costs;
}

std::vector<std::vector<double>> SweepCosts::Costs(const std::vector<std::int64_t>& cells) const {
  const auto count = static_cast<std::int64_t>(cells.size());
  std::vector<std::vector<double>> costs(cells.size(), std::vector<double>(static_cast<std::size_t>(used_)));
  ChunkedWork work{
      .task = "intervals", .chunks = blocks() * count, .doubles = kMostPerBlock, .worth_taking = WorthTaking(1)};
  work.compute = [&](std::int64_t chunk, std::span<double> result) {
    const std::vector<double> own = CostsOfBlock(cells[static_cast<std::size_t>(chunk % count)], chunk / count);
    std::copy(own.begin(), own.end(), result.begin());
  };
  work.keep = [&](std::int64_t chunk, std::span<const double> result) {
    const auto block = static_cast<std::size_t>(chunk / count);
    const auto own = static_cast<std::ptrdiff_t>(first_used_[block + 1] - first_used_[block]);
    std::copy(result.begin(), result.begin() + own,
              costs[static_cast<std::size_t>(chunk % count)].begin() + static_cast<std::ptrdiff_t>(first_used_[block]));
  };
  work.store = PartFile(options_.output);
  RunChunks(work);
  return costs;
}

std::string PartFile(const std::string& output) {
  std::error_code error;
  const bool replaceable = !std::filesystem::exists(output, error) || std::filesystem::is_regular_file(output, error);
  return output.empty() || !replaceable ? "" : output + ".part";
}

}  // namespace ricochet
