// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A recording: a table of observations over time. Every importer ends here, and nothing here alters what was measured.
//
// The file form is CSV with a header: planar `t,x,y,theta` (optional `vx,vy,omega`); spatial `t,x,y,z,qw,qx,qy,qz`
// (optional `vx,vy,vz,wx,wy,wz`); joints `t,hinge1.angle,...`; inputs by their name. With several bodies a column is
// `body.x`; unprefixed columns belong to the first body.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ricochet/error.h"

namespace ricochet {

struct Recording {
  std::string file;                         // as given; empty for recordings made in memory
  std::vector<std::string> columns;         // without "t"
  std::vector<double> time;                 // [s], strictly increasing, finite
  std::vector<std::vector<double>> values;  // values[column][row]; NaN: missing
  std::vector<int> lines;                   // line of each row in the file; empty for recordings made in memory

  int rows() const { return static_cast<int>(time.size()); }

  /// Index of a column, or -1.
  int Find(std::string_view column) const;
};

/// Reads a CSV recording. Throws InputError with line and column of the first bad cell.
Recording ReadRecording(const std::string& file);
Recording ParseRecording(std::string_view text, const std::string& name_in_messages);

/// CSV text that reads back to exactly the same doubles.
std::string FormatRecording(const Recording& recording);

/// Writes beside the target and renames.
void WriteRecording(const Recording& recording, const std::string& file);

}  // namespace ricochet
