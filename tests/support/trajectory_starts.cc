// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/trajectory_starts.h"

#include <Eigen/LU>
#include <array>
#include <cmath>
#include <map>

#include "core/random.h"
#include "estimators/planar_trajectory/track_fit.h"
#include "reproduce/plywood.h"
#include "ricochet/identify.h"

namespace ricochet::testing {

StartRate LocalStarts(int starts, double spread) {
  const Scene scene = PlywoodBlindScene();
  const PlanarFamily family(scene, ParsePathList(scene, kPlywoodPaths), 0);
  const PlanarTrack track = MakePlanarTrack(scene, PlywoodRecording(0.3, 1e-3, 240, 0), 0);
  const TrackFit best = FitTrack(family, track);
  const Eigen::MatrixXd information = best.jacobian.transpose() * best.jacobian;
  const double std = std::sqrt(information.inverse()(kTrackState, kTrackState));
  const double size = 0.05, speed = best.z.segment<2>(3).norm();
  Eigen::VectorXd unit(best.z.size());
  unit << size, size, 1, speed, speed, speed / size, best.z.tail(family.size());
  StartRate out;
  for (int k = 0; k < starts; ++k) {
    Random random(7, static_cast<std::uint64_t>(k));
    Eigen::VectorXd z = best.z;
    for (Eigen::Index i = 0; i < z.size(); ++i) z[i] += spread * unit[i] * random.Normal();
    const TrackFit fit = RefitTrack(family, best.track, z);
    ++out.starts;
    out.mean_iterations += fit.iterations / static_cast<double>(starts);
    if (fit.usable && std::abs(fit.z[kTrackState] - best.z[kTrackState]) < 0.01 * std) ++out.reached;
  }
  return out;
}

StartRate BlindStarts(int starts) {
  struct Best {
    double value = 0, std = 0, cost = INFINITY;
  };
  std::map<int, Best> best;
  std::vector<std::pair<int, Best>> all;
  StartRate out;
  for (int k = 0; k < starts; ++k) {
    constexpr std::array<int, 3> kRates = {60, 120, 240};
    const int kind = k % 6;
    const Recording recording =
        PlywoodRecording(kind % 2 == 0 ? 0.2 : 0.5, 20e-3, kRates[static_cast<std::size_t>(kind / 2)], 1);
    Random random(8, static_cast<std::uint64_t>(k));
    Scene scene = PlywoodBlindScene();
    scene.Set(scene.Find("bodies.ellipse.inertia"), 0.064 * kPlywoodRatio * std::pow(3.0, random.Uniform(-1, 1)));
    scene.Set(scene.Find("contact.friction"), random.Uniform(0.05, 0.9));
    scene.Set(scene.Find("contact.restitution"), random.Uniform(0.05, 0.9));
    IdentifyOptions options;
    options.method = "trajectory";
    const Estimate estimate =
        Identify(scene, {recording}, kPlywoodPaths, options, {.seed = static_cast<std::uint64_t>(k)}).estimate;
    // Twice the negative log-likelihood, up to a constant, when variances are those of the residuals.
    const RecordingUse& use = estimate.recordings[0];
    Best found{*estimate.parameters[0].value, *estimate.parameters[0].std,
               2 * std::log(*use.noise_position) + std::log(*use.noise_angle)};
    all.emplace_back(kind, found);
    if (found.cost < best[kind].cost) best[kind] = found;
    out.mean_iterations += estimate.iterations / static_cast<double>(starts);
  }
  for (const auto& [kind, found] : all) {
    ++out.starts;
    out.reached += std::abs(found.value - best[kind].value) < 0.01 * best[kind].std;
  }
  return out;
}

}  // namespace ricochet::testing
