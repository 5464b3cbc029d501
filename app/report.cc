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
  CLI::App* command = root.add_subcommand("report", "One page that shows a result: playback, plots, tables");
  command
      ->add_option("RESULT", arguments->results,
                   "What commands wrote: an estimate or evaluation (JSON), recordings and contacts (CSV), a scene")
      ->required();
  command->add_option("-o,--output", arguments->output, "The page (HTML)")->required();
  command->add_option("--scene", arguments->scene, "Scene, where the results do not name it (YAML)");
  command->footer(
      "Example: the page of an estimate, and that of a run\n"
      "  ricochet report estimate.json -o report.html\n"
      "  ricochet report run.csv contacts.csv --scene examples/ellipse_throw.yaml -o report.html");
  command->callback([arguments] { RunReport(*arguments); });
}

}  // namespace ricochet::app
