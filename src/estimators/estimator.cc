// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/estimator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>

#include "core/context.h"
#include "core/hash.h"
#include "core/text.h"
#include "core/work/ranks.h"
#include "core/work/search_scope.h"
#include "estimators/estimate_report.h"
#include "examine/mistakes.h"
#include "model/parameter_map.h"
#include "recording/recording_hash.h"
#include "ricochet/version.h"
#include "scene/optional_parts.h"
#include "steppers/stepper.h"

namespace ricochet {

int MovingPlanarBody(const Scene& scene) {
  int found = -1;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    if (scene.bodies[i].fixed || !scene.bodies[i].shape) continue;
    if (found >= 0)
      throw InputError(scene.bodies[i].where, "bodies." + scene.bodies[i].name,
                       "planar identification supports one moving body.", "Put each body in its own scene.");
    found = static_cast<int>(i);
  }
  if (found < 0)
    throw InputError({scene.file, 0, 0}, "bodies", "no body that moves has a shape, so nothing can touch.",
                     "Give the body a `shape`.");
  return found;
}

Estimate EmptyEstimate(const IdentifyRequest& request, std::string_view method) {
  Estimate estimate;
  estimate.method = method;
  estimate.version = std::string(Version());
  for (const SelectedParameter& selected : request.parameters) {
    EstimatedParameter parameter;
    parameter.path = selected.path;
    parameter.unit = UnitOf(request.scene, selected);
    parameter.start = ValueOf(request.scene, selected);
    estimate.parameters.push_back(parameter);
  }
  const Eigen::Index n = static_cast<Eigen::Index>(request.parameters.size());
  estimate.covariance = Eigen::MatrixXd::Constant(n, n, NAN);
  return estimate;
}

namespace {

/// Names of estimators that a property holds for, each once.
std::vector<std::string> NamesOfEstimators(const std::function<bool(const Estimator&)>& have) {
  std::vector<std::string> names;
  for (const Estimator* estimator : AllEstimators())
    if (have(*estimator) && std::find(names.begin(), names.end(), estimator->name()) == names.end())
      names.emplace_back(estimator->name());
  return names;
}

bool HasOption(const Estimator& estimator, std::string_view name) {
  const std::span<const OptionInfo> options = estimator.info().options;
  return std::any_of(options.begin(), options.end(), [&](const OptionInfo& option) { return option.name == name; });
}

/// What to do about an option that a method does not have.
std::string OtherMethods(const std::vector<std::string>& names) {
  return names.empty() ? "Leave it out." : fmt::format("Omit it; it is an option of {}.", JoinList(names));
}

/// An option that a method does not have is refused, never ignored; so is a value that it cannot have.
void CheckMethodOptions(const Estimator& chosen, const IdentifyRequest& request) {
  const GivenOptions& given = request.options.method_options;
  for (const auto& [name, value] : given)
    if (!HasOption(chosen, name))
      throw InputError({}, name,
                       fmt::format("{} does not support it in {} scenes.", chosen.name(),
                                   request.scene.space == Space::kPlanar ? "planar" : "spatial"),
                       OtherMethods(NamesOfEstimators([&name = name, &request](const Estimator& estimator) {
                         return HasOption(estimator, name) && estimator.Refusal(request).empty();
                       })));
  CheckGiven(given, chosen.info().options);
}

void CheckCommonOptions(const IdentifyRequest& request) {
  const IdentifyOptions& options = request.options;
  if (options.time_limit && !(*options.time_limit > 0))
    throw InputError({}, "time_limit", fmt::format("{:g} s leave no time.", *options.time_limit),
                     "Give a positive number of seconds.");
  const int count = static_cast<int>(request.recordings.size());
  if (options.bootstrap == 1)
    throw InputError({}, "bootstrap", "one repetition has no scatter.",
                     "Give at least 2; 100 repetitions give a standard deviation to 7 %.");
  if (options.folds != 0 && (options.folds < 2 || options.folds > count))
    throw InputError(
        {}, "folds",
        fmt::format("{} recording{} cannot be split into {} folds.", count, count == 1 ? "" : "s", options.folds),
        "Give at least 2 folds and a recording for each.");
}

/// Methods that compute poses from the points do so at the places that the scene gives.
void RefusePoints(const Estimator& chosen, const IdentifyRequest& request) {
  if (chosen.info().points || !EstimatesPoints(request.scene, request.parameters)) return;
  throw InputError({}, "observe.points",
                   fmt::format("{} computes poses from the points, whose positions it cannot estimate.", chosen.name()),
                   OtherMethods(NamesOfEstimators([&](const Estimator& estimator) {
                     return estimator.info().points && estimator.Refusal(request).empty();
                   })));
}

void RefuseDrag(const Estimator& chosen, const IdentifyRequest& request) {
  if (chosen.info().drag) return;
  for (const Body& body : request.scene.bodies)
    if (HasDrag(request.scene, body))
      throw InputError(
          body.where, fmt::format("bodies.{}.drag", body.name),
          fmt::format("{} does not have air drag.", chosen.name()),
          fmt::format("Leave it out; {} has it, for mechanisms.",
                      JoinList(NamesOfEstimators([](const Estimator& each) { return each.info().drag; }))));
}

/// Numbers of contact laws act on the motion one by one: their product or ratio alone leaves both open.
void RefuseCombinedLaws(const IdentifyRequest& request) {
  const auto named = [&](NumberId id) {
    return std::any_of(request.parameters.begin(), request.parameters.end(), [&](const SelectedParameter& each) {
      return each.numerator == id && !each.denominator && !each.factor;
    });
  };
  for (const SelectedParameter& selected : request.parameters) {
    const NumberId first = selected.numerator, second = selected.factor ? selected.factor : selected.denominator;
    if (!second || named(first) || named(second)) continue;
    const std::string &a = request.scene.number(first).path, &b = request.scene.number(second).path;
    if (!a.starts_with("contact.") || !b.starts_with("contact.")) continue;
    throw InputError({}, selected.path,
                     fmt::format("the motion depends on each of the two, and their {} alone leaves both open.",
                                 selected.factor ? "product" : "ratio"),
                     fmt::format("Name both by themselves: {}, {}.", a, b));
  }
}

/// Most time that a request may take [s].
double TimeLimitOf(const IdentifyRequest& request) {
  constexpr double kPerFit = 600, kFitsOfAProfile = 15;
  const IdentifyOptions& options = request.options;
  if (Ranks()) return INFINITY;  // which wait for each other
  if (options.time_limit) return *options.time_limit;
  return kPerFit *
         (1 + options.bootstrap + options.folds + kFitsOfAProfile * static_cast<double>(options.profiles.size()));
}

/// Says of every parameter and recording that the search did not come to it.
void ReportNothingReached(const IdentifyRequest& request, Estimate& estimate) {
  const std::string reason = "the search ended before it had any values";
  for (EstimatedParameter& parameter : estimate.parameters) parameter.combination = reason;
  for (const Recording& recording : request.recordings) {
    RecordingUse& use = estimate.recordings.emplace_back();
    use.file = recording.file;
    use.used = false;
    use.reason = reason;
    use.rows = recording.rows();
  }
}

/// The method's answer, or an empty one where it did not end in time.
Identification RunInTime(const Estimator& chosen, const IdentifyRequest& request) {
  const double limit = TimeLimitOf(request);
  const SearchScope search("identify", limit);
  Identification result{EmptyEstimate(request, chosen.name()), request.scene};
  try {
    result = chosen.Run(request);
  } catch (const TimeOver&) {
    ReportNothingReached(request, result.estimate);
  }
  if (OutOfTime()) {
    result.estimate.converged = false;
    Verdict& verdict = result.estimate.verdict;
    verdict.level = VerdictLevel::kRejected;
    verdict.reasons.insert(
        verdict.reasons.begin(),
        fmt::format("out of time: the limit of {:g} s ended the search. Allow more (option `time_limit`), or estimate "
                    "fewer parameters from fewer recordings",
                    limit));
  }
  return result;
}

/// A recording given twice counts as two, and standard deviations seem smaller than they are.
void WarnOfCopies(const std::vector<Recording>& recordings, Estimate& estimate) {
  std::map<std::string, const Recording*> seen;
  for (const Recording& recording : recordings) {
    const auto [at, is_new] = seen.emplace(HashOf(recording), &recording);
    if (!is_new)
      estimate.warnings.push_back(fmt::format(
          "{} has the rows of {}: it counts twice, which makes standard deviations too small. Pass each recording once",
          recording.file, at->second->file));
  }
}

/// Everything that an estimate depends on.
std::string FingerprintOf(const Scene& scene, const std::vector<Recording>& recordings, std::string_view paths,
                          const IdentifyOptions& options, std::uint64_t seed) {
  std::string text = fmt::format("{}\n{}\n{}\n", Commit(), Sha256Hex(scene.text), paths);
  for (const SceneNumber& number : scene.numbers())
    text += fmt::format("{}={}\n", number.path, FormatDouble(number.value));
  for (const Recording& recording : recordings) text += HashOf(recording) + "\n";
  for (const auto& [name, value] : options.method_options) text += fmt::format("{}={}\n", name, value);
  return text + fmt::format("{} {}", options.method, seed);
}

/// Names and hashes of the scene and the recordings: of the files that they were read from, otherwise of their content.
std::vector<EstimateInput> InputsOf(const Scene& scene, const std::vector<Recording>& recordings) {
  const auto is_file = [](const std::string& name) {
    std::error_code error;
    return !name.empty() && std::filesystem::is_regular_file(name, error);
  };
  std::vector<EstimateInput> inputs = {{scene.file.empty() ? "scene" : scene.file,
                                        is_file(scene.file) ? Sha256OfFile(scene.file) : Sha256Hex(scene.text)}};
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    const std::string& file = recordings[i].file;
    inputs.push_back({file.empty() ? fmt::format("recording {}", i + 1) : file,
                      is_file(file) ? Sha256OfFile(file) : HashOf(recordings[i])});
  }
  return inputs;
}

}  // namespace

const Estimator& ChooseEstimator(const IdentifyRequest& request) {
  const std::string& method = request.options.method;
  std::vector<std::string> refusals;
  for (const Estimator* estimator : AllEstimators()) {
    if (method != "auto" && method != estimator->name()) continue;
    const std::string refusal = estimator->Refusal(request);
    if (refusal.empty()) return *estimator;
    refusals.push_back(fmt::format("{}: {}", estimator->name(), refusal));
  }
  if (refusals.empty())
    throw InputError({}, "method", fmt::format("there is no estimator `{}`.", Printable(method)),
                     SuggestName(method, NamesOfEstimators([](const Estimator&) { return true; })));
  throw InputError({request.scene.file, 0, 0}, "method", JoinList(refusals) + ".",
                   "Use method auto, or a scene that the method supports.");
}

bool EstimatesPoints(const Scene& scene, const std::vector<SelectedParameter>& parameters) {
  for (const SelectedParameter& selected : parameters)
    for (const NumberId id : {selected.numerator, selected.denominator, selected.factor})
      if (id && scene.number(id).path.starts_with("observe.points.")) return true;
  return false;
}

Identification Identify(const Scene& scene, const std::vector<Recording>& recordings, std::string_view paths,
                        const IdentifyOptions& given, const Context& context) {
  const ContextScope scope(context, "identify");
  IdentifyOptions options = given;
  if (!IsRoot()) {  // the root computes and reports them
    options.profiles.clear();
    options.folds = 0;
  }
  const IdentifyRequest request{scene,   recordings,   ParsePathList(scene, paths),
                                options, context.seed, FingerprintOf(scene, recordings, paths, options, context.seed)};
  if (request.parameters.empty())
    throw InputError({}, "paths", "no parameter is named.",
                     "Name the parameters to estimate, for example contact.friction.");
  if (recordings.empty()) throw InputError({}, "recordings", "no recording is given.", "Give at least one recording.");
  RefuseCombinedLaws(request);
  if (!scene.simulation.method.empty()) FindStepper(scene.simulation.method, scene.simulation.method_where);
  const Estimator& chosen = ChooseEstimator(request);
  RefusePoints(chosen, request);
  RefuseDrag(chosen, request);
  CheckMethodOptions(chosen, request);
  CheckCommonOptions(request);
  RefuseMistakes(scene, recordings, request.parameters);
  if (options.bootstrap > 0) RefuseOtherInputs(request.fingerprint);
  Identification result = RunInTime(chosen, request);
  KeepEstimates(scene, result);
  if (!result.estimate.converged) {
    std::vector<std::string>& warnings = result.estimate.warnings;
    std::string reason = "the search did not converge";
    if (!warnings.empty()) {  // the first says why
      reason += ": " + warnings.front();
      warnings.erase(warnings.begin());
    }
    result.estimate.verdict.Lower(VerdictLevel::kRejected, std::move(reason));
  }
  WarnOfCopies(recordings, result.estimate);
  result.estimate.inputs = InputsOf(scene, recordings);
  result.estimate.choice = options.method == "auto"
                               ? fmt::format("method auto -> {} ({})", chosen.name(), chosen.Reason(request))
                               : fmt::format("method {} as requested", chosen.name());
  return result;
}

}  // namespace ricochet
