// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "reproduce/reproduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/commands.h"
#include "app/options.h"
#include "core/text.h"
#include "ricochet/error.h"

namespace ricochet::app {
namespace {

struct ReproduceArguments {
  std::vector<std::string> names;
  std::string output;
  bool list = false;
};

/// The experiments that were named: by their own name, or by the part before a dash ("gabiccini").
std::vector<Experiment> Choose(const std::vector<std::string>& names) {
  const std::vector<Experiment> all = AllExperiments();
  if (std::find(names.begin(), names.end(), "all") != names.end()) return all;
  std::vector<Experiment> chosen;
  for (const std::string& name : names) {
    const size_t before = chosen.size();
    for (const Experiment& experiment : all)
      if (experiment.name == name || experiment.name.starts_with(name + "-")) chosen.push_back(experiment);
    if (chosen.size() > before) continue;
    std::vector<std::string> known;
    for (const Experiment& experiment : all) known.push_back(experiment.name);
    throw InputError({}, "reproduce", fmt::format("there is no experiment `{}`.", Printable(name)),
                     SuggestName(name, known));
  }
  return chosen;
}

void RunReproduce(const ReproduceArguments& arguments) {
  if (arguments.list || arguments.names.empty()) {
    for (const Experiment& experiment : AllExperiments()) fmt::print("{:<28} {}\n", experiment.name, experiment.title);
    return;
  }
  if (arguments.output.empty())
    throw InputError({}, "-o", "is not given.", "Name the folder for tables and pictures: -o DIR.");
  for (const Experiment& experiment : Choose(arguments.names)) {
    const ExperimentResult result = experiment.run();
    WriteExperiment(experiment, result, arguments.output);
    fmt::print("## {}: {}\n\n{}\n", experiment.name, experiment.title, FormatComparisons(result.comparisons));
  }
  fmt::print("Tables (CSV) and pictures (SVG) are in {}\n", arguments.output);
}

}  // namespace

void AddReproduce(CLI::App& root) {
  auto arguments = std::make_shared<ReproduceArguments>();
  CLI::App* command = root.add_subcommand("reproduce", "Re-runs the papers' experiments, their numbers next to ours");
  command->add_option("NAME", arguments->names, "Experiments, or `all`; a paper's name means all of its");
  command->add_flag("--list", arguments->list, "List the experiments");
  command->add_option("-o,--output", arguments->output, "Folder for tables (CSV), pictures (SVG) and comparisons");
  AddThreads(*command);
  command->footer(
      "Example: the dropped ellipse of Gabiccini sec. 4.2\n"
      "  ricochet reproduce gabiccini-drop -o out");
  command->callback([arguments] { RunReproduce(*arguments); });
}

}  // namespace ricochet::app
