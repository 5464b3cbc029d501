// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Sweep: the cost of predicting recorded tosses, over a grid of numbers of the scene (Jongeneel 16-18).
//
// Cells are numbered with the last grid fastest and cut into chunks, recordings into blocks; chunks times blocks are
// computed on all cores. A finished one is stored at once (core/slot_file.h), so that a sweep that was killed goes on
// where it was. The result does not depend on the number of threads nor on interruptions. Memory grows neither with
// cells nor with recordings, of which 1024 are held; more are read again when their turn comes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/parameter.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"
#include "ricochet/validate.h"

namespace ricochet {

/// `PATH=LO:HI:N`: N values from LO to HI, both included.
struct SweepAxis {
  std::string path;
  std::vector<NumberId> numbers;  // all that the path means get the same value
  double lower = 0, upper = 0;
  int count = 1;

  double Value(int index) const {
    return count == 1 ? lower : lower + (upper - lower) * (static_cast<double>(index) / (count - 1));
  }
};

/// Throws InputError, also for values that the quantity cannot have.
SweepAxis ParseSweepAxis(const Scene& scene, std::string_view text);

/// What a cell costs, mean over the recordings: Jongeneel's (18), (17), or the distance of the rest poses (21) in
/// metres.
enum class SweepCost { kTrajectory, kVelocity, kRest };
SweepCost ParseSweepCost(std::string_view word);

struct SweepOptions {
  SweepCost cost = SweepCost::kTrajectory;
  RollStart start{};
  std::optional<double> step{};  // [s]; none: the scene's
  std::string output;            // CSV: one row per cell; beside it, until it is complete, output + ".part"
  std::string fingerprint;       // of everything the result depends on; a part of another one is refused
};

/// Values of one grid that the data cannot tell from the best: all others as in the best cell, the mean rise of the
/// cost is at most 1.96 standard errors over the recordings.
struct SweepInterval {
  double best = 0, lower = 0, upper = 0;
  bool at_edge = false;  // the interval reaches the end of the grid
};

struct SweepSummary {
  std::int64_t cells = 0;
  std::int64_t resumed_cells = 0;  // found in the part file
  std::int64_t unsolved = 0;       // roll-outs of the best cell that failed before the end
  int recordings = 0, used = 0;
  std::vector<std::string> set_aside;  // file: reason
  bool complete = false;               // false: interrupted; the part file has what was done
  double least_cost = 0;
  std::vector<SweepInterval> intervals;  // per axis
  double seconds = 0;
};

/// Recordings by number, read when they are needed; where there are many, more than once. `read` is called by several
/// threads.
struct RecordingSource {
  std::size_t count = 0;
  std::function<Recording(std::size_t)> read;
};

/// Throws InputError when no recording can be used, or a part file belongs to other inputs.
SweepSummary Sweep(const Scene& scene, const RecordingSource& recordings, const std::vector<SweepAxis>& axes,
                   const SweepOptions& options);

}  // namespace ricochet
