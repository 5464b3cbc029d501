// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/planar_trajectory/track_fitter.h"

#include <fmt/format.h>

#include <algorithm>

#include "estimators/optimizer_trace.h"
#include "math/dense.h"

namespace ricochet {

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
  std::vector<Eigen::Vector3d> poses;
  while (path.window < n && std::isfinite(path.cost)) {
    int next = std::min(n, path.window + std::max(2, path.window / 5));
    if (residuals_.Predict(path.z, poses)) {
      ++evaluations_;
      while (next < n && Deviation(poses, next) < 8) ++next;
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
  double sum[2] = {0, 0}, freedom[2] = {0, 0};
  for (Eigen::Index i = 0; i < r.size(); ++i) {
    if (residuals_.rejected()[static_cast<std::size_t>(i / 3)]) continue;
    const int c = i % 3 == 2;
    const double size = std::min(std::abs(r[i]), 10.0 * kTrackOutlier);
    sum[c] += size * size;
    freedom[c] += 1 - leverage[i];
  }
  const double factor[2] = {std::sqrt(sum[0] / std::max(freedom[0], 2.0)),
                            std::sqrt(sum[1] / std::max(freedom[1], 2.0))};
  noise_freedom_[0] = freedom[0];
  noise_freedom_[1] = freedom[1];
  track_.noise_position = std::max(track_.noise_position * factor[0], 1e-13);
  track_.noise_angle = std::max(track_.noise_angle * factor[1], 1e-13);
  least_cost_ = INFINITY;
  return std::max(std::abs(factor[0] - 1), std::abs(factor[1] - 1));
}

Eigen::VectorXd TrackFitter::Leverages(const Eigen::MatrixXd& j) {
  Eigen::VectorXd norms = j.colwise().norm();
  for (double& norm : norms)
    if (norm <= 0) norm = 1;
  return OrthonormalBasis(j * norms.cwiseInverse().asDiagonal()).rowwise().squaredNorm();
}

bool TrackFitter::RejectWorst(const TrackPath& path, std::vector<std::string>& log) {
  std::vector<Eigen::Vector3d> poses;
  if (!residuals_.Predict(path.z, poses)) return false;
  int worst = -1;
  double size = kTrackOutlier;
  for (int i = 0; i < track_.size(); ++i) {
    if (residuals_.rejected()[static_cast<std::size_t>(i)]) continue;
    for (int k = 0; k < 3; ++k) {
      const double r = std::abs(poses[static_cast<std::size_t>(i)][k] - track_.pose[i][k]) / track_.Noise(k);
      if (r > size) {
        size = r;
        worst = i;
      }
    }
  }
  if (worst < 0) return false;
  residuals_.rejected()[static_cast<std::size_t>(worst)] = 1;
  log.push_back(fmt::format("{}: frame at {:.6g} s rejected as an outlier ({:.1f} sigma)", track_.name,
                            track_.time[worst], size));
  return true;
}

bool TrackFitter::LooksLikeNoise(const TrackPath& path) const {
  std::vector<Eigen::Vector3d> poses;
  if (!residuals_.Predict(path.z, poses)) return false;
  std::vector<double> sizes[2];
  for (int i = 0; i < track_.size(); ++i) {
    if (residuals_.rejected()[static_cast<std::size_t>(i)]) continue;
    for (int k = 0; k < 3; ++k)
      sizes[k == 2].push_back(std::abs(poses[static_cast<std::size_t>(i)][k] - track_.pose[i][k]));
  }
  for (std::vector<double>& group : sizes) {
    if (group.size() < 8) continue;
    std::sort(group.begin(), group.end());
    if (group.back() > kUnlike * 1.4826 * group[group.size() / 2]) return false;
  }
  return true;
}

double TrackFitter::Deviation(const std::vector<Eigen::Vector3d>& poses, int i) const {
  double worst = 0;
  for (int k = 0; k < 3; ++k)
    worst = std::max(worst, std::abs(poses[static_cast<std::size_t>(i)][k] - track_.pose[i][k]) / track_.Noise(k));
  return worst;
}

}  // namespace ricochet
