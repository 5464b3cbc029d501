// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/planar_trajectory/track_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ricochet {
namespace {

constexpr double kSettled = 0.01;  // relative change of the noise that needs no further fit
constexpr int kFewFrames = 40;
constexpr double kHopelessPosition = 0.1, kHopelessAngle = 0.25;  // of the body's size; [rad]

/// How much larger than a standard deviation from `freedom` degrees of freedom the true one may be, at 3 sigma: the
/// lower quantile of chi^2 (Wilson, Hilferty).
double LargestRatio(int freedom) {
  const double v = 2.0 / (9 * freedom);
  return std::pow(std::max(1 - v - 3 * std::sqrt(v), 0.3), -1.5);
}

/// Last fits with noise and outliers settled, and all that is reported.
void Finish(TrackFitter& fitter, TrackPath path, TrackFit& fit) {
  const int n = fitter.track().size();
  const int most = std::max(1, n / 8);
  LeastSquaresSummary end;
  for (int round = 0; round < 12 + most; ++round) {
    const double change = fitter.UpdateNoise(path);
    end = fitter.Solve(path, n, 20, 1e-7, 0.0);
    if (fitter.Rejected() < most && fitter.RejectWorst(path, fit.log)) continue;
    if (round >= 1 && change < kSettled) break;
  }
  fit.z = path.z;
  fit.trace = std::move(path.trace);
  fit.track = fitter.track();
  fit.rejected = fitter.residuals().rejected();
  fit.noise_estimated = !fit.track.noise_given;
  fit.noise_freedom = fitter.noise_freedom();
  fit.converged = end.end == LeastSquaresEnd::kConverged || end.end == LeastSquaresEnd::kStalled;
  fitter.residuals().SetWindow(n);
  if (!fitter.residuals().Evaluate(path.z, fit.residuals, &fit.jacobian)) return;
  fit.held = fitter.held();
  for (int i = 0; i < kTrackState; ++i)
    if (fit.held[static_cast<std::size_t>(i)]) fit.jacobian.col(i).setZero();
  fit.chi2 = fit.residuals.squaredNorm();
  int informed = 0;
  for (Eigen::Index i = 0; i < fit.jacobian.cols(); ++i) informed += fit.jacobian.col(i).norm() > 0;
  fit.degrees_of_freedom = -informed;
  for (int i = 0; i < n; ++i)
    for (int value = 0; value < fit.track.width(); ++value)
      fit.degrees_of_freedom += !fit.rejected[static_cast<std::size_t>(i)] && !std::isnan(fit.track.Shown(i, value));
  std::vector<Eigen::Vector3d> poses;
  fit.records.clear();
  fitter.residuals().Predict(path.z, poses, &fit.motion, &fit.records);
  fit.iterations = fitter.iterations();
  fit.evaluations = fitter.evaluations();
  fit.cut_short = fitter.Spent();
  fit.usable = true;
}

}  // namespace

TrackFit FitTrack(const PlanarFamily& family, const PlanarTrack& recorded, const TrackFitOptions& options) {
  TrackFit fit;
  PlanarTrack track = recorded;
  EstimateNoise(FreeAcceleration(family), track);
  const TrackStarts starts = FindTrackStarts(family, track);
  fit.log = track.log;
  fit.log.insert(fit.log.end(), starts.log.begin(), starts.log.end());
  fit.track = track;
  if (starts.impacts == 0) {
    fit.problem = starts.least_gap > 0
                      ? fmt::format("no impact found: the body stays {:.3g} m clear of every surface", starts.least_gap)
                      : "no impact found: the whole recording is one free flight";
    return fit;
  }

  TrackFitter fitter(family, track, options);
  const int n = track.size(), width = track.width();
  const bool given = track.noise_given;
  const double size =
      family.Motion<double>({family.start().data(), static_cast<std::size_t>(family.size())}).body().size;
  TrackPath best;
  TrackHeld held = {};
  bool explained = false;
  for (int attempt = 0; attempt < 3; ++attempt) {
    // While paths are sought, an angle is not trusted beyond what the positions are worth at the body's rim: a very
    // precise angle makes the valley of the likelihood too narrow to walk in.
    fitter.Release();
    fitter.track() = track;
    fitter.track().noise_angle = std::max(track.noise_angle, track.noise_position / size);
    std::vector<TrackPath> paths;
    const auto consider = [&](TrackPath path, int window) {
      fitter.Solve(path, window, 12, 3e-3, kTrackHuber, true);
      if (std::isfinite(path.cost)) paths.push_back(path);
    };
    if (attempt == 0)
      for (const TrackStart& start : starts.guesses) {
        TrackPath path;
        path.z.resize(fitter.residuals().size());
        path.z.head(start.z.size()) = start.z;
        const int e = family.Find(PlanarRole::kRestitution);
        path.z.tail(options.impact_restitutions).setConstant(e >= 0 ? start.z[kTrackState + e] : 0.3);
        consider(path, start.window);
      }
    if (attempt > 0 || starts.flying_frames < 4)
      for (const TrackPath& path : fitter.Search(starts, 24 + 16 * attempt, 16 + 12 * attempt, attempt))
        consider(path, starts.window);
    std::sort(paths.begin(), paths.end(), [&](const TrackPath& a, const TrackPath& b) {
      return a.cost / (width * a.window) < b.cost / (width * b.window);
    });

    // The best that differ go all the way.
    TrackPath leader;
    int followed = 0;
    std::vector<Eigen::VectorXd> seen;
    for (TrackPath path : paths) {
      bool known = false;
      for (const Eigen::VectorXd& z : seen) known = known || (z - path.z).norm() < 1e-2 * (1e-3 + path.z.norm());
      if (known) continue;
      seen.push_back(path.z);
      fitter.Grow(path);
      if (path.cost < leader.cost) leader = path;
      if (++followed >= options.paths || fitter.Spent() || 2 * leader.cost < options.accept * width * n) break;
    }
    if (!std::isfinite(leader.cost)) continue;
    if (explained && SequenceOf(fitter.residuals(), leader.z) == SequenceOf(fitter.residuals(), best.z)) break;
    if (options.disturbances > 0) {
      const int hops = std::clamp(1000 / n, 5, 60);
      fitter.Hop(leader, starts.window, hops, hops, 0.03, attempt);
    }

    // Settle the noise, and look beside the fit.
    if (given) fitter.track().noise_angle = track.noise_angle;
    const auto settle = [&](int rounds) {
      for (int round = 0; round < rounds; ++round) {
        fitter.UpdateNoise(leader);
        fitter.Solve(leader, n, 10, 1e-3, kTrackHuber);
      }
    };
    settle(3);
    const auto neighbors = [&] {
      for (int round = 0; round < 3; ++round) {
        if (fitter.Spent()) break;
        const bool passed = fitter.PassFrames(leader, 4), crossed = fitter.CrossGrazes(leader, 6);
        if (!passed && !crossed) break;
        settle(2);
      }
    };
    fitter.LandFlat(leader, starts.window);
    if (options.disturbances > 0) {
      neighbors();
      if (fitter.CrossLaws(leader)) {
        settle(2);
        neighbors();
      }
    }
    // Residuals larger than the scatter about the flights, beyond what chance allows, show a wrong sequence of
    // contacts.
    const bool flights = starts.scatter_freedom >= 6;
    const auto good = [&] {
      if (!fitter.LooksLikeNoise(leader)) return false;
      if (given) return 2 * leader.cost < options.accept * width * n;
      const double much = flights ? LargestRatio(starts.scatter_freedom) : 1.7;
      PlanarTrack scatter = track;
      if (flights) {
        scatter.noise_position = starts.scatter_position;
        scatter.noise_angle = starts.scatter_angle;
      }
      return fitter.track().NoiseOver(scatter) < much;
    };
    // With the angle as precise as it is, a slight impact that was missed shows: hop again. Few frames leave more
    // sequences open.
    if (options.disturbances > 0) {
      const int patience = good() ? std::clamp(300 / n, 4, 20) : std::clamp(1500 / n, 20, 60);
      if (fitter.Hop(leader, starts.window, 120, patience, 0.01, 10 + attempt)) {
        settle(2);
        neighbors();
      }
    }
    fitter.Disturb(leader, good() ? options.disturbances : 4 * options.disturbances);
    fitter.UpdateNoise(leader);
    fitter.Solve(leader, n, 10, 1e-4, kTrackHuber);
    const double score = given ? 2 * leader.cost : LogNoise(fitter.track());
    if (score < best.score) {
      best = leader;
      best.score = score;
      best.track = fitter.track();
      held = fitter.held();
    }
    // Few frames allow many sequences: search again, unless that leads to the
    // same one.
    if (options.disturbances == 0 || fitter.Spent() || (good() && (n >= kFewFrames || attempt > 0))) break;
    explained = explained || good();
    // Residuals of the size of the body after two attempts: this is no motion of the model.
    if (attempt > 0 && !given &&
        (best.track.place_noise() > kHopelessPosition * size || best.track.angle_noise() > kHopelessAngle))
      break;
  }
  if (!std::isfinite(best.score)) {
    fit.problem = "no motion of the model matches the start of the recording";
    return fit;
  }
  fitter.track() = best.track;
  fitter.Release();
  for (int i = 0; i < kTrackState; ++i)
    if (held[static_cast<std::size_t>(i)]) fitter.Hold(i, best.z[i]);
  Finish(fitter, best, fit);
  if (options.disturbances == 0 || !fit.usable) return fit;
  fit.rivals = FindRivals(fitter, fit.z);
  if (!fit.rivals.empty() && fit.rivals[0].loss < -kSettled) {
    best.z = fit.rivals[0].z;
    Finish(fitter, best, fit);
    fit.rivals = FindRivals(fitter, fit.z);
  }
  return fit;
}

TrackFit RefitTrack(const PlanarFamily& family, const PlanarTrack& track, const Eigen::VectorXd& z,
                    const TrackFitOptions& options) {
  TrackFit fit;
  PlanarTrack copy = track;
  if (!copy.noise_given && copy.noise_position <= 0) EstimateNoise(FreeAcceleration(family), copy);
  TrackFitter fitter(family, copy, options);
  for (int i = 0; i < kTrackState; ++i)
    if (options.held[static_cast<std::size_t>(i)]) fitter.Hold(i, z[i]);
  TrackPath path{z, INFINITY, copy.size(), INFINITY, {}};
  fitter.Solve(path, copy.size(), 30, 1e-6, kTrackHuber);
  Finish(fitter, path, fit);
  return fit;
}

}  // namespace ricochet
