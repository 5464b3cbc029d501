// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// How close `trajectory` comes to the Cramer-Rao bound for the plywood ellipse (Gabiccini sec. 6.1), started blind.
//
//   study_plywood SEEDS            recordings of our own: event-exact motion plus noise, SEEDS per cell
//   study_plywood truth FOLDER     the recordings FOLDER/{1mrad,20mrad}/muM_Rfps_S.csv
//
// Prints CSV: noise, friction, frame rate, recordings, RMS of (error of J/m) / bound, RMS of error / stated standard
// deviation, RMS error of friction, fits that say they failed, mean and longest CPU time. Bounds are read from
// tests/data/truth/plywood; run from the root of the repository.
#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <fstream>
#include <sstream>

#include "core/random.h"
#include "ricochet/identify.h"
#include "ricochet/simulate.h"

namespace {

using namespace ricochet;

constexpr double kRatio = 756e-6;
constexpr int kRates[] = {30, 60, 120, 200, 240};
constexpr char kPaths[] = "bodies.ellipse.inertia / bodies.ellipse.mass, contact.friction, contact.restitution";

std::string SceneText(double inertia, double friction, double restitution, bool motion) {
  return fmt::format(
      "ricochet: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n  ellipse:\n    shape: {{ellipse: {{semi_axes: "
      "[0.050, 0.025]}}}}\n"
      "    mass: 0.064\n    inertia: {}\nsurfaces:\n  bar: {{line: {{point: [0, 0], angle: 0}}}}\ncontact: {{friction: "
      "{}, restitution: {}}}\n"
      "{}simulation: {{method: event, step: 0.5, duration: 0.5}}\n",
      inertia, friction, restitution,
      motion ? "initial:\n  ellipse: {pose: [0, 0.1, -0.785], velocity: [3, -5], angular_velocity: 0}\n" : "");
}

}  // namespace

int main(int argc, char** argv) {
  const bool truth = argc > 2 && std::string(argv[1]) == "truth";
  const int seeds = truth ? 3 : argc > 1 ? std::atoi(argv[1]) : 3;
  const Scene blind = ParseScene(SceneText(3e-5, 0.4, 0.5, false), "blind.yaml");
  fmt::print(
      "noise_mrad,friction,fps,recordings,rms_over_bound,rms_over_std,friction_rms,failed,mean_cpu_ms,max_cpu_ms\n");
  double all = 0;
  int total = 0;
  for (const int noise : {1, 20}) {
    std::ifstream bounds(fmt::format("tests/data/truth/plywood/bound_{}mrad.csv", noise));
    std::string line, cell;
    std::getline(bounds, line);
    for (int m = 1; m <= 9; ++m) {
      std::getline(bounds, line);
      std::istringstream cells(line);
      std::getline(cells, cell, ',');
      for (const int rate : kRates) {
        std::getline(cells, cell, ',');
        const double bound = std::stod(cell);
        double errors = 0, pulls = 0, friction = 0, cpu = 0, longest = 0;
        int failed = 0;
        for (int seed = 0; seed < seeds; ++seed) {
          Recording recording;
          if (truth) {
            recording =
                ReadRecording(fmt::format("{}/{}mrad/mu{:.1f}_{}fps_{}.csv", argv[2], noise, 0.1 * m, rate, seed));
          } else {
            SimulateOptions options;
            options.method = "event";
            options.step = 1.0 / rate;
            options.noise_position = 1e-3;
            options.noise_angle = 1e-3 * noise;
            options.seed = static_cast<std::uint64_t>(1000000 * noise + 10000 * m + 10 * rate + 7919 * seed);
            recording =
                Simulate(ParseScene(SceneText(kRatio * 0.064, 0.1 * m, 0.2, true), "truth.yaml"), options).recording;
          }
          const std::clock_t began = std::clock();
          const Estimate estimate = Identify(blind, {recording}, kPaths, {.method = "trajectory"}).estimate;
          const double time = 1e3 * static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
          cpu += time;
          longest = std::max(longest, time);
          if (!estimate.converged) ++failed;
          if (!estimate.parameters[0].value) continue;
          const double error = *estimate.parameters[0].value - kRatio;
          errors += std::pow(100 * error / kRatio / bound, 2);
          pulls += std::pow(error / *estimate.parameters[0].std, 2);
          if (estimate.parameters[1].value) friction += std::pow(*estimate.parameters[1].value - 0.1 * m, 2);
        }
        all += errors;
        total += seeds;
        fmt::print("{},{:.1f},{},{},{:.3f},{:.3f},{:.4f},{},{:.1f},{:.1f}\n", noise, 0.1 * m, rate, seeds,
                   std::sqrt(errors / seeds), std::sqrt(pulls / seeds), std::sqrt(friction / seeds), failed,
                   cpu / seeds, longest);
        std::fflush(stdout);
      }
    }
  }
  fmt::print("# pooled RMS over bound {:.3f} of {} recordings\n", std::sqrt(all / total), total);
}
