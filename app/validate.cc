// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/commands.h"
#include "app/options.h"
#include "ricochet/cross_validate.h"
#include "ricochet/error.h"
#include "ricochet/report.h"

namespace ricochet::app {
namespace {

struct ValidateArguments {
  std::string scene;
  std::vector<std::string> recordings, with, set, variants, vary, estimate;
  std::string start = "release", output, report;
  CrossValidateOptions options{.folds = 0};
  ContextFlags context;
  bool json = false;
};

/// The scene with `PATH=VALUE,PATH=VALUE`.
Scene VariantOf(Scene scene, const std::string& variant) {
  std::vector<std::string> settings;
  for (std::size_t at = 0; at <= variant.size();) {
    const std::size_t comma = std::min(variant.find(',', at), variant.size());
    settings.push_back(variant.substr(at, comma - at));
    at = comma + 1;
  }
  ApplySettings(scene, settings);
  return scene;
}

/// The scene with the first estimate of --with, where there is one.
Scene FirstModel(const ValidateArguments& arguments, const Scene& scene) {
  return arguments.with.empty() ? scene : Apply(scene, ReadEstimate(arguments.with.front()));
}

ValidationSet ComputeValidations(ValidateArguments& arguments, const Scene& scene,
                                 const std::vector<Recording>& recordings, const Context& context) {
  ValidateOptions& options = arguments.options.validate;
  options.start = ParseRollStart(arguments.start);
  ValidationSet set;
  const auto validate = [&](const Scene& model, const std::string& name) {
    set.models.push_back(Validate(model, recordings, options, context));
    if (!name.empty()) set.models.back().name = name;
  };
  if (arguments.with.empty()) validate(scene, "");
  for (const std::string& file : arguments.with) validate(Apply(scene, ReadEstimate(file)), file);
  for (const std::string& variant : arguments.variants) validate(VariantOf(scene, variant), variant);
  if (arguments.options.folds > 0) {
    std::string paths;
    for (const std::string& each : arguments.estimate) paths += (paths.empty() ? "" : ",") + each;
    if (paths.empty())
      throw InputError({}, "--estimate", "is missing.", "--folds needs it: name the parameters to estimate.");
    set.models.push_back(CrossValidate(scene, recordings, paths, arguments.options, context));
  }
  const Scene center = FirstModel(arguments, scene);
  for (const std::string& text : arguments.vary)
    set.sensitivities.push_back(Vary(center, recordings, ParseVariation(center, text), options, context));
  return set;
}

void WriteValidationReport(const ValidateArguments& arguments, const Scene& scene,
                           const std::vector<Recording>& recordings, const ValidationSet& set,
                           const std::vector<std::string>& inputs) {
  const Scene first = FirstModel(arguments, scene);
  ReportData report = CallLibrary(arguments.context, [&](const Context& context) {
    return MakeValidationReport(first, recordings, set, arguments.options.validate, context);
  });
  WritePage(report, inputs, {{"start of simulations", arguments.start}}, arguments.report);
}

void RunValidate(ValidateArguments& arguments) {
  Scene scene = ReadScene(arguments.scene);
  ApplySettings(scene, arguments.set);
  std::vector<std::string> inputs = arguments.recordings;
  inputs.push_back(arguments.scene);
  inputs.insert(inputs.end(), arguments.with.begin(), arguments.with.end());
  RefuseOverwriting(inputs, {arguments.output, arguments.report});
  const std::vector<Recording> recordings = ReadRecordings(arguments.recordings);
  const ValidationSet set = CallLibrary(arguments.context, [&](const Context& context) {
    return ComputeValidations(arguments, scene, recordings, context);
  });
  if (!arguments.output.empty()) WriteValidations(set, arguments.output);
  if (!arguments.report.empty()) WriteValidationReport(arguments, scene, recordings, set, inputs);
  fmt::print("{}", arguments.json ? FormatValidations(set) : DescribeValidations(set.models));
  if (!arguments.json)
    for (const Sensitivity& sensitivity : set.sensitivities) fmt::print("{}", DescribeSensitivity(sensitivity));
  if (!arguments.report.empty() && !arguments.json) fmt::print("report in {}\n", arguments.report);
  const auto& first = set.models.front().recordings;
  if (std::none_of(first.begin(), first.end(), [](const ValidatedRecording& r) { return r.used; }))
    throw NumericsError("validate: no recording can be used");
}

}  // namespace

void AddValidate(CLI::App& root) {
  auto arguments = std::make_shared<ValidateArguments>();
  CLI::App* command = root.add_subcommand("validate", "Measure how well a scene predicts recorded tosses");
  command->add_option("SCENE", arguments->scene, "Scene file (YAML)")->required();
  command->add_option("RECORDING", arguments->recordings, "Recordings (CSV), one or more")->required();
  command->add_option("--with", arguments->with, "Estimates (JSON) to compare, each applied to the scene");
  command->add_option("--set", arguments->set, "PATH=VALUE: set a parameter of the scene first; repeatable");
  command->add_option("--start", arguments->start, "Where rollouts start: release, contact, first or below:HEIGHT")
      ->capture_default_str();
  command->add_option("--step", arguments->options.validate.step, "Time step [s]; default: the scene's")
      ->check(Positive());
  command->add_option(
      "--variant", arguments->variants,
      "PATH=VALUE[,PATH=VALUE...]: also evaluate the scene with these values, such as contact.restitution=0");
  command->add_option("--vary", arguments->vary,
                      "PATH=+-R[:N]: also evaluate N (default 11) values of this parameter about that of the scene, or "
                      "of the first estimate of --with; repeatable");
  command
      ->add_option("--folds", arguments->options.folds,
                   "k-fold cross-validation: estimate on all folds but one, predict that one")
      ->check(Count());
  command->add_option("--estimate", arguments->estimate, "Parameters to estimate for --folds, separated by commas");
  command
      ->add_option("--method", arguments->options.identify.method, "Method of --folds; `ricochet methods` lists them")
      ->capture_default_str();
  command
      ->add_option("--average", arguments->options.validate.average,
                   "Predict with the mean of this many rollouts from starts within the uncertainty of the flight")
      ->check(Count());
  AddSeed(*command, arguments->context);
  AddThreads(*command, arguments->context);
  command->add_option("-o,--output", arguments->output, "Errors (JSON)");
  command->add_option("--report", arguments->report, "Report page with errors, rest poses and playback (HTML)");
  command->add_flag("--json", arguments->json, "Print only the errors, as JSON");
  command->footer(
      "Each rollout starts from a state fitted to the free flight and runs to the recorded rest. Errors: distance\nand "
      "angle between prediction and recording over the frames, and at rest.\nExample\n  ricochet validate "
      "examples/box006_toss.yaml tosses/*.csv --with estimate.json");
  command->callback([arguments] { RunValidate(*arguments); });
}

}  // namespace ricochet::app
