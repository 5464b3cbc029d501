// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/simulate.h"

#include <fmt/format.h>

#include <memory>

#include "app/commands.h"
#include "app/options.h"
#include "core/text.h"
#include "ricochet/methods.h"
#include "ricochet/report.h"

namespace ricochet::app {
namespace {

struct SimulateArguments {
  std::string scene;
  SimulationFiles files;
  std::string report;
  std::vector<std::string> set;
  SimulateOptions options;
  std::string noise, inputs;
  ContextFlags context;
  bool json = false;
};

void RunSimulate(SimulateArguments& arguments) {
  RefuseOverwriting({arguments.scene, arguments.inputs},
                    {arguments.files.recording, arguments.files.contacts, arguments.report});
  Scene scene = ReadScene(arguments.scene);
  ApplySettings(scene, arguments.set);
  SimulateOptions& options = arguments.options;
  ParseNoise(arguments.noise, options.noise_position, options.noise_angle);
  Recording inputs;
  if (!arguments.inputs.empty()) {
    inputs = ReadRecording(arguments.inputs);
    options.inputs = &inputs;
  }
  ReportedSimulation run = CallLibrary(arguments.context, [&](const Context& context) {
    if (!arguments.report.empty()) return SimulateWithReport(scene, options, arguments.files, context);
    return ReportedSimulation{SimulateToFiles(scene, options, arguments.files, context), {}};
  });
  const SimulationSummary& summary = run.summary;
  if (!arguments.report.empty())
    WritePage(run.report, {arguments.scene, arguments.inputs},
              {{"method", summary.method},
               {"step", fmt::format("{} s", summary.step)},
               {"seed", fmt::format("{}", arguments.context.seed)}},
              arguments.report);
  if (arguments.json) {
    fmt::print("{}", FormatSimulation(summary));
  } else {
    fmt::print("{}", DescribeSimulation(summary));
    if (!arguments.files.recording.empty()) fmt::print("motion in {}\n", arguments.files.recording);
    if (!arguments.files.contacts.empty()) fmt::print("contacts in {}\n", arguments.files.contacts);
    if (!arguments.report.empty()) fmt::print("report in {}\n", arguments.report);
  }
  if (summary.failed_steps > 0)
    throw NumericsError(
        fmt::format("simulate: {} of {} steps were not solved to tolerance (first at {:.6g} s, residual up to {:.2g}); "
                    "the files contain the motion so far. Try another --step or --method.",
                    summary.failed_steps, summary.steps, summary.first_failure, summary.largest_residual));
}

/// "irc, lcp, ...".
std::string StepperNames() {
  std::vector<std::string> names;
  for (const MethodInfo& stepper : ListSteppers()) names.push_back(stepper.name);
  return JoinList(names, "or");
}

}  // namespace

void AddSimulate(CLI::App& root) {
  auto arguments = std::make_shared<SimulateArguments>();
  CLI::App* command = root.add_subcommand("simulate", "Simulate a scene: motion, contact impulses, energy");
  command->add_option("SCENE", arguments->scene, "Scene file (YAML)")->required();
  command->add_option("-o,--output", arguments->files.recording, "Motion, as a recording with velocities (CSV)");
  command->add_option("--contacts", arguments->files.contacts, "One row per closed contact and step (CSV)");
  command->add_option("--report", arguments->report, "Report page with playback, plots and tables (HTML)");
  command->add_option("--set", arguments->set, "PATH=VALUE: set a parameter of the scene; repeatable")
      ->allow_extra_args(false);
  command->add_option(
      "--method", arguments->options.method,
      fmt::format("Stepper instead of the scene's simulation.method: {}; `ricochet methods` describes them",
                  StepperNames()));
  command->add_option("--step", arguments->options.step, "Time step [s] instead of the scene's")->check(Positive());
  command->add_option("--duration", arguments->options.duration, "Duration [s] instead of the scene's")
      ->check(NonNegative());
  command->add_option("--rate", arguments->options.rate, "Rows per second of the output; otherwise one per step")
      ->check(Positive());
  command->add_option("--noise", arguments->noise,
                      "position=S,angle=S: add measurement noise [m, rad] and omit velocities");
  command->add_option("--inputs", arguments->inputs, "Recording whose columns drive the motors (CSV)");
  AddSeed(*command, arguments->context, "Seed of the noise");
  command->add_flag("--json", arguments->json, "Print only the summary, as JSON");
  command->footer(
      "Example: a thrown ellipse with more friction; then a noisy 240 fps recording of it\n  ricochet simulate "
      "examples/ellipse_throw.yaml --set contact.friction=0.5 -o run.csv --contacts contacts.csv\n  ricochet simulate "
      "examples/plywood_ellipse.yaml --rate 240 --noise position=0.001,angle=0.001 --seed 1 -o camera.csv");
  command->callback([arguments] { RunSimulate(*arguments); });
}

}  // namespace ricochet::app
