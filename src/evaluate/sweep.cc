// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/sweep.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "core/atomic_file.h"
#include "core/chunked_work.h"
#include "core/slot_file.h"
#include "core/text.h"
#include "core/threads.h"
#include "evaluate/sweep_costs.h"
#include "math/statistics.h"
#include "ricochet/error.h"
#include "scene/number_text.h"

namespace ricochet {
namespace {

constexpr std::int64_t kMostCells = std::int64_t{1} << 40;
constexpr std::int64_t kCellsPerChunk = 8;
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

void RefuseNumbersTwice(const std::vector<SweepAxis>& axes) {
  for (std::size_t a = 0; a < axes.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      for (const NumberId id : axes[a].numbers)
        if (std::find(axes[b].numbers.begin(), axes[b].numbers.end(), id) != axes[b].numbers.end())
          throw InputError({}, "--grid", fmt::format("{} and {} change the same number.", axes[b].path, axes[a].path),
                           "Give each number one grid.");
}

/// A chunk is some cells with a block of recordings. Of the roll-outs, per cell: sum and number of the costs, number of
/// those that failed; and which recordings of the block can be used.
struct ChunkResult {
  using Numbers = Eigen::Matrix<double, 3, kCellsPerChunk>;
  static constexpr int kCost = 0, kCount = 1, kUnsolved = 2;
  static constexpr int kDoubles = Numbers::SizeAtCompileTime + 1;

  Numbers sums = Numbers::Zero();
  std::uint64_t usable = 0;  // bits

  ChunkResult() = default;
  explicit ChunkResult(std::span<const double> from)
      : sums(from.data()), usable(static_cast<std::uint64_t>(from.back())) {}
  void Store(std::span<double> out) const {
    std::copy(sums.data(), sums.data() + sums.size(), out.begin());
    out.back() = static_cast<double>(usable);
  }
};

Eigen::Vector3d SumOfBlock(const SweepCosts& map, std::int64_t cell, std::int64_t block) {
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  std::int64_t unsolved = 0;
  for (const double cost : map.CostsOfBlock(cell, block, &unsolved)) {
    if (std::isfinite(cost)) sum[ChunkResult::kCost] += cost, ++sum[ChunkResult::kCount];
  }
  sum[ChunkResult::kUnsolved] = static_cast<double>(unsolved);
  return sum;
}

/// Reads every recording once, so that what is wrong with one is told before anything is computed or written. Root
/// only.
void CheckRecordings(const Scene& scene, const RecordingSource& recordings) {
  const Model model = CompileModel(scene);
  ParallelFor(static_cast<int>(recordings.count),
              [&](int i) { CheckToss(model, recordings.read(static_cast<std::size_t>(i))); });
}

/// From the best cell outwards along each axis, a few cells at a time, to the first whose cost has risen. All ranks.
std::vector<SweepInterval> Intervals(const SweepCosts& map, const std::vector<SweepAxis>& axes, std::int64_t best) {
  constexpr int kAtOnce = 4;
  struct End {
    std::size_t axis;
    int direction, room;  // cells up to the edge of the grid
    std::int64_t stride;  // from a cell to its neighbour
    int length = 0;       // cells that are not told apart from the best
    bool open = true;
  };
  const std::vector<int> at = IndicesOf(axes, best);
  std::vector<End> ends;
  std::int64_t stride = 1;
  for (std::size_t a = axes.size(); a-- > 0;) {
    ends.push_back({a, -1, at[a], -stride});
    ends.push_back({a, 1, axes[a].count - 1 - at[a], stride});
    stride *= axes[a].count;
  }
  std::vector<double> base;
  while (true) {
    std::vector<std::int64_t> cells;
    for (const End& end : ends)
      for (int i = 1; end.open && i <= std::min(kAtOnce, end.room - end.length); ++i)
        cells.push_back(best + (end.length + i) * end.stride);
    if (cells.empty()) break;
    if (base.empty()) cells.insert(cells.begin(), best);
    std::vector<std::vector<double>> costs = map.Costs(cells);
    if (base.empty()) {
      base = std::move(costs.front());
      costs.erase(costs.begin());
    }
    std::vector<double> alike(costs.size());
    for (std::size_t i = 0; i < costs.size(); ++i) {
      const auto [rise, error] = MeanRise(base, costs[i]);
      alike[i] = rise <= kUsual * error;
    }
    if (Ranks()) Ranks()->Broadcast(alike);
    std::size_t next = 0;
    for (End& end : ends) {
      if (!end.open) continue;
      const int count = std::min(kAtOnce, end.room - end.length);
      end.open = count == kAtOnce;
      for (int i = 0; i < count; ++i) {
        if (alike[next + static_cast<std::size_t>(i)] == 0) {
          end.open = false;
          break;
        }
        ++end.length;
      }
      next += static_cast<std::size_t>(count);
    }
  }
  std::vector<SweepInterval> out(axes.size());
  for (const End& end : ends) {
    const SweepAxis& axis = axes[end.axis];
    SweepInterval& interval = out[end.axis];
    interval.best = axis.Value(at[end.axis]);
    (end.direction < 0 ? interval.lower : interval.upper) = axis.Value(at[end.axis] + end.direction * end.length);
    interval.at_edge = interval.at_edge || end.length == end.room;
  }
  return out;
}

/// The chunks of the map, computed by all ranks and stored by the root in the part file.
class MapChunks {
 public:
  MapChunks(SweepCosts& costs, std::int64_t cells, const SweepOptions& options)
      : costs_(costs), cells_(cells), cell_chunks_((cells + kCellsPerChunk - 1) / kCellsPerChunk) {
    if (IsRoot())
      part_.emplace(options.output + ".part", options.fingerprint, cell_chunks_ * costs.blocks(),
                    ChunkResult::kDoubles);
  }

  /// The first cells of every block, and so which recordings can be used. False when interrupted.
  bool ComputeFirst() {
    // What a rank has made ready it keeps for later cells: it takes from others where they are far behind.
    constexpr std::int64_t kBlocksWorthTaking = 4;
    if (!Compute("recordings", costs_.blocks(), kBlocksWorthTaking, [&](std::int64_t at) { return at * cell_chunks_; }))
      return false;
    if (!IsRoot()) return true;
    std::vector<std::uint64_t> usable;
    for (std::int64_t block = 0; block < costs_.blocks(); ++block) usable.push_back(Read(block * cell_chunks_).usable);
    costs_.SetUsable(usable);
    return true;
  }

  /// The others, block by block, so that each is made ready as few times as possible. False when interrupted.
  bool ComputeOthers() {
    const std::int64_t others = cell_chunks_ - 1;
    if (others == 0) return true;
    return Compute("sweep", costs_.blocks() * others, costs_.WorthTaking(kCellsPerChunk),
                   [&](std::int64_t at) { return at / others * cell_chunks_ + 1 + at % others; });
  }

  /// Sums over all recordings for the cells from this one, a multiple of kCellsPerChunk. Root only.
  ChunkResult::Numbers SumsFrom(std::int64_t cell) const {
    ChunkResult::Numbers sums = ChunkResult::Numbers::Zero();
    for (std::int64_t block = 0; block < costs_.blocks(); ++block)
      sums += Read(block * cell_chunks_ + cell / kCellsPerChunk).sums;
    return sums;
  }

  std::int64_t resumed_cells() const { return resumed_ / costs_.blocks(); }
  void Remove() { part_->Remove(); }

 private:
  /// `count` chunks, in the order that `chunk_at` gives.
  template <class ChunkAt>
  bool Compute(const char* label, std::int64_t count, std::int64_t worth_taking, const ChunkAt& chunk_at) {
    ChunkedWork work{.label = label, .chunks = count, .doubles = ChunkResult::kDoubles, .worth_taking = worth_taking};
    work.compute = [&](std::int64_t at, std::span<double> out) { ComputeChunk(chunk_at(at)).Store(out); };
    if (IsRoot()) {
      work.done = [&](std::int64_t at) {
        const bool there = part_->Has(chunk_at(at));
        if (there) resumed_ += CellsOf(chunk_at(at));
        return there;
      };
      work.keep = [&](std::int64_t at, std::span<const double> result) { part_->Write(chunk_at(at), result); };
    }
    return RunChunks(work).complete;
  }

  ChunkResult ComputeChunk(std::int64_t chunk) const {
    const std::int64_t block = chunk / cell_chunks_;
    ChunkResult result;
    result.usable = costs_.UsableOfBlock(block);
    for (std::int64_t k = 0; result.usable != 0 && k < CellsOf(chunk); ++k)
      result.sums.col(k) = SumOfBlock(costs_, FirstCell(chunk) + k, block);
    return result;
  }

  ChunkResult Read(std::int64_t chunk) const {
    std::array<double, ChunkResult::kDoubles> numbers;
    if (!part_->Read(chunk, numbers))
      throw NumericsError(fmt::format("sweep: {} cannot be read back; run again", part_->file()));
    return ChunkResult(numbers);
  }

  std::int64_t FirstCell(std::int64_t chunk) const { return chunk % cell_chunks_ * kCellsPerChunk; }
  std::int64_t CellsOf(std::int64_t chunk) const { return std::min(kCellsPerChunk, cells_ - FirstCell(chunk)); }

  SweepCosts& costs_;
  const std::int64_t cells_, cell_chunks_;
  std::optional<SlotFile> part_;  // root only
  std::int64_t resumed_ = 0;      // cells of blocks
};

/// Writes a row per cell and finds the cell of least cost; -1 when none has a cost.
std::int64_t WriteMap(const std::vector<SweepAxis>& axes, const MapChunks& chunks, SweepSummary& summary,
                      AtomicFile& out) {
  std::string line;
  for (const SweepAxis& axis : axes) line += axis.path + ",";
  out.Write(line + "cost\n");
  std::int64_t best = -1;
  ChunkResult::Numbers sums;
  for (std::int64_t cell = 0; cell < summary.cells; ++cell) {
    const Eigen::Index k = cell % kCellsPerChunk;
    if (k == 0) sums = chunks.SumsFrom(cell);
    // No number where no roll-out has a cost.
    const double cost = sums(ChunkResult::kCost, k) / sums(ChunkResult::kCount, k);
    line.clear();
    const std::vector<int> indices = IndicesOf(axes, cell);
    for (std::size_t a = 0; a < axes.size(); ++a) line += FormatDouble(axes[a].Value(indices[a])) + ",";
    out.Write(line + FormatDouble(cost) + "\n");
    if (std::isfinite(cost) && (best < 0 || cost < summary.least_cost)) {
      best = cell;
      summary.least_cost = cost;
      summary.unsolved = static_cast<std::int64_t>(sums(ChunkResult::kUnsolved, k));
    }
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
  RefuseNumbersTwice(axes);
  SweepSummary summary;
  summary.cells = CellCount(axes);
  summary.recordings = static_cast<int>(recordings.count);
  if (IsRoot()) CheckRecordings(scene, recordings);
  SweepCosts map(scene, recordings, axes, options);
  MapChunks chunks(map, summary.cells, options);
  bool complete = chunks.ComputeFirst();
  if (complete) {
    double used = 0;
    if (IsRoot()) {
      used = summary.used = map.used();
      summary.set_aside = map.SetAside();
      if (used == 0) chunks.Remove();
    }
    if (Ranks()) Ranks()->Broadcast(std::span<double>(&used, 1));
    if (used == 0)
      throw InputError({}, "RECORDING",
                       "none of the recordings can be used" +
                           (summary.set_aside.empty() ? std::string(".") : "; " + summary.set_aside.front() + "."),
                       "Run `ricochet doctor` on them.");
    complete = chunks.ComputeOthers();
  }
  summary.resumed_cells = chunks.resumed_cells();
  if (!complete) return summary;

  double best_cell = -1;
  std::optional<AtomicFile> out;
  if (IsRoot()) {
    out.emplace(options.output);
    best_cell = static_cast<double>(WriteMap(axes, chunks, summary, *out));
  }
  if (Ranks()) Ranks()->Broadcast(std::span<double>(&best_cell, 1));
  if (best_cell < 0) throw NumericsError("sweep: no roll-out of any cell could be compared");
  summary.intervals = Intervals(map, axes, static_cast<std::int64_t>(best_cell));
  if (IsRoot()) {
    out->Commit();
    chunks.Remove();
  }
  summary.complete = true;
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return summary;
}

}  // namespace ricochet
