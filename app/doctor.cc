// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/examine.h"

#include <fmt/format.h>

#include <memory>

#include "app/commands.h"
#include "app/options.h"

namespace ricochet::app {
namespace {

struct DoctorArguments {
  std::vector<std::string> recordings, set;
  std::string scene;
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
  fmt::print("{}", arguments.json ? FormatExamination(found) : WithFlags(DescribeExamination(found, arguments.rows)));
}

}  // namespace

void AddDoctor(CLI::App& root) {
  auto arguments = std::make_shared<DoctorArguments>();
  CLI::App* command = root.add_subcommand("doctor", "What to check before trusting recordings");
  command->add_option("RECORDING", arguments->recordings, "Recordings (CSV), one or many; many are pooled")->required();
  CLI::Option* scene =
      command->add_option("--scene", arguments->scene, "Scene file (YAML): what gravity, size and surface should be");
  command->add_option("--set", arguments->set, "PATH=VALUE: change a number of the scene first, as often as you like")
      ->allow_extra_args(false)
      ->needs(scene);
  command->add_option("--rows", arguments->rows, "Most recordings to list")
      ->check(NonNegative())
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "Print the whole report as JSON and nothing else");
  AddThreads(*command, arguments->context);
  command->footer(
      "Finds in the recordings themselves: rate, dropped and frozen frames, outliers, noise, gravity (length unit, "
      "scale,\n"
      "which way is up), release, impacts and rest; with a scene also size, corners and pose of the surface.\n"
      "The report says what is wrong and what to do; a recording that cannot be used is no error (exit 0).\n"
      "Example: all tosses of a session at once, against the scene they should fit\n"
      "  ricochet doctor tosses/*.csv --scene box.yaml");
  command->callback([arguments] { RunDoctor(*arguments); });
}

}  // namespace ricochet::app
