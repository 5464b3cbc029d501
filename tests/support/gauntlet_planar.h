// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Random planar recordings whose truth is known, and what `identify` makes of them: whether its verdict, its intervals
// and its explanations can be trusted.
//
// A case is a body (ellipse, circle, rectangle or polygon) thrown on a floor, which may slope or be a belt, and often
// against a wall, recorded at 30 to 500 frames per second with noise of 0.1 to 2 mm. Motion is that of
// micro_stepping.h, which shares no code with the library. `identify` gets the scene with inertia, friction and
// restitution that are guesses, no start, and method `auto`. A nuisance is one thing that differs between the world and
// the scene and that was not requested.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ricochet/identify.h"
#include "tests/support/micro_stepping.h"

namespace ricochet::testing {

/// What may differ between the world and the scene.
struct PlanarNuisance {
  std::string name;                // "gravity_tilt"
  double unit = 0;                 // size at level 1
  std::vector<std::string> paths;  // explanations that name it (* stands for any text), or words of the error that
                                   // refuses a discrete one; empty: the model has no parameter for it
  std::string request;             // to estimate it; empty: nothing
  bool discrete = false;           // a wrong unit or axis: one level only
};

/// All of them. Level 1 is about the size of an ordinary mistake.
const std::vector<PlanarNuisance>& PlanarNuisances();

struct PlanarCase {
  Scene scene;
  std::vector<Recording> recordings;                  // one to four
  std::string paths;                                  // that a user requests
  std::vector<std::pair<std::string, double>> truth;  // of each of them, in order
  std::string shape, features;                        // "ellipse", "slope wall"
  double rate = 0, noise = 0;                         // [1/s], [m]
};

/// The case of a seed. `nuisance` may be null; its size is `level` units.
PlanarCase MakePlanarCase(std::uint64_t seed, const PlanarNuisance* nuisance = nullptr, double level = 0);

/// Largest distance between the motion of the case without noise and that of method `event` at the frames of its first
/// recording, over the size of the body.
double DistanceFromEvent(std::uint64_t seed);

struct PlanarOutcome {
  std::string verdict;                       // "good", "limited", "rejected", "refused" (input error)
  std::optional<double> over_noise;          // residuals over noise
  std::vector<std::optional<double>> pulls;  // error over standard deviation; none where there is no value
  bool limits_hold = true;                   // one-sided limits include the truth
  std::string named;                         // path of the best explanation
  bool right_named = false;                  // it is the nuisance
  std::optional<double> freed_pull;          // largest, with the nuisance requested too
  double seconds = 0;                        // of processor time
  std::string words;                         // headline of the verdict, or the error

  /// Largest size of a pull; 0 where nothing has a value.
  double Worst() const;
};

/// `freed`: also with the nuisance requested, where residuals exceed 3 times the noise.
PlanarOutcome RunPlanarCase(const PlanarCase& one, const PlanarNuisance* nuisance = nullptr, bool freed = true);

/// One line of a table of cases, and the names of its columns.
std::string PlanarRow(std::uint64_t seed, const std::string& kind, double level, const PlanarCase& one,
                      const PlanarOutcome& outcome);
extern const char* const kPlanarColumns;

/// Rates over the lines of such a table, as text.
std::string SummarizePlanarRows(const std::vector<std::string>& rows);

}  // namespace ricochet::testing
