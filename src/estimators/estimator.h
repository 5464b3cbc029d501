// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What every estimator takes and gives. An estimator is its room (folder) plus one line in registry.cc: what it can
// handle, its options with their help, its paper and the reason for which `auto` chooses it live with it. One that
// makes no sense for a scene rejects it and says what to use instead.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/option_info.h"
#include "estimators/identify_request.h"
#include "inference/fit_problem.h"

namespace ricochet {

/// What an estimator is and which options it has, beside those that all have (bootstrap, profiles, folds, seed).
struct EstimatorInfo {
  std::string_view name;     // as IdentifyOptions::method has it
  std::string_view summary;  // one line: what it fits to what
  std::string_view paper;
  bool planar = false, spatial = false;
  bool joints = false;                    // for mechanisms; otherwise for free bodies
  bool points = false;                    // places of observed points can be estimated
  bool drag = false;                      // its motion has air drag
  std::span<const OptionInfo> options{};  // of IdentifyOptions::method_options
};

/// A problem at a point, for the question what its data say about the parameters, and what the motions there show.
struct PosedFit {
  std::shared_ptr<FitProblem> problem;
  FitPoint point;
  bool touched = false, slid = false;  // some contact closed, some slid
  double friction_needed = 0;          // largest |tangential| / normal impulse where a contact stuck
  std::vector<std::string> notes;
};

class Estimator {
 public:
  virtual ~Estimator() = default;
  virtual EstimatorInfo info() const = 0;
  std::string_view name() const { return info().name; }
  /// Empty when it can work on this request; otherwise why not and what to use instead.
  virtual std::string Refusal(const IdentifyRequest& request) const = 0;
  /// Why `auto` chooses it for a request that it does not refuse.
  virtual std::string Reason(const IdentifyRequest& /*request*/) const { return std::string(info().summary); }
  virtual Identification Run(const IdentifyRequest& request) const = 0;

  /// The problem of all requested parameters, those included that a fit refuses or holds because motion does not show
  /// them, at the motions of the recordings: `at_scene` false, fitted first; true, those that the scene's own values
  /// and initial state make. None: the method's fit says all that there is to say (AssessFit).
  virtual std::optional<PosedFit> Pose(const IdentifyRequest& /*request*/, bool /*at_scene*/) const {
    return std::nullopt;
  }
};

/// All estimators, in the order in which `auto` tries them; several may share a name where they are for different
/// spaces.
std::vector<const Estimator*> AllEstimators();

/// Whether a place of an observed point is among the parameters.
bool EstimatesPoints(const Scene& scene, const std::vector<SelectedParameter>& parameters);

/// The first estimator that takes the request, of those with the requested name. Throws InputError.
const Estimator& ChooseEstimator(const IdentifyRequest& request);

/// The body that moves and may touch. Throws InputError unless there is exactly one.
int MovingPlanarBody(const Scene& scene);

/// An estimate with names, units and start values filled in and nothing estimated.
Estimate EmptyEstimate(const IdentifyRequest& request, std::string_view method);

}  // namespace ricochet
