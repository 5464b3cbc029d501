// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What must hold for any bytes given to the readers: they return or throw InputError with a message; what they accept
// keeps the promises of its header and survives being written and read again. Shared by the fuzzers and the tests.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "geometry/hull_points.h"
#include "geometry/mesh_file.h"
#include "recording/mocap/c3d_import.h"
#include "recording/mocap/convert_take.h"
#include "recording/mocap/iam_import.h"
#include "recording/mocap/motive_import.h"
#include "recording/mocap/trajectory_import.h"
#include "recording/mocap/trc_import.h"
#include "recording/mocap/vicon_import.h"
#include "recording/tables/csv_table.h"
#include "recording/tables/matlab_table.h"
#include "recording/tables/numpy_table.h"
#include "recording/tables/table_import.h"
#include "ricochet/error.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"
#include "scene/urdf_import.h"

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

/// What is wrong with how an importer of recordings (`motive`, `vicon`, `c3d`, `trc`, `tum`, `csv`, `numpy`, `matlab`)
/// treats these bytes, or empty.
inline std::string FaultOfImporter(std::string_view kind, const std::string& bytes) {
  ImportOptions options;
  options.unit = "mm";
  options.angles = "helical";
  try {
    Recording recording;
    if (kind == "csv" || kind == "numpy" || kind == "matlab") {
      options.rate = 100;
      const NumberTable table = kind == "csv"     ? ParseCsvTable(bytes, "fuzz")
                                : kind == "numpy" ? ParseNumpyTable(bytes, "fuzz")
                                                  : ParseMatlabTable(bytes, "fuzz");
      recording = ConvertTable(table, options).recording;
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

/// What is wrong with how terms of columns (the first line) are applied to a table (the rest), or empty.
inline std::string FaultOfColumns(const std::string& bytes) {
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  ImportOptions options;
  options.columns = bytes.substr(0, end);
  try {
    const std::string table = end < bytes.size() ? bytes.substr(end + 1) : "";
    Recording recording = ConvertTable(ParseCsvTable(table, "fuzz"), options).recording;
    for (int row = 0; row < recording.rows(); ++row) recording.lines.push_back(row + 2);
    return FaultOfRecording(recording);
  } catch (const InputError& error) {
    if (error.problem().empty()) return "an error without a problem";
  } catch (const std::exception& error) {
    return std::string("another exception than InputError: ") + error.what();
  }
  return "";
}

/// What is wrong with how a robot description becomes a scene, or empty.
inline std::string FaultOfUrdf(const std::string& bytes) {
  try {
    const Scene scene = ParseScene(ConvertUrdf(bytes, "fuzz"), "fuzz.yaml");
    if (scene.bodies.empty()) return "a scene without bodies";
  } catch (const InputError& error) {
    if (error.problem().empty() || error.where().file.empty()) return "an error without place or problem";
  } catch (const std::exception& error) {
    return std::string("another exception than InputError: ") + error.what();
  }
  return "";
}

/// What is wrong with how a mesh becomes a hull, or empty.
inline std::string FaultOfMesh(const std::string& bytes) {
  try {
    const std::vector<Eigen::Vector3d> corners = ParseMeshCorners(bytes, "fuzz");
    const HullPoints hull = ChooseHullPoints(corners);
    if (hull.points.size() > 64) return "too many corners";
    if (!(hull.outside >= 0) || !std::isfinite(hull.outside)) return "a distance that is none";
  } catch (const InputError& error) {
    if (error.problem().empty() || error.where().file != "fuzz") return "an error without place or problem";
  } catch (const std::exception& error) {
    return std::string("another exception than InputError: ") + error.what();
  }
  return "";
}

/// What is wrong with how an HDF5 archive is read, or empty. The bytes are written to a file, since the library for
/// HDF5 reads files.
inline std::string FaultOfArchive(const std::string& bytes) {
  const std::string file =
      (std::filesystem::temp_directory_path() / fmt::format("ricochet_fuzz_{}.h5", getpid())).string();
  std::ofstream(file, std::ios::binary) << bytes;
  std::string fault;
  try {
    for (const auto& [name, recording] : ReadIam(file, {}).recordings) {
      Recording rows = recording;
      rows.lines.clear();
      for (int row = 0; row < rows.rows(); ++row) rows.lines.push_back(row + 2);
      if (fault.empty()) fault = FaultOfRecording(rows);
    }
  } catch (const InputError& error) {
    if (error.problem().empty() || error.where().file != file) fault = "an error without place or problem";
  } catch (const std::exception& error) {
    fault = std::string("another exception than InputError: ") + error.what();
  }
  std::filesystem::remove(file);
  return fault;
}

/// What is wrong with how the reader of a kind treats these bytes, or empty. Importers of recordings by their names;
/// `recording`, `scene`, `columns`, `urdf`, `mesh` and `iam` are others.
inline std::string FaultOfReader(std::string_view kind, const std::string& bytes) {
  if (kind == "recording") return FaultOfRecordingReader(bytes);
  if (kind == "scene") return FaultOfSceneReader(bytes);
  if (kind == "columns") return FaultOfColumns(bytes);
  if (kind == "urdf") return FaultOfUrdf(bytes);
  if (kind == "mesh") return FaultOfMesh(bytes);
  if (kind == "iam") return FaultOfArchive(bytes);
  return FaultOfImporter(kind, bytes);
}

}  // namespace ricochet
