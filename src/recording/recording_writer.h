// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/atomic_file.h"

namespace ricochet {

/// Writes a recording row by row, in memory that does not grow with its length, so that a run of any duration can be
/// streamed. The file appears whole at Commit, or not at all (atomic_file.h). Numbers are the shortest that read back
/// to the same doubles; NaN is written `nan`.
class RecordingWriter {
 public:
  /// `columns` without `t`, which comes first. Throws InputError when the file cannot be created.
  RecordingWriter(const std::string& file, const std::vector<std::string>& columns);

  /// One row; as many values as columns, time later than that of the row before.
  void Append(double time, std::span<const double> values);

  void Commit() { file_.Commit(); }

  std::int64_t rows() const { return rows_; }

 private:
  AtomicFile file_;
  std::size_t column_count_;
  std::int64_t rows_ = 0;
};

/// "t,x,y,theta\n".
std::string RecordingHeader(const std::vector<std::string>& columns);

}  // namespace ricochet
