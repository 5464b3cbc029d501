// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// How close `joint` (Gabiccini eq. 27) comes to the Cramer-Rao bound for the plywood ellipse, started blind.
//
//   study_joint FOLDER [law|free [SEED]]     the recordings FOLDER/{1mrad,20mrad}/muM_Rfps_S.csv of one seed or of all;
//                                            `free`: restitution is not requested and free at every impact
//
// Prints CSV, a row per recording: noise, friction, frame rate, seed, error of J/m in percent, in bounds, in stated
// standard deviations, error of friction (empty where it has only a lower limit), the lower bound of friction, whether
// it converged, CPU time. Bounds are read from tests/data/truth/plywood; run from the root of the repository.
#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <fstream>
#include <sstream>

#include "ricochet/error.h"
#include "ricochet/identify.h"

int main(int argc, char** argv) {
  using namespace ricochet;
  if (argc < 2) return 2;
  constexpr double kRatio = 756e-6;
  const bool free = argc > 2 && std::string(argv[2]) == "free";
  const int only = argc > 3 ? std::atoi(argv[3]) : -1;
  const Scene blind = ReadScene("examples/plywood_blind.yaml");
  const std::string paths = std::string("bodies.ellipse.inertia / bodies.ellipse.mass, contact.friction") +
                            (free ? "" : ", contact.restitution");
  fmt::print(
      "noise_mrad,friction,fps,seed,error_percent,over_bound,over_std,friction_error,friction_lower,converged,cpu_"
      "ms\n");
  double sum = 0;
  int count = 0;
  for (const int noise : {1, 20}) {
    std::ifstream bounds(fmt::format("tests/data/truth/plywood/bound_{}mrad.csv", noise));
    std::string line, cell;
    std::getline(bounds, line);
    for (int m = 1; m <= 9; ++m) {
      std::getline(bounds, line);
      std::istringstream cells(line);
      std::getline(cells, cell, ',');
      for (const int rate : {30, 60, 120, 200, 240}) {
        std::getline(cells, cell, ',');
        const double bound = std::stod(cell);
        for (int seed = 0; seed < 3; ++seed) {
          if (only >= 0 && seed != only) continue;
          const Recording recording =
              ReadRecording(fmt::format("{}/{}mrad/mu{:.1f}_{}fps_{}.csv", argv[1], noise, 0.1 * m, rate, seed));
          const std::clock_t began = std::clock();
          Estimate estimate;
          try {
            estimate = Identify(blind, {recording}, paths, {.method = "joint"}).estimate;
          } catch (const InputError&) {
            fmt::print("{},{:.1f},{},{},,,,,,0,\n", noise, 0.1 * m, rate, seed);
            continue;
          }
          const double time = 1e3 * static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
          const EstimatedParameter& ratio = estimate.parameters[0];
          const EstimatedParameter& friction = estimate.parameters[1];
          const auto text = [](bool known, double value) {
            return known ? fmt::format("{:.4f}", value) : std::string();
          };
          const double error = ratio.value ? *ratio.value - kRatio : NAN, percent = 100 * error / kRatio;
          fmt::print("{},{:.1f},{},{},{},{},{},{},{},{},{:.0f}\n", noise, 0.1 * m, rate, seed,
                     text(ratio.value.has_value(), percent), text(ratio.value.has_value(), percent / bound),
                     text(ratio.std.has_value(), error / ratio.std.value_or(1)),
                     text(friction.value.has_value(), friction.value.value_or(0) - 0.1 * m),
                     text(friction.lower.has_value(), friction.lower.value_or(0)), estimate.converged ? 1 : 0, time);
          std::fflush(stdout);
          if (!ratio.value) continue;
          sum += percent / bound * percent / bound;
          ++count;
        }
      }
    }
  }
  fmt::print(stderr, "pooled RMS over bound {:.3f} of {} recordings\n", std::sqrt(sum / std::max(1, count)), count);
}
