// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Identification: from a scene and recordings to estimated parameters with their uncertainty.
//
//     const ricochet::Scene scene = ricochet::ReadScene("box.yaml");
//     const std::vector<ricochet::Recording> tosses = {ricochet::ReadRecording("toss1.csv"), ...};
//     const ricochet::Identification result =
//         ricochet::Identify(scene, tosses, "contact.friction, contact.restitution", {.bootstrap = 100}, {.seed = 1});
//     const ricochet::EstimatedParameter& friction = result.estimate.at("contact.friction");
//     if (result.estimate.verdict.level != ricochet::VerdictLevel::kRejected)
//       ricochet::WriteScene(result.calibrated, "calibrated.yaml");
//
// Before you trust an estimate, read its `verdict`, then its `warnings` and which parameters are `identifiable`.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/context.h"
#include "ricochet/estimate.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

/// How to identify. The defaults choose the method and report standard deviations from the fit alone.
struct IdentifyOptions {
  /// An estimator by name (ListEstimators in methods.h), or "auto": the first that suits the scene and the recordings.
  /// Estimate::choice says which and why.
  std::string method = "auto";

  /// Repetitions of the bootstrap, whose scatter replaces the standard deviations of the fit; 0: none. Each is a fit of
  /// its own. 100 repetitions give a standard deviation to 7 %.
  int bootstrap = 0;

  /// Paths, among the estimated ones, whose profile likelihood is computed. Each takes 11 to 15 fits, more in a flat
  /// direction, and gives an interval that need not be symmetric.
  std::vector<std::string> profiles{};

  /// Folds of a cross-validation over the recordings; 0: none. Each is a fit of its own.
  int folds = 0;

  /// Whether to compute rank and null space of the parameters at the fit (Estimate::information).
  bool information = false;

  /// Whether Verdict::explanations lists every held parameter that was tested, not only those that would explain the
  /// residuals.
  bool explain = false;

  /// Longest time of the call [s]; none: ten minutes for each fit that it makes. When the time is over, the estimate
  /// holds the best values so far, and its verdict is `kRejected`. Calls that several ranks share have no limit.
  std::optional<double> time_limit{};

  /// Options of the method by name, as ListEstimators describes them: {{"impact_restitutions", "3"}}. Flags are "true".
  std::map<std::string, std::string, std::less<>> method_options{};

  /// File that keeps finished repetitions of the bootstrap, so that the same call can resume after it was cancelled or
  /// killed. It is removed when all repetitions are finished. A file of other inputs is rejected. Empty: none.
  std::string store{};
};

/// What Identify found.
struct Identification {
  Estimate estimate;
  Scene calibrated;  // the scene with the estimated values
};

/// Estimates the parameters that `paths` names: a comma list of parameter paths, ratios and products (parameter.h).
///
/// All recordings are fitted together. One that cannot be used is excluded, and Estimate::recordings says why. Numerics
/// that fail do not throw: Estimate::verdict is `kRejected`, and its reasons say what happened.
///
/// Throws InputError for input that cannot be used: an unknown path, a method that does not suit the scene, no usable
/// recording. An InputError about an option has the option's name as its path. Throws Cancelled.
Identification Identify(const Scene& scene, const std::vector<Recording>& recordings, std::string_view paths,
                        const IdentifyOptions& options = {}, const Context& context = {});

}  // namespace ricochet
