// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/sweep.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/options.h"
#include "core/hash.h"
#include "core/ranks.h"
#include "core/text.h"
#include "core/version.h"
#include "ricochet/error.h"
#include "ricochet/report.h"

namespace ricochet::app {
namespace {

struct SweepArguments {
  std::string scene;
  std::vector<std::string> recordings, grids, set;
  std::string cost = "trajectory", start = "release", report;
  SweepOptions options;
  bool json = false;
};

/// Everything that the cost map depends on.
std::string FingerprintOfSweep(const SweepArguments& arguments) {
  std::string text = fmt::format("{}\n{}\n", Commit(), Sha256OfFile(arguments.scene));
  for (const std::string& file : arguments.recordings) text += Sha256OfFile(file) + "\n";
  for (const std::string& grid : arguments.grids) text += "--grid " + grid + "\n";
  for (const std::string& setting : arguments.set) text += "--set " + setting + "\n";
  text += fmt::format("--cost {} --start {} --step {}\n", arguments.cost, arguments.start,
                      arguments.options.step ? FormatDouble(*arguments.options.step) : "");
  return text;
}

void PrintJson(const SweepArguments& arguments, const std::vector<SweepAxis>& axes, const SweepSummary& summary) {
  nlohmann::ordered_json out = {{"cells", summary.cells},           {"resumed_cells", summary.resumed_cells},
                                {"recordings", summary.recordings}, {"used", summary.used},
                                {"set_aside", summary.set_aside},   {"cost", arguments.cost},
                                {"least_cost", summary.least_cost}, {"unsolved", summary.unsolved},
                                {"seconds", summary.seconds},       {"file", arguments.options.output}};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const SweepInterval& interval = summary.intervals[i];
    out["best"].push_back({{"path", axes[i].path},
                           {"value", interval.best},
                           {"lower", interval.lower},
                           {"upper", interval.upper},
                           {"at_edge", interval.at_edge}});
  }
  fmt::print("{}\n", out.dump(2));
}

void WriteSweepReport(const SweepArguments& arguments, const Scene& scene, const std::vector<SweepAxis>& axes,
                      const std::vector<std::string>& inputs, const SweepSummary& summary) {
  ReportData report = MakeSweepReport(scene, axes, arguments.options, summary);
  for (const std::string& file : inputs) report.provenance.inputs.push_back({file, Sha256OfFile(file)});
  report.provenance.command_line = CommandLine();
  report.provenance.options = {{"cost", arguments.cost}, {"start of roll-outs", arguments.start}};
  WriteReport(report, arguments.report);
}

void RunSweep(SweepArguments& arguments) {
  Scene scene = ReadScene(arguments.scene);
  ApplySettings(scene, arguments.set);
  std::vector<std::string> inputs = arguments.recordings;
  inputs.push_back(arguments.scene);
  RefuseOverwriting(inputs, {arguments.options.output, arguments.options.output + ".part", arguments.report});
  std::vector<SweepAxis> axes;
  for (const std::string& grid : arguments.grids) axes.push_back(ParseSweepAxis(scene, grid));
  arguments.options.cost = ParseSweepCost(arguments.cost);
  arguments.options.start = ParseRollStart(arguments.start);
  arguments.options.fingerprint = FingerprintOfSweep(arguments);
  const RecordingSource recordings{.count = arguments.recordings.size(),
                                   .read = [&](std::size_t i) { return ReadRecording(arguments.recordings[i]); }};

  const SweepSummary summary = Sweep(scene, recordings, axes, arguments.options);
  if (!summary.complete)
    throw NumericsError(
        fmt::format("sweep: interrupted; what was done is in {}.part, and the same command goes on from there",
                    arguments.options.output));
  if (!IsRoot()) return;
  if (!arguments.report.empty()) WriteSweepReport(arguments, scene, axes, inputs, summary);
  if (arguments.json) return PrintJson(arguments, axes, summary);
  fmt::print("{} cells, {} recordings given, {} used, {:.1f} s\n", summary.cells, summary.recordings, summary.used,
             summary.seconds);
  if (summary.resumed_cells > 0) fmt::print("{} cells were there from a run before\n", summary.resumed_cells);
  for (const std::string& reason : summary.set_aside) fmt::print("set aside: {}\n", reason);
  fmt::print("least cost ({}) {:.6g}\n", arguments.cost, summary.least_cost);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const SweepInterval& interval = summary.intervals[i];
    fmt::print("  {:<40}{:>10.5g}   not told apart: {:.5g} to {:.5g}{}\n", axes[i].path, interval.best, interval.lower,
               interval.upper, interval.at_edge ? " (end of the grid)" : "");
  }
  fmt::print("cost map in {}\n", arguments.options.output);
  if (!arguments.report.empty()) fmt::print("report in {}\n", arguments.report);
}

}  // namespace

void AddSweep(CLI::App& root) {
  auto arguments = std::make_shared<SweepArguments>();
  CLI::App* command =
      root.add_subcommand("sweep", "Maps the cost of predicting recorded tosses over numbers of the scene");
  command->add_option("SCENE", arguments->scene, "Scene file (YAML)")->required();
  command->add_option("RECORDING", arguments->recordings, "Recordings (CSV), one or many")->required();
  command->add_option("--grid", arguments->grids, "PATH=LO:HI:N: N values from LO to HI; may repeat")->required();
  command->add_option("--cost", arguments->cost, "trajectory (Jongeneel 18), velocity (17) or rest (21)")
      ->capture_default_str();
  command->add_option("--start", arguments->start, "Where roll-outs start: release, contact or first")
      ->capture_default_str();
  command->add_option("--step", arguments->options.step, "Time step [s]; the scene's when not given")
      ->check(Positive());
  command->add_option("--set", arguments->set, "PATH=VALUE: change a number of the scene first, as often as you like");
  command->add_option("-o,--output", arguments->options.output, "The cost map (CSV)")->required();
  command->add_option("--report", arguments->report, "A page with the cost map (HTML)");
  AddThreads(*command);
  command->add_flag("--json", arguments->json, "Print the summary as JSON and nothing else");
  command->footer(
      "Stopped by Ctrl-C or killed, the same command goes on where it was. The result is the same for any number of\n"
      "threads, and of ranks: `mpirun -n 64 ricochet sweep ...` shares the work among machines (docs/cluster.md).\n"
      "Example: the grid of Jongeneel, 21 x 21 over friction and restitution\n"
      "  ricochet sweep examples/box006_toss.yaml tosses/*.csv --grid contact.friction=0:1:21 \\\n"
      "    --grid contact.restitution=0:1:21 -o map.csv");
  command->callback([arguments] { RunSweep(*arguments); });
}

}  // namespace ricochet::app
