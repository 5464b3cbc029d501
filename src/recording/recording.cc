// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/recording.h"

#include <algorithm>

#include "core/input_file.h"
#include "core/text.h"
#include "recording/csv_reader.h"
#include "recording/recording_writer.h"

namespace ricochet {

int Recording::Find(std::string_view column) const {
  const auto found = std::find(columns.begin(), columns.end(), column);
  return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

Recording ParseRecording(std::string_view text, const std::string& name_in_messages) {
  return CsvReader(text, name_in_messages).Read();
}

Recording ReadRecording(const std::string& file) { return ParseRecording(ReadInputFile(file), file); }

std::string FormatRecording(const Recording& recording) {
  std::string text = RecordingHeader(recording.columns);
  char number[kDoubleTextSize];
  for (std::size_t row = 0; row < recording.time.size(); ++row) {
    text.append(number, FormatDoubleTo(number, recording.time[row]));
    for (const std::vector<double>& column : recording.values) {
      text += ',';
      text.append(number, FormatDoubleTo(number, column[row]));
    }
    text += '\n';
  }
  return text;
}

void WriteRecording(const Recording& recording, const std::string& file) {
  RecordingWriter writer(file, recording.columns);
  std::vector<double> values(recording.columns.size());
  for (std::size_t row = 0; row < recording.time.size(); ++row) {
    for (std::size_t c = 0; c < values.size(); ++c) values[c] = recording.values[c][row];
    writer.Append(recording.time[row], values);
  }
  writer.Commit();
}

}  // namespace ricochet
