// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/identifiability.h"

#include <fmt/format.h>

#include <memory>

#include "app/commands.h"
#include "app/options.h"

namespace ricochet::app {
namespace {

struct IdentifiabilityArguments {
  EstimationArguments inputs;
  IdentifiabilityOptions options;
  bool json = false;
};

void RunIdentifiability(const IdentifiabilityArguments& arguments) {
  const EstimationInputs inputs = ReadInputs(arguments.inputs);
  const Identifiability result = CallLibrary({}, [&](const Context& context) {
    return AnalyzeIdentifiability(inputs.scene, inputs.recordings, inputs.paths, arguments.options, context);
  });
  fmt::print("{}", arguments.json ? FormatIdentifiability(result) : WithFlags(DescribeIdentifiability(result)));
}

}  // namespace

void AddIdentifiability(CLI::App& root) {
  auto arguments = std::make_shared<IdentifiabilityArguments>();
  CLI::App* command =
      root.add_subcommand("identifiability", "Find which parameters the data, or a planned motion, determine");
  arguments->inputs.AddTo(*command, "Recordings (CSV); default: the scene's own motion");
  command->add_option("--rate", arguments->options.rate, "Frames per second of the planned recording")
      ->check(Positive())
      ->capture_default_str();
  command
      ->add_option("--method", arguments->options.method,
                   "Estimator whose problem is analyzed (`ricochet methods` lists them)")
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "Print only JSON");
  command->footer(
      "Example: what one throw of the plywood ellipse determines\n  ricochet identifiability "
      "examples/plywood_ellipse.yaml --estimate \"bodies.ellipse.mass, bodies.ellipse.inertia, contact.*\"");
  command->callback([arguments] { RunIdentifiability(*arguments); });
}

}  // namespace ricochet::app
