// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Sweep: the cost of predicting recorded tosses over a grid of parameters (Jongeneel 16-18).
//
//     const std::vector<ricochet::SweepAxis> axes = {
//         ricochet::MakeSweepAxis(scene, "contact.friction", 0, 1, 21),
//         ricochet::MakeSweepAxis(scene, "contact.restitution", 0, 1, 21)};
//     const ricochet::SweepResult map = ricochet::Sweep(scene, tosses, axes);
//     // map.cost[i * 21 + j] is the cost at friction axes[0].Value(i) and restitution axes[1].Value(j)
//
// Use it to see the shape of a cost that an estimator minimizes: whether it has one minimum, how flat it is, and which
// parameters trade off. The scene is as for Validate (validate.h): spatial, one body that moves.
//
// Cells are numbered with the last axis fastest and divided into chunks, recordings into blocks; chunks times blocks
// are computed on all threads and ranks. With SweepOptions::output set, finished ones are stored at once, so that a
// sweep that was cancelled or killed resumes. The result depends neither on threads nor on interruptions. Memory grows
// neither with cells nor with recordings: at most 1024 are kept, and others are read again when needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/context.h"
#include "ricochet/parameter.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"
#include "ricochet/validate.h"

namespace ricochet {

/// One parameter of the grid: `count` values from `lower` to `upper`, both included.
struct SweepAxis {
  std::string path;               // as given; the name of the column in the file
  std::vector<NumberId> numbers;  // all parameters that the path means; they get the same value
  double lower = 0, upper = 0;    // in the parameter's unit
  int count = 1;                  // >= 1; with one value it is `lower`

  /// The value of the cell with this index, from 0 to count - 1.
  double Value(int index) const {
    return count == 1 ? lower : lower + (upper - lower) * (static_cast<double>(index) / (count - 1));
  }
};

/// An axis over all parameters that `path` means (parameter.h). Throws InputError for an unknown path, a count below 1,
/// limits in the wrong order, and limits that the parameter cannot have.
SweepAxis MakeSweepAxis(const Scene& scene, std::string_view path, double lower, double upper, int count);

/// The same from `PATH=LO:HI:N`, as `--grid` takes it; angles may be written `30 deg`.
SweepAxis ParseSweepAxis(const Scene& scene, std::string_view text);

/// What a cell costs, as the mean over the recordings. Numbers in parentheses are equations of Jongeneel et al.
enum class SweepCost {
  kTrajectory,  // (18): mean of distance / length + angle over the frames, without unit
  kVelocity,    // (17): velocities after impacts on one corner [m/s]; recordings without such impacts are excluded
  kRest,        // (21): distance of the rest positions in the surface [m]
};

/// `trajectory`, `velocity`, `rest`. Throws InputError for another word.
SweepCost ParseSweepCost(std::string_view word);

/// The inverse.
std::string_view FormatSweepCost(SweepCost cost);

/// How to sweep.
struct SweepOptions {
  SweepCost cost = SweepCost::kTrajectory;
  RollStart start{};             // where simulations start
  std::optional<double> step{};  // of the simulations [s]; none: the scene's

  /// CSV file with one row per cell: values of the axes, then the cost. Until it is complete, `output + ".part"` keeps
  /// finished chunks, and the same call resumes from them. A part that belongs to other inputs is rejected. Empty: no
  /// file, and nothing to resume from.
  std::string output{};
};

/// Values of one axis that the data do not distinguish from the best, with all others as in the best cell. There, the
/// mean rise of the cost is at most 1.96 standard errors over the recordings.
struct SweepInterval {
  double best = 0, lower = 0, upper = 0;  // values of the grid, so known to its spacing, in the parameter's unit
  bool at_edge = false;                   // the interval reaches the end of the grid: widen it
};

/// What a sweep found.
struct SweepResult {
  std::int64_t cells = 0;                // product of the axes' counts
  std::int64_t resumed_cells = 0;        // of them, found in the part file
  std::int64_t unsolved = 0;             // simulations of the best cell that failed before the end
  int recordings = 0, used = 0;          // given, and of them not excluded
  std::vector<std::string> excluded;     // "file: reason"
  double least_cost = 0;                 // in the unit of the SweepCost
  std::vector<SweepInterval> intervals;  // one per axis
  double seconds = 0;                    // computing time

  /// Cost of every cell, last axis fastest; NaN where no simulation could be compared. Empty for more than 10 million
  /// cells, which only the file holds, and on ranks other than the root.
  std::vector<double> cost;
};

/// Recordings by number, read when they are needed; where there are many, more than once. Both functions are called by
/// several threads.
struct RecordingSource {
  std::size_t count = 0;
  std::function<Recording(std::size_t)> read;    // may throw InputError, which ends the sweep
  std::function<std::string(std::size_t)> hash;  // of the content, by which a part file knows its inputs
};

/// Recordings in CSV files, which must not change during the sweep.
RecordingSource RecordingsInFiles(std::vector<std::string> files);

/// Computes the cost map. Throws InputError when no recording can be used or a part file belongs to other inputs,
/// NumericsError when no cell has a cost, and Cancelled. The source must stay valid during the call.
SweepResult Sweep(const Scene& scene, const RecordingSource& recordings, const std::vector<SweepAxis>& axes,
                  const SweepOptions& options = {}, const Context& context = {});

/// The same with recordings in memory.
SweepResult Sweep(const Scene& scene, const std::vector<Recording>& recordings, const std::vector<SweepAxis>& axes,
                  const SweepOptions& options = {}, const Context& context = {});

/// JSON text of the result without the costs, which the file of SweepOptions::output holds.
std::string FormatSweep(const std::vector<SweepAxis>& axes, const SweepOptions& options, const SweepResult& result);

/// The same for the terminal: the best value of each parameter and the values that are not distinguished from it.
std::string DescribeSweep(const std::vector<SweepAxis>& axes, const SweepOptions& options, const SweepResult& result);

}  // namespace ricochet
