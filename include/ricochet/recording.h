// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A recording: a table of measurements over time. Estimators read it, simulations and importers make it, and nothing
// alters what was measured. Make one from a CSV file, or from arrays that a program already has:
//
//     const Recording from_file = ReadRecording("drop.csv");
//     const Recording from_arrays = Recording::FromColumns(t, {{"x", x}, {"y", y}, {"theta", theta}});
//
// Columns, in SI units and radians:
//
//     planar pose     x, y, theta               optional velocities  vx, vy, omega
//     spatial pose    x, y, z, qw, qx, qy, qz   optional velocities  vx, vy, vz, wx, wy, wz
//     joints          hinge1.angle, hinge1.rate
//     points          tip.x, tip.y, tip.z       (`observe.points` of the scene)
//     motor inputs    by their name
//
// Poses are those of the body frame; velocities are those of the center of mass, in world axes. With several bodies a
// column is `body.x`; columns without a body belong to the first one that moves. The CSV file has a header with these
// names and `t`. A missing value is NaN, in a file an empty cell.
#pragma once

#include <Eigen/Core>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/error.h"

namespace ricochet {

/// A name and its values, one per time; the values are copied into the recording.
struct RecordingColumn {
  std::string name;                // "x", "box.x", "hinge1.angle"
  std::span<const double> values;  // NaN: missing
};

/// Plain data: fill the fields yourself, or use the functions below, which also check.
struct Recording {
  std::string file;                         // as given; empty for recordings made in memory
  std::vector<std::string> columns;         // without "t"
  std::vector<double> time;                 // [s], strictly increasing, finite
  std::vector<std::vector<double>> values;  // values[column][row]; NaN: missing
  std::vector<int> lines;                   // line of each row in the file; empty for recordings made in memory

  /// A recording from one array per column. `time` [s] is finite and increases strictly; values are finite or NaN.
  /// Throws InputError for wrong or repeated names, arrays of different lengths, no rows, and values that a file could
  /// not have. Its path() is the column, and its text names the row (counted from 0).
  static Recording FromColumns(std::span<const double> time, const std::vector<RecordingColumn>& columns);

  /// The same from a matrix with one row per time and one column per name.
  static Recording FromMatrix(std::span<const double> time, const std::vector<std::string>& names,
                              const Eigen::Ref<const Eigen::MatrixXd>& values);

  int rows() const { return static_cast<int>(time.size()); }

  /// Index of a column, or -1.
  int Find(std::string_view column) const;
};

/// Reads a CSV recording. Throws InputError with line and column of the first bad cell.
Recording ReadRecording(const std::string& file);
/// The same from a text that is in memory; `name_in_messages` stands for the file.
Recording ParseRecording(std::string_view text, const std::string& name_in_messages);

/// CSV text that reads back to exactly the same doubles.
std::string FormatRecording(const Recording& recording);

/// Writes that text to a file. The file is complete or unchanged: it is written beside the target and renamed. Throws
/// InputError if the folder cannot be written.
void WriteRecording(const Recording& recording, const std::string& file);

}  // namespace ricochet
