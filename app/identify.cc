// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/identify.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "app/commands.h"
#include "app/mpi_ranks.h"
#include "app/options.h"
#include "core/text.h"
#include "ricochet/calibrate_frame.h"
#include "ricochet/methods.h"
#include "ricochet/report.h"
#include "ricochet/split.h"

namespace ricochet::app {
namespace {

struct IdentifyArguments {
  EstimationArguments inputs;
  std::string output, scene_output, report;
  IdentifyOptions options;
  ContextFlags context;
  bool json = false, calibrate_frame = false;
};

/// Every option of every estimator, once, with the names of those that have it.
std::vector<std::pair<MethodOption, std::vector<std::string>>> MethodOptions() {
  std::vector<std::pair<MethodOption, std::vector<std::string>>> out;
  for (const MethodInfo& estimator : ListEstimators())
    for (const MethodOption& option : estimator.options) {
      auto found =
          std::find_if(out.begin(), out.end(), [&](const auto& each) { return each.first.name == option.name; });
      if (found == out.end()) found = out.insert(out.end(), {option, {}});
      found->second.push_back(estimator.name);
    }
  return out;
}

/// "auto, trajectory, ..." for the help text.
std::string MethodNames() {
  std::vector<std::string> names = {"auto"};
  for (const MethodInfo& estimator : ListEstimators())
    if (std::find(names.begin(), names.end(), estimator.name) == names.end()) names.push_back(estimator.name);
  return JoinList(names, "or");
}

/// A line per estimator for the end of the help text.
std::string MethodSummaries() {
  std::string out = "Methods (`ricochet methods` lists their options):\n";
  for (const MethodInfo& estimator : ListEstimators()) {
    const bool planar = std::find(estimator.capabilities.begin(), estimator.capabilities.end(), "planar scenes") !=
                        estimator.capabilities.end();
    out += fmt::format("  {:<17} {}, {}\n", estimator.name, planar ? "planar" : "spatial", estimator.summary);
  }
  return out;
}

/// Declares the options that methods have.
void AddMethodOptions(CLI::App& command, IdentifyArguments& arguments) {
  for (const auto& [option, methods] : MethodOptions()) {
    const std::string name = option.name, flag = FlagOfOption(name);
    const std::string help = fmt::format("{}: {}", JoinList(methods), option.help);
    if (option.kind == MethodOption::Kind::kFlag)
      command.add_flag_callback(
          flag, [&arguments, name] { arguments.options.method_options[name] = "true"; }, help);
    else
      command.add_option_function<std::string>(
          flag, [&arguments, name](const std::string& text) { arguments.options.method_options[name] = text; },
          fmt::format("{} ({}; default {})", help, option.values_text, option.default_text));
  }
}

void WriteIdentifyReport(const IdentifyArguments& arguments, const EstimationInputs& inputs,
                         const Identification& result) {
  ReportData report = MakeIdentifyReport(inputs.scene, inputs.recordings, result);
  std::vector<std::pair<std::string, std::string>> options = {
      {"method", arguments.options.method},
      {"bootstrap", fmt::format("{}", arguments.options.bootstrap)},
      {"seed", fmt::format("{}", arguments.context.seed)}};
  for (const auto& [name, value] : arguments.options.method_options) options.emplace_back(name, value);
  WritePage(report, {}, std::move(options), arguments.report);
}

/// Puts the tracked frame and the surface into the scene as the tosses show them.
void CalibrateFirst(EstimationInputs& inputs, bool shown, const Context& context) {
  FrameCalibration found = CalibrateFrame(inputs.scene, inputs.recordings, {}, context);
  if (shown) fmt::print("{}\n", DescribeFrameCalibration(found));
  if (!found.identifiable())
    throw NumericsError("identify: the pose of the tracked frame is not fully identifiable from these tosses");
  inputs.scene = std::move(found.scene);
}

void RunIdentify(IdentifyArguments& arguments) {
  if (!IsRoot() && arguments.options.bootstrap == 0) return;  // other ranks have nothing to share
  const EstimationArguments& named = arguments.inputs;
  std::vector<std::string> files = named.recordings;
  files.insert(files.begin(), named.scene);
  // Beside a device nothing is kept.
  std::error_code error;
  if (!arguments.output.empty() &&
      (std::filesystem::is_regular_file(arguments.output, error) || !std::filesystem::exists(arguments.output, error)))
    arguments.options.store = arguments.output + ".part";
  RefuseOverwriting(files, {arguments.output, arguments.options.store, arguments.scene_output, arguments.report});
  EstimationInputs inputs = ReadInputs(named);
  Identification result = CallLibrary(arguments.context, [&](const Context& context) {
    SplitRecordings split = SplitForScene(inputs.scene, inputs.recordings, context);
    inputs.recordings = std::move(split.recordings);
    for (const std::string& note : split.notes)
      if (IsRoot() && !arguments.json) fmt::print("{}\n", note);
    if (arguments.calibrate_frame) CalibrateFirst(inputs, !arguments.json && IsRoot(), context);
    return Identify(inputs.scene, inputs.recordings, inputs.paths, arguments.options, context);
  });
  if (!IsRoot()) return;
  result.estimate.verdict = WithFlags(std::move(result.estimate.verdict));
  if (!arguments.output.empty()) WriteEstimate(result.estimate, arguments.output);
  if (!arguments.scene_output.empty()) WriteScene(result.calibrated, arguments.scene_output);
  if (!arguments.report.empty()) WriteIdentifyReport(arguments, inputs, result);
  if (arguments.json) {
    fmt::print("{}", FormatEstimate(result.estimate));
  } else {
    fmt::print("{}", WithFlags(DescribeEstimate(result.estimate)));
    if (arguments.options.explain) fmt::print("{}", DescribeExplanations(result.estimate.verdict));
    if (!arguments.output.empty()) fmt::print("estimate in {}\n", arguments.output);
    if (!arguments.scene_output.empty()) fmt::print("calibrated scene in {}\n", arguments.scene_output);
    if (!arguments.report.empty()) fmt::print("report in {}\n", arguments.report);
  }
  if (result.estimate.verdict.level == VerdictLevel::kRejected)
    throw NumericsError("identify: the verdict is `rejected`: do not use these values");
}

}  // namespace

void AddIdentify(CLI::App& root) {
  auto arguments = std::make_shared<IdentifyArguments>();
  CLI::App* command =
      root.add_subcommand("identify", "Estimate parameters of a scene from recordings, with uncertainty");
  arguments->inputs.AddTo(*command, "Recordings (CSV), one or more")->required();
  command->add_option("--method", arguments->options.method, MethodNames())->capture_default_str();
  command->add_option("-o,--output", arguments->output, "Estimate (JSON)");
  command->add_option("--scene-out", arguments->scene_output,
                      "Scene with the estimated values; comments are kept (YAML)");
  command->add_option("--report", arguments->report, "Report page with playback, plots and tables (HTML)");
  command->add_flag("--calibrate-frame", arguments->calibrate_frame,
                    "First find the tracked frame of the body and the surface from the tosses, as `ricochet "
                    "calibrate-frame` does");
  command
      ->add_option("--bootstrap", arguments->options.bootstrap,
                   "Standard deviations from this many repeated fits. Each fits recordings simulated at the estimate "
                   "with its noise; for tosses in space, recordings resampled with replacement (at least 5). With -o, "
                   "an interrupted run resumes. Under mpirun, ranks share the repetitions (docs/cluster.md)")
      ->check(Count());
  command
      ->add_option(
          "--profile", arguments->options.profiles,
          "95 % interval of a parameter (a path of --estimate) from its profile likelihood; repeatable. Ricochet "
          "holds the parameter at 11 to 15 values and fits everything else again at each. The interval ends where "
          "the deviance rises by 3.84. A flat profile is reported as not identifiable")
      ->allow_extra_args(false);
  command->add_option("--time-limit", arguments->options.time_limit,
                      "Longest time of the command [s]; default: 600 s for each fit. When it is over, the best values "
                      "so far are written with the verdict `rejected`");
  command
      ->add_option("--folds", arguments->options.folds,
                   "k-fold cross-validation: estimate without each group of recordings in turn, and report how well "
                   "the result explains the group left out")
      ->check(Count());
  command->add_flag(
      "--explain", arguments->options.explain,
      "Print a table of the held parameters that were tested. For each: the value it would take, the residuals "
      "that would remain, and how likely such an improvement is by chance");
  AddMethodOptions(*command, *arguments);
  AddSeed(*command, arguments->context);
  AddThreads(*command, arguments->context);
  command->add_flag("--json", arguments->json, "Print only the estimate, as JSON");
  command->footer(
      std::string() +
      "Example: inertia over mass, friction and restitution of a thrown ellipse from one camera recording\n"
      "  ricochet identify examples/plywood_ellipse.yaml camera.csv \\\n"
      "    --estimate \"bodies.ellipse.inertia / bodies.ellipse.mass, contact.friction, contact.restitution\" -o "
      "estimate.json\n"
      "Example: friction and restitution of a box from several tosses recorded in space (t,x,y,z,qw,qx,qy,qz)\n"
      "  ricochet identify examples/box006_toss.yaml toss1.csv toss2.csv --estimate "
      "contact.friction,contact.restitution\n"
      "Example: a Furuta pendulum from encoder angles and the motor's input (t,hinge1.angle,hinge2.angle,u)\n"
      "  ricochet identify examples/furuta.yaml release.csv pulse.csv --method inverse-dynamics \\\n"
      "    --estimate \"bodies.A.inertia[2], bodies.B.inertia[1:3], joints.*.viscous, joints.*.dry.friction, "
      "gravity.tilt\"\n" +
      MethodSummaries());
  command->callback([arguments] { RunIdentify(*arguments); });
}

}  // namespace ricochet::app
