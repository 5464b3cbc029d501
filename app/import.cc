// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/import.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "app/commands.h"
#include "app/options.h"
#include "core/text.h"
#include "ricochet/project.h"
#include "ricochet/split.h"

namespace ricochet::app {
namespace {

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
  explicit OutputFolder(const std::string& folder) : folder_(folder) { MakeFolder(folder, "-o"); }
  std::string File(const std::string& name) {
    if (!names_.insert(name).second)
      throw InputError({name, 0, 0}, "", "two inputs would write this file.", "Import them to separate folders.");
    return (std::filesystem::path(folder_) / name).string();
  }

 private:
  std::string folder_;
  std::set<std::string> names_;
};

struct MocapArguments {
  ImportFormat format{};
  std::vector<std::string> files;
  std::string output, up, pivot;
  bool json = false, dry_run = false, split = false, planar = false;
  std::string alike;
  ImportOptions options;
};

/// What was found, and the first rows as they will be written.
std::string FirstRows(const ImportedRecording& imported) {
  constexpr int kRows = 5;
  std::string text;
  for (const std::string& note : imported.notes) text += fmt::format("  {}\n", WithFlags(note));
  Recording first = imported.recording;
  first.time.resize(static_cast<std::size_t>(std::min(kRows, first.rows())));
  for (std::vector<double>& column : first.values) column.resize(first.time.size());
  return text + FormatRecording(first);
}

/// What was imported: printed as it comes, or as one list of JSON at the end.
class Summaries {
 public:
  explicit Summaries(bool json) : json_(json) {}
  void Add(const std::string& text, const std::string& json) {
    if (json_) {
      list_ += (list_.empty() ? "" : ",\n") + json;
    } else {
      fmt::print("{}", text);
    }
  }
  void Finish() const {
    if (json_) fmt::print("[{}]\n", list_);
  }

 private:
  bool json_;
  std::string list_;
};

std::string Counted(std::size_t count, const char* one, const char* several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

/// The planar recording of an experiment that was recorded in space; returns lines for the summary.
std::string ProjectImported(const std::string& alike, ImportedRecording& imported) {
  ProjectionOptions options;
  std::istringstream names(alike);
  for (std::string name; std::getline(names, name, ',');) options.alike.push_back(name);
  PlanarProjection flat = CallLibrary({}, [&](const Context&) { return ProjectToPlane(imported.recording, options); });
  imported.recording = std::move(flat.recording);
  std::string text;
  for (const std::string& note : flat.notes) {
    imported.notes.push_back(note);
    text += fmt::format("  {}\n", note);
  }
  return text;
}

/// Pieces of a take, each with the file that it goes to.
struct NamedPieces {
  SplitTake take;
  std::vector<std::string> outputs;
};

NamedPieces SplitImported(const ImportedRecording& imported, OutputFolder& folder, const Context& context) {
  NamedPieces pieces{SplitRecording(imported.recording, {}, context), {}};
  if (pieces.take.pieces.empty())
    throw InputError({imported.recording.file, 0, 0}, "",
                     pieces.take.left_out.empty()
                         ? std::string("no toss, slide or swing is recognized in it.")
                         : fmt::format("no toss, slide or swing ends in rest: {}.", pieces.take.left_out.front()),
                     "Import it without --split, and cut it by hand.");
  const std::string stem = std::filesystem::path(imported.recording.file).stem().string();
  for (std::size_t i = 0; i < pieces.take.pieces.size(); ++i)
    pieces.outputs.push_back(folder.File(fmt::format("{}_{}{}.csv", stem, pieces.take.kind, i + 1)));
  return pieces;
}

void WriteSplit(const std::vector<ImportedRecording>& results, const MocapArguments& arguments, Summaries& summaries) {
  OutputFolder folder(arguments.output);
  const std::vector<NamedPieces> all = CallLibrary({}, [&](const Context& context) {
    std::vector<NamedPieces> out;
    for (const ImportedRecording& result : results) out.push_back(SplitImported(result, folder, context));
    return out;
  });
  for (const NamedPieces& pieces : all) RefuseOverwriting(arguments.files, pieces.outputs);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [take, outputs] = all[i];
    std::string text = WithFlags(DescribeImport(results[i]));
    for (const std::string& what : take.left_out) text += fmt::format("  left out: {}\n", what);
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const TakePiece& piece = take.pieces[k];
      WritePiece(piece, outputs[k]);
      ImportedRecording part = results[i];
      part.recording = piece.recording;
      text += fmt::format("  wrote {}: {:.3g} s, {}\n", outputs[k], piece.recording.time.back(), piece.origin);
      summaries.Add(text, FormatImport(part, outputs[k]));
      text.clear();
    }
  }
}

void RunMocap(MocapArguments& arguments, Summaries& summaries) {
  if (arguments.output.empty() && !arguments.dry_run)
    throw InputError({}, "--output", "is missing.", "Name a folder with -o, or add --dry-run.");
  ImportOptions& options = arguments.options;
  if (!arguments.up.empty()) options.up = arguments.up[0];
  if (!arguments.pivot.empty()) {
    const std::vector<double> values =
        Numbers("--pivot", arguments.pivot, {3, 7}, "Write x,y,z or x,y,z,qw,qx,qy,qz (meters).");
    std::copy(values.begin(), values.end(), options.pivot.begin());
  }
  // All are read before any is written.
  std::vector<ImportedRecording> results = CallLibrary({}, [&](const Context& context) {
    std::vector<ImportedRecording> out;
    for (const std::string& file : arguments.files)
      out.push_back(ImportRecording(file, arguments.format, options, context));
    return out;
  });
  std::vector<std::string> planes(results.size());
  if (arguments.planar) {
    for (std::size_t i = 0; i < results.size(); ++i) planes[i] = ProjectImported(arguments.alike, results[i]);
  } else if (!arguments.alike.empty()) {
    throw InputError({}, "--alike", "distinguishes points of a planar experiment.", "Add --planar.");
  }
  if (arguments.dry_run) {
    for (const ImportedRecording& result : results)
      summaries.Add(WithFlags(DescribeImport(result)) + FirstRows(result), FormatImport(result));
    return;
  }
  if (arguments.split) return WriteSplit(results, arguments, summaries);
  OutputFolder folder(arguments.output);
  std::vector<std::string> outputs;
  for (const std::string& file : arguments.files)
    outputs.push_back(folder.File(std::filesystem::path(file).stem().string() + ".csv"));
  RefuseOverwriting(arguments.files, outputs);
  for (std::size_t i = 0; i < results.size(); ++i) {
    WriteRecording(results[i].recording, outputs[i]);
    summaries.Add(fmt::format("{}{}  wrote {}\n", WithFlags(DescribeImport(results[i])), planes[i], outputs[i]),
                  FormatImport(results[i], outputs[i]));
  }
}

/// Options that all formats of motion capture share.
void AddMocapOptions(CLI::App& command, MocapArguments& arguments) {
  command.add_option("--up", arguments.up, "Axis that points up in the file: x, y or z")
      ->check(CLI::IsMember({"x", "y", "z"}));
  command.add_option("--unit", arguments.options.unit, "Length unit of the file: m, cm, mm, in, ft")
      ->check(CLI::IsMember({"m", "cm", "mm", "in", "ft"}));
  command.add_option("--body", arguments.options.body,
                     "Only this body or marker; NAME=marker,marker,marker defines a body, NAME=marker a point");
  command.add_option("--pivot", arguments.pivot,
                     "Pose of the scene's body frame in the tracked frame: x,y,z or x,y,z,qw,qx,qy,qz (meters)");
  command.add_flag(
      "--planar", arguments.planar,
      "A planar experiment: fit its plane and write x,y,theta; prints how far the motion is off the plane");
  command.add_option("--alike", arguments.alike,
                     "With --planar: two points, A,B, that the tracker may confuse; distinguished by continuity");
  command.add_flag("--split", arguments.split,
                   "Write each toss (or slide, or swing) of a take to a recording of its own");
  command.add_flag("--json", arguments.json, "Print only what was found, as JSON");
  command.add_flag("--dry-run", arguments.dry_run, "Write nothing; print what was found and the first rows");
}

void AddColumns(CLI::App& command, MocapArguments& arguments) {
  command.add_option(
      "--columns", arguments.options.columns,
      "Columns of a table: t=NAME*ms,x=NAME*mm,...; or those of a Motive file without header, after frame and time: "
      "qx,qy,qz,qw,x,y,z and - for others");
}
void AddAngles(CLI::App& command, MocapArguments& arguments) {
  command.add_option("--angles", arguments.options.angles,
                     "Meaning of three angles: euler-xyz in any order; helical (Vicon)");
}
void AddRate(CLI::App& command, MocapArguments& arguments) {
  command.add_option("--rate", arguments.options.rate, "Frames per second of a file without times and rate")
      ->check(Positive());
}

using MoreOptions = std::initializer_list<void (*)(CLI::App&, MocapArguments&)>;

void AddMocap(CLI::App& import, ImportFormat format, const char* name, const char* help, const char* footer,
              MoreOptions more = {}) {
  auto arguments = std::make_shared<MocapArguments>();
  arguments->format = format;
  CLI::App* command = import.add_subcommand(name, help);
  command->add_option("FILE", arguments->files, "Files to import, each to a recording of the same name")->required();
  command->add_option("-o,--output", arguments->output, "Folder to write to; created if missing");
  AddMocapOptions(*command, *arguments);
  for (const auto& add : more) add(*command, *arguments);
  command->footer(footer);
  command->callback([arguments] {
    Summaries summaries(arguments->json);
    RunMocap(*arguments, summaries);
    summaries.Finish();
  });
}

struct UrdfArguments {
  std::string file, output;
  bool json = false;
  UrdfOptions options;
};

void RunUrdf(const UrdfArguments& arguments, Summaries& summaries) {
  const Scene scene = ImportUrdf(arguments.file, arguments.options);
  WriteScene(scene, arguments.output);
  std::string text = fmt::format("{}: URDF, {}, {}\n", arguments.file, Counted(scene.bodies.size(), "body", "bodies"),
                                 Counted(scene.joints.size(), "joint", "joints"));
  nlohmann::ordered_json json = {
      {"file", Printable(arguments.file, 1000)},   {"format", "URDF"},
      {"bodies", nlohmann::ordered_json::array()}, {"joints", nlohmann::ordered_json::array()},
      {"notes", nlohmann::ordered_json::array()},  {"output", Printable(arguments.output, 1000)}};
  for (const auto& body : scene.bodies) json["bodies"].push_back(body.name);
  for (const auto& joint : scene.joints) json["joints"].push_back(joint.name);
  // What was left out stands at the head of the scene.
  std::istringstream lines(scene.text);
  for (std::string line; std::getline(lines, line) && line.starts_with('#');) {
    if (!line.starts_with("# - ")) continue;
    text += fmt::format("  {}\n", line.substr(4));
    json["notes"].push_back(line.substr(4));
  }
  summaries.Add(fmt::format("{}  wrote {}\n", text, arguments.output), json.dump(2));
}

void AddImportUrdf(CLI::App& import) {
  auto arguments = std::make_shared<UrdfArguments>();
  CLI::App* command = import.add_subcommand("urdf", "Convert a robot description to a scene");
  command->add_option("FILE", arguments->file, "URDF file")->required();
  command->add_option("-o,--output", arguments->output, "Scene file to write (YAML)")->required();
  command->add_flag("--floating", arguments->options.floating,
                    "The root link is a free body instead of fixed to the world");
  command->add_flag("--json", arguments->json, "Print only what was found, as JSON");
  command->footer("Example:\n  ricochet import urdf robot.urdf -o robot.yaml");
  command->callback([arguments] {
    Summaries summaries(arguments->json);
    RunUrdf(*arguments, summaries);
    summaries.Finish();
  });
}

struct IamArguments {
  std::string file, output, belt;
  bool json = false;
  IamOptions options;
};

void RunIam(const IamArguments& arguments, Summaries& summaries) {
  const ImportedArchive result =
      CallLibrary({}, [&](const Context&) { return ImportIam(arguments.file, arguments.options); });
  OutputFolder folder(arguments.output);
  std::string text = fmt::format("{}: Impact-Aware Robotics archive, body {}, {}\n", arguments.file, result.body,
                                 Counted(result.recordings.size(), "recording", "recordings"));
  nlohmann::ordered_json json = {{"file", Printable(arguments.file, 1000)},
                                 {"format", "Impact-Aware Robotics archive"},
                                 {"bodies", {result.body}},
                                 {"recordings", nlohmann::ordered_json::array()},
                                 {"notes", nlohmann::ordered_json::array()}};
  for (const std::string& note : result.notes) {
    text += fmt::format("  {}\n", WithFlags(note));
    json["notes"].push_back(Printable(note, 1000));
  }
  for (const ImportedArchive::Entry& entry : result.recordings) {
    const std::string file = folder.File(entry.name + ".csv");
    WriteRecording(entry.recording, file);
    json["recordings"].push_back(Printable(file, 1000));
  }
  const std::string scene = folder.File(result.body + ".yaml");
  WriteScene(result.scene, scene);
  json["output"] = Printable(scene, 1000);
  summaries.Add(fmt::format("{}  wrote {} and {} beside it\n", text, scene,
                            Counted(result.recordings.size(), "recording", "recordings")),
                json.dump(2));
}

void AddImportIam(CLI::App& import) {
  auto arguments = std::make_shared<IamArguments>();
  CLI::App* command =
      import.add_subcommand("iam", "Convert an Impact-Aware Robotics archive (HDF5) to a scene and recordings");
  command->add_option("FILE", arguments->file, "Archive (.h5)")->required();
  command->add_option("-o,--output", arguments->output, "Folder to write to; created if missing")->required();
  command->add_option("--body", arguments->options.body, "Object, if there are several");
  command->add_option("--surface", arguments->options.surface, "Tracked surface that poses are relative to");
  command->add_option("--belt", arguments->belt, "Velocity of a running conveyor in its own axes: vx,vy,vz (m/s)");
  command->add_flag("--json", arguments->json, "Print only what was found, as JSON");
  command->footer(
      "Writes OBJECT.yaml and one recording per group Rec_..., with poses relative to the conveyor.\n"
      "Example:\n  ricochet import iam archive.h5 --body Box006 -o box006");
  command->callback([arguments] {
    if (!arguments->belt.empty()) {
      const std::vector<double> v = Numbers("--belt", arguments->belt, {3}, "Write vx,vy,vz in m/s.");
      arguments->options.belt = {v[0], v[1], v[2]};
    }
    Summaries summaries(arguments->json);
    RunIam(*arguments, summaries);
    summaries.Finish();
  });
}

/// Files of any format: recordings of motion capture together, then scenes and archives one by one.
void RunRecognized(MocapArguments& arguments) {
  if (arguments.files.empty())
    throw InputError({}, "FILE", "no file is given.", "Write: ricochet import FILE... -o DIR");
  std::vector<std::string> recordings;
  std::vector<UrdfArguments> scenes;
  std::vector<IamArguments> archives;
  for (const std::string& file : arguments.files) {
    const ImportFormat format = RecognizeFormat(file);
    if (format == ImportFormat::kUrdf) {
      scenes.push_back({file, {}, false, {}});
    } else if (format == ImportFormat::kIam) {
      archives.push_back({file, arguments.output, {}, false, {.body = arguments.options.body}});
    } else {
      recordings.push_back(file);
    }
  }
  if (!(scenes.empty() && archives.empty()) && arguments.dry_run)
    throw InputError({}, "--dry-run", "robot descriptions and archives have no rows to show.", "Leave it out.");
  if (recordings.empty() && arguments.output.empty())
    throw InputError({}, "--output", "is missing.", "Name a folder with -o.");
  Summaries summaries(arguments.json);
  if (!recordings.empty()) {
    arguments.files = recordings;
    RunMocap(arguments, summaries);
  }
  for (const IamArguments& archive : archives) RunIam(archive, summaries);
  if (!scenes.empty()) {
    OutputFolder folder(arguments.output);
    for (UrdfArguments& scene : scenes) {
      scene.output = folder.File(std::filesystem::path(scene.file).stem().string() + ".yaml");
      RunUrdf(scene, summaries);
    }
  }
  summaries.Finish();
}

}  // namespace

void AddImport(CLI::App& root) {
  auto arguments = std::make_shared<MocapArguments>();
  CLI::App* command = root.add_subcommand("import", "Convert files of other programs to scenes and recordings");
  command->require_subcommand(0, 1);
  command->add_option("FILE", arguments->files, "Files to import; their format is recognized by their content");
  command->add_option("-o,--output", arguments->output, "Folder to write to; created if missing");
  AddMocapOptions(*command, *arguments);
  for (const auto& add : MoreOptions{AddColumns, AddAngles, AddRate}) add(*command, *arguments);
  command->footer(
      "Name the kind (ricochet import KIND FILE... -o DIR) if a file is not recognized; `ricochet import KIND --help` "
      "shows its options and an example.\nExample:\n  ricochet import take.csv trial.c3d -o recordings");
  command->callback([command, arguments] {
    if (command->get_subcommands().empty()) RunRecognized(*arguments);
  });
  AddImportUrdf(*command);
  AddMocap(*command, ImportFormat::kMotive, "motive", "OptiTrack Motive CSV to recordings",
           "Units, rotation type and rate are in the file; the up axis is not: y by Motive's convention, checked "
           "against free fall.\nExample:\n  ricochet import motive take.csv --up y --body box -o recordings",
           {AddColumns});
  AddMocap(*command, ImportFormat::kVicon, "vicon", "Vicon CSV (Nexus, Tracker, Shogun) to recordings",
           "Three angles may be Euler angles or a rotation vector: state --angles if the file does not.\nExample:\n  "
           "ricochet import vicon trial.csv --angles helical -o recordings",
           {AddAngles, AddRate});
  AddMocap(*command, ImportFormat::kC3d, "c3d", "C3D markers or rotations to recordings",
           "Three or more markers of a subject form a body if they are rigid; others are points.\nExample:\n  ricochet "
           "import c3d trial.c3d --body box=M1,M2,M3,M4 -o recordings");
  AddMocap(*command, ImportFormat::kTrc, "trc", "TRC markers (OpenSim) to recordings",
           "Example:\n  ricochet import trc trial.trc -o recordings");
  AddMocap(*command, ImportFormat::kTum, "tum", "Trajectory (TUM, EuRoC, KITTI) to a recording",
           "Example:\n  ricochet import tum poses.txt -o recordings", {AddRate});
  AddMocap(*command, ImportFormat::kCsv, "csv", "Any table of numbers to a recording",
           "Separator, decimal mark and known names of columns are recognized; --columns states what is what, with "
           "units.\nExample:\n  ricochet import csv track.csv --columns t=frame/240,x=px*0.9mm,y=-py*0.9mm,theta=a*deg "
           "-o recordings",
           {AddColumns, AddAngles, AddRate});
  AddMocap(
      *command, ImportFormat::kNumpy, "numpy", "Arrays of NumPy (.npy, .npz) to a recording",
      "Columns are those of the arrays: NAME, or NAME_1, NAME_2, ... of an array of two axes.\nExample:\n  ricochet "
      "import numpy run.npz --columns t=time,x=pos_1*mm,y=pos_2*mm,theta=angle*deg -o recordings",
      {AddColumns, AddAngles, AddRate});
  AddMocap(
      *command, ImportFormat::kMatlab, "matlab", "Variables of MATLAB (.mat of versions 5 to 7) to a recording",
      "Columns are those of the variables: NAME, or NAME_1, NAME_2, ... of a matrix; fields are NAME.FIELD. --dry-run "
      "lists them.\nExample:\n  ricochet import matlab run.mat --columns t=time,x=pos_1*mm,y=pos_2*mm,theta=angle*deg "
      "-o recordings",
      {AddColumns, AddAngles, AddRate});
  AddImportIam(*command);
}

}  // namespace ricochet::app
