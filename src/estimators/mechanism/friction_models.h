// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Which friction do the joints of a mechanism have: viscous, dry or Stribeck? (Spook sec. 4.5, Tables 2 and 3.)
//
// Each recording is left out in turn: each model is fitted to all others together (jointed_fit.h), and what it
// found is tried on the one left out with the start state free and the parameters held. The mean squared residual
// there, in units of the noise that rows have among themselves, is the held-out cost. A single recording is cut into
// halves. Beside it each model is fitted to each recording alone and tried on every other, as in Tables 2 and 3.
//
//     viscous     T = b r
//     dry         and mu (radius |F| + |M|) against the motion
//     stribeck    and mu falls from the static value with the rate
//
// The models contain each other, so costs on the recordings fitted can only fall; held-out costs rise when a number
// fits noise. A richer model is recommended when its held-out residuals, summed over blocks of time, are lower by more
// than two standard errors of that sum and by a share that matters. How often the right one is found:
// bench/study_friction.cc.
#pragma once

#include <string>
#include <vector>

#include "ricochet/parameter.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

struct FrictionScore {
  std::string model;  // "viscous", "dry", "stribeck"
  Scene scene;        // with the parts of this model only
  std::vector<SelectedParameter> parameters;
  std::vector<std::vector<double>> values;  // per recording, in the order of `parameters`; empty: the fit failed
  std::vector<std::vector<double>> stds;
  std::vector<double> costs;                  // on the recording fitted
  std::vector<std::vector<double>> held_out;  // [fitted][tried]; NAN on the diagonal and where it failed
  std::vector<std::vector<double>> left_out;  // per recording left out: mean squared residual of blocks of time
  double cost = 0, held_out_cost = 0;         // means of `costs` and `left_out`; infinite where nothing was fitted
  double rows_per_block = 0;                  // observations of a block of time, on average
};

struct FrictionComparison {
  std::vector<FrictionScore> models;  // from the simplest on
  int recommended = 0;
  std::string words;
};

/// `others` are the numbers to estimate beside friction. Models that the scene has no part for are left out. Throws
/// InputError where no joint has dry friction.
FrictionComparison CompareFriction(const Scene& scene, const std::vector<Recording>& recordings,
                                   const std::vector<SelectedParameter>& others);

}  // namespace ricochet
