// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/identifiability.h"

#include <fmt/format.h>

#include <memory>

#include "app/commands.h"
#include "app/options.h"

namespace ricochet::app {
namespace {

struct IdentifiabilityArguments {
  std::string scene;
  std::vector<std::string> recordings, paths, set;
  double rate = 240;
  bool json = false;
};

void RunIdentifiability(const IdentifiabilityArguments& arguments) {
  Scene scene = ReadScene(arguments.scene);
  ApplySettings(scene, arguments.set);
  std::string paths;
  for (const std::string& part : arguments.paths) paths += (paths.empty() ? "" : ",") + part;
  std::vector<Recording> recordings;
  for (const std::string& file : arguments.recordings) recordings.push_back(ReadRecording(file));
  const Identifiability result = AnalyzeIdentifiability(scene, recordings, paths, arguments.rate);
  fmt::print("{}", arguments.json ? FormatIdentifiability(result) : DescribeIdentifiability(result));
}

}  // namespace

void AddIdentifiability(CLI::App& root) {
  auto arguments = std::make_shared<IdentifiabilityArguments>();
  CLI::App* command = root.add_subcommand("identifiability", "Which numbers the data, or a planned motion, can tell");
  command->add_option("SCENE", arguments->scene, "Scene file (YAML)")->required();
  command->add_option("RECORDING", arguments->recordings, "Recordings (CSV); none: the scene's own motion");
  command->add_option("--estimate", arguments->paths, "Paths of the numbers, a comma list; may repeat")->required();
  command->add_option("--set", arguments->set, "PATH=VALUE: change a number of the scene first");
  command->add_option("--rate", arguments->rate, "Frames per second of the planned recording")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "Print JSON and nothing else");
  command->footer(
      "Example: what one throw of the plywood ellipse can tell\n"
      "  ricochet identifiability examples/plywood_ellipse.yaml --estimate \"bodies.ellipse.mass, "
      "bodies.ellipse.inertia, contact.*\"");
  command->callback([arguments] { RunIdentifiability(*arguments); });
}

}  // namespace ricochet::app
