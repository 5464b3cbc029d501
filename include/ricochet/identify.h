// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Identification: from a scene and recordings to an estimate.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/estimate.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

struct IdentifyOptions {
  std::string method = "auto";          // an estimator (`ricochet methods` lists them), or the one that suits the scene
  int bootstrap = 0;                    // repetitions of the bootstrap; 0: standard deviations from the fit alone
  std::vector<std::string> profiles{};  // paths among the estimated ones whose profile likelihood is computed
  int folds = 0;                        // k-fold cross-validation over the recordings; 0: none
  bool information = false;             // rank and null space of the parameters at the fit
  /// Options of the method by name, as `ricochet methods` lists them: {{"impact_restitutions", "3"}}; flags "true".
  std::map<std::string, std::string, std::less<>> method_options{};
  std::uint64_t seed = 0;
  std::string store{};        // file that keeps finished repetitions of the bootstrap until all are there; empty: none
  std::string fingerprint{};  // of everything the repetitions depend on; a store with a different one is rejected
};

struct Identification {
  Estimate estimate;
  Scene calibrated;  // the scene with the estimated values
};

/// Estimates the parameters that `paths` names (a comma list). Throws InputError for input that cannot be used, with
/// what seems wrong; Estimate::converged and its warnings report numerics that fail. An InputError about an option has
/// the option's name as its path.
Identification Identify(const Scene& scene, const std::vector<Recording>& recordings, std::string_view paths,
                        const IdentifyOptions& options = {});

}  // namespace ricochet
