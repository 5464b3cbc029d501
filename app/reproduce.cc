// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/reproduce.h"

#include <fmt/format.h>

#include <memory>

#include "app/commands.h"
#include "app/options.h"
#include "ricochet/error.h"

namespace ricochet::app {
namespace {

struct ReproduceArguments {
  std::vector<std::string> names;
  std::string output;
  bool list = false;
  ContextFlags context;
};

void RunReproduce(const ReproduceArguments& arguments) {
  if (arguments.list || arguments.names.empty()) {
    for (const ExperimentInfo& experiment : ListExperiments())
      fmt::print("{:<28} {}\n", experiment.name, experiment.title);
    return;
  }
  if (arguments.output.empty())
    throw InputError({}, "--output", "is missing.", "Name a folder for tables and figures with -o.");
  for (const ExperimentInfo& experiment : FindExperiments(arguments.names)) {
    const std::vector<Comparison> comparisons = CallLibrary(arguments.context, [&](const Context& context) {
      return Reproduce(experiment.name, arguments.output, context);
    });
    fmt::print("## {}: {}\n\n{}\n", experiment.name, experiment.title, FormatComparisons(comparisons));
  }
  fmt::print("Tables (CSV) and figures (SVG) are in {}\n", arguments.output);
}

}  // namespace

void AddReproduce(CLI::App& root) {
  auto arguments = std::make_shared<ReproduceArguments>();
  CLI::App* command = root.add_subcommand("reproduce", "Repeat the papers' experiments and compare the numbers");
  command->add_option("NAME", arguments->names, "Experiments, a paper (all of its experiments), or `all`");
  command->add_flag("--list", arguments->list, "List the experiments");
  command->add_option("-o,--output", arguments->output, "Folder for tables (CSV), figures (SVG) and comparisons");
  AddThreads(*command, arguments->context);
  command->footer(
      "Example: the dropped ellipse of Gabiccini sec. 4.2\n"
      "  ricochet reproduce gabiccini-drop -o out");
  command->callback([arguments] { RunReproduce(*arguments); });
}

}  // namespace ricochet::app
