// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>

#include "core/atomic_file.h"
#include "core/progress.h"
#include "core/signals.h"
#include "core/text.h"
#include "core/threads.h"
#include "evaluate/slot_file.h"
#include "estimators/toss_rollout.h"
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

/// Costs of cells. Threads share it.
class CostMap {
 public:
  CostMap(const Scene& scene, const std::vector<Recording>& recordings, const std::vector<SweepAxis>& axes,
          const SweepOptions& options)
      : scene_(scene),
        recordings_(recordings),
        axes_(axes),
        options_(options),
        stepper_(FindStepper(scene.simulation.method, scene.simulation.method_where)) {
    const Model model = CompileModel(scene);
    stepper_.Check(model);
    tosses_.resize(recordings.size());
    ParallelFor(static_cast<int>(recordings.size()), [&](int i) {
      tosses_[static_cast<std::size_t>(i)] = PrepareToss(model, recordings[static_cast<std::size_t>(i)], options.start);
    });
    again_ = std::any_of(axes.begin(), axes.end(), MovesTheStart);
    for (std::size_t i = 0; i < tosses_.size(); ++i) {
      if (Usable(tosses_[i])) {
        used_.push_back(i);
      } else {
        set_aside.push_back(
            fmt::format("{}: {}", recordings[i].file, tosses_[i].problem.empty() ? Missing() : tosses_[i].problem));
      }
    }
  }

  std::vector<std::string> set_aside;

  int used() const { return static_cast<int>(used_.size()); }

  /// Cost of each used recording in the cell; NaN where a roll-out has none. Counts those that failed in `unsolved`.
  std::vector<double> Costs(std::int64_t cell, std::int64_t* unsolved = nullptr) const {
    Scene scene = scene_;
    const std::vector<int> indices = IndicesOf(axes_, cell);
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      for (const NumberId id : axes_[a].numbers) scene.Set(id, axes_[a].Value(indices[a]));
    }
    const Model model = CompileModel(scene);
    TossRoller roller(model, stepper_, options_.step.value_or(0));
    std::vector<SpatialPose<double>> poses;
    std::vector<double> costs;
    for (const std::size_t i : used_) {
      PreparedToss own;
      const PreparedToss* toss = &tosses_[i];
      if (again_) {
        own = PrepareToss(model, recordings_[i], options_.start);
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

  double MeanCost(std::int64_t cell) const {
    double sum = 0;
    int count = 0;
    for (const double cost : Costs(cell)) {
      if (std::isfinite(cost)) sum += cost, ++count;
    }
    return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
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
  const std::vector<Recording>& recordings_;
  const std::vector<SweepAxis>& axes_;
  const SweepOptions& options_;
  const Stepper& stepper_;
  std::vector<PreparedToss> tosses_;
  std::vector<std::size_t> used_;
  bool again_ = false;
};

/// Mean rise from `base` to `other` over the recordings that have both, and its standard error.
std::pair<double, double> MeanRise(const std::vector<double>& base, const std::vector<double>& other) {
  double sum = 0, squares = 0;
  int count = 0;
  for (std::size_t i = 0; i < base.size(); ++i) {
    const double rise = other[i] - base[i];
    if (!std::isfinite(rise)) continue;
    sum += rise, squares += rise * rise, ++count;
  }
  if (count == 0) return {std::numeric_limits<double>::infinity(), 0};
  const double mean = sum / count;
  const double variance = count > 1 ? std::max(0.0, squares - sum * mean) / (count - 1) : 0;
  return {mean, std::sqrt(variance / count)};
}

std::vector<SweepInterval> Intervals(const CostMap& map, const std::vector<SweepAxis>& axes, std::int64_t best,
                                     const std::vector<double>& base) {
  const std::vector<int> at = IndicesOf(axes, best);
  std::vector<SweepInterval> out;
  std::int64_t stride = 1;
  for (std::size_t a = axes.size(); a-- > 0;) {
    const SweepAxis& axis = axes[a];
    std::vector<char> alike(static_cast<std::size_t>(axis.count));
    ParallelFor(axis.count, [&](int i) {
      const auto [rise, error] = MeanRise(base, map.Costs(best + (i - at[a]) * stride));
      alike[static_cast<std::size_t>(i)] = i == at[a] || rise <= kUsual * error;
    });
    int lower = at[a], upper = at[a];
    while (lower > 0 && alike[static_cast<std::size_t>(lower) - 1]) --lower;
    while (upper + 1 < axis.count && alike[static_cast<std::size_t>(upper) + 1]) ++upper;
    out.insert(out.begin(),
               {axis.Value(at[a]), axis.Value(lower), axis.Value(upper), lower == 0 || upper == axis.count - 1});
    stride *= axis.count;
  }
  return out;
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

SweepSummary Sweep(const Scene& scene, const std::vector<Recording>& recordings, const std::vector<SweepAxis>& axes,
                   const SweepOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  if (scene.space != Space::kSpatial)
    throw InputError({scene.file, 0, 0}, "space", "only scenes in space can be swept.",
                     "Use identify for planar ones.");
  SweepSummary summary;
  summary.cells = CellCount(axes);
  const CostMap map(scene, recordings, axes, options);
  summary.recordings = static_cast<int>(recordings.size());
  summary.used = map.used();
  summary.set_aside = map.set_aside;
  if (map.used() == 0)
    throw InputError({}, "RECORDING",
                     "none of the recordings can be used" +
                         (map.set_aside.empty() ? std::string(".") : "; " + map.set_aside.front() + "."),
                     "Run `ricochet doctor` on them.");

  const std::int64_t chunks = (summary.cells + kCellsPerChunk - 1) / kCellsPerChunk;
  const auto cells_of = [&](std::int64_t chunk) {
    return std::min(kCellsPerChunk, summary.cells - chunk * kCellsPerChunk);
  };
  SlotFile part(options.output + ".part", options.fingerprint, chunks, static_cast<int>(kCellsPerChunk));
  {
    const InterruptScope interrupt;
    Progress progress("sweep", summary.cells);
    std::atomic<std::int64_t> resumed{0};
    // Chunks in groups, so that the loop's own book-keeping does not grow with the grid.
    constexpr std::int64_t kGroup = 4096;
    for (std::int64_t first = 0; first < chunks && !Interrupted(); first += kGroup) {
      ParallelFor(static_cast<int>(std::min(kGroup, chunks - first)), [&](int i) {
        if (Interrupted()) return;
        const std::int64_t chunk = first + i, count = cells_of(chunk);
        std::vector<double> costs(static_cast<std::size_t>(kCellsPerChunk));
        if (part.Read(chunk, costs)) {
          resumed += count;
        } else {
          for (std::int64_t k = 0; k < count; ++k)
            costs[static_cast<std::size_t>(k)] = map.MeanCost(chunk * kCellsPerChunk + k);
          part.Write(chunk, costs);
        }
        progress.Advance(count);
      });
    }
    summary.resumed_cells = resumed;
    if (Interrupted()) return summary;
  }

  AtomicFile out(options.output);
  std::string line;
  for (const SweepAxis& axis : axes) line += axis.path + ",";
  out.Write(line + "cost\n");
  std::int64_t best = -1;
  std::vector<double> costs(static_cast<std::size_t>(kCellsPerChunk));
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    if (!part.Read(chunk, costs))
      throw NumericsError(fmt::format("sweep: {} cannot be read back; run again", part.file()));
    for (std::int64_t k = 0; k < cells_of(chunk); ++k) {
      const std::int64_t cell = chunk * kCellsPerChunk + k;
      const double cost = costs[static_cast<std::size_t>(k)];
      line.clear();
      const std::vector<int> indices = IndicesOf(axes, cell);
      for (std::size_t a = 0; a < axes.size(); ++a) line += FormatDouble(axes[a].Value(indices[a])) + ",";
      out.Write(line + FormatDouble(cost) + "\n");
      if (std::isfinite(cost) && (best < 0 || cost < summary.least_cost)) best = cell, summary.least_cost = cost;
    }
  }
  if (best < 0) throw NumericsError("sweep: no roll-out of any cell could be compared");
  const std::vector<double> base = map.Costs(best, &summary.unsolved);
  summary.intervals = Intervals(map, axes, best, base);
  out.Commit();
  part.Remove();
  summary.complete = true;
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return summary;
}

}  // namespace ricochet
