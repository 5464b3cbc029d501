// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/sweep.h"

#include <fmt/format.h>

#include <memory>

#include "app/commands.h"
#include "app/mpi_ranks.h"
#include "app/options.h"
#include "ricochet/report.h"

namespace ricochet::app {
namespace {

struct SweepArguments {
  std::string scene;
  std::vector<std::string> recordings, grids, set;
  std::string cost = "trajectory", start = "release", report;
  SweepOptions options;
  ContextFlags context;
  bool json = false;
};

void WriteSweepReport(const SweepArguments& arguments, const Scene& scene, const std::vector<SweepAxis>& axes,
                      const std::vector<std::string>& inputs, const SweepResult& result) {
  ReportData report = MakeSweepReport(scene, axes, arguments.options, result);
  WritePage(report, inputs, {{"cost", arguments.cost}, {"start of simulations", arguments.start}}, arguments.report);
}

void RunSweep(SweepArguments& arguments) {
  Scene scene = ReadScene(arguments.scene);
  ApplySettings(scene, arguments.set);
  std::vector<std::string> inputs = arguments.recordings;
  inputs.push_back(arguments.scene);
  SweepOptions& options = arguments.options;
  RefuseOverwriting(inputs, {options.output, options.output + ".part", arguments.report});
  std::vector<SweepAxis> axes;
  const SweepResult result = CallLibrary(arguments.context, [&](const Context& context) {
    for (const std::string& grid : arguments.grids) axes.push_back(ParseSweepAxis(scene, grid));
    options.cost = ParseSweepCost(arguments.cost);
    options.start = ParseRollStart(arguments.start);
    return Sweep(scene, RecordingsInFiles(arguments.recordings), axes, options, context);
  });
  if (!IsRoot()) return;
  if (!arguments.report.empty()) WriteSweepReport(arguments, scene, axes, inputs, result);
  if (arguments.json) {
    fmt::print("{}", FormatSweep(axes, options, result));
    return;
  }
  fmt::print("{}cost map in {}\n", DescribeSweep(axes, options, result), options.output);
  if (!arguments.report.empty()) fmt::print("report in {}\n", arguments.report);
}

}  // namespace

void AddSweep(CLI::App& root) {
  auto arguments = std::make_shared<SweepArguments>();
  CLI::App* command =
      root.add_subcommand("sweep", "Map the prediction cost of recorded tosses over parameters of the scene");
  command->add_option("SCENE", arguments->scene, "Scene file (YAML)")->required();
  command->add_option("RECORDING", arguments->recordings, "Recordings (CSV), one or more")->required();
  command->add_option("--grid", arguments->grids, "PATH=LO:HI:N: N values from LO to HI; repeatable")->required();
  command->add_option("--cost", arguments->cost, "trajectory, velocity or rest: equations 18, 17 and 21 of Jongeneel")
      ->capture_default_str();
  command->add_option("--start", arguments->start, "Where rollouts start: release, contact or first")
      ->capture_default_str();
  command->add_option("--step", arguments->options.step, "Time step [s]; default: the scene's")->check(Positive());
  command->add_option("--set", arguments->set, "PATH=VALUE: set a parameter of the scene first; repeatable");
  command->add_option("-o,--output", arguments->options.output, "Cost map (CSV)")->required();
  command->add_option("--report", arguments->report, "Report page with the cost map (HTML)");
  AddThreads(*command, arguments->context);
  command->add_flag("--json", arguments->json, "Print only the summary, as JSON");
  command->footer(
      "After Ctrl-C or a crash, run the same command to continue. The result is the same for any number of\nthreads, "
      "and of ranks: `mpirun -n 64 ricochet sweep ...` shares the work among machines (docs/cluster.md).\nExample: the "
      "grid of Jongeneel, 21 x 21 over friction and restitution\n  ricochet sweep examples/box006_toss.yaml "
      "tosses/*.csv --grid contact.friction=0:1:21 \\\n    --grid contact.restitution=0:1:21 -o map.csv");
  command->callback([arguments] { RunSweep(*arguments); });
}

}  // namespace ricochet::app
