// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "core/atomic_file.h"
#include "core/chunked_work.h"
#include "core/hash.h"
#include "core/slot_file.h"
#include "core/text.h"
#include "core/threads.h"
#include "estimators/toss_rollout.h"
#include "math/statistics.h"
#include "ricochet/error.h"
#include "scene/number_text.h"

namespace ricochet {
namespace {

constexpr std::int64_t kMostCells = std::int64_t{1} << 40;
constexpr std::int64_t kCellsPerChunk = 8;
constexpr std::size_t kRecordingsPerBlock = 16;
constexpr std::size_t kBlocksKept = 64;
constexpr double kUsual = 1.96;  // standard errors

std::int64_t CellCount(const std::vector<SweepAxis>& axes) {
  std::int64_t cells = 1;
  for (const SweepAxis& axis : axes) {
    if (cells > kMostCells / axis.count)
      throw InputError({}, "--grid", "the grids have too many cells together.", "Give fewer values.");
    cells *= axis.count;
  }
  return cells;
}

std::int64_t ChunksOf(std::int64_t cells) { return (cells + kCellsPerChunk - 1) / kCellsPerChunk; }

/// Index on each axis of a cell.
std::vector<int> IndicesOf(const std::vector<SweepAxis>& axes, std::int64_t cell) {
  std::vector<int> indices(axes.size());
  for (std::size_t a = axes.size(); a-- > 0;) {
    indices[a] = static_cast<int>(cell % axes[a].count);
    cell /= axes[a].count;
  }
  return indices;
}

/// Whether the flight before the first contact, and so the start of roll-outs, depends on the number.
bool MovesTheStart(const SweepAxis& axis) {
  return axis.path.rfind("contact", 0) != 0 && axis.path.rfind("surfaces", 0) != 0 &&
         axis.path.rfind("simulation", 0) != 0;
}

/// Recordings made ready, a block at a time. Threads share it: one that needs a block which another is reading waits
/// for it; two may read different ones.
class Blocks {
 public:
  struct Block {
    std::vector<std::string> files;
    std::vector<Recording> recordings;  // only where they are to be kept
    std::vector<PreparedToss> tosses;
  };

  Blocks(const Model& model, const RecordingSource& source, const RollStart& start, bool keep_recordings)
      : model_(model), source_(source), start_(start), keep_recordings_(keep_recordings) {}

  std::int64_t count() const {
    return static_cast<std::int64_t>((source_.count + kRecordingsPerBlock - 1) / kRecordingsPerBlock);
  }

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
    const std::size_t first = static_cast<std::size_t>(index) * kRecordingsPerBlock;
    const std::size_t last = std::min(source_.count, first + kRecordingsPerBlock);
    for (std::size_t i = first; i < last; ++i) {
      Recording recording = source_.read(i);
      block.files.push_back(recording.file);
      block.tosses.push_back(PrepareToss(model_, recording, start_));
      if (keep_recordings_) block.recordings.push_back(std::move(recording));
    }
  }

  const Model& model_;
  const RecordingSource& source_;
  const RollStart start_;
  const bool keep_recordings_;
  std::mutex mutex_;
  std::map<std::int64_t, std::weak_ptr<Entry>> known_;
  std::array<std::shared_ptr<Entry>, kBlocksKept> recent_;  // kept though nobody uses them now
};

/// Costs of cells. Threads share it.
class CostMap {
 public:
  CostMap(const Scene& scene, const RecordingSource& recordings, const std::vector<SweepAxis>& axes,
          const SweepOptions& options)
      : scene_(scene),
        axes_(axes),
        options_(options),
        stepper_(FindStepper(scene.simulation.method, scene.simulation.method_where)),
        model_(CompileModel(scene)),
        again_(std::any_of(axes.begin(), axes.end(), MovesTheStart)),
        blocks_(model_, recordings, options.start, again_) {
    stepper_.Check(model_);
    // Every recording once, before anything is computed: what is wrong with one is told at once.
    std::vector<std::vector<std::string>> reasons(static_cast<std::size_t>(blocks()));
    ParallelFor(static_cast<int>(blocks()), [&](int b) {
      const std::shared_ptr<const Blocks::Block> block = blocks_.Get(b);
      for (std::size_t i = 0; i < block->tosses.size(); ++i) {
        const PreparedToss& toss = block->tosses[i];
        if (!Usable(toss))
          reasons[static_cast<std::size_t>(b)].push_back(block->files[i] + ": " +
                                                         (toss.problem.empty() ? Missing() : toss.problem));
      }
    });
    for (const std::vector<std::string>& some : reasons) set_aside.insert(set_aside.end(), some.begin(), some.end());
    used_ = static_cast<int>(recordings.count - set_aside.size());
  }

  std::vector<std::string> set_aside;

  int used() const { return used_; }
  std::int64_t blocks() const { return blocks_.count(); }

  /// Cost in the cell of each used recording of a block; NaN where a roll-out has none. Counts those that failed in
  /// `unsolved`.
  std::vector<double> CostsOfBlock(std::int64_t cell, std::int64_t block, std::int64_t* unsolved = nullptr) const {
    Scene scene = scene_;
    const std::vector<int> indices = IndicesOf(axes_, cell);
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      for (const NumberId id : axes_[a].numbers) scene.Set(id, axes_[a].Value(indices[a]));
    }
    const Model model = CompileModel(scene);
    TossRoller roller(model, stepper_, options_.step.value_or(0));
    std::vector<SpatialPose<double>> poses;
    std::vector<double> costs;
    const std::shared_ptr<const Blocks::Block> held = blocks_.Get(block);
    for (std::size_t i = 0; i < held->tosses.size(); ++i) {
      if (!Usable(held->tosses[i])) continue;
      PreparedToss own;
      const PreparedToss* toss = &held->tosses[i];
      if (again_) {
        own = PrepareToss(model, held->recordings[i], options_.start);
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

  /// The same of all recordings.
  std::vector<double> Costs(std::int64_t cell, std::int64_t* unsolved = nullptr) const {
    std::vector<double> costs;
    for (std::int64_t block = 0; block < blocks(); ++block) {
      const std::vector<double> some = CostsOfBlock(cell, block, unsolved);
      costs.insert(costs.end(), some.begin(), some.end());
    }
    return costs;
  }

  /// Sum and number of the costs of a block.
  std::pair<double, int> SumOfBlock(std::int64_t cell, std::int64_t block) const {
    std::pair<double, int> sum{0, 0};
    for (const double cost : CostsOfBlock(cell, block)) {
      if (std::isfinite(cost)) sum.first += cost, ++sum.second;
    }
    return sum;
  }

 private:
  const char* Missing() const {
    return options_.cost == SweepCost::kRest ? "it does not end at rest" : "it has no impact on a single corner";
  }

  bool Usable(const PreparedToss& toss) const {
    if (!toss.problem.empty()) return false;
    if (options_.cost == SweepCost::kRest) return toss.toss.rest == toss.end;
    return options_.cost != SweepCost::kVelocity || !toss.impacts.impacts.empty();
  }

  const Scene& scene_;
  const std::vector<SweepAxis>& axes_;
  const SweepOptions& options_;
  const Stepper& stepper_;
  const Model model_;
  const bool again_;
  mutable Blocks blocks_;
  int used_ = 0;
};

/// From the best cell outwards along each axis, a few cells at a time, to the first whose cost has risen. All ranks.
std::vector<SweepInterval> Intervals(const CostMap& map, const std::vector<SweepAxis>& axes, std::int64_t best,
                                     const std::vector<double>& base) {
  constexpr int kAtOnce = 16;
  const std::vector<int> at = IndicesOf(axes, best);
  std::vector<SweepInterval> out;
  std::int64_t stride = 1;
  for (std::size_t a = axes.size(); a-- > 0;) {
    const SweepAxis& axis = axes[a];
    int ends[2] = {at[a], at[a]};
    for (const int side : {0, 1}) {
      const int direction = side == 0 ? -1 : 1;
      for (bool risen = false; !risen;) {
        const int room = side == 0 ? ends[0] : axis.count - 1 - ends[1];
        const int count = std::min(kAtOnce, room), first = ends[side];
        if (count == 0) break;
        std::vector<double> alike(static_cast<std::size_t>(count));
        ChunkedWork work{.label = "interval", .chunks = count};
        work.compute = [&](std::int64_t i, std::span<double> result) {
          const std::int64_t index = first + direction * (i + 1);
          const auto [rise, error] = MeanRise(base, map.Costs(best + (index - at[a]) * stride));
          result[0] = rise <= kUsual * error;
        };
        work.keep = [&](std::int64_t i, std::span<const double> result) {
          alike[static_cast<std::size_t>(i)] = result[0];
        };
        if (!RunChunks(work).complete) throw NumericsError("sweep: interrupted while the intervals were computed");
        if (Ranks()) Ranks()->Broadcast(alike);
        for (int i = 0; i < count && !risen; ++i) {
          risen = alike[static_cast<std::size_t>(i)] == 0;
          if (!risen) ends[side] += direction;
        }
      }
    }
    out.insert(out.begin(), {axis.Value(at[a]), axis.Value(ends[0]), axis.Value(ends[1]),
                             ends[0] == 0 || ends[1] == axis.count - 1});
    stride *= axis.count;
  }
  return out;
}

/// Ranks must compute the same thing.
void RefuseOtherInputs(const std::string& fingerprint) {
  if (!Ranks()) return;
  const auto own = static_cast<double>(std::stoull(Sha256Hex(fingerprint).substr(0, 12), nullptr, 16));
  double root = own;
  Ranks()->Broadcast(std::span<double>(&root, 1));
  if (root != own)
    throw InputError({}, "RECORDING", fmt::format("rank {} reads other inputs than rank 0.", Ranks()->rank()),
                     "Run all ranks with the same program, scene and recordings, on a file system that they share.");
}

/// Writes a row per cell and finds the cell of least cost; -1 when none has a cost.
std::int64_t WriteMap(const std::vector<SweepAxis>& axes, std::int64_t blocks, SweepSummary& summary,
                      const SlotFile& part, AtomicFile& out) {
  std::string line;
  for (const SweepAxis& axis : axes) line += axis.path + ",";
  out.Write(line + "cost\n");
  std::int64_t best = -1;
  const std::int64_t cell_chunks = ChunksOf(summary.cells);
  std::array<double, kCellsPerChunk> costs{}, counts{};
  std::array<double, 2 * kCellsPerChunk> sums{};
  for (std::int64_t cell = 0; cell < summary.cells; ++cell) {
    const auto k = static_cast<std::size_t>(cell % kCellsPerChunk);
    if (k == 0) {
      costs.fill(0);
      counts.fill(0);
      for (std::int64_t block = 0; block < blocks; ++block) {
        if (!part.Read(block * cell_chunks + cell / kCellsPerChunk, sums))
          throw NumericsError(fmt::format("sweep: {} cannot be read back; run again", part.file()));
        for (std::size_t c = 0; c < costs.size(); ++c) costs[c] += sums[2 * c], counts[c] += sums[2 * c + 1];
      }
      for (std::size_t c = 0; c < costs.size(); ++c) costs[c] /= counts[c];  // no number where none has a cost
    }
    line.clear();
    const std::vector<int> indices = IndicesOf(axes, cell);
    for (std::size_t a = 0; a < axes.size(); ++a) line += FormatDouble(axes[a].Value(indices[a])) + ",";
    out.Write(line + FormatDouble(costs[k]) + "\n");
    if (std::isfinite(costs[k]) && (best < 0 || costs[k] < summary.least_cost))
      best = cell, summary.least_cost = costs[k];
  }
  return best;
}

}  // namespace

SweepAxis ParseSweepAxis(const Scene& scene, std::string_view text) {
  const auto fail = [&](std::string problem) {
    throw InputError({}, "--grid", std::move(problem), "Write PATH=LO:HI:N, for example contact.friction=0:1:21.");
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) fail(fmt::format("`{}` has no `=`.", Printable(text)));
  SweepAxis axis;
  axis.path = std::string(text.substr(0, equals));
  axis.numbers = scene.Match(axis.path);
  std::string_view rest = text.substr(equals + 1);
  std::vector<std::string_view> parts;
  for (std::size_t colon = rest.find(':'); colon != std::string_view::npos; colon = rest.find(':')) {
    parts.push_back(rest.substr(0, colon));
    rest.remove_prefix(colon + 1);
  }
  parts.push_back(rest);
  if (parts.size() != 3) fail(fmt::format("`{}` is not LO:HI:N.", Printable(text.substr(equals + 1))));
  const auto number = [&](std::string_view part, Quantity quantity) {
    double value = 0;
    if (ParseNumber(part, quantity, value) != NumberText::kGood)
      fail(fmt::format("`{}` is no number.", Printable(part)));
    return value;
  };
  const Quantity quantity = scene.number(axis.numbers.front()).quantity;
  axis.lower = number(parts[0], quantity);
  axis.upper = number(parts[1], quantity);
  const double count = number(parts[2], Quantity::kPlain);
  if (count != std::floor(count) || count < 1 || count > 1e9)
    fail(fmt::format("`{}` is no number of values.", Printable(parts[2])));
  if (axis.upper < axis.lower) fail(fmt::format("{} is below {}.", axis.upper, axis.lower));
  axis.count = static_cast<int>(count);
  for (const NumberId id : axis.numbers) {
    const SceneNumber& n = scene.number(id);
    for (const double value : {axis.lower, axis.upper}) {
      if (!IsAllowed(n.quantity, value))
        throw InputError({}, n.path, fmt::format("{} cannot be: {}.", value, InfoOf(n.quantity).statement),
                         std::string(InfoOf(n.quantity).remedy));
    }
  }
  return axis;
}

SweepCost ParseSweepCost(std::string_view word) {
  if (word == "trajectory") return SweepCost::kTrajectory;
  if (word == "velocity") return SweepCost::kVelocity;
  if (word == "rest") return SweepCost::kRest;
  throw InputError({}, "--cost", fmt::format("there is no cost `{}`.", Printable(word)),
                   "Known are trajectory, velocity and rest.");
}

SweepSummary Sweep(const Scene& scene, const RecordingSource& recordings, const std::vector<SweepAxis>& axes,
                   const SweepOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  if (scene.space != Space::kSpatial)
    throw InputError({scene.file, 0, 0}, "space", "only scenes in space can be swept.",
                     "Use identify for planar ones.");
  RefuseOtherInputs(options.fingerprint);
  SweepSummary summary;
  summary.cells = CellCount(axes);
  const CostMap map(scene, recordings, axes, options);
  summary.recordings = static_cast<int>(recordings.count);
  summary.used = map.used();
  summary.set_aside = map.set_aside;
  if (map.used() == 0)
    throw InputError({}, "RECORDING",
                     "none of the recordings can be used" +
                         (map.set_aside.empty() ? std::string(".") : "; " + map.set_aside.front() + "."),
                     "Run `ricochet doctor` on them.");

  // Block by block, so that each is read as few times as possible.
  const std::int64_t cell_chunks = ChunksOf(summary.cells), chunks = cell_chunks * map.blocks();
  const auto first_cell = [&](std::int64_t chunk) { return chunk % cell_chunks * kCellsPerChunk; };
  const auto cells_of = [&](std::int64_t chunk) { return std::min(kCellsPerChunk, summary.cells - first_cell(chunk)); };
  constexpr int kDoubles = 2 * static_cast<int>(kCellsPerChunk);  // sum and number of costs per cell
  std::optional<SlotFile> part;
  ChunkedWork work{.label = "sweep", .chunks = chunks, .doubles = kDoubles};
  work.compute = [&](std::int64_t chunk, std::span<double> sums) {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (std::int64_t k = 0; k < cells_of(chunk); ++k) {
      const auto [sum, count] = map.SumOfBlock(first_cell(chunk) + k, chunk / cell_chunks);
      sums[static_cast<std::size_t>(2 * k)] = sum;
      sums[static_cast<std::size_t>(2 * k + 1)] = count;
    }
  };
  std::int64_t resumed = 0;  // cells of blocks
  if (IsRoot()) {
    part.emplace(options.output + ".part", options.fingerprint, chunks, kDoubles);
    work.done = [&](std::int64_t chunk) {
      const bool there = part->Has(chunk);
      if (there) resumed += cells_of(chunk);
      return there;
    };
    work.keep = [&](std::int64_t chunk, std::span<const double> sums) { part->Write(chunk, sums); };
  }
  const bool complete = RunChunks(work).complete;
  summary.resumed_cells = resumed / map.blocks();
  if (!complete) return summary;

  double best_cell = -1;
  std::optional<AtomicFile> out;
  if (IsRoot()) {
    out.emplace(options.output);
    best_cell = static_cast<double>(WriteMap(axes, map.blocks(), summary, *part, *out));
  }
  if (Ranks()) Ranks()->Broadcast(std::span<double>(&best_cell, 1));
  if (best_cell < 0) throw NumericsError("sweep: no roll-out of any cell could be compared");
  const std::vector<double> base = map.Costs(static_cast<std::int64_t>(best_cell), &summary.unsolved);
  summary.intervals = Intervals(map, axes, static_cast<std::int64_t>(best_cell), base);
  if (IsRoot()) {
    out->Commit();
    part->Remove();
  }
  summary.complete = true;
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return summary;
}

}  // namespace ricochet
