// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// How close an estimator comes to the Cramer-Rao bound for the plywood ellipse (Gabiccini sec. 6.1), started blind.
//
//   study_plywood truth FOLDER [METHOD]           the recordings FOLDER/{1mrad,20mrad}/muM_Rfps_S.csv, a row for each
//   study_plywood seeds FILE FIRST COUNT [METHOD] recordings of our own, one per cell and seed FIRST, FIRST + 1, ...:
//   rows
//                                                 are added to FILE, whole rounds that it has are not repeated
//   study_plywood cells FILE                      a row per cell from the whole rounds of FILE
//   study_plywood cell NOISE FRICTION FPS FIRST COUNT     recordings of our own of one cell, noise in mrad
//
// Columns: error_over_bound and error_over_std of J/m (their root mean squares over a cell), friction (estimate; RMS
// error over a cell), failed (fits that say they did not converge; they are left out of error_over_std), CPU time. Of
// recordings of our own also the fit that starts at the truth: its error (rms_from_truth), and twice the gain of the
// logarithm of the likelihood of the blind fit over it. `missed` counts fits that the one from the truth beats by 2 and
// more, `misled` those that beat it by 2 although their error differs from its by a bound and more: there the recording
// itself speaks for another sequence of contacts. Bounds are read from tests/data/truth/plywood: run from the root of
// the repository.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <fstream>
#include <map>
#include <sstream>

#include "estimators/planar_trajectory/track_fit.h"
#include "reproduce/plywood.h"
#include "ricochet/identify.h"

namespace {

using namespace ricochet;

/// Bounds of J/m in percent, by noise, friction (tenths) and index of the rate.
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
  double score = NAN;  // twice the negative logarithm of the likelihood, up to a constant
};

/// With variances that are those of the residuals.
double Score(int frames, double noise_position, double noise_angle) {
  return 2.0 * frames * (2 * std::log(noise_position) + std::log(noise_angle));
}

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
    const RecordingUse& use = estimate.recordings[0];
    out.score = Score(recording.rows(), use.noise_position.value_or(NAN), use.noise_angle.value_or(NAN));
  } catch (const InputError&) {
    out.failed = true;
  }
  out.cpu = 1e3 * static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  return out;
}

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

/// The fit that starts at the truth: error of J/m in bounds, and its score.
std::pair<double, double> FromTruth(const Recording& recording, double friction, double bound) {
  static const Scene blind = PlywoodBlindScene();
  static const PlanarFamily family(blind, ParsePathList(blind, kPlywoodPaths), 0);
  Eigen::VectorXd z(9);
  z << 0, 0.1, -0.785, 3, -5, 0, kPlywoodRatio, friction, 0.2;
  const TrackFit fit = RefitTrack(family, MakePlanarTrack(blind, recording, 0), z);
  return {100 * (fit.z[kTrackState] / kPlywoodRatio - 1) / bound,
          Score(recording.rows(), fit.track.noise_position, fit.track.noise_angle)};
}

constexpr int kCells = 90;
constexpr char kSeedColumns[] =
    "noise_mrad,friction,fps,seed,error_over_bound,error_over_std,friction_estimate,failed,from_truth,gain,cpu_ms";

/// Rows of FILE by seed; rounds that are not whole are left out.
std::map<int, std::vector<std::vector<double>>> ReadRounds(const std::string& file) {
  std::map<int, std::vector<std::vector<double>>> rounds;
  std::ifstream in(file);
  std::string line, cell;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::vector<double> row;
    std::istringstream cells(line);
    while (std::getline(cells, cell, ',')) row.push_back(std::stod(cell));
    if (row.size() == 11) rounds[static_cast<int>(row[3])].push_back(row);
  }
  std::erase_if(rounds, [](const auto& round) { return round.second.size() != kCells; });
  return rounds;
}

/// One recording of our own.
std::string SeedRow(int noise, int m, std::size_t r, int seed, const std::string& method) {
  const Recording recording = PlywoodRecording(0.1 * m, 1e-3 * noise, kPlywoodRates[r], seed);
  const double bound = Bound(noise, m, r);
  const Outcome o = Judge(recording, method, bound);
  const auto [from_truth, score] = FromTruth(recording, 0.1 * m, bound);
  return fmt::format("{},{:.1f},{},{},{:.4f},{:.4f},{:.5f},{},{:.4f},{:.3f},{:.0f}\n", noise, 0.1 * m, kPlywoodRates[r],
                     seed, o.error_over_bound, o.error_over_std, o.friction, o.failed ? 1 : 0, from_truth,
                     score - o.score, o.cpu);
}

/// Recordings of one cell.
void OneCell(int noise, int m, int rate, int first, int count) {
  const auto r =
      static_cast<std::size_t>(std::find(kPlywoodRates.begin(), kPlywoodRates.end(), rate) - kPlywoodRates.begin());
  if (r == kPlywoodRates.size()) return;
  fmt::print("{}\n", kSeedColumns);
  for (int seed = first; seed < first + count; ++seed) {
    fmt::print("{}", SeedRow(noise, m, r, seed, "trajectory"));
    std::fflush(stdout);
  }
}

void Seeds(const std::string& file, int first, int count, const std::string& method) {
  const auto known = ReadRounds(file);
  const bool begun = std::ifstream(file).good();
  std::ofstream out(file, std::ios::app);
  if (!begun) out << kSeedColumns << "\n";
  for (int seed = first; seed < first + count; ++seed) {
    if (known.contains(seed)) continue;
    std::string round;
    for (const int noise : kPlywoodNoises)
      for (int m = 1; m <= 9; ++m)
        for (std::size_t r = 0; r < kPlywoodRates.size(); ++r) round += SeedRow(noise, m, r, seed, method);
    out << round << std::flush;
  }
}

struct Cell {
  int count = 0, valued = 0, failed = 0, frictions = 0, missed = 0, misled = 0;
  double errors = 0, pulls = 0, friction = 0, from_truth = 0, cpu = 0, longest = 0;
};

void Cells(const std::string& file) {
  std::map<std::array<int, 3>, Cell> cells;
  for (const auto& [seed, rows] : ReadRounds(file))
    for (const std::vector<double>& row : rows) {
      const double friction = row[1];
      Cell& cell =
          cells[{static_cast<int>(row[0]), static_cast<int>(std::lround(10 * friction)), static_cast<int>(row[2])}];
      ++cell.count;
      cell.cpu += row[10];
      cell.longest = std::max(cell.longest, row[10]);
      cell.from_truth += row[8] * row[8];
      if (std::isfinite(row[4])) {
        ++cell.valued;
        cell.errors += row[4] * row[4];
        if (row[9] < -2) ++cell.missed;
        if (row[9] > 2 && std::abs(row[4] - row[8]) > 1) ++cell.misled;
      }
      if (row[7] != 0) {
        ++cell.failed;
        continue;
      }
      cell.pulls += row[5] * row[5];
      if (!std::isfinite(row[6])) continue;
      ++cell.frictions;
      cell.friction += std::pow(row[6] - friction, 2);
    }
  fmt::print(
      "noise_mrad,friction,fps,recordings,rms_over_bound,rms_over_std,friction_rms,failed,rms_from_truth,missed,misled,"
      "mean_cpu_ms,max_cpu_ms\n");
  for (const auto& [key, cell] : cells)
    fmt::print("{},{:.1f},{},{},{:.3f},{:.3f},{:.4f},{},{:.3f},{},{},{:.0f},{:.0f}\n", key[0], 0.1 * key[1], key[2],
               cell.count, std::sqrt(cell.errors / std::max(1, cell.valued)),
               std::sqrt(cell.pulls / std::max(1, cell.count - cell.failed)),
               std::sqrt(cell.friction / std::max(1, cell.frictions)), cell.failed,
               std::sqrt(cell.from_truth / cell.count), cell.missed, cell.misled, cell.cpu / cell.count, cell.longest);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto method = [&](std::size_t at) { return words.size() > at ? words[at] : std::string("trajectory"); };
  if (words.size() >= 2 && words[0] == "truth") {
    Truth(words[1], method(2));
  } else if (words.size() >= 4 && words[0] == "seeds") {
    Seeds(words[1], std::atoi(words[2].c_str()), std::atoi(words[3].c_str()), method(4));
  } else if (words.size() == 2 && words[0] == "cells") {
    Cells(words[1]);
  } else if (words.size() == 6 && words[0] == "cell") {
    const auto number = [&](std::size_t at) { return std::atoi(words[at].c_str()); };
    OneCell(number(1), static_cast<int>(std::lround(10 * std::atof(words[2].c_str()))), number(3), number(4),
            number(5));
  } else {
    fmt::print(stderr,
               "study_plywood truth FOLDER [METHOD] | seeds FILE FIRST COUNT [METHOD] | cells FILE | "
               "cell NOISE FRICTION FPS FIRST COUNT\n");
    return 2;
  }
}
