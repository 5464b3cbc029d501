// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Which parameters recordings, or a planned motion, can identify, and how well.
//
// Before an experiment: without recordings, the scene's own motion is analyzed as its sensors would record it.
//
//     const ricochet::Identifiability plan = ricochet::AnalyzeIdentifiability(scene, {}, "contact.*", {.rate = 120});
//     for (const auto& p : plan.parameters) std::cout << p.path << (p.identifiable ? "" : ": " + p.reason) << "\n";
//
// After an experiment: with recordings, their motion is fitted first, and the analysis is made at that fit. The
// attainable standard deviation is that of the maximum-likelihood estimate with every start state free, to first order
// in the noise. It shows how accurate a perfect model could be, not how well the model explains the data; Identify
// reports the latter.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/context.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

/// One requested parameter.
struct IdentifiabilityEntry {
  std::string path, unit;       // as in Estimate
  bool identifiable = false;    // false: `reason` says why
  double value = 0;             // at which the problem was analyzed: the fitted one, or the scene's
  std::optional<double> std;    // attainable standard deviation, in `unit`; none where it is not identifiable
  std::optional<double> lower;  // one-sided: a motion that sticks gives a lower limit of friction
  std::string reason;           // why it is not identifiable, and what to do
};

/// Inertia over mass from one impact by itself (Gabiccini eq. 31), and whether it agrees with the others (eq. 32).
struct ConsistencyEntry {
  int recording = 0;                // from 0
  double time = 0;                  // of the impact [s]
  std::optional<double> ratio;      // J/m [m^2]; none when the impact does not turn the body
  std::optional<double> std;        // standard deviation of the ratio, of measured impacts
  std::optional<double> deviation;  // from the common value: in standard deviations; relative for a planned motion
  bool consistent = true;           // false: this impact contradicts the others
};

/// What AnalyzeIdentifiability found.
struct Identifiability {
  std::vector<IdentifiabilityEntry> parameters;  // in the order of the paths

  // Rank of the derivative of the residuals by the requested parameters and the initial state, and the number of these.
  // Where the rank is smaller, the null space says in words which combinations have no effect.
  int rank = 0, size = 0;
  std::string null_space;  // empty when there is none

  // Planar impacts: rank and columns of Gabiccini's matrix (29), whose unknowns are m, J and the impulses.
  int dynamics_rank = 0, dynamics_columns = 0;
  std::vector<ConsistencyEntry> consistency;  // (32), impact by impact
  bool consistent = true;                     // (32) holds for all of them
  bool measured = false;                      // velocities are those of the recorded flights before and after

  std::vector<std::string> notes;  // motions that say little, and what to do
};

/// How to analyze.
struct IdentifiabilityOptions {
  double rate = 240;            // frames per second of the planned recording [Hz]; without recordings only
  std::string method = "auto";  // the estimator whose problem is analyzed; "auto" chooses as Identify does
};

/// Analyzes the parameters that `paths` names (parameter.h). With recordings, their motion is fitted first. Without
/// any, the scene's own motion is taken, observed at `rate` with the noise of the scene's `observe` (1 mm and 1 mrad
/// where it is not given). Throws InputError for an unknown path, a method that does not suit the scene, recordings
/// that cannot be used, and a scene that has neither recordings nor an initial state. Throws Cancelled.
Identifiability AnalyzeIdentifiability(const Scene& scene, const std::vector<Recording>& recordings,
                                       std::string_view paths, const IdentifiabilityOptions& options = {},
                                       const Context& context = {});

/// JSON text, as `ricochet identifiability --json` prints it.
std::string FormatIdentifiability(const Identifiability& result);

/// A page for the terminal.
std::string DescribeIdentifiability(const Identifiability& result);

}  // namespace ricochet
