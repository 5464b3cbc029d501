// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Identification: from a scene and recordings to an estimate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/estimate.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"
#include "ricochet/validate.h"

namespace ricochet {

struct IdentifyOptions {
  std::string method = "auto";          // trajectory, regression, joint, ...
  int bootstrap = 0;                    // repetitions of the bootstrap; 0: deviations from the likelihood or cost alone
  std::vector<std::string> profiles{};  // paths among the wanted ones, whose profile is asked for
  int folds = 0;  // k-fold cross-validation: recordings left out in k groups, predicted by the rest; 0: none
  int impact_restitutions = 0;      // trajectory: this many first impacts have a restitution each
  std::string residual = "motion";  // inverse-dynamics: of the motion itself, or `paper`: of one step of spook
  std::optional<double> kappa{};    // and there: weight of impulses over that of observations; none: from the data
  bool compare_friction = false;    // inverse-dynamics: viscous, dry, Stribeck by held-out cost; the best is fitted
  RollStart start{};                // tosses: where their prediction starts
  std::uint64_t seed = 0;
  std::string store{};        // file that keeps finished repetitions of the bootstrap until all are there; empty: none
  std::string fingerprint{};  // of everything the repetitions depend on; a store of another one is refused
};

struct Identification {
  Estimate estimate;
  Scene calibrated;  // the scene with the estimated values
};

/// Estimates the numbers that `paths` names (a comma list). Throws InputError for input that cannot be used, with what
/// seems wrong; numerics that fail are told by Estimate::converged and its warnings.
Identification Identify(const Scene& scene, const std::vector<Recording>& recordings, std::string_view paths,
                        const IdentifyOptions& options = {});

}  // namespace ricochet
