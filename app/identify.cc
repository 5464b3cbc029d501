// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/identify.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "app/commands.h"
#include "app/options.h"
#include "core/atomic_file.h"
#include "core/hash.h"
#include "core/ranks.h"
#include "core/text.h"
#include "core/version.h"
#include "estimators/estimator.h"
#include "ricochet/report.h"

namespace ricochet::app {
namespace {

struct IdentifyArguments {
  EstimationArguments inputs;
  std::string output, scene_output, report;
  IdentifyOptions options;
  bool json = false;
};

/// Every option of every estimator, once, with the names of those that have it.
std::vector<std::pair<OptionInfo, std::vector<std::string>>> MethodOptions() {
  std::vector<std::pair<OptionInfo, std::vector<std::string>>> out;
  for (const Estimator* estimator : AllEstimators())
    for (const OptionInfo& option : estimator->info().options) {
      auto found =
          std::find_if(out.begin(), out.end(), [&](const auto& each) { return each.first.name == option.name; });
      if (found == out.end()) found = out.insert(out.end(), {option, {}});
      found->second.emplace_back(estimator->name());
    }
  return out;
}

/// "auto, trajectory, ..." for the help text.
std::string MethodNames() {
  std::vector<std::string> names = {"auto"};
  for (const Estimator* estimator : AllEstimators())
    if (std::find(names.begin(), names.end(), estimator->name()) == names.end()) names.emplace_back(estimator->name());
  return JoinList(names, "or");
}

/// A line per estimator for the end of the help text.
std::string MethodSummaries() {
  std::string out = "Methods (`ricochet methods` lists their options):\n";
  for (const Estimator* estimator : AllEstimators()) {
    const EstimatorInfo info = estimator->info();
    out += fmt::format("  {:<17} {}, {}\n", info.name, info.planar ? "planar" : "spatial", info.summary);
  }
  return out;
}

/// Declares the options that methods have, from their registration.
void AddMethodOptions(CLI::App& command, IdentifyArguments& arguments) {
  for (const auto& [option, methods] : MethodOptions()) {
    const std::string name(option.name), flag = FlagOfOption(name);
    const std::string help = fmt::format("{}: {}", JoinList(methods), option.help);
    if (option.kind == OptionKind::kFlag)
      command.add_flag_callback(
          flag, [&arguments, name] { arguments.options.method_options[name] = "true"; }, help);
    else
      command.add_option_function<std::string>(
          flag, [&arguments, name](const std::string& text) { arguments.options.method_options[name] = text; },
          fmt::format("{} ({}; default {})", help, ValuesText(option), DefaultText(option)));
  }
}

/// Everything that the repetitions of a bootstrap depend on.
std::string FingerprintOfFit(const IdentifyArguments& arguments, const EstimationInputs& inputs) {
  std::string text = fmt::format("{}\n{}\n{}\n", Commit(), WriteScene(inputs.scene), inputs.paths);
  for (const std::string& file : arguments.inputs.recordings) text += Sha256OfFile(file) + "\n";
  const IdentifyOptions& options = arguments.options;
  for (const auto& [name, value] : options.method_options) text += fmt::format("{}={}\n", name, value);
  return text + fmt::format("{} {}", options.method, options.seed);
}

void RunIdentify(IdentifyArguments& arguments) {
  if (!IsRoot() && arguments.options.bootstrap == 0) return;  // other ranks have nothing to share
  const EstimationArguments& named = arguments.inputs;
  std::vector<std::string> files = named.recordings;
  files.insert(files.begin(), named.scene);
  RefuseOverwriting(files, {arguments.output, arguments.output.empty() ? "" : arguments.output + ".part",
                            arguments.scene_output, arguments.report});
  const EstimationInputs inputs = ReadInputs(named);
  if (!IsRoot()) {  // the root makes and reports them
    arguments.options.profiles.clear();
    arguments.options.folds = 0;
  }
  if (arguments.options.bootstrap > 0) {
    arguments.options.fingerprint = FingerprintOfFit(arguments, inputs);
    if (!arguments.output.empty()) arguments.options.store = arguments.output + ".part";
  }
  Identification result =
      NamingFlags([&] { return Identify(inputs.scene, inputs.recordings, inputs.paths, arguments.options); });
  if (!IsRoot()) return;
  for (const std::string& file : files) result.estimate.inputs.push_back({file, Sha256OfFile(file)});
  const std::string text = FormatEstimate(result.estimate);
  if (!arguments.output.empty()) WriteFileAtomically(arguments.output, text);
  if (!arguments.scene_output.empty()) WriteFileAtomically(arguments.scene_output, WriteScene(result.calibrated));
  if (!arguments.report.empty()) {
    ReportData report = MakeIdentifyReport(inputs.scene, inputs.recordings, result);
    report.provenance.command_line = CommandLine();
    report.provenance.options = {{"method", arguments.options.method},
                                 {"bootstrap", fmt::format("{}", arguments.options.bootstrap)},
                                 {"seed", fmt::format("{}", arguments.options.seed)}};
    for (const auto& [name, value] : arguments.options.method_options)
      report.provenance.options.emplace_back(name, value);
    WriteReport(report, arguments.report);
  }
  if (arguments.json) {
    fmt::print("{}", text);
  } else {
    fmt::print("{}", DescribeEstimate(result.estimate));
    if (!arguments.output.empty()) fmt::print("estimate in {}\n", arguments.output);
    if (!arguments.scene_output.empty()) fmt::print("calibrated scene in {}\n", arguments.scene_output);
    if (!arguments.report.empty()) fmt::print("report in {}\n", arguments.report);
  }
  if (!result.estimate.converged)
    throw NumericsError(fmt::format("identify: not converged; do not use these numbers{}{}",
                                    result.estimate.warnings.empty() ? "" : ": ",
                                    result.estimate.warnings.empty() ? "" : result.estimate.warnings.front()));
}

}  // namespace

void AddIdentify(CLI::App& root) {
  auto arguments = std::make_shared<IdentifyArguments>();
  CLI::App* command =
      root.add_subcommand("identify", "Estimates parameters of a scene from recordings, with uncertainty");
  arguments->inputs.AddTo(*command, "Recordings (CSV), one or many")->required();
  command->add_option("--method", arguments->options.method, MethodNames())->capture_default_str();
  command->add_option("-o,--output", arguments->output, "The estimate (JSON)");
  command->add_option("--scene-out", arguments->scene_output,
                      "The scene with the estimated values; comments are kept (YAML)");
  command->add_option("--report", arguments->report, "A page with playback, plots and tables (HTML)");
  command
      ->add_option("--bootstrap", arguments->options.bootstrap,
                   "Repetitions of the bootstrap, whose scatter gives the standard deviations: recordings simulated at "
                   "the estimate with its noise and fitted again; for tosses in space, the recordings resampled with "
                   "replacement (at least 5). With -o, an interrupted run resumes; started by mpirun, ranks share the "
                   "repetitions (docs/cluster.md)")
      ->check(NonNegative());
  command
      ->add_option(
          "--profile", arguments->options.profiles,
          "Profile likelihood of a parameter (a path of --estimate; may be given several times): it is held at "
          "some 11 to 15 values, everything else is fitted again at each, and the 95 % interval is where the "
          "deviance rises by 3.84. A flat profile is reported")
      ->allow_extra_args(false);
  command
      ->add_option("--folds", arguments->options.folds,
                   "k-fold cross-validation: estimates without each group of recordings in turn, and reports how well "
                   "the result explains the group left out")
      ->check(NonNegative());
  AddMethodOptions(*command, *arguments);
  command->add_option("--seed", arguments->options.seed, "Seed of everything random")->capture_default_str();
  AddThreads(*command);
  command->add_flag("--json", arguments->json, "Print the estimate as JSON and nothing else");
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
