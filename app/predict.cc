// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/commands.h"
#include "app/options.h"
#include "ricochet/error.h"
#include "ricochet/report.h"

namespace ricochet::app {
namespace {

struct PredictArguments {
  std::string scene, with, start = "release", output, report;
  std::vector<std::string> recordings, set, calibrate;
  PredictOptions options;
  ContextFlags context;
  bool json = false;
};

void WritePredictionReport(const PredictArguments& arguments, const Scene& scene,
                           const std::vector<Recording>& recordings, const Prediction& prediction,
                           const std::vector<std::string>& inputs) {
  ReportData report = CallLibrary(arguments.context, [&](const Context& context) {
    return MakePredictionReport(scene, recordings, prediction, arguments.options, context);
  });
  WritePage(report, inputs,
            {{"start of simulations", arguments.start},
             {"samples per toss", fmt::format("{}", arguments.options.samples)},
             {"level of the region", fmt::format("{}", arguments.options.level)},
             {"seed", fmt::format("{}", arguments.context.seed)}},
            arguments.report);
}

void RunPredict(PredictArguments& arguments) {
  Scene scene = ReadScene(arguments.scene);
  ApplySettings(scene, arguments.set);
  std::vector<std::string> inputs = arguments.recordings;
  inputs.insert(inputs.end(), arguments.calibrate.begin(), arguments.calibrate.end());
  inputs.push_back(arguments.scene);
  if (!arguments.with.empty()) inputs.push_back(arguments.with);
  RefuseOverwriting(inputs, {arguments.output, arguments.report});
  std::optional<Estimate> estimate;
  if (!arguments.with.empty()) estimate = ReadEstimate(arguments.with);
  const std::vector<Recording> recordings = ReadRecordings(arguments.recordings);
  const Prediction prediction = CallLibrary(arguments.context, [&](const Context& context) {
    arguments.options.start = ParseRollStart(arguments.start);
    if (!arguments.calibrate.empty())
      arguments.options.scatter =
          FindContactScatter(scene, estimate, ReadRecordings(arguments.calibrate), arguments.options, context);
    return Predict(scene, estimate, recordings, arguments.options, context);
  });
  if (!arguments.output.empty()) WritePrediction(prediction, arguments.output);
  if (!arguments.report.empty())
    WritePredictionReport(arguments, estimate ? Apply(scene, *estimate) : scene, recordings, prediction, inputs);
  fmt::print("{}", arguments.json ? FormatPrediction(prediction) : DescribePrediction(prediction));
  if (!arguments.report.empty() && !arguments.json) fmt::print("report in {}\n", arguments.report);
  if (std::none_of(prediction.tosses.begin(), prediction.tosses.end(), [](const TossPrediction& t) { return t.used; }))
    throw NumericsError("predict: no recording can be used");
}

}  // namespace

void AddPredict(CLI::App& root) {
  auto arguments = std::make_shared<PredictArguments>();
  CLI::App* command =
      root.add_subcommand("predict", "Predict where tosses come to rest, and on which face, from their flight alone");
  command->add_option("SCENE", arguments->scene, "Scene file (YAML)")->required();
  command->add_option("RECORDING", arguments->recordings, "Recordings (CSV), one or more; only their flight is used")
      ->required();
  command->add_option("--with", arguments->with, "Estimate (JSON): values and covariance to use");
  command->add_option("--set", arguments->set, "PATH=VALUE: set a parameter of the scene first; repeatable");
  command->add_option("--calibrate", arguments->calibrate,
                      "Recordings up to rest that calibrate the regions; default: those of RECORDING");
  command->add_option("--start", arguments->start, "Where rollouts start: release, contact, first or below:HEIGHT")
      ->capture_default_str();
  command->add_option("--samples", arguments->options.samples, "Rollouts per toss")
      ->check(CountBetween(10, 100000))
      ->capture_default_str();
  command->add_option("--level", arguments->options.level, "Probability of the region")
      ->check(Between(0.5, 0.99))
      ->capture_default_str();
  command->add_option("--folds", arguments->options.folds, "Folds of the check on recordings that show their rest")
      ->check(CountBetween(2, 1000))
      ->capture_default_str();
  command->add_option("--duration", arguments->options.duration, "Length of rollouts whose recording has no rest [s]")
      ->check(Positive())
      ->capture_default_str();
  AddSeed(*command, arguments->context);
  AddThreads(*command, arguments->context);
  command->add_option("-o,--output", arguments->output, "Predictions (JSON)");
  command->add_option("--report", arguments->report, "Report page with regions, faces and playback (HTML)");
  command->add_flag("--json", arguments->json, "Print only the predictions, as JSON");
  command->footer(
      "Rollouts sample the parameters from the estimate's covariance and the release from the fit of the flight, and "
      "scatter\nfriction and restitution between tosses. Recordings that show their rest calibrate the scatter and "
      "how\nwide the region must be; k-fold cross-validation checks its coverage.\nExample\n  ricochet predict "
      "examples/box006_toss.yaml tosses/*.csv --with estimate.json");
  command->callback([arguments] { RunPredict(*arguments); });
}

}  // namespace ricochet::app
