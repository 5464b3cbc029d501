// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/import.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "core/context.h"
#include "core/input_file.h"
#include "recording/c3d_import.h"
#include "recording/iam_import.h"
#include "recording/mocap_take.h"
#include "recording/motive_import.h"
#include "recording/trajectory_import.h"
#include "recording/vicon_import.h"
#include "ricochet/examine.h"
#include "scene/urdf_import.h"

namespace ricochet {
namespace {

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
      break;
  }
  return ParseTum(text, file);
}

/// What free flight says about unit and axes: a confirmation or a warning.
std::string GravityNote(const Recording& recording) {
  try {
    const Examination found = Examine({recording}, CurrentContext());
    if (!found.gravity) return "up axis: the recording has no free flight, so gravity cannot confirm the axes";
    const std::string size = fmt::format("{:.3f} m/s^2", found.gravity->value);
    if (found.up == 'z' && found.unit == "m")
      return fmt::format("gravity confirms it: {} downward in free flight", size);
    if (found.up == 0) return fmt::format("warning: gravity is along no axis in free flight ({})", size);
    if (found.up != 'z')
      return fmt::format("warning: in free flight {}{} of the imported recording is up: set option `up`",
                         found.up < 'a' ? "-" : "", static_cast<char>(found.up | 0x20));
    return found.unit.empty()
               ? fmt::format("warning: falls with {}: unit or rate is wrong", size)
               : fmt::format("warning: by gravity the lengths are in {0}: set option `unit` to {0}", found.unit);
  } catch (const InputError&) {
    return "up axis: too few frames for gravity to confirm the axes";
  }
}

}  // namespace

ImportedRecording ImportRecording(const std::string& file, ImportFormat format, const ImportOptions& options,
                                  const Context& context) {
  const ContextScope scope(context, "import");
  ImportedRecording result = ConvertTake(ParseTake(ReadInputFile(file), file, format, options), options);
  result.notes.push_back(GravityNote(result.recording));
  return result;
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
