// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/sweep.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/atomic_file.h"
#include "core/context.h"
#include "core/hash.h"
#include "core/text.h"
#include "core/threads.h"
#include "core/work/chunked_work.h"
#include "core/work/slot_file.h"
#include "evaluate/sweep_costs.h"
#include "math/statistics.h"
#include "recording/recording_hash.h"
#include "ricochet/error.h"
#include "ricochet/version.h"
#include "scene/text/number_text.h"

namespace ricochet {
namespace {

constexpr std::int64_t kMostCells = std::int64_t{1} << 40;
constexpr std::int64_t kMostCellsInMemory = 10'000'000;
constexpr std::int64_t kCellsPerChunk = 8;
constexpr double kUsual = 1.96;  // standard errors

std::int64_t CellCount(const std::vector<SweepAxis>& axes) {
  std::int64_t cells = 1;
  for (const SweepAxis& axis : axes) {
    if (cells > kMostCells / axis.count)
      throw InputError({}, "axes", "the axes have too many cells together.", "Give fewer values.");
    cells *= axis.count;
  }
  return cells;
}

void RefuseNumbersTwice(const std::vector<SweepAxis>& axes) {
  for (std::size_t a = 0; a < axes.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      for (const NumberId id : axes[a].numbers)
        if (std::find(axes[b].numbers.begin(), axes[b].numbers.end(), id) != axes[b].numbers.end())
          throw InputError({}, "axes", fmt::format("{} and {} change the same parameter.", axes[b].path, axes[a].path),
                           "Give each parameter one axis.");
}

/// A chunk is some cells with a block of recordings. Of the rollouts, per cell: sum and number of the costs, number of
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

/// Reads every recording once, so that errors come before anything is computed or written. Root
/// only.
void CheckRecordings(const Scene& scene, const RecordingSource& recordings) {
  const Model model = CompileModel(scene);
  ParallelFor(static_cast<int>(recordings.count),
              [&](int i) { CheckToss(model, recordings.read(static_cast<std::size_t>(i))); });
}

/// From the best cell outward along each axis, a few cells at a time, to the first whose cost has risen. All ranks.
std::vector<SweepInterval> Intervals(const SweepCosts& map, const std::vector<SweepAxis>& axes, std::int64_t best) {
  constexpr int kAtOnce = 4;
  struct End {
    std::size_t axis;
    int direction, room;  // cells up to the edge of the grid
    std::int64_t stride;  // from a cell to its neighbor
    int length = 0;       // cells that are not distinguished from the best
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

/// Results of chunks: in a file that outlives the process, or in memory. Threads may use different chunks at once.
class ChunkStore {
 public:
  ChunkStore(const SweepOptions& options, const std::string& fingerprint, std::int64_t chunks) {
    if (const std::string part = PartFile(options.output); part.empty())
      memory_.resize(static_cast<std::size_t>(chunks));
    else
      part_.emplace(part, fingerprint, chunks, ChunkResult::kDoubles);
  }

  std::string file() const { return part_ ? part_->file() : ""; }
  bool Has(std::int64_t chunk) const { return part_ && part_->Has(chunk); }

  void Write(std::int64_t chunk, std::span<const double> result) {
    if (part_)
      part_->Write(chunk, result);
    else
      std::copy(result.begin(), result.end(), memory_[static_cast<std::size_t>(chunk)].begin());
  }

  ChunkResult Read(std::int64_t chunk) const {
    if (!part_) return ChunkResult(memory_[static_cast<std::size_t>(chunk)]);
    std::array<double, ChunkResult::kDoubles> numbers;
    if (!part_->Read(chunk, numbers))
      throw NumericsError(fmt::format("sweep: {} cannot be read back; run again", part_->file()));
    return ChunkResult(numbers);
  }

  void Remove() {
    if (part_) part_->Remove();
  }

 private:
  std::optional<SlotFile> part_;
  std::vector<std::array<double, ChunkResult::kDoubles>> memory_;
};

/// The chunks of the map, computed by all ranks and stored by the root.
class MapChunks {
 public:
  MapChunks(SweepCosts& costs, std::int64_t cells, const SweepOptions& options, const std::string& fingerprint)
      : costs_(costs), cells_(cells), cell_chunks_((cells + kCellsPerChunk - 1) / kCellsPerChunk) {
    if (IsRoot()) store_.emplace(options, fingerprint, cell_chunks_ * costs.blocks());
  }

  /// The first cells of every block, and so which recordings can be used.
  void ComputeFirst() {
    // What a rank has preprocessed it keeps for later cells: it takes from others where they are far behind.
    constexpr std::int64_t kBlocksWorthTaking = 4;
    Compute("recordings", costs_.blocks(), kBlocksWorthTaking, [&](std::int64_t at) { return at * cell_chunks_; });
    if (!IsRoot()) return;
    std::vector<std::uint64_t> usable;
    for (std::int64_t block = 0; block < costs_.blocks(); ++block)
      usable.push_back(store_->Read(block * cell_chunks_).usable);
    costs_.SetUsable(usable);
  }

  /// The others, block by block, so that each is preprocessed as few times as possible.
  void ComputeOthers() {
    const std::int64_t others = cell_chunks_ - 1;
    if (others == 0) return;
    Compute("sweep", costs_.blocks() * others, costs_.WorthTaking(kCellsPerChunk),
            [&](std::int64_t at) { return at / others * cell_chunks_ + 1 + at % others; });
  }

  /// Sums over all recordings for the cells from this one, a multiple of kCellsPerChunk. Root only.
  ChunkResult::Numbers SumsFrom(std::int64_t cell) const {
    ChunkResult::Numbers sums = ChunkResult::Numbers::Zero();
    for (std::int64_t block = 0; block < costs_.blocks(); ++block)
      sums += store_->Read(block * cell_chunks_ + cell / kCellsPerChunk).sums;
    return sums;
  }

  std::int64_t resumed_cells() const { return resumed_ / costs_.blocks(); }
  void Remove() { store_->Remove(); }

 private:
  /// `count` chunks, in the order that `chunk_at` gives.
  template <class ChunkAt>
  void Compute(const char* task, std::int64_t count, std::int64_t worth_taking, const ChunkAt& chunk_at) {
    ChunkedWork work{.task = task, .chunks = count, .doubles = ChunkResult::kDoubles, .worth_taking = worth_taking};
    work.compute = [&](std::int64_t at, std::span<double> out) { ComputeChunk(chunk_at(at)).Store(out); };
    if (IsRoot()) {
      work.store = store_->file();
      work.done = [&](std::int64_t at) {
        const bool there = store_->Has(chunk_at(at));
        if (there) resumed_ += CellsOf(chunk_at(at));
        return there;
      };
      work.keep = [&](std::int64_t at, std::span<const double> result) { store_->Write(chunk_at(at), result); };
    }
    RunChunks(work);
  }

  ChunkResult ComputeChunk(std::int64_t chunk) const {
    const std::int64_t block = chunk / cell_chunks_;
    ChunkResult result;
    result.usable = costs_.UsableOfBlock(block);
    for (std::int64_t k = 0; result.usable != 0 && k < CellsOf(chunk); ++k)
      result.sums.col(k) = SumOfBlock(costs_, FirstCell(chunk) + k, block);
    return result;
  }

  std::int64_t FirstCell(std::int64_t chunk) const { return chunk % cell_chunks_ * kCellsPerChunk; }
  std::int64_t CellsOf(std::int64_t chunk) const { return std::min(kCellsPerChunk, cells_ - FirstCell(chunk)); }

  SweepCosts& costs_;
  const std::int64_t cells_, cell_chunks_;
  std::optional<ChunkStore> store_;  // root only
  std::int64_t resumed_ = 0;         // cells of blocks
};

/// Hands the cost of every cell to `keep` and finds the cell of least cost; -1 when none has a cost.
template <class Keep>
std::int64_t CollectCosts(const MapChunks& chunks, SweepResult& result, const Keep& keep) {
  std::int64_t best = -1;
  ChunkResult::Numbers sums;
  for (std::int64_t cell = 0; cell < result.cells; ++cell) {
    const Eigen::Index k = cell % kCellsPerChunk;
    if (k == 0) sums = chunks.SumsFrom(cell);
    // No number where no simulation has a cost.
    const double cost = sums(ChunkResult::kCost, k) / sums(ChunkResult::kCount, k);
    keep(cell, cost);
    if (std::isfinite(cost) && (best < 0 || cost < result.least_cost)) {
      best = cell;
      result.least_cost = cost;
      result.unsolved = static_cast<std::int64_t>(sums(ChunkResult::kUnsolved, k));
    }
  }
  return best;
}

/// The cost map as CSV, a row per cell.
class MapFile {
 public:
  MapFile(const std::string& file, const std::vector<SweepAxis>& axes) : axes_(axes), file_(file) {
    std::string line;
    for (const SweepAxis& axis : axes) line += axis.path + ",";
    file_.Write(line + "cost\n");
  }

  void Append(std::int64_t cell, double cost) {
    std::string line;
    const std::vector<int> indices = IndicesOf(axes_, cell);
    for (std::size_t a = 0; a < axes_.size(); ++a) line += FormatDouble(axes_[a].Value(indices[a])) + ",";
    file_.Write(line + FormatDouble(cost) + "\n");
  }

  void Commit() { file_.Commit(); }

 private:
  const std::vector<SweepAxis>& axes_;
  AtomicFile file_;
};

/// Everything that the cost map depends on.
std::string FingerprintOf(const Scene& scene, const RecordingSource& recordings, const std::vector<SweepAxis>& axes,
                          const SweepOptions& options) {
  std::string text = fmt::format("{}\n{}\n", Commit(), Sha256Hex(scene.text));
  for (const SceneNumber& number : scene.numbers())
    text += fmt::format("{}={}\n", number.path, FormatDouble(number.value));
  for (std::size_t i = 0; i < recordings.count; ++i) text += recordings.hash(i) + "\n";
  for (const SweepAxis& axis : axes)
    text +=
        fmt::format("axis {} {} {} {}\n", axis.path, FormatDouble(axis.lower), FormatDouble(axis.upper), axis.count);
  return text + fmt::format("cost {} start {} step {}\n", FormatSweepCost(options.cost), FormatRollStart(options.start),
                            options.step ? FormatDouble(*options.step) : "");
}

}  // namespace

SweepAxis MakeSweepAxis(const Scene& scene, std::string_view path, double lower, double upper, int count) {
  SweepAxis axis{std::string(path), scene.Match(path), lower, upper, count};
  if (count < 1) throw InputError({}, "axes", fmt::format("{} values of {}.", count, path), "Give at least one value.");
  if (!(lower <= upper))
    throw InputError({}, "axes",
                     fmt::format("the values of {} end at {}, below their start at {}.", path, upper, lower),
                     "Give the smaller value first.");
  for (const NumberId id : axis.numbers) {
    const SceneNumber& n = scene.number(id);
    for (const double value : {lower, upper}) {
      if (!IsAllowed(n.quantity, value))
        throw InputError({}, n.path, fmt::format("{} is not valid: {}.", value, InfoOf(n.quantity).statement),
                         std::string(InfoOf(n.quantity).remedy));
    }
  }
  return axis;
}

SweepAxis ParseSweepAxis(const Scene& scene, std::string_view text) {
  const auto fail = [&](std::string problem) {
    throw InputError({}, "axes", std::move(problem), "Write PATH=LO:HI:N, for example contact.friction=0:1:21.");
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) fail(fmt::format("`{}` has no `=`.", Printable(text)));
  const std::string_view path = text.substr(0, equals);
  const Quantity quantity = scene.number(scene.Match(path).front()).quantity;
  std::string_view rest = text.substr(equals + 1);
  std::vector<std::string_view> parts;
  for (std::size_t colon = rest.find(':'); colon != std::string_view::npos; colon = rest.find(':')) {
    parts.push_back(rest.substr(0, colon));
    rest.remove_prefix(colon + 1);
  }
  parts.push_back(rest);
  if (parts.size() != 3) fail(fmt::format("`{}` is not LO:HI:N.", Printable(text.substr(equals + 1))));
  const auto number = [&](std::string_view part, Quantity of) {
    double value = 0;
    if (ParseNumber(part, of, value) != NumberText::kGood) fail(fmt::format("`{}` is not a number.", Printable(part)));
    return value;
  };
  const double lower = number(parts[0], quantity), upper = number(parts[1], quantity);
  const double count = number(parts[2], Quantity::kPlain);
  if (count != std::floor(count) || count < 1 || count > 1e9)
    fail(fmt::format("`{}` is not a number of values.", Printable(parts[2])));
  return MakeSweepAxis(scene, path, lower, upper, static_cast<int>(count));
}

SweepCost ParseSweepCost(std::string_view word) {
  if (word == "trajectory") return SweepCost::kTrajectory;
  if (word == "velocity") return SweepCost::kVelocity;
  if (word == "rest") return SweepCost::kRest;
  throw InputError({}, "cost", fmt::format("there is no cost `{}`.", Printable(word)),
                   "Use trajectory, velocity or rest.");
}

std::string_view FormatSweepCost(SweepCost cost) {
  return cost == SweepCost::kRest ? "rest" : cost == SweepCost::kVelocity ? "velocity" : "trajectory";
}

RecordingSource RecordingsInFiles(std::vector<std::string> files) {
  const auto shared = std::make_shared<const std::vector<std::string>>(std::move(files));
  return {.count = shared->size(),
          .read = [shared](std::size_t i) { return ReadRecording((*shared)[i]); },
          .hash = [shared](std::size_t i) { return Sha256OfFile((*shared)[i]); }};
}

SweepResult Sweep(const Scene& scene, const std::vector<Recording>& recordings, const std::vector<SweepAxis>& axes,
                  const SweepOptions& options, const Context& context) {
  const RecordingSource source{.count = recordings.size(),
                               .read = [&](std::size_t i) { return recordings[i]; },
                               .hash = [&](std::size_t i) { return HashOf(recordings[i]); }};
  return Sweep(scene, source, axes, options, context);
}

SweepResult Sweep(const Scene& scene, const RecordingSource& recordings, const std::vector<SweepAxis>& axes,
                  const SweepOptions& options, const Context& context) {
  const ContextScope scope(context, "sweep");
  const auto begin = std::chrono::steady_clock::now();
  if (scene.space != Space::kSpatial)
    throw InputError({scene.file, 0, 0}, "space", "sweep supports only spatial scenes.",
                     "For planar recordings, use `identify`.");
  const std::string fingerprint = FingerprintOf(scene, recordings, axes, options);
  RefuseOtherInputs(fingerprint);
  RefuseNumbersTwice(axes);
  SweepResult result;
  result.cells = CellCount(axes);
  result.recordings = static_cast<int>(recordings.count);
  if (IsRoot()) CheckRecordings(scene, recordings);
  SweepCosts map(scene, recordings, axes, options);
  MapChunks chunks(map, result.cells, options, fingerprint);
  chunks.ComputeFirst();
  double used = 0;
  if (IsRoot()) {
    used = result.used = map.used();
    result.excluded = map.Excluded();
    if (used == 0) chunks.Remove();
  }
  if (Ranks()) Ranks()->Broadcast(std::span<double>(&used, 1));
  if (used == 0)
    throw InputError({}, "recordings",
                     "none of the recordings can be used" +
                         (result.excluded.empty() ? std::string(".") : "; " + result.excluded.front() + "."),
                     "Examine them (`ricochet doctor`).");
  chunks.ComputeOthers();
  result.resumed_cells = chunks.resumed_cells();

  double best_cell = -1;
  std::optional<MapFile> file;
  if (IsRoot()) {
    if (!options.output.empty()) file.emplace(options.output, axes);
    const bool in_memory = result.cells <= kMostCellsInMemory;
    best_cell = static_cast<double>(CollectCosts(chunks, result, [&](std::int64_t cell, double cost) {
      if (file) file->Append(cell, cost);
      if (in_memory) result.cost.push_back(cost);
    }));
  }
  if (Ranks()) Ranks()->Broadcast(std::span<double>(&best_cell, 1));
  if (best_cell < 0) throw NumericsError("sweep: no simulation of any cell can be compared");
  result.intervals = Intervals(map, axes, static_cast<std::int64_t>(best_cell));
  if (file) file->Commit();
  if (IsRoot()) chunks.Remove();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

std::string FormatSweep(const std::vector<SweepAxis>& axes, const SweepOptions& options, const SweepResult& result) {
  nlohmann::ordered_json out = {{"cells", result.cells},           {"resumed_cells", result.resumed_cells},
                                {"recordings", result.recordings}, {"used", result.used},
                                {"excluded", result.excluded},     {"cost", FormatSweepCost(options.cost)},
                                {"least_cost", result.least_cost}, {"unsolved", result.unsolved},
                                {"seconds", result.seconds},       {"file", options.output}};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const SweepInterval& interval = result.intervals[i];
    out["best"].push_back({{"path", axes[i].path},
                           {"value", interval.best},
                           {"lower", interval.lower},
                           {"upper", interval.upper},
                           {"at_edge", interval.at_edge}});
  }
  return out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string DescribeSweep(const std::vector<SweepAxis>& axes, const SweepOptions& options, const SweepResult& result) {
  std::string text = fmt::format("{} cells, {} recordings given, {} used, {:.1f} s\n", result.cells, result.recordings,
                                 result.used, result.seconds);
  if (result.resumed_cells > 0) text += fmt::format("{} cells resumed from an earlier run\n", result.resumed_cells);
  for (const std::string& reason : result.excluded) text += fmt::format("excluded: {}\n", reason);
  text += fmt::format("least cost ({}) {:.6g}\n", FormatSweepCost(options.cost), result.least_cost);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const SweepInterval& interval = result.intervals[i];
    text += fmt::format("  {:<40}{:>10.5g}   not distinguished: {:.5g} to {:.5g}{}\n", axes[i].path, interval.best,
                        interval.lower, interval.upper, interval.at_edge ? " (end of the grid)" : "");
  }
  return text;
}

}  // namespace ricochet
