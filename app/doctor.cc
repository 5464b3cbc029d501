// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/examine.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "app/commands.h"
#include "app/options.h"

namespace ricochet::app {
namespace {

struct DoctorArguments {
  std::vector<std::string> recordings, set;
  std::string scene, repair;
  int rows = 12;
  bool json = false;
  ContextFlags context;
};

void RunDoctor(const DoctorArguments& arguments) {
  const std::vector<Recording> recordings = ReadRecordings(arguments.recordings);
  const Examination found = CallLibrary(arguments.context, [&](const Context& context) {
    if (arguments.scene.empty()) return Examine(recordings, context);
    Scene scene = ReadScene(arguments.scene);
    ApplySettings(scene, arguments.set);
    return Examine(recordings, scene, context);
  });
  std::string written;
  if (!arguments.repair.empty()) {
    for (const Recording& recording : recordings)
      for (const Mistake& mistake : found.mistakes)
        if (mistake.file == recording.file && mistake.change) {
          const std::filesystem::path name = std::filesystem::path(recording.file).filename();
          const std::string target = (std::filesystem::path(arguments.repair) / name).string();
          MakeFolder(arguments.repair, "--repair");
          RefuseOverwriting(arguments.recordings, {target});
          WriteRecording(Repair(recording, *mistake.change), target);
          written += fmt::format("repaired recording in {}\n", target);
        }
    if (written.empty()) written = "nothing to repair\n";
  }
  fmt::print("{}", arguments.json ? FormatExamination(found) : WithFlags(DescribeExamination(found, arguments.rows)));
  if (!arguments.json && !written.empty()) fmt::print("\n{}", written);
}

}  // namespace

void AddDoctor(CLI::App& root) {
  auto arguments = std::make_shared<DoctorArguments>();
  CLI::App* command = root.add_subcommand("doctor", "Check recordings before you use them");
  command->add_option("RECORDING", arguments->recordings, "Recordings (CSV), one or more; several are pooled")
      ->required();
  CLI::Option* scene =
      command->add_option("--scene", arguments->scene, "Scene file (YAML): expected gravity, size and surface");
  command->add_option("--set", arguments->set, "PATH=VALUE: set a parameter of the scene first; repeatable")
      ->allow_extra_args(false)
      ->needs(scene);
  command->add_option("--rows", arguments->rows, "Maximum number of recordings to list")
      ->check(Count())
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "Print only the full report, as JSON");
  command->add_option("--repair", arguments->repair,
                      "Folder for corrected copies of recordings whose units, axes or order are wrong");
  AddThreads(*command, arguments->context);
  command->footer(
      "Finds rate, dropped and frozen frames, outliers, noise, gravity (length unit, scale,\nwhich way is up), "
      "release, impacts and rest; with a scene also size, corners and pose of the surface.\nThe report says what is "
      "wrong and what to do; a recording that cannot be used is not an error (exit 0).\nExample: all tosses of a "
      "session at once, against the scene they should fit\n  ricochet doctor tosses/*.csv --scene box.yaml");
  command->callback([arguments] { RunDoctor(*arguments); });
}

}  // namespace ricochet::app
