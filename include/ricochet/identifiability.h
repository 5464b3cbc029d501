// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What recordings, or a planned motion, can tell about numbers of a scene.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

/// One wanted number.
struct IdentifiabilityEntry {
  std::string path, unit;
  bool identifiable = false;
  double value = 0;             // at which the question was asked
  std::optional<double> std;    // attainable standard deviation
  std::optional<double> lower;  // one-sided: what a motion that sticks tells about friction
  std::string reason;           // why not, and the remedy
};

/// J/m of one impact by itself (Gabiccini eq. 31), and whether it agrees with the others (eq. 32).
struct ConsistencyEntry {
  int recording = 0;
  double time = 0;                  // [s]
  std::optional<double> ratio;      // J/m [m^2]; none when the impact does not turn the body
  std::optional<double> std;        // of measured impacts
  std::optional<double> deviation;  // from the common value: in standard deviations; relative for a planned motion
  bool consistent = true;
};

struct Identifiability {
  std::vector<IdentifiabilityEntry> parameters;
  int rank = 0, size = 0;                       // of the wanted numbers together with the initial state
  std::string null_space;                       // in words; empty when there is none
  int dynamics_rank = 0, dynamics_columns = 0;  // of Gabiccini's matrix (29), unknowns m, J, impulses
  std::vector<ConsistencyEntry> consistency;    // (32), impact by impact
  bool consistent = true;                       // (32) holds for all of them
  bool measured = false;                        // their velocities are those of the recorded flights on both sides
  std::vector<std::string> notes;               // non-informative motions and what to do
};

/// From recordings (the motion is fitted first) or, without any, from the scene's own initial motion observed at `rate`
/// with the noise of `observe` (1 mm and 1 mrad where it is not given). `method` is an estimator whose problem is
/// meant; `auto` chooses as Identify does.
Identifiability AnalyzeIdentifiability(const Scene& scene, const std::vector<Recording>& recordings,
                                       std::string_view paths, double rate = 240, std::string_view method = "auto");

std::string FormatIdentifiability(const Identifiability& result);    // JSON
std::string DescribeIdentifiability(const Identifiability& result);  // for the terminal

}  // namespace ricochet
