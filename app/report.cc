// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/report.h"

#include <fmt/format.h>

#include <memory>

#include "app/commands.h"
#include "app/options.h"

namespace ricochet::app {
namespace {

struct ReportArguments {
  std::vector<std::string> results;
  std::string scene, output;
};

void RunReport(const ReportArguments& arguments) {
  std::vector<std::string> inputs = arguments.results;
  inputs.push_back(arguments.scene);
  RefuseOverwriting(inputs, {arguments.output});
  ReportData data =
      CallLibrary({}, [&](const Context& context) { return ReadReport(arguments.results, arguments.scene, context); });
  data.provenance.command_line = CommandLine();
  WriteReport(data, arguments.output);
  fmt::print("report in {}\n", arguments.output);
}

}  // namespace

void AddReport(CLI::App& root) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* command = root.add_subcommand("report", "Write a report page from results: playback, plots, tables");
  command
      ->add_option("RESULT", arguments->results,
                   "Results of commands: an estimate or evaluation (JSON), recordings and contacts (CSV), a scene")
      ->required();
  command->add_option("-o,--output", arguments->output, "Report page (HTML)")->required();
  command->add_option("--scene", arguments->scene, "Scene, if the results do not name it (YAML)");
  command->footer(
      "Example: pages of an estimate and of a simulation\n  ricochet report estimate.json -o report.html\n  ricochet "
      "report run.csv contacts.csv --scene examples/ellipse_throw.yaml -o report.html");
  command->callback([arguments] { RunReport(*arguments); });
}

}  // namespace ricochet::app
