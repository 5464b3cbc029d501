// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>

#include "app/commands.h"
#include "app/options.h"
#include "core/atomic_file.h"
#include "core/input_file.h"
#include "core/text.h"
#include "evaluate/doctor.h"
#include "recording/c3d_import.h"
#include "recording/iam_import.h"
#include "recording/mocap_take.h"
#include "recording/motive_import.h"
#include "recording/trajectory_import.h"
#include "recording/vicon_import.h"
#include "scene/urdf_import.h"

namespace ricochet::app {
namespace {

struct UrdfArguments {
  std::string file, output;
  UrdfOptions options;
};

void AddImportUrdf(CLI::App& import) {
  auto arguments = std::make_shared<UrdfArguments>();
  CLI::App* command = import.add_subcommand("urdf", "A robot description to a scene");
  command->add_option("FILE", arguments->file, "URDF file")->required();
  command->add_option("-o,--output", arguments->output, "Scene file to write (YAML)")->required();
  command->add_flag("--floating", arguments->options.floating,
                    "The root link is a free body instead of standing on the world");
  command->footer("Example:\n  ricochet import urdf robot.urdf -o robot.yaml");
  command->callback([arguments] {
    WriteFileAtomically(arguments->output, ImportUrdf(arguments->file, arguments->options));
    fmt::print("wrote {}\n", arguments->output);
  });
}

std::vector<double> Numbers(const std::string& option, const std::string& text,
                            std::initializer_list<std::size_t> counts, const char* remedy) {
  std::vector<double> values;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    double value = NAN;
    const auto [stop, error] = std::from_chars(text.data() + begin, text.data() + end, value);
    if (error != std::errc() || stop != text.data() + end || !std::isfinite(value))
      throw InputError({}, option, fmt::format("`{}` is not understood.", Printable(text)), remedy);
    values.push_back(value);
    begin = end + 1;
  }
  if (std::find(counts.begin(), counts.end(), values.size()) == counts.end())
    throw InputError({}, option, fmt::format("has {} numbers.", values.size()), remedy);
  return values;
}

/// DIR/NAME for outputs whose names must differ.
class OutputFolder {
 public:
  explicit OutputFolder(const std::string& folder) : folder_(folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error || !std::filesystem::is_directory(folder))
      throw InputError({folder, 0, 0}, "", "is no folder and cannot be made one.", "Name a folder with -o.");
  }
  std::string File(const std::string& name) {
    if (!names_.insert(name).second)
      throw InputError({name, 0, 0}, "", "two inputs would be written to this file.",
                       "Import them to folders of their own.");
    return (std::filesystem::path(folder_) / name).string();
  }

 private:
  std::string folder_;
  std::set<std::string> names_;
};

/// What free flight says about the axes: a word of confirmation or a warning.
std::string GravityNote(const Recording& recording) {
  try {
    const DoctorReport report = Examine({recording}, nullptr);
    if (!report.gravity) return "up axis: no free flight in it, so gravity could not confirm the axes";
    const std::string size = fmt::format("{:.3f} m/s^2", report.gravity->value);
    if (report.up == 'z' && report.unit == "m")
      return fmt::format("gravity confirms it: {} downwards in free flight", size);
    if (report.up == 0) return fmt::format("warning: gravity is along no axis in free flight ({})", size);
    if (report.up != 'z')
      return fmt::format(
          "warning: in free flight {}{} (of the recording written) is up: the up axis is wrong, state --up",
          report.up < 'a' ? "-" : "", static_cast<char>(report.up | 0x20));
    return report.unit.empty() ? fmt::format("warning: falls with {}: unit or rate is wrong", size)
                               : fmt::format("warning: by gravity the lengths are in {}: state --unit", report.unit);
  } catch (const InputError&) {
    return "up axis: too few frames for gravity to confirm the axes";
  }
}

using Reader = std::function<MocapTake(const std::string& text, const std::string& file, const ImportOptions& options)>;

struct MocapArguments {
  std::vector<std::string> files;
  std::string output, up, pivot;
  ImportOptions options;
};

void RunMocap(const MocapArguments& arguments, const Reader& reader) {
  ImportOptions options = arguments.options;
  if (!arguments.up.empty()) options.up = arguments.up[0];
  if (!arguments.pivot.empty()) {
    const std::vector<double> values =
        Numbers("--pivot", arguments.pivot, {3, 7}, "Write x,y,z or x,y,z,qw,qx,qy,qz (metres).");
    std::copy(values.begin(), values.end(), options.pivot.begin());
  }
  // All are read before any is written.
  std::vector<ImportedRecording> results;
  for (const std::string& file : arguments.files)
    results.push_back(ConvertTake(reader(ReadInputFile(file), file, options), options));
  OutputFolder folder(arguments.output);
  std::vector<std::string> outputs;
  for (const std::string& file : arguments.files)
    outputs.push_back(folder.File(std::filesystem::path(file).stem().string() + ".csv"));
  RefuseOverwriting(arguments.files, outputs);
  for (std::size_t i = 0; i < results.size(); ++i) {
    WriteRecording(results[i].recording, outputs[i]);
    for (const std::string& note : results[i].notes) fmt::print("{}\n", note);
    fmt::print("{}\nwrote {}\n", GravityNote(results[i].recording), outputs[i]);
  }
}

void AddMocap(CLI::App& import, const char* name, const char* help, const char* footer, Reader reader,
              const std::function<void(CLI::App&, MocapArguments&)>& more = {}) {
  auto arguments = std::make_shared<MocapArguments>();
  CLI::App* command = import.add_subcommand(name, help);
  command->add_option("FILE", arguments->files, "Files to import, each to a recording of its name")->required();
  command->add_option("-o,--output", arguments->output, "Folder to write to; made if missing")->required();
  command->add_option("--up", arguments->up, "Axis that points up in the file: x, y or z")
      ->check(CLI::IsMember({"x", "y", "z"}));
  command->add_option("--unit", arguments->options.unit, "Length unit of the file: m, cm, mm, in, ft")
      ->check(CLI::IsMember({"m", "cm", "mm", "in", "ft"}));
  command->add_option("--body", arguments->options.body,
                      "Only this body; NAME=marker,marker,marker makes one of markers");
  command->add_option("--pivot", arguments->pivot,
                      "Pose of the scene's body frame in the tracked frame: x,y,z or x,y,z,qw,qx,qy,qz (metres)");
  if (more) more(*command, *arguments);
  command->footer(footer);
  command->callback([arguments, reader] { RunMocap(*arguments, reader); });
}

struct IamArguments {
  std::string file, output, belt;
  IamOptions options;
};

void AddImportIam(CLI::App& import) {
  auto arguments = std::make_shared<IamArguments>();
  CLI::App* command = import.add_subcommand("iam", "Impact-Aware Robotics archive (HDF5) to a scene and recordings");
  command->add_option("FILE", arguments->file, "Archive (.h5)")->required();
  command->add_option("-o,--output", arguments->output, "Folder to write to; made if missing")->required();
  command->add_option("--body", arguments->options.object, "Object to take, when there are several");
  command->add_option("--surface", arguments->options.surface, "Tracked surface that poses are relative to");
  command->add_option("--belt", arguments->belt, "Velocity of a running conveyor in its own axes: vx,vy,vz (m/s)");
  command->footer(
      "Writes OBJECT.yaml and one recording per group Rec_..., with poses relative to the conveyor.\n"
      "Example:\n  ricochet import iam archive.h5 --body Box006 -o box006");
  command->callback([arguments] {
    if (!arguments->belt.empty()) {
      const std::vector<double> v = Numbers("--belt", arguments->belt, {3}, "Write vx,vy,vz in m/s.");
      arguments->options.belt = {v[0], v[1], v[2]};
    }
    const IamImport result = ImportIam(arguments->file, arguments->options);
    OutputFolder folder(arguments->output);
    for (const std::string& note : result.notes) fmt::print("{}\n", note);
    for (const auto& [name, recording] : result.recordings)
      WriteRecording(recording, folder.File(LegalName(name) + ".csv"));
    const std::string scene = folder.File(LegalName(result.object) + ".yaml");
    WriteFileAtomically(scene, result.scene);
    fmt::print("wrote {} and {} recordings beside it\n", scene, result.recordings.size());
  });
}

}  // namespace

void AddImport(CLI::App& root) {
  CLI::App* command = root.add_subcommand("import", "Files of other programs to scenes and recordings");
  command->require_subcommand(1);
  command->footer(
      "`ricochet import KIND --help` explains a kind with an example. What was found is printed, never guessed in "
      "silence.");
  AddImportUrdf(*command);
  AddMocap(
      *command, "motive", "OptiTrack Motive CSV to recordings",
      "Units, rotation type and rate are in the file; the up axis is not: y by Motive's habit, checked against free "
      "fall.\n"
      "Example:\n  ricochet import motive take.csv --up y --body box -o recordings",
      [](const std::string& text, const std::string& file, const ImportOptions& options) {
        return ParseMotive(text, file, options);
      },
      [](CLI::App& app, MocapArguments& arguments) {
        app.add_option("--columns", arguments.options.columns,
                       "Columns after frame and time of a file without header: qx,qy,qz,qw,x,y,z and - for others");
      });
  AddMocap(
      *command, "vicon", "Vicon CSV (Nexus, Tracker) to recordings",
      "Three angles may be Euler angles or a rotation vector: state --angles where the file does not tell.\n"
      "Example:\n  ricochet import vicon trial.csv --angles helical -o recordings",
      [](const std::string& text, const std::string& file, const ImportOptions& options) {
        return ParseVicon(text, file, options);
      },
      [](CLI::App& app, MocapArguments& arguments) {
        app.add_option("--angles", arguments.options.angles,
                       "Meaning of three angles: helical, or euler-xyz in any order");
      });
  AddMocap(
      *command, "c3d", "C3D markers or rotations to recordings",
      "Three or more markers of a subject make a body.\n"
      "Example:\n  ricochet import c3d trial.c3d --body box=M1,M2,M3,M4 -o recordings",
      [](const std::string& bytes, const std::string& file, const ImportOptions&) { return ParseC3d(bytes, file); });
  AddMocap(*command, "trc", "TRC markers (OpenSim) to recordings",
           "Example:\n  ricochet import trc trial.trc -o recordings",
           [](const std::string& text, const std::string& file, const ImportOptions&) { return ParseTrc(text, file); });
  AddMocap(*command, "tum", "TUM trajectory (timestamp tx ty tz qx qy qz qw) to a recording",
           "Example:\n  ricochet import tum poses.txt -o recordings",
           [](const std::string& text, const std::string& file, const ImportOptions&) { return ParseTum(text, file); });
  AddImportIam(*command);
}

}  // namespace ricochet::app
