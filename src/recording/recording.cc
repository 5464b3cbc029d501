// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/input_file.h"
#include "core/text.h"
#include "recording/csv_reader.h"
#include "recording/file_kind.h"
#include "recording/recording_rules.h"
#include "recording/recording_writer.h"
#include "ricochet/recording_check.h"

namespace ricochet {
namespace {

constexpr const char* kNotMeasured = "Give NaN where a value is missing.";

void CheckNames(const std::vector<RecordingColumn>& columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string& name = columns[i].name;
    const std::string shown = Printable(name);
    if (!IsColumnName(name))
      throw InputError({}, shown, fmt::format("`{}` is not a column name.", shown), std::string(kColumnNameRemedy));
    if (name == "t") throw InputError({}, name, "the time is not a column.", "Give it as `time`.");
    for (std::size_t k = 0; k < i; ++k) {
      if (columns[k].name == name)
        throw InputError({}, name, fmt::format("columns {} and {} have this name.", k, i),
                         std::string(kDuplicateNameRemedy));
    }
  }
}

void CheckTimes(std::span<const double> time) {
  if (time.empty()) throw InputError({}, "t", "the recording has no rows.", "Give at least one time.");
  for (std::size_t row = 0; row < time.size(); ++row) {
    const std::string problem = std::isnan(time[row])   ? std::string(kTimeMissing)
                                : std::isinf(time[row]) ? std::string(kInfiniteValue)
                                : row > 0 && time[row] <= time[row - 1]
                                    ? fmt::format("{} s is not later than {} s in row {}.", FormatDouble(time[row]),
                                                  FormatDouble(time[row - 1]), row - 1)
                                    : "";
    if (!problem.empty())
      throw InputError({}, "t", fmt::format("row {}: {}", row, problem), std::string(kTimeOrderRemedy));
  }
}

void CheckValues(const RecordingColumn& column, std::size_t rows) {
  if (column.values.size() != rows)
    throw InputError({}, column.name, fmt::format("has {} values for {} times.", column.values.size(), rows),
                     kNotMeasured);
  for (std::size_t row = 0; row < rows; ++row) {
    if (std::isinf(column.values[row]))
      throw InputError({}, column.name, fmt::format("row {}: {}", row, kInfiniteValue), kNotMeasured);
  }
}

/// Whether an error is about the line of names: the first one that is no comment.
bool IsAboutHeader(const InputError& error, std::string_view content) {
  int line = 1;
  while (content.starts_with('#') || content.starts_with('\n') || content.starts_with('\r')) {
    const std::size_t end = content.find('\n');
    if (end == std::string_view::npos) return false;
    content.remove_prefix(end + 1);
    ++line;
  }
  return error.where().line == line;
}

}  // namespace

void CheckColumns(std::span<const double> time, const std::vector<RecordingColumn>& columns) {
  CheckNames(columns);
  CheckTimes(time);
  for (const RecordingColumn& column : columns) CheckValues(column, time.size());
}

Recording Recording::FromColumns(std::span<const double> time, const std::vector<RecordingColumn>& columns) {
  CheckColumns(time, columns);
  Recording recording;
  recording.time.assign(time.begin(), time.end());
  for (const RecordingColumn& column : columns) {
    recording.columns.push_back(column.name);
    recording.values.emplace_back(column.values.begin(), column.values.end());
  }
  return recording;
}

Recording Recording::FromMatrix(std::span<const double> time, const std::vector<std::string>& names,
                                const Eigen::Ref<const Eigen::MatrixXd>& values) {
  if (static_cast<std::size_t>(values.cols()) != names.size())
    throw InputError({}, "names",
                     fmt::format("{} names do not fit {} columns of the matrix.", names.size(), values.cols()),
                     "Give one name per column.");
  // The columns of a matrix that is not transposed lie one after the other.
  std::vector<RecordingColumn> columns;
  for (Eigen::Index c = 0; c < values.cols(); ++c)
    columns.push_back({names[static_cast<std::size_t>(c)],
                       {values.data() + c * values.outerStride(), static_cast<std::size_t>(values.rows())}});
  return FromColumns(time, columns);
}

bool IsColumnName(std::string_view name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return IsName(name);
  return IsName(name.substr(0, dot)) && IsName(name.substr(dot + 1));
}

int Recording::Find(std::string_view column) const {
  const auto found = std::find(columns.begin(), columns.end(), column);
  return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

Recording ParseRecording(std::string_view text, const std::string& name_in_messages) {
  return CsvReader(text, name_in_messages).Read();
}

Recording ReadRecording(const std::string& file) {
  const std::string content = ReadInputFile(file);
  try {
    return ParseRecording(content, file);
  } catch (const InputError& error) {
    // A file of another program may be given as it is: say what it is and how to import it.
    const std::string kind = AdviceOnOtherFile(content, file);
    const std::string name = Printable(file, 200);
    if (!kind.empty())
      throw InputError({file, 0, 0}, "", kind + ", not a recording.",
                       fmt::format("Import it first: ricochet import {} -o recordings", name));
    if (IsAboutHeader(error, content))
      throw InputError(
          error.where(), error.path(), error.problem(),
          fmt::format("{} Or import it as a table: ricochet import {} -o recordings", error.remedy(), name));
    throw;
  }
}

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
