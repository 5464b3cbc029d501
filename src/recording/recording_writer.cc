// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/recording_writer.h"

#include <stdexcept>

#include <fmt/format.h>

#include "core/text.h"

namespace ricochet {

RecordingWriter::RecordingWriter(const std::string& file, const std::vector<std::string>& columns)
    : file_(file), column_count_(columns.size()) {
  file_.Write(RecordingHeader(columns));
}

void RecordingWriter::Append(double time, std::span<const double> values) {
  if (values.size() != column_count_) {
    throw std::logic_error(fmt::format("a row of {} values for {} columns", values.size(), column_count_));
  }
  char* start = file_.Reserve(kDoubleTextSize + 1);
  char* out = FormatDoubleTo(start, time);
  for (const double value : values) {
    *out++ = ',';
    file_.Advance(static_cast<std::size_t>(out - start));
    start = file_.Reserve(kDoubleTextSize + 1);
    out = FormatDoubleTo(start, value);
  }
  *out++ = '\n';
  file_.Advance(static_cast<std::size_t>(out - start));
  ++rows_;
}

std::string RecordingHeader(const std::vector<std::string>& columns) {
  std::string header = "t";
  for (const std::string& column : columns) {
    header += ',';
    header += column;
  }
  header += '\n';
  return header;
}

}  // namespace ricochet
