// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/planar_trajectory/track_fitter.h"

#include <fmt/format.h>

#include <algorithm>

#include "estimators/optimizer_trace.h"
#include "estimators/planar/row_noise.h"
#include "math/dense.h"

namespace ricochet {

constexpr double kNear = 1e-2;                  // points closer than this, in units of the scales, are one
constexpr double kFar = 25;                     // of the cost: what is so much worse is no rival
constexpr double kMostCounted = 10 * kOutlier;  // sigma of a residual
constexpr double kLeastNoise = 1e-13;
constexpr double kUnlike = 5;  // robust sigma that the largest residual of a right fit does not reach

TrackFitter::TrackFitter(const PlanarFamily& family, PlanarTrack track, const TrackFitOptions& options)
    : family_(family), options_(options), track_(std::move(track)), residuals_(family, track_) {
  if (options.impact_restitutions > 0) residuals_.SetImpactRestitutions(options.impact_restitutions, kCountedImpact);
  solver_ = TrackSolverOptions(family, residuals_.impact_restitutions());
}

LeastSquaresSummary TrackFitter::Solve(TrackPath& path, int window, int iterations, double tolerance, double huber,
                                       bool priors) {
  residuals_.SetWindow(window);
  LeastSquaresOptions options = solver_;
  options.max_iterations = iterations;
  options.cost_tolerance = tolerance;
  options.huber = huber;
  const LeastSquaresSummary summary = MinimizeLeastSquares(
      [&](const Eigen::VectorXd& z, Eigen::VectorXd& r, Eigen::MatrixXd* j) {
        if (!residuals_.Evaluate(z, r, j)) return false;
        if (priors) AppendPriors(z, r, j);
        return true;
      },
      options, path.z);
  evaluations_ += summary.evaluations;
  iterations_ += summary.iterations;
  path.cost = summary.end == LeastSquaresEnd::kFailed ? INFINITY : summary.cost;
  path.window = window;
  if (window == track_.size()) Remember(path);
  AddStage(window < track_.size() ? fmt::format("first {} rows", window) : "all rows", summary.trace, path.trace);
  return summary;
}

void TrackFitter::AppendPriors(const Eigen::VectorXd& z, Eigen::VectorXd& r, Eigen::MatrixXd* j) const {
  const Eigen::Index rows = r.size(), p = family_.size();
  r.conservativeResize(rows + p);
  if (j) j->conservativeResize(rows + p, Eigen::NoChange);
  for (Eigen::Index i = 0; i < p; ++i) {
    const PlanarRole role = family_.role(static_cast<int>(i));
    const double value = z[kTrackState + i];
    double residual = 0, slope = 0;
    if (role == PlanarRole::kFriction || role == PlanarRole::kRestitution) {
      residual = (value - 0.4) / 0.4;
      slope = 1 / 0.4;
    } else if ((role == PlanarRole::kInertiaOverMass || role == PlanarRole::kInertia ||
                role == PlanarRole::kMassOverInertia) &&
               std::isfinite(family_.upper()[i])) {
      const double middle = role == PlanarRole::kMassOverInertia ? 3 * family_.lower()[i] : 0.33 * family_.upper()[i];
      residual = std::log(value / middle) / 0.7;
      slope = 1 / (0.7 * value);
    }
    r[rows + i] = residual;
    if (!j) continue;
    j->row(rows + i).setZero();
    (*j)(rows + i, kTrackState + i) = slope;
  }
}

void TrackFitter::Grow(TrackPath& path) {
  const int n = track_.size();
  Eigen::VectorXd residuals;
  while (path.window < n && std::isfinite(path.cost)) {
    int next = std::min(n, path.window + std::max(2, path.window / 5));
    if (residuals_.Compare(path.z, residuals)) {
      ++evaluations_;
      while (next < n && Deviation(residuals, next) < 8) ++next;
    }
    Solve(path, next, 10, next == n ? 1e-3 : 1e-2, kTrackHuber, next < n);
  }
}

double TrackFitter::UpdateNoise(const TrackPath& path) {
  if (track_.noise_given) return 0;
  Eigen::VectorXd r;
  Eigen::MatrixXd j;
  residuals_.SetWindow(track_.size());
  if (!residuals_.Evaluate(path.z, r, &j)) return 0;
  ++evaluations_;
  for (int i = 0; i < kTrackState; ++i)
    if (held_[static_cast<std::size_t>(i)]) j.col(i).setZero();
  const Eigen::VectorXd leverage = Leverages(j);
  const int width = track_.width();
  std::array<ResidualSquares, kShownKinds.size()> squares;
  for (Eigen::Index i = 0; i < r.size(); ++i) {
    const int frame = static_cast<int>(i) / width, value = static_cast<int>(i) % width;
    if (residuals_.rejected()[static_cast<std::size_t>(frame)] || std::isnan(track_.Shown(frame, value))) continue;
    squares[static_cast<std::size_t>(track_.KindOf(value))].Add(r[i], leverage[i], kMostCounted);
  }
  double change = 0;
  for (const ShownKind kind : kShownKinds) {
    const auto k = static_cast<std::size_t>(kind);
    noise_freedom_[k] = squares[k].freedom;
    if (track_.Count(kind) == 0) continue;
    const double used = track_.NoiseOf(kind), noise = squares[k].Noise(used, kLeastNoise, 2);
    track_.NoiseOf(kind) = noise;
    change = std::max(change, std::abs(noise / used - 1));
  }
  least_cost_ = INFINITY;
  return change;
}

void TrackFitter::Remember(const TrackPath& path) {
  if (!std::isfinite(path.cost) || path.cost > least_cost_ + kFar || Rejected() > 0) return;
  least_cost_ = std::min(least_cost_, path.cost);
  for (const Eigen::VectorXd& z : remembered_)
    if ((z - path.z).cwiseQuotient(solver_.scale).cwiseAbs().maxCoeff() < kNear) return;
  remembered_.push_back(path.z);
}

TrackFitter::KeptNoise TrackFitter::KeepNoise() const {
  KeptNoise kept{{}, noise_freedom_};
  for (const ShownKind kind : kShownKinds) kept.sigma[static_cast<std::size_t>(kind)] = track_.NoiseOf(kind);
  return kept;
}

void TrackFitter::RestoreNoise(const KeptNoise& kept) {
  for (const ShownKind kind : kShownKinds) track_.NoiseOf(kind) = kept.sigma[static_cast<std::size_t>(kind)];
  noise_freedom_ = kept.freedom;
}

bool TrackFitter::RejectWorst(const TrackPath& path, std::vector<std::string>& log) {
  Eigen::VectorXd residuals;
  if (!residuals_.Compare(path.z, residuals)) return false;
  int worst = -1;
  double size = kOutlier;
  for (int i = 0; i < track_.size(); ++i) {
    if (residuals_.rejected()[static_cast<std::size_t>(i)]) continue;
    const double r = Deviation(residuals, i);
    if (r > size) {
      size = r;
      worst = i;
    }
  }
  if (worst < 0) return false;
  residuals_.rejected()[static_cast<std::size_t>(worst)] = 1;
  log.push_back(RejectedFrame(track_, static_cast<std::size_t>(worst), size));
  return true;
}

bool TrackFitter::LooksLikeNoise(const TrackPath& path) const {
  Eigen::VectorXd residuals;
  if (!residuals_.Compare(path.z, residuals)) return false;
  std::array<std::vector<double>, kShownKinds.size()> sizes;
  for (int i = 0; i < track_.size(); ++i) {
    if (residuals_.rejected()[static_cast<std::size_t>(i)]) continue;
    for (int value = 0; value < track_.width(); ++value)
      if (!std::isnan(track_.Shown(i, value)))
        sizes[static_cast<std::size_t>(track_.KindOf(value))].push_back(
            std::abs(residuals[track_.width() * i + value]));
  }
  for (std::vector<double>& group : sizes) {
    if (group.size() < 8) continue;
    std::sort(group.begin(), group.end());
    if (group.back() > kUnlike * 1.4826 * group[group.size() / 2]) return false;
  }
  return true;
}

}  // namespace ricochet
