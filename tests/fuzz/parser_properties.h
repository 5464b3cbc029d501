// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What must hold for any bytes given to the readers: they return or throw InputError with a message; what they accept
// keeps the promises of its header and survives being written and read again. Shared by the fuzzers and the tests.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include "recording/mocap/c3d_import.h"
#include "recording/mocap/motive_import.h"
#include "recording/mocap/trajectory_import.h"
#include "recording/mocap/trc_import.h"
#include "recording/mocap/vicon_import.h"
#include "recording/tables/csv_table.h"
#include "recording/tables/table_import.h"
#include "ricochet/error.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

/// What is wrong with a recording that was accepted, or empty.
inline std::string FaultOfRecording(const Recording& recording) {
  const auto rows = static_cast<std::size_t>(recording.rows());
  if (rows == 0) return "no rows";
  if (recording.values.size() != recording.columns.size()) return "columns and values differ in number";
  if (recording.lines.size() != rows) return "not every row has a line";
  for (std::size_t row = 0; row < rows; ++row) {
    if (!std::isfinite(recording.time[row])) return "a time is not finite";
    if (row > 0 && !(recording.time[row] > recording.time[row - 1])) return "times do not increase";
    if (row > 0 && recording.lines[row] <= recording.lines[row - 1]) return "lines do not increase";
  }
  for (const std::vector<double>& column : recording.values) {
    if (column.size() != rows) return "a column has another length";
    for (const double value : column) {
      if (std::isinf(value)) return "a value is infinite";
    }
  }
  const Recording again = ParseRecording(FormatRecording(recording), "again");
  if (again.columns != recording.columns || again.rows() != recording.rows())
    return "the written text reads differently";
  const auto same = [](double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  };
  for (std::size_t row = 0; row < rows; ++row) {
    if (!same(again.time[row], recording.time[row])) return "a time changes when written and read";
    for (std::size_t c = 0; c < recording.values.size(); ++c) {
      if (!same(again.values[c][row], recording.values[c][row])) return "a value changes when written and read";
    }
  }
  return "";
}

/// What is wrong with how the reader of recordings treats this text, or empty.
inline std::string FaultOfRecordingReader(std::string_view text) {
  try {
    return FaultOfRecording(ParseRecording(text, "fuzz.csv"));
  } catch (const InputError& error) {
    if (error.problem().empty() || error.where().file != "fuzz.csv") return "an error without place or problem";
  } catch (const std::exception& error) {
    return std::string("another exception than InputError: ") + error.what();
  }
  return "";
}

/// What is wrong with how the reader of scenes treats this text, or empty.
inline std::string FaultOfSceneReader(const std::string& text) {
  try {
    const Scene scene = ParseScene(text, "fuzz.yaml");
    for (const SceneNumber& number : scene.numbers()) {
      if (!std::isfinite(number.value)) return number.path + " is not finite";
      if (scene.number(scene.Find(number.path)).path != number.path) return number.path + " is not found by its path";
    }
    if (FormatScene(scene) != text) return "an unchanged scene is written differently";
  } catch (const InputError& error) {
    if (error.problem().empty() || error.where().file != "fuzz.yaml") return "an error without place or problem";
  } catch (const std::exception& error) {
    return std::string("another exception than InputError: ") + error.what();
  }
  return "";
}

/// What is wrong with how an importer (`motive`, `vicon`, `c3d`, `trc`, `tum`, `csv`) treats these bytes, or empty.
inline std::string FaultOfImporter(std::string_view kind, const std::string& bytes) {
  ImportOptions options;
  options.unit = "mm";
  options.angles = "helical";
  try {
    Recording recording;
    if (kind == "csv") {
      options.rate = 100;
      recording = ConvertTable(ParseCsvTable(bytes, "fuzz"), options).recording;
    } else {
      recording = ConvertTake(kind == "motive"  ? ParseMotive(bytes, "fuzz", options)
                              : kind == "vicon" ? ParseVicon(bytes, "fuzz", options)
                              : kind == "trc"   ? ParseTrc(bytes, "fuzz")
                              : kind == "tum"   ? ParseTrajectory(bytes, "fuzz")
                                                : ParseC3d(bytes, "fuzz"),
                              options)
                      .recording;
    }
    recording.lines.clear();
    for (int row = 0; row < recording.rows(); ++row) recording.lines.push_back(row + 2);
    return FaultOfRecording(recording);
  } catch (const InputError& error) {
    if (error.problem().empty() || error.where().file != "fuzz") return "an error without place or problem";
  } catch (const std::exception& error) {
    return std::string("another exception than InputError: ") + error.what();
  }
  return "";
}

}  // namespace ricochet
