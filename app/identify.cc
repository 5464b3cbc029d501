// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/identify.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>

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
  std::string start = "release";
  bool json = false;
};

/// "auto, trajectory, ..." for the help text.
std::string MethodNames() {
  std::vector<std::string> names = {"auto"};
  for (const Estimator* estimator : AllEstimators())
    if (std::find(names.begin(), names.end(), estimator->name()) == names.end()) names.emplace_back(estimator->name());
  return JoinList(names, "or");
}

/// Everything that the repetitions of a bootstrap depend on.
std::string FingerprintOfFit(const IdentifyArguments& arguments, const EstimationInputs& inputs) {
  std::string text = fmt::format("{}\n{}\n{}\n", Commit(), WriteScene(inputs.scene), inputs.paths);
  for (const std::string& file : arguments.inputs.recordings) text += Sha256OfFile(file) + "\n";
  const IdentifyOptions& options = arguments.options;
  return text + fmt::format("{} {} {}", options.method, options.impact_restitutions, options.seed) + arguments.start;
}

/// Identifies; errors name the flag of an option in place of its field in IdentifyOptions.
Identification IdentifyByFlags(const EstimationInputs& inputs, const IdentifyOptions& options) {
  try {
    return Identify(inputs.scene, inputs.recordings, inputs.paths, options);
  } catch (const InputError& error) {
    static const std::map<std::string_view, const char*> kFlags = {
        {"method", "--method"}, {"bootstrap", "--bootstrap"}, {"profiles", "--profile"}, {"folds", "--folds"}};
    const auto flag = kFlags.find(error.path());
    if (flag == kFlags.end()) throw;
    throw InputError(error.where(), flag->second, error.problem(), error.remedy());
  }
}

void RunIdentify(IdentifyArguments& arguments) {
  if (!IsRoot() && arguments.options.bootstrap == 0) return;  // other ranks have nothing to share
  arguments.options.start = ParseRollStart(arguments.start);
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
  Identification result = IdentifyByFlags(inputs, arguments.options);
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
                                 {"impact restitutions", fmt::format("{}", arguments.options.impact_restitutions)},
                                 {"seed", fmt::format("{}", arguments.options.seed)}};
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
  CLI::App* command = root.add_subcommand("identify", "Estimates numbers of a scene from recordings, with uncertainty");
  arguments->inputs.AddTo(*command, "Recordings (CSV), one or many")->required();
  command->add_option("--method", arguments->options.method, MethodNames())->capture_default_str();
  command->add_option("-o,--output", arguments->output, "The estimate (JSON)");
  command->add_option("--scene-out", arguments->scene_output,
                      "The scene with the estimated numbers; comments are kept (YAML)");
  command->add_option("--report", arguments->report, "A page with playback, plots and tables (HTML)");
  command
      ->add_option("--bootstrap", arguments->options.bootstrap,
                   "Repetitions of the bootstrap, whose scatter gives the standard deviations: recordings simulated at "
                   "the estimate with its noise and fitted again; for tosses in space, the recordings drawn anew with "
                   "replacement (5 at least). With -o, a run that was killed goes on where it was; started by mpirun, "
                   "ranks share them (docs/cluster.md)")
      ->check(NonNegative());
  command
      ->add_option("--profile", arguments->options.profiles,
                   "Profile likelihood of a number (a path of --estimate; may be given several times): it is held at "
                   "some 11 to 15 values, everything else is fitted anew at each, and the 95 % interval is where the "
                   "deviance rises by 3.84; a curve that stays flat is told. For trajectory and velocity")
      ->allow_extra_args(false);
  command
      ->add_option("--impact-restitutions", arguments->options.impact_restitutions,
                   "This many first impacts have a restitution of their own")
      ->check(NonNegative());
  command
      ->add_option("--residual", arguments->options.residual,
                   "inverse-dynamics: motion (rigid, exact), or paper (impulses of one step of spook, at the scene's "
                   "simulation.step and compliance; biased by both)")
      ->capture_default_str();
  command->add_option("--kappa", arguments->options.kappa,
                      "--residual paper: weight of impulse errors over that of angle errors; chosen from the sizes "
                      "of both if left out");
  command->add_flag("--compare-friction", arguments->options.compare_friction,
                    "inverse-dynamics: compares viscous, dry and Stribeck friction by what each predicts of recordings "
                    "that it was not fitted to, and fits the one recommended; its numbers need not be named");
  command
      ->add_option("--start", arguments->start,
                   "Tosses: where predictions start: release, contact, first, below:HEIGHT")
      ->capture_default_str();
  command->add_option("--seed", arguments->options.seed, "Seed of everything random")->capture_default_str();
  AddThreads(*command);
  command->add_flag("--json", arguments->json, "Print the estimate as JSON and nothing else");
  command->footer(
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
      "gravity.tilt\"\n"
      "Methods: trajectory fits planar recordings on event-exact motion and spatial ones on the motion of the scene's\n"
      "simulation.method (moreau, ecp); velocity takes the velocities behind impacts on a single corner (tosses in\n"
      "space, moreau); regression takes impacts one by one (planar); inverse-dynamics fits joint angles of mechanisms\n"
      "(hinges and sliders without loops) in minimal coordinates.");
  command->callback([arguments] { RunIdentify(*arguments); });
}

}  // namespace ricochet::app
