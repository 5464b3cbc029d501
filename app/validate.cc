// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/commands.h"
#include "app/options.h"
#include "core/atomic_file.h"
#include "core/hash.h"
#include "result/apply_estimate.h"
#include "ricochet/cross_validate.h"
#include "ricochet/error.h"
#include "ricochet/estimate.h"
#include "ricochet/parameter.h"
#include "ricochet/report.h"

namespace ricochet::app {
namespace {

struct ValidateArguments {
  std::string scene;
  std::vector<std::string> recordings, with, set, variants, vary, estimate;
  std::string start = "release", output, report, method = "auto";
  int folds = 0, average = 0;
  std::uint64_t seed = 0;
  std::optional<double> step;
  bool json = false;
};

void RunValidate(const ValidateArguments& arguments) {
  Scene scene = ReadScene(arguments.scene);
  ApplySettings(scene, arguments.set);
  std::vector<std::string> inputs = arguments.recordings;
  inputs.push_back(arguments.scene);
  inputs.insert(inputs.end(), arguments.with.begin(), arguments.with.end());
  RefuseOverwriting(inputs, {arguments.output, arguments.report});
  ValidateOptions options;
  options.start = ParseRollStart(arguments.start);
  options.step = arguments.step;
  options.average = arguments.average;
  options.seed = arguments.seed;
  std::vector<Recording> recordings;
  for (const std::string& file : arguments.recordings) recordings.push_back(ReadRecording(file));

  std::vector<Validation> validations;
  if (arguments.with.empty()) validations.push_back(Validate(scene, recordings, options));
  for (const std::string& file : arguments.with) {
    validations.push_back(Validate(ApplyEstimate(scene, ReadEstimate(file)), recordings, options));
    validations.back().name = file;
  }
  for (const std::string& variant : arguments.variants) {
    Scene changed = scene;
    std::vector<std::string> settings;
    for (std::size_t at = 0; at <= variant.size();) {
      const std::size_t comma = std::min(variant.find(',', at), variant.size());
      settings.push_back(variant.substr(at, comma - at));
      at = comma + 1;
    }
    ApplySettings(changed, settings);
    validations.push_back(Validate(changed, recordings, options));
    validations.back().name = variant;
  }
  if (arguments.folds > 0) {
    std::string paths;
    for (const std::string& each : arguments.estimate) paths += (paths.empty() ? "" : ",") + each;
    if (paths.empty())
      throw InputError({}, "--folds", "cross-validation needs numbers to identify.",
                       "Name them with --estimate, for example contact.friction,contact.restitution.");
    IdentifyOptions identify;
    identify.method = arguments.method;
    if (arguments.start != "release") identify.method_options["start"] = arguments.start;
    identify.seed = arguments.seed;
    Scene stepped = scene;
    if (options.step) stepped.Set(stepped.simulation.step, *options.step);
    validations.push_back(CrossValidate(stepped, recordings, paths, arguments.folds, identify, options));
  }
  std::vector<Sensitivity> sensitivities;
  for (const std::string& text : arguments.vary) sensitivities.push_back(Vary(scene, recordings, text, options));
  const std::string text = FormatValidations(validations, sensitivities);
  if (!arguments.output.empty()) WriteFileAtomically(arguments.output, text);
  if (!arguments.report.empty()) {
    const Scene first = arguments.with.empty() ? scene : ApplyEstimate(scene, ReadEstimate(arguments.with.front()));
    ReportData report = MakeValidationReport(first, recordings, text, options);
    for (const std::string& file : inputs) report.provenance.inputs.push_back({file, Sha256OfFile(file)});
    report.provenance.command_line = CommandLine();
    report.provenance.options = {{"start of roll-outs", arguments.start}};
    WriteReport(report, arguments.report);
  }
  fmt::print("{}", arguments.json ? text : DescribeValidations(validations));
  if (!arguments.json)
    for (const Sensitivity& sensitivity : sensitivities) fmt::print("{}", DescribeSensitivity(sensitivity));
  if (!arguments.report.empty() && !arguments.json) fmt::print("report in {}\n", arguments.report);
  const auto& first = validations.front().recordings;
  if (std::none_of(first.begin(), first.end(), [](const ValidatedRecording& r) { return r.used; }))
    throw NumericsError("validate: none of the recordings could be used");
}

}  // namespace

void AddValidate(CLI::App& root) {
  auto arguments = std::make_shared<ValidateArguments>();
  CLI::App* command = root.add_subcommand("validate", "Tells how well a scene predicts recorded tosses");
  command->add_option("SCENE", arguments->scene, "Scene file (YAML)")->required();
  command->add_option("RECORDING", arguments->recordings, "Recordings (CSV), one or many")->required();
  command->add_option("--with", arguments->with, "Estimates (JSON) whose values are put into the scene, side by side");
  command->add_option("--set", arguments->set, "PATH=VALUE: change a number of the scene first, as often as you like");
  command->add_option("--start", arguments->start, "Where roll-outs start: release, contact, first or below:HEIGHT")
      ->capture_default_str();
  command->add_option("--step", arguments->step, "Time step [s]; the scene's when not given")->check(Positive());
  command->add_option(
      "--variant", arguments->variants,
      "PATH=VALUE[,PATH=VALUE...]: the scene with these numbers beside it, such as contact.restitution=0");
  command->add_option("--vary", arguments->vary,
                      "PATH=+-R[:N]: errors with this number moved by steps (11 unless N), as often as you like");
  command->add_option("--folds", arguments->folds, "Cross-validation: identify on all folds but one, predict that one")
      ->check(NonNegative());
  command->add_option("--estimate", arguments->estimate, "Numbers to identify for --folds, a comma list");
  command->add_option("--method", arguments->method, "How to identify them")->capture_default_str();
  command
      ->add_option("--average", arguments->average,
                   "Predict by the mean of this many roll-outs from starts within the flight's uncertainty")
      ->check(NonNegative());
  command->add_option("--seed", arguments->seed, "Seed of everything random")->capture_default_str();
  AddThreads(*command);
  command->add_option("-o,--output", arguments->output, "All errors (JSON)");
  command->add_option("--report", arguments->report, "A page with errors, rest poses and playback (HTML)");
  command->add_flag("--json", arguments->json, "Print all errors as JSON and nothing else");
  command->footer(
      "Each roll-out starts with the state fitted to the free flight and ends with the recorded rest. Errors: "
      "distance\n"
      "and angle between prediction and recording over the frames, and at rest.\n"
      "Example\n"
      "  ricochet validate examples/box006_toss.yaml tosses/*.csv --with estimate.json");
  command->callback([arguments] { RunValidate(*arguments); });
}

}  // namespace ricochet::app
