// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// How close an estimator comes to the Cramer-Rao bound for the plywood ellipse (Gabiccini sec. 6.1), started blind.
//
//   study_plywood truth FOLDER [METHOD]           the recordings FOLDER/{1mrad,20mrad}/muM_Rfps_S.csv, a row for each
//   study_plywood seeds N MINUTES [METHOD]        N recordings of our own per cell, or as many whole rounds as fit into
//                                                 the time; a row per cell
//
// Columns: error_over_bound and error_over_std of J/m (their root mean squares over a cell), friction (estimate; RMS
// error over a cell), failed (fits that say they did not converge; they are left out of the mean squares of a cell),
// CPU time. Bounds are read from tests/data/truth/plywood: run from the root of the repository.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <fstream>
#include <map>
#include <sstream>

#include "reproduce/plywood.h"
#include "ricochet/identify.h"

namespace {

using namespace ricochet;

/// Bounds of J/m in per cent, by noise, friction (tenths) and index of the rate.
double Bound(int noise, int friction, std::size_t rate) {
  static std::map<int, std::array<std::array<double, 5>, 10>> tables;
  if (!tables.contains(noise)) {
    std::ifstream in(fmt::format("tests/data/truth/plywood/bound_{}mrad.csv", noise));
    std::string line, cell;
    std::getline(in, line);
    for (std::size_t m = 1; m <= 9 && std::getline(in, line); ++m) {
      std::istringstream cells(line);
      std::getline(cells, cell, ',');
      for (double& value : tables[noise][m]) {
        std::getline(cells, cell, ',');
        value = std::stod(cell);
      }
    }
  }
  return tables[noise][static_cast<std::size_t>(friction)][rate];
}

struct Outcome {
  bool failed = true;
  double error_over_bound = NAN, error_over_std = NAN, friction = NAN, lower = NAN, cpu = 0;
};

Outcome Judge(const Recording& recording, const std::string& method, double bound) {
  static const Scene blind = PlywoodBlindScene();
  Outcome out;
  const std::clock_t began = std::clock();
  try {
    const Estimate estimate = Identify(blind, {recording}, kPlywoodPaths, {.method = method}).estimate;
    out.failed = !estimate.converged || !estimate.parameters[0].value;
    if (estimate.parameters[0].value) {
      const double error = *estimate.parameters[0].value - kPlywoodRatio;
      out.error_over_bound = 100 * error / kPlywoodRatio / bound;
      out.error_over_std = error / *estimate.parameters[0].std;
    }
    out.friction = estimate.parameters[1].value.value_or(NAN);
    out.lower = estimate.parameters[1].lower.value_or(NAN);
  } catch (const InputError&) {
    out.failed = true;
  }
  out.cpu = 1e3 * static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  return out;
}

struct Cell {
  int count = 0, valued = 0, failed = 0, frictions = 0;
  double errors = 0, pulls = 0, friction = 0, cpu = 0, longest = 0;

  void Add(const Outcome& outcome, double true_friction) {
    ++count;
    cpu += outcome.cpu;
    longest = std::max(longest, outcome.cpu);
    if (std::isfinite(outcome.error_over_bound)) {
      ++valued;
      errors += outcome.error_over_bound * outcome.error_over_bound;
    }
    if (outcome.failed) {
      ++failed;
      return;
    }
    pulls += outcome.error_over_std * outcome.error_over_std;
    if (!std::isfinite(outcome.friction)) return;
    ++frictions;
    friction += std::pow(outcome.friction - true_friction, 2);
  }
};

void Truth(const std::string& folder, const std::string& method) {
  fmt::print(
      "noise_mrad,friction,fps,seed,error_over_bound,error_over_std,friction_estimate,friction_lower,failed,cpu_ms\n");
  for (const int noise : kPlywoodNoises)
    for (int m = 1; m <= 9; ++m)
      for (std::size_t r = 0; r < kPlywoodRates.size(); ++r)
        for (int seed = 0; seed < 3; ++seed) {
          const Outcome o = Judge(ReadRecording(fmt::format("{}/{}mrad/mu{:.1f}_{}fps_{}.csv", folder, noise, 0.1 * m,
                                                            kPlywoodRates[r], seed)),
                                  method, Bound(noise, m, r));
          fmt::print("{},{:.1f},{},{},{:.4f},{:.4f},{:.5f},{:.4f},{},{:.0f}\n", noise, 0.1 * m, kPlywoodRates[r], seed,
                     o.error_over_bound, o.error_over_std, o.friction, o.lower, o.failed ? 1 : 0, o.cpu);
          std::fflush(stdout);
        }
}

void Seeds(int seeds, double minutes, const std::string& method) {
  std::map<std::array<int, 3>, Cell> cells;
  const std::time_t began = std::time(nullptr);
  for (int seed = 0; seed < seeds && std::difftime(std::time(nullptr), began) < 60 * minutes; ++seed)
    for (const int noise : kPlywoodNoises)
      for (int m = 1; m <= 9; ++m)
        for (std::size_t r = 0; r < kPlywoodRates.size(); ++r)
          cells[{noise, m, kPlywoodRates[r]}].Add(
              Judge(PlywoodRecording(0.1 * m, 1e-3 * noise, kPlywoodRates[r], seed), method, Bound(noise, m, r)),
              0.1 * m);
  fmt::print(
      "noise_mrad,friction,fps,recordings,rms_over_bound,rms_over_std,friction_rms,failed,mean_cpu_ms,max_cpu_ms\n");
  for (const auto& [key, cell] : cells) {
    const double good = std::max(1, cell.count - cell.failed);
    fmt::print("{},{:.1f},{},{},{:.3f},{:.3f},{:.4f},{},{:.0f},{:.0f}\n", key[0], 0.1 * key[1], key[2], cell.count,
               std::sqrt(cell.errors / std::max(1, cell.valued)), std::sqrt(cell.pulls / good),
               std::sqrt(cell.friction / std::max(1, cell.frictions)), cell.failed, cell.cpu / cell.count,
               cell.longest);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto method = [&](std::size_t at) { return words.size() > at ? words[at] : std::string("trajectory"); };
  if (words.size() >= 2 && words[0] == "truth") {
    Truth(words[1], method(2));
  } else if (words.size() >= 3 && words[0] == "seeds") {
    Seeds(std::atoi(words[1].c_str()), std::atof(words[2].c_str()), method(3));
  } else {
    fmt::print(stderr, "study_plywood truth FOLDER [METHOD] | seeds N MINUTES [METHOD]\n");
    return 2;
  }
}
