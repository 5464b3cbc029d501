// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/context.h"
#include "core/input_file.h"
#include "core/text.h"
#include "recording/file_kind.h"
#include "recording/mocap/c3d_import.h"
#include "recording/mocap/iam_import.h"
#include "recording/mocap/convert_take.h"
#include "recording/mocap/motive_import.h"
#include "recording/mocap/trajectory_import.h"
#include "recording/mocap/trc_import.h"
#include "recording/mocap/vicon_import.h"
#include "recording/tables/csv_table.h"
#include "recording/tables/matlab_table.h"
#include "recording/tables/numpy_table.h"
#include "recording/tables/table_import.h"
#include "ricochet/examine.h"
#include "scene/urdf_import.h"

namespace ricochet {
namespace {

constexpr double kGravityTolerance = 0.05;  // of 9.81 m/s^2, within which a fall is one

MocapTake ParseTake(const std::string& text, const std::string& file, ImportFormat format,
                    const ImportOptions& options) {
  switch (format) {
    case ImportFormat::kMotive:
      return ParseMotive(text, file, options);
    case ImportFormat::kVicon:
      return ParseVicon(text, file, options);
    case ImportFormat::kC3d:
      return ParseC3d(text, file);
    case ImportFormat::kTrc:
      return ParseTrc(text, file);
    case ImportFormat::kTum:
      return ParseTrajectory(text, file, options);
    default:
      throw InputError({file, 0, 0}, "",
                       fmt::format("is not a recording of motion capture, but {}.", FormatName(format)),
                       format == ImportFormat::kUrdf ? "Use ImportUrdf." : "Use ImportIam.");
  }
}

/// Free flight confirms unit and axes, or contradicts them. Motion that falls with another acceleration than that of
/// gravity says nothing: bodies are carried, and people walk.
void CheckGravity(ImportedRecording& imported) {
  constexpr std::size_t kMostPoints = 8;  // more are markers of people or machines
  if (imported.bodies.empty() && (imported.points.empty() || imported.points.size() > kMostPoints)) return;
  Examination found;
  try {
    found = Examine({imported.recording}, CurrentContext());
  } catch (const InputError&) {
    imported.notes.push_back("up axis: too few frames for gravity to confirm the axes");
    return;
  }
  if (!found.gravity || found.up == 0) {
    imported.notes.push_back("up axis: no free flight is recognized, so gravity cannot confirm unit and axes");
    return;
  }
  const double value = found.gravity->value;
  if (found.unit.empty() || !(std::abs(value / 9.81 - 1) < kGravityTolerance)) {
    imported.notes.push_back("up axis: no free flight is recognized, so gravity cannot confirm unit and axes");
  } else if (found.up == 'z' && found.unit == "m") {
    imported.notes.push_back(fmt::format("gravity confirms it: {:.3f} m/s^2 downward in free flight", value));
  } else if (found.up != 'z') {
    imported.warnings.push_back(fmt::format("in free flight {}{} of the imported recording is up: set option `up`",
                                            found.up < 'a' ? "-" : "", static_cast<char>(found.up | 0x20)));
  } else {
    imported.warnings.push_back(fmt::format("by gravity the lengths are in {0}: set option `unit` to {0}", found.unit));
  }
}

}  // namespace

ImportFormat RecognizeFormat(const std::string& file) { return RecognizeContent(ReadInputFile(file), file); }

std::string_view FormatName(ImportFormat format) {
  constexpr std::string_view kNames[] = {"",    "motive", "vicon",  "c3d",  "trc", "tum",
                                         "csv", "numpy",  "matlab", "urdf", "iam"};
  return kNames[static_cast<std::size_t>(format)];
}

ImportedRecording ImportRecording(const std::string& file, ImportFormat format, const ImportOptions& options,
                                  const Context& context) {
  const ContextScope scope(context, "import");
  const std::string content = ReadInputFile(file);
  if (format == ImportFormat::kRecognize) format = RecognizeContent(content, file);
  ImportedRecording result =
      format == ImportFormat::kCsv      ? ConvertTable(ParseCsvTable(content, file), options)
      : format == ImportFormat::kNumpy  ? ConvertTable(ParseNumpyTable(content, file, options.columns), options)
      : format == ImportFormat::kMatlab ? ConvertTable(ParseMatlabTable(content, file, options.columns), options)
                                        : ConvertTake(ParseTake(content, file, format, options), options);
  CheckGravity(result);
  return result;
}

std::string DescribeImport(const ImportedRecording& imported) {
  const Recording& recording = imported.recording;
  const auto list = [](const char* one, const char* several, const std::vector<std::string>& names) {
    constexpr std::size_t kMost = 6;
    std::vector<std::string> shown(names.begin(), names.begin() + static_cast<long>(std::min(kMost, names.size())));
    if (names.size() > kMost) shown.push_back(fmt::format("{} more", names.size() - kMost));
    return names.empty() ? "" : fmt::format(", {} {}", names.size() == 1 ? one : several, JoinList(shown));
  };
  std::string text = fmt::format("{}: {}, {} frame{}", recording.file, imported.format, recording.rows(),
                                 recording.rows() == 1 ? "" : "s");
  if (imported.rate > 0) text += fmt::format(" at {:.6g} Hz ({:.4g} s)", imported.rate, recording.time.back());
  text += list("body", "bodies", imported.bodies) + list("point", "points", imported.points);
  std::vector<std::string> joints;
  for (const std::string& column : recording.columns)
    if (column.ends_with(".angle")) joints.push_back(column.substr(0, column.rfind('.')));
  text += list("joint", "joints", joints);
  if (!imported.bodies.empty() || !imported.points.empty())
    text += fmt::format(", unit {}, {} up", imported.unit, imported.up);
  text += "\n";
  for (const std::string& what : imported.left_out) text += fmt::format("  left out: {}\n", what);
  for (const std::string& warning : imported.warnings) text += fmt::format("  warning: {}\n", warning);
  return text;
}

std::string FormatImport(const ImportedRecording& imported, const std::string& output) {
  const auto printable = [](const std::vector<std::string>& texts) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const std::string& text : texts) list.push_back(Printable(text, 1000));
    return list;
  };
  const Recording& recording = imported.recording;
  nlohmann::ordered_json json = {{"file", Printable(recording.file, 1000)},
                                 {"format", imported.format},
                                 {"frames", recording.rows()},
                                 {"rate", imported.rate},
                                 {"duration", recording.time.empty() ? 0.0 : recording.time.back()},
                                 {"bodies", imported.bodies},
                                 {"points", imported.points},
                                 {"unit", Printable(imported.unit)},
                                 {"up", std::string(1, imported.up)},
                                 {"left_out", printable(imported.left_out)},
                                 {"warnings", printable(imported.warnings)},
                                 {"notes", printable(imported.notes)}};
  if (!output.empty()) json["output"] = Printable(output, 1000);
  return json.dump(2);
}

Scene ImportUrdf(const std::string& file, const UrdfOptions& options) {
  const std::string text = ConvertUrdf(ReadInputFile(file), file, options);
  return ParseScene(text, std::filesystem::path(file).replace_extension(".yaml").filename().string());
}

ImportedArchive ImportIam(const std::string& file, const IamOptions& options) {
  IamArchive archive = ReadIam(file, options);
  ImportedArchive result;
  result.body = LegalName(archive.object);
  result.scene = ParseScene(archive.scene, result.body + ".yaml");
  result.notes = std::move(archive.notes);
  for (auto& [name, recording] : archive.recordings)
    result.recordings.push_back({LegalName(name), std::move(recording)});
  return result;
}

}  // namespace ricochet
