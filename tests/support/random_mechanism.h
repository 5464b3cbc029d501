// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Random chains of hinges and recordings of them, made without the dynamics of the library.
//
// The simulator here shares no code with src/dynamics: mass matrix and forces from dense Jacobians of the links, RK4
// with steps of 0.5 ms, friction torques with sticking located by bisection. The scene that a case hands out is the
// model that a user would write: starts are off by up to a fifth, everything that is not requested is right, but for
// one nuisance.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet::testing {

/// What the recordings have and the scene does not.
enum class Nuisance {
  kNone,
  kCoulomb,
  kDrag,
  kQuadraticDrag,
  kEccentricity,
  kScale,
  kTorqueNoise,
  kOffset,
  kDelay,
  kTilt,
  kSpring,
  kGain,
  kDegrees,
  kMilliseconds,
};
inline constexpr int kNuisances = static_cast<int>(Nuisance::kMilliseconds) + 1;
const char* NameOf(Nuisance nuisance);

struct MechanismCase {
  Scene scene;
  std::vector<Recording> recordings;
  std::string paths;                                  // requested parameters
  std::vector<std::pair<std::string, double>> truth;  // of them
  std::string explanation;  // path of the parameter that the nuisance sets; empty: it has none
  double size = 0;          // of the nuisance, in the unit of that parameter
  int joints = 0;
};

/// The case of a seed. `nuisance` changes the recordings and nothing else, so that a seed has the same mechanism with
/// all of them.
MechanismCase MakeMechanismCase(std::uint64_t seed, Nuisance nuisance);

/// What became of a case.
struct MechanismOutcome {
  std::string level;  // good, limited, rejected, refused (input error)
  double seconds = 0;
  int estimates = 0, covered = 0;  // identifiable parameters, and those whose 95 % interval has the truth
  double worst = 0;                // largest error in standard deviations
  double over_noise = 0;           // residuals over the noise of the rows
  std::string first;               // path of the first explanation; without one, the first reason of the verdict
  bool as_good = false;            // the nuisance's parameter leaves residuals within 2 % of those of the first
  double freed_worst = -1;         // largest error with the nuisance's parameter requested too; -1: not computed
};

/// Identifies a case; `free` also with the nuisance's parameter, where it has one.
MechanismOutcome JudgeMechanismCase(const MechanismCase& given, bool free);

}  // namespace ricochet::testing
