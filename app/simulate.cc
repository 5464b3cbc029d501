// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/simulate.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/options.h"
#include "core/hash.h"
#include "evaluate/run_output.h"
#include "report/run_collector.h"
#include "ricochet/report.h"
#include "steppers/stepper.h"

namespace ricochet::app {
namespace {

struct SimulateArguments {
  std::string scene;
  std::string output, contacts, report;
  std::vector<std::string> set;
  std::string method;
  std::optional<double> step, duration, rate;
  std::string noise, inputs;
  std::uint64_t seed = 0;
  bool json = false;
};

/// What loads and moving surfaces took, and time stepping in flight, which loses m (g h)^2 / 2 per step [J].
double OtherLoss(const SimulationSummary& s) {
  return s.kinetic_start + s.potential_start - s.kinetic_end - s.potential_end - s.dissipated;
}

bool FindsPatches(const SimulationSummary& s) { return FindStepper(s.method).info().patches; }

nlohmann::ordered_json ToJson(const SimulationSummary& s) {
  nlohmann::ordered_json json = {
      {"method", s.method},
      {"step", s.step},
      {"steps", s.steps},
      {"duration", s.duration},
      {"energy",
       {{"kinetic_start", s.kinetic_start},
        {"kinetic_end", s.kinetic_end},
        {"potential_start", s.potential_start},
        {"potential_end", s.potential_end},
        {"dissipated", s.dissipated},
        {"other", OtherLoss(s)},
        {"gained", s.gained},
        {"gaining_steps", s.gaining_steps}}},
      {"contact_steps", s.contact_steps},
      {"deepest_penetration", s.deepest_penetration},
      {"largest_residual", s.largest_residual},
      {"retried_steps", s.retried_steps},
      {"failed_steps", s.failed_steps},
      {"first_failure", s.failed_steps > 0 ? nlohmann::ordered_json(s.first_failure) : nlohmann::ordered_json(nullptr)},
      {"seconds", s.seconds}};
  if (FindsPatches(s)) {
    json["fallbacks"] = {{"enumeration", s.fallbacks[0]},
                         {"continuation", s.fallbacks[1]},
                         {"general", s.fallbacks[2]},
                         {"halved", s.fallbacks[3]}};
    json["contact_kinds"] = {{"point", s.kinds[0]}, {"line", s.kinds[1]}, {"surface", s.kinds[2]}};
  }
  return json;
}

void Print(const SimulationSummary& s) {
  fmt::print("{}: {} steps of {:.6g} s, {:.6g} s simulated in {:.3g} s\n", s.method, s.steps, s.step, s.duration,
             s.seconds);
  fmt::print("energy            start        end\n");
  fmt::print("  kinetic    {:10.5g} {:10.5g} J\n", s.kinetic_start, s.kinetic_end);
  fmt::print("  potential  {:10.5g} {:10.5g} J\n", s.potential_start, s.potential_end);
  fmt::print("  lost to contacts and joints {:.5g} J, to loads, moving surfaces and time stepping {:.3g} J\n",
             s.dissipated, OtherLoss(s));
  fmt::print("contact in {} steps, deepest penetration {:.3g} m, largest complementarity residual {:.2g}\n",
             s.contact_steps, s.deepest_penetration, s.largest_residual);
  if (FindsPatches(s)) fmt::print("contacts: {} point, {} line, {} surface\n", s.kinds[0], s.kinds[1], s.kinds[2]);
  if (s.retried_steps > 0 && FindsPatches(s))
    fmt::print(
        "{} steps were not solved at the first attempt: {} from other features, {} by continuation in friction, {} by "
        "the general solver, {} in halves\n",
        s.retried_steps, s.fallbacks[0], s.fallbacks[1], s.fallbacks[2], s.fallbacks[3]);
  else if (s.retried_steps > 0)
    fmt::print("{} steps were solved by a fall-back or in halves\n", s.retried_steps);
  if (s.gaining_steps > 0)
    fmt::print("note: in {} steps the contacts gave {:.3g} J: {}\n", s.gaining_steps, s.gained,
               FindsPatches(s) ? "the normal impulse on a contact point that rolls on, of order h^2 per step"
                               : "Newton's restitution with friction can do that");
}

void WriteSimulationReport(const SimulateArguments& arguments, RunCollector& collector,
                           const SimulationSummary& summary) {
  ReportData report = collector.Finish(summary);
  for (const std::string& input : {arguments.scene, arguments.inputs})
    if (!input.empty()) report.provenance.inputs.push_back({input, Sha256OfFile(input)});
  report.provenance.command_line = CommandLine();
  report.provenance.options = {{"method", summary.method},
                               {"step", fmt::format("{} s", summary.step)},
                               {"seed", fmt::format("{}", arguments.seed)}};
  WriteReport(report, arguments.report);
}

void RunSimulate(const SimulateArguments& arguments) {
  RefuseOverwriting({arguments.scene, arguments.inputs}, {arguments.output, arguments.contacts, arguments.report});
  Scene scene = ReadScene(arguments.scene);
  ApplySettings(scene, arguments.set);

  SimulateOptions options;
  options.method = arguments.method;
  options.step = arguments.step;
  options.duration = arguments.duration;
  options.rate = arguments.rate;
  options.seed = arguments.seed;
  ParseNoise(arguments.noise, options.noise_position, options.noise_angle);
  Recording inputs;
  if (!arguments.inputs.empty()) {
    inputs = ReadRecording(arguments.inputs);
    options.inputs = &inputs;
  }

  std::optional<RunCollector> collector;
  if (!arguments.report.empty()) collector.emplace(scene);
  const SimulationSummary summary =
      SimulateToSinks(scene, options, arguments.output, arguments.contacts, collector ? &*collector : nullptr);
  if (collector) WriteSimulationReport(arguments, *collector, summary);
  if (arguments.json) {
    fmt::print("{}\n", ToJson(summary).dump(2));
  } else {
    Print(summary);
    if (!arguments.output.empty()) fmt::print("motion in {}\n", arguments.output);
    if (!arguments.contacts.empty()) fmt::print("contacts in {}\n", arguments.contacts);
    if (!arguments.report.empty()) fmt::print("report in {}\n", arguments.report);
  }
  if (summary.failed_steps > 0)
    throw NumericsError(
        fmt::format("simulate: {} of {} steps were not solved to tolerance (first at {:.6g} s, residual up to "
                    "{:.2g}); the files hold what was reached. Try another --step or --method.",
                    summary.failed_steps, summary.steps, summary.first_failure, summary.largest_residual));
}

}  // namespace

void AddSimulate(CLI::App& root) {
  auto arguments = std::make_shared<SimulateArguments>();
  CLI::App* command = root.add_subcommand("simulate", "Runs a scene: motion, contact impulses, energy");
  command->add_option("SCENE", arguments->scene, "Scene file (YAML)")->required();
  command->add_option("-o,--output", arguments->output, "Motion as a recording with velocities (CSV)");
  command->add_option("--contacts", arguments->contacts, "A row per closed contact and step (CSV)");
  command->add_option("--report", arguments->report, "A page with playback, plots and tables (HTML)");
  command->add_option("--set", arguments->set, "PATH=VALUE: change a number of the scene, as often as you like")
      ->allow_extra_args(false);
  command->add_option(
      "--method", arguments->method,
      fmt::format("Stepper instead of the scene's simulation.method: {}; `ricochet methods` describes them",
                  NamesOfSteppers([](const StepperInfo&) { return true; })));
  command->add_option("--step", arguments->step, "Time step [s] instead of the scene's")->check(Positive());
  command->add_option("--duration", arguments->duration, "Duration [s] instead of the scene's")->check(NonNegative());
  command->add_option("--rate", arguments->rate, "Rows per second of the output; otherwise one per step")
      ->check(Positive());
  command->add_option("--noise", arguments->noise,
                      "position=S,angle=S: measurement noise [m, rad]; leaves velocities out");
  command->add_option("--inputs", arguments->inputs, "Recording whose columns drive the motors (CSV)");
  command->add_option("--seed", arguments->seed, "Seed of the noise")->capture_default_str()->check(WholeNumber());
  command->add_flag("--json", arguments->json, "Print the summary as JSON and nothing else");
  command->footer(
      "Example: a thrown ellipse with more friction, its motion and impulses, and a noisy 240 fps recording of it\n"
      "  ricochet simulate examples/ellipse_throw.yaml --set contact.friction=0.5 -o run.csv --contacts contacts.csv\n"
      "  ricochet simulate examples/plywood_ellipse.yaml --rate 240 --noise position=0.001,angle=0.001 --seed 1 -o "
      "camera.csv");
  command->callback([arguments] { RunSimulate(*arguments); });
}

}  // namespace ricochet::app
