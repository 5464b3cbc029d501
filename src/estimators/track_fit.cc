// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/track_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random.h"
#include "estimators/optimizer_trace.h"
#include "estimators/track_moves.h"
#include "math/dense.h"

namespace ricochet {
namespace {

constexpr double kHuber = 4;       // residuals beyond this many sigma count linearly while paths are sought
constexpr double kOutlier = 5;     // sigma
constexpr double kSettled = 0.01;  // relative change of the noise that needs no further fit
constexpr double kHopeless = 40;   // a trial that costs so much more is not looked at further
constexpr int kFew = 40;           // frames below which more sequences of contacts are open, and steps are cheap
constexpr double kUnlike = 5;      // robust sigma that the largest residual of a right fit does not reach

struct Path {
  Eigen::VectorXd z;
  double cost = INFINITY;  // of the robust loss over the window
  int window = 0;
  double score = INFINITY;  // by which attempts are compared
  PlanarTrack track;        // with the noise of the path
  std::vector<OptimizerStage> trace = {};
};

/// Twice the negative log-likelihood when the variances are those of the residuals.
double LogNoise(const PlanarTrack& track, int frames) {
  return 2.0 * frames * (2 * std::log(track.noise_position) + std::log(track.noise_angle));
}

/// How much larger than a standard deviation from `freedom` degrees of freedom the true one may be, at 3 sigma: the
/// lower quantile of chi^2 (Wilson, Hilferty).
double LargestRatio(int freedom) {
  const double v = 2.0 / (9 * freedom);
  return std::pow(std::max(1 - v - 3 * std::sqrt(v), 0.3), -1.5);
}

class Fitter {
 public:
  Fitter(const PlanarFamily& family, PlanarTrack track, const TrackFitOptions& options)
      : family_(family), options_(options), track_(std::move(track)), residuals_(family, track_) {
    if (options.impact_restitutions > 0) residuals_.SetImpactRestitutions(options.impact_restitutions, kCountedImpact);
    const Eigen::Index n = residuals_.size(), p = family.size(), e = residuals_.impact_restitutions();
    solver_.scale = Eigen::VectorXd::Ones(n);
    solver_.scale.segment(kTrackState, p) = family.scale();
    solver_.lower = Eigen::VectorXd::Constant(n, -INFINITY);
    solver_.upper = Eigen::VectorXd::Constant(n, INFINITY);
    solver_.lower.segment(kTrackState, p) = family.lower();
    solver_.upper.segment(kTrackState, p) = family.upper();
    solver_.lower.tail(e).setZero();
    solver_.upper.tail(e).setOnes();
  }

  PlanarTrack& track() { return track_; }
  TrackResiduals& residuals() { return residuals_; }
  int evaluations() const { return evaluations_; }
  int iterations() const { return iterations_; }
  const double* noise_freedom() const { return noise_freedom_; }

  /// Least squares over the first `window` frames. While paths are sought, weak priors (inertia ratio within a factor 2
  /// of that of a disc, friction and restitution 0.4 +- 0.4) keep what few frames cannot tell within reason.
  LeastSquaresSummary Solve(Path& path, int window, int iterations, double tolerance, double huber,
                            bool priors = false) {
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
    AddStage(window < track_.size() ? fmt::format("first {} rows", window) : "all rows", summary.trace, path.trace);
    return summary;
  }

  void AppendPriors(const Eigen::VectorXd& z, Eigen::VectorXd& r, Eigen::MatrixXd* j) const {
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

  /// Differential evolution over start velocity and wanted numbers on the first frames, for starts that no arc shows:
  /// with one frame before the first bounce, and more bounces before the next frame, nothing but a search is left.
  std::vector<Path> Search(const TrackStarts& starts, int population, int generations, int attempt) {
    const int window = starts.window, p = family_.size();
    residuals_.SetWindow(window);
    Random random(options_.seed, 11 + static_cast<std::uint64_t>(attempt));
    const Eigen::Vector3d acceleration = FreeAcceleration(family_);
    const EventBody<double> body = family_.Motion<double>({family_.start().data(), static_cast<std::size_t>(p)}).body();
    double first_gap = track_.time[1] - track_.time[0], turn = 1, speed = 0.1;
    for (int i = 1; i < window; ++i) {
      const double dt = track_.time[i] - track_.time[i - 1];
      turn = std::max(turn, std::abs(track_.pose[i][2] - track_.pose[i - 1][2]) / dt);
      speed = std::max(speed, (track_.pose[i] - track_.pose[i - 1]).head<2>().norm() / dt);
    }
    Eigen::VectorXd r;
    const auto cost = [&](const Eigen::VectorXd& z) {
      ++evaluations_;
      residuals_.SetWindow(window);
      if (!residuals_.Evaluate(z, r, nullptr)) return static_cast<double>(INFINITY);
      double sum = 0;
      for (const double value : r) sum += std::log1p(value * value / 100);
      Eigen::VectorXd prior(0);
      AppendPriors(z, prior, nullptr);
      return sum + 0.1 * prior.squaredNorm();
    };
    std::vector<Path> people;
    for (int k = 0; k < population; ++k) {
      Path path;
      path.z = Eigen::VectorXd::Zero(residuals_.size());
      path.z.head<3>() = track_.pose[0];
      // Touching at a random instant of the first interval fixes the velocity along the normal.
      const double t = first_gap * random.Uniform(0.15, 1.3), w = turn * random.Uniform(-1.2, 1.2);
      Eigen::Vector3d v((track_.pose[1][0] - track_.pose[0][0]) / first_gap, 0, w);
      v[0] *= random.Uniform(0.6, 1.6);
      v[0] += 0.2 * speed * random.Normal();
      v[1] = speed * random.Uniform(-2.0, 0.5);
      Eigen::Vector3d q = track_.pose[0] + v * t + acceleration * (0.5 * t * t);
      int candidate = 0;
      const double gap = LeastGap(body, q, &candidate);
      if (std::isfinite(gap)) {
        const EventSurface<double>& s =
            body.surfaces[static_cast<std::size_t>(body.candidates[static_cast<std::size_t>(candidate)].group)];
        v[0] -= s.nx * gap / t;
        v[1] -= s.ny * gap / t;
      }
      path.z.segment<3>(3) = v;
      for (int i = 0; i < p; ++i) {
        const PlanarRole role = family_.role(i);
        double value = family_.start()[i];
        if (role == PlanarRole::kFriction) value = random.Uniform(0.02, 0.9);
        if (role == PlanarRole::kRestitution) value = random.Uniform(0.0, 0.8);
        if (role == PlanarRole::kInertiaOverMass || role == PlanarRole::kInertia)
          value = family_.upper()[i] * random.Uniform(0.12, 0.6);
        if (role == PlanarRole::kMassOverInertia) value = family_.lower()[i] / random.Uniform(0.12, 0.6);
        path.z[kTrackState + i] = value;
      }
      path.z.tail(options_.impact_restitutions).setConstant(0.3);
      path.cost = cost(path.z);
      people.push_back(path);
    }
    for (int g = 0; g < generations; ++g)
      for (int k = 0; k < population; ++k) {
        const auto pick = [&] {
          return static_cast<std::size_t>(random.Below(static_cast<std::uint64_t>(population)));
        };
        Path& parent = people[static_cast<std::size_t>(k)];
        std::size_t a = pick(), b = pick(), c = pick();
        if (people[b].cost < people[a].cost) std::swap(a, b);
        if (people[c].cost < people[a].cost) std::swap(a, c);  // the base is the best of three
        const double weight = random.Uniform(0.4, 0.9);
        Eigen::VectorXd z = parent.z;
        for (Eigen::Index i = 3; i < z.size(); ++i)
          if (random.Uniform() < 0.8) z[i] = people[a].z[i] + weight * (people[b].z[i] - people[c].z[i]);
        z = z.cwiseMax(solver_.lower).cwiseMin(solver_.upper);
        const double value = cost(z);
        if (value < parent.cost) {
          parent.z = z;
          parent.cost = value;
        }
      }
    std::sort(people.begin(), people.end(), [](const Path& x, const Path& y) { return x.cost < y.cost; });
    std::vector<Path> best;
    for (const Path& path : people) {
      bool near = false;
      for (const Path& other : best)
        near = near || ((path.z - other.z).cwiseQuotient(solver_.scale).tail(residuals_.size() - 3).norm() < 0.3);
      if (near || !std::isfinite(path.cost)) continue;
      best.push_back(path);
      best.back().window = window;
      if (best.size() == 4) break;
    }
    return best;
  }

  /// From the path's window to the whole track.
  void Grow(Path& path) {
    const int n = track_.size();
    std::vector<Eigen::Vector3d> poses;
    while (path.window < n && std::isfinite(path.cost)) {
      int next = std::min(n, path.window + std::max(2, path.window / 5));
      if (residuals_.Predict(path.z, poses)) {
        ++evaluations_;
        while (next < n && Deviation(poses, next) < 8) ++next;
      }
      Solve(path, next, 10, next == n ? 1e-3 : 1e-2, kHuber, next < n);
    }
  }

  /// Variances of position and angle from the residuals; see the header. Returns the largest relative change.
  double UpdateNoise(const Path& path) {
    if (track_.noise_given) return 0;
    Eigen::VectorXd r;
    Eigen::MatrixXd j;
    residuals_.SetWindow(track_.size());
    if (!residuals_.Evaluate(path.z, r, &j)) return 0;
    ++evaluations_;
    const Eigen::VectorXd leverage = Leverages(j);
    double sum[2] = {0, 0}, freedom[2] = {0, 0};
    for (Eigen::Index i = 0; i < r.size(); ++i) {
      if (residuals_.rejected()[static_cast<std::size_t>(i / 3)]) continue;
      const int c = i % 3 == 2;
      const double size = std::min(std::abs(r[i]), 10.0 * kOutlier);
      sum[c] += size * size;
      freedom[c] += 1 - leverage[i];
    }
    const double factor[2] = {std::sqrt(sum[0] / std::max(freedom[0], 2.0)),
                              std::sqrt(sum[1] / std::max(freedom[1], 2.0))};
    noise_freedom_[0] = freedom[0];
    noise_freedom_[1] = freedom[1];
    track_.noise_position = std::max(track_.noise_position * factor[0], 1e-13);
    track_.noise_angle = std::max(track_.noise_angle * factor[1], 1e-13);
    return std::max(std::abs(factor[0] - 1), std::abs(factor[1] - 1));
  }

  static Eigen::VectorXd Leverages(const Eigen::MatrixXd& j) {
    Eigen::VectorXd norms = j.colwise().norm();
    for (double& norm : norms)
      if (norm <= 0) norm = 1;
    return OrthonormalBasis(j * norms.cwiseInverse().asDiagonal()).rowwise().squaredNorm();
  }

  /// Disturbs the path along its covariance and refits; keeps what is better.
  double Disturb(Path& best, int count) {
    Eigen::VectorXd r;
    Eigen::MatrixXd j;
    const int n = track_.size();
    double runner_up = INFINITY;
    residuals_.SetWindow(n);
    if (!residuals_.Evaluate(best.z, r, &j)) return runner_up;
    const SingularDecomposition svd = DecomposeSingular(j * solver_.scale.asDiagonal());
    Random random(options_.seed, 77);
    Eigen::VectorXd trial_residuals;
    std::vector<std::pair<double, Eigen::VectorXd>> trials;
    for (int k = 0; k < 4 * count; ++k) {
      const double spread = 0.7 * (1 + k % 4);
      Eigen::VectorXd direction = Eigen::VectorXd::Zero(best.z.size());
      for (Eigen::Index i = 0; i < direction.size(); ++i) {
        const double s = svd.values[i];
        direction += svd.V.col(i) * (random.Normal() * spread / std::max(s, 20.0));
      }
      // Directions that the data do not tell move freely within a fifth of their scale.
      Eigen::VectorXd z = best.z + solver_.scale.cwiseProduct(direction);
      z = z.cwiseMax(solver_.lower).cwiseMin(solver_.upper);
      residuals_.SetWindow(n);
      ++evaluations_;
      if (!residuals_.Evaluate(z, trial_residuals, nullptr)) continue;
      trials.emplace_back(LeastSquaresCost(trial_residuals, kHuber), z);
    }
    std::sort(trials.begin(), trials.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (int k = 0; k < std::min<int>(count / 3, static_cast<int>(trials.size())); ++k) {
      Path path{trials[static_cast<std::size_t>(k)].second, INFINITY, n, INFINITY, {}, best.trace};
      Solve(path, n, 8, 1e-3, kHuber);
      const bool other = Impacts(path) != Impacts(best);
      if (path.cost < best.cost - 1e-4) {
        if (other) runner_up = std::min(runner_up, best.cost);
        best = path;
      } else if (other) {
        runner_up = std::min(runner_up, path.cost);
      }
    }
    return runner_up;
  }

  /// Basin hopping: the start of the path and its numbers are disturbed by some per cent, the window grows again from
  /// the first bounce, and what fits better becomes the path. This is what changes the sequence of contacts. Ends after
  /// `patience` hops in a row without gain, or `count` in all. Returns whether there was a gain.
  bool Hop(Path& leader, int first_window, int count, int patience, double least_spread, int attempt) {
    Random random(options_.seed, 500 + static_cast<std::uint64_t>(attempt));
    const int p = family_.size();
    const double size = family_.Motion<double>({family_.start().data(), static_cast<std::size_t>(p)}).body().size;
    int idle = 0;
    bool gained = false;
    for (int k = 0; k < count && idle < patience; ++k, ++idle) {
      const double spread = least_spread * std::pow(3.0, k % 3);
      const double speed = leader.z.segment<2>(3).norm() + size * std::abs(leader.z[5]);
      Path path = leader;
      for (int i = 0; i < 2; ++i) path.z[3 + i] += 0.7 * spread * speed * random.Normal();
      path.z[5] += spread * speed / size * random.Normal();
      for (Eigen::Index i = kTrackState; i < path.z.size(); ++i) path.z[i] *= std::exp(1.5 * spread * random.Normal());
      path.z = path.z.cwiseMax(solver_.lower).cwiseMin(solver_.upper);
      Solve(path, first_window, 8, 1e-2, kHuber, true);
      // A path that starts much worse than the leader does over the same frames is not worth growing.
      if (!std::isfinite(path.cost) || path.cost > 3 * leader.cost + 3.0 * first_window) continue;
      Grow(path);
      if (path.cost < leader.cost - 0.1) {
        idle = -1;
        gained = true;
      }
      if (path.cost < leader.cost - 1e-3) leader = path;
    }
    return gained;
  }

  /// Rejects the worst frame beyond the limit; false when there is none.
  bool RejectWorst(const Path& path, std::vector<std::string>& log) {
    std::vector<Eigen::Vector3d> poses;
    if (!residuals_.Predict(path.z, poses)) return false;
    int worst = -1;
    double size = kOutlier;
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

  /// Takes a trial, fitted to all frames, for the path if it is likelier with the noise that its own residuals show.
  bool TakeIfLikelier(Path trial, Path& best) {
    const int n = track_.size();
    if (!std::isfinite(trial.cost)) return false;
    if (track_.noise_given) {
      if (trial.cost > best.cost - 1e-3) return false;
      best = std::move(trial);
      return true;
    }
    const bool same = std::abs(trial.cost - best.cost) < 0.02 &&
                      (trial.z - best.z).cwiseQuotient(solver_.scale).cwiseAbs().maxCoeff() < 1e-3;
    if (same || trial.cost > best.cost + kHopeless) return false;
    const double position = track_.noise_position, angle = track_.noise_angle;
    const double freedom[2] = {noise_freedom_[0], noise_freedom_[1]};
    UpdateNoise(best);
    const double score = LogNoise(track_, n);
    for (int round = 0; round < 3; ++round) {
      UpdateNoise(trial);
      if (round < 2) Solve(trial, n, 8, 1e-3, kHuber);
    }
    if (std::isfinite(trial.cost) && LogNoise(track_, n) < score - 0.01) {
      best = std::move(trial);
      return true;
    }
    track_.noise_position = position;
    track_.noise_angle = angle;
    std::copy_n(freedom, 2, noise_freedom_);
    return false;
  }

  /// A frame close to an impact makes a kink in the likelihood, where the impact passes it: a fit may rest on the wrong
  /// side. The worst frames are left out in turn, alone and with their neighbours, and put back after a fit without
  /// them.
  bool PassFrames(Path& best, int count) {
    const int n = track_.size();
    std::vector<Eigen::Vector3d> poses;
    if (!residuals_.Predict(best.z, poses)) return false;
    ++evaluations_;
    std::vector<std::pair<double, int>> worst;
    for (int i = 0; i < n; ++i)
      if (!residuals_.rejected()[static_cast<std::size_t>(i)]) worst.emplace_back(-Deviation(poses, i), i);
    std::sort(worst.begin(), worst.end());
    bool gained = false;
    for (int k = 0; k < std::min<int>(count, static_cast<int>(worst.size())); ++k)
      for (const int width : {1, 2}) {
        const int first = std::max(0, worst[static_cast<std::size_t>(k)].second - width + 1);
        const std::vector<char> kept = residuals_.rejected();
        for (int i = first; i < std::min(n, first + 2 * width - 1); ++i)
          residuals_.rejected()[static_cast<std::size_t>(i)] = 1;
        Path path = best;
        Solve(path, n, 12, 1e-3, kHuber);
        residuals_.rejected() = kept;
        if (!std::isfinite(path.cost)) continue;
        Solve(path, n, 12, 1e-3, kHuber);
        gained = TakeIfLikelier(path, best) || gained;
      }
    return gained;
  }

  /// Close passes become impacts and slight impacts passes (track_moves.h).
  bool CrossGrazes(Path& best, int count) {
    Eigen::VectorXd r;
    Eigen::MatrixXd j;
    const int n = track_.size();
    residuals_.SetWindow(n);
    if (!residuals_.Evaluate(best.z, r, &j)) return false;
    ++evaluations_;
    AppendPriors(best.z, r, &j);
    bool gained = false;
    for (const GrazeMove& move : GrazeMoves(residuals_, best.z, j, solver_.scale, count)) {
      Path path = best;
      path.z = move.z.cwiseMax(solver_.lower).cwiseMin(solver_.upper);
      Path whole = path;
      const auto after = std::upper_bound(track_.time.begin(), track_.time.end(), move.time);
      const int window = std::min(n, static_cast<int>(after - track_.time.begin()) + 4);
      Solve(path, window, 12, 1e-2, kHuber, true);
      if (path.cost < best.cost + 3.0 * window) {
        Grow(path);
        if (TakeIfLikelier(path, best)) {
          gained = true;
          continue;
        }
      }
      Solve(whole, n, n < kFew ? 40 : 20, n < kFew ? 1e-4 : 1e-3, kHuber);
      gained = TakeIfLikelier(whole, best) || gained;
    }
    return gained;
  }

  /// Residuals like noise have no frame far beyond the middle half of them. A wrong sequence of contacts has: it leaves
  /// large residuals beside the impacts, small ones elsewhere, whatever the noise.
  bool LooksLikeNoise(const Path& path) const {
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

  /// Number of impacts of a path: what tells one sequence of contacts from another.
  int Impacts(const Path& path) const {
    std::vector<Eigen::Vector3d> poses;
    EventSummary summary;
    residuals_.Predict(path.z, poses, &summary);
    return summary.impacts;
  }

  int Rejected() const {
    return static_cast<int>(std::count(residuals_.rejected().begin(), residuals_.rejected().end(), 1));
  }

 private:
  double Deviation(const std::vector<Eigen::Vector3d>& poses, int i) const {
    double worst = 0;
    for (int k = 0; k < 3; ++k)
      worst = std::max(worst, std::abs(poses[static_cast<std::size_t>(i)][k] - track_.pose[i][k]) / track_.Noise(k));
    return worst;
  }

  const PlanarFamily& family_;
  const TrackFitOptions& options_;
  PlanarTrack track_;
  TrackResiduals residuals_;
  LeastSquaresOptions solver_;
  int evaluations_ = 0, iterations_ = 0;
  double noise_freedom_[2] = {0, 0};
};

/// Last fits with noise and outliers settled, and all that is reported.
void Finish(Fitter& fitter, Path path, double runner_up, TrackFit& fit) {
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
  std::copy_n(fitter.noise_freedom(), 2, fit.noise_freedom);
  fit.converged = end.end == LeastSquaresEnd::kConverged || end.end == LeastSquaresEnd::kStalled;
  fitter.residuals().SetWindow(n);
  if (!fitter.residuals().Evaluate(path.z, fit.residuals, &fit.jacobian)) return;
  fit.chi2 = fit.residuals.squaredNorm();
  int informed = 0;
  for (Eigen::Index i = 0; i < fit.jacobian.cols(); ++i) informed += fit.jacobian.col(i).norm() > 0;
  fit.degrees_of_freedom = 3 * (n - fitter.Rejected()) - informed;
  std::vector<Eigen::Vector3d> poses;
  fitter.residuals().Predict(path.z, poses, &fit.motion, &fit.records);
  fit.runner_up = runner_up;
  fit.iterations = fitter.iterations();
  fit.evaluations = fitter.evaluations();
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

  Fitter fitter(family, track, options);
  const int n = track.size();
  const bool given = track.noise_given;
  const double size =
      family.Motion<double>({family.start().data(), static_cast<std::size_t>(family.size())}).body().size;
  Path best;
  double runner_up = INFINITY;
  for (int attempt = 0; attempt < 3; ++attempt) {
    // While paths are sought, an angle is not trusted beyond what the positions are worth at the body's rim: a very
    // precise angle makes the valley of the likelihood too narrow to walk in.
    fitter.track() = track;
    fitter.track().noise_angle = std::max(track.noise_angle, track.noise_position / size);
    std::vector<Path> paths;
    const auto consider = [&](Path path, int window) {
      fitter.Solve(path, window, 12, 3e-3, kHuber, true);
      if (std::isfinite(path.cost)) paths.push_back(path);
    };
    if (attempt == 0)
      for (const TrackStart& start : starts.guesses) {
        Path path;
        path.z.resize(fitter.residuals().size());
        path.z.head(start.z.size()) = start.z;
        const int e = family.Find(PlanarRole::kRestitution);
        path.z.tail(options.impact_restitutions).setConstant(e >= 0 ? start.z[kTrackState + e] : 0.3);
        consider(path, start.window);
      }
    if (attempt > 0 || starts.flying_frames < 4)
      for (const Path& path : fitter.Search(starts, 24 + 16 * attempt, 16 + 12 * attempt, attempt))
        consider(path, starts.window);
    std::sort(paths.begin(), paths.end(),
              [](const Path& a, const Path& b) { return a.cost / (3 * a.window) < b.cost / (3 * b.window); });

    // The best that differ go all the way.
    Path leader;
    int followed = 0;
    std::vector<Eigen::VectorXd> seen;
    for (Path path : paths) {
      bool known = false;
      for (const Eigen::VectorXd& z : seen) known = known || (z - path.z).norm() < 1e-2 * (1e-3 + path.z.norm());
      if (known) continue;
      seen.push_back(path.z);
      fitter.Grow(path);
      if (path.cost < leader.cost) leader = path;
      if (++followed >= options.paths || 2 * leader.cost < options.accept * 3 * n) break;
    }
    if (!std::isfinite(leader.cost)) continue;
    if (options.disturbances > 0) {
      const int hops = std::clamp(1000 / n, 5, 60);
      fitter.Hop(leader, starts.window, hops, hops, 0.03, attempt);
    }

    // Settle the noise, and look beside the fit.
    double beside = INFINITY;
    if (given) fitter.track().noise_angle = track.noise_angle;
    const auto settle = [&](int rounds) {
      for (int round = 0; round < rounds; ++round) {
        fitter.UpdateNoise(leader);
        fitter.Solve(leader, n, 10, 1e-3, kHuber);
      }
    };
    settle(3);
    const auto neighbours = [&] {
      for (int round = 0; round < 3; ++round) {
        const bool passed = fitter.PassFrames(leader, 4), crossed = fitter.CrossGrazes(leader, 6);
        if (!passed && !crossed) break;
        settle(2);
      }
    };
    if (options.disturbances > 0) neighbours();
    // Residuals larger than the scatter about the flights, beyond what chance allows, show a wrong sequence of
    // contacts.
    const bool flights = starts.scatter_freedom >= 6;
    const auto good = [&] {
      if (!fitter.LooksLikeNoise(leader)) return false;
      if (given) return 2 * leader.cost < options.accept * 3 * n;
      const double much = flights ? LargestRatio(starts.scatter_freedom) : 1.7;
      return fitter.track().noise_position < much * (flights ? starts.scatter_position : track.noise_position) &&
             fitter.track().noise_angle < much * (flights ? starts.scatter_angle : track.noise_angle);
    };
    // With the angle as precise as it is, a slight impact that was missed shows: hop again. Few frames leave more
    // sequences open.
    if (options.disturbances > 0) {
      const int patience = good() ? std::clamp(300 / n, 4, 20) : std::clamp(1500 / n, 20, 60);
      if (fitter.Hop(leader, starts.window, 120, patience, 0.01, 10 + attempt)) {
        settle(2);
        neighbours();
      }
    }
    beside = fitter.Disturb(leader, good() ? options.disturbances : 4 * options.disturbances);
    fitter.UpdateNoise(leader);
    fitter.Solve(leader, n, 10, 1e-4, kHuber);
    const double score = given ? 2 * leader.cost : LogNoise(fitter.track(), n);
    if (score < best.score) {
      best = leader;
      best.score = score;
      best.track = fitter.track();
      runner_up = beside;
    }
    if (good() || options.disturbances == 0) break;
  }
  if (!std::isfinite(best.score)) {
    fit.problem = "no motion of the model starts like the recording";
    return fit;
  }
  fitter.track() = best.track;
  Finish(fitter, best, 2 * runner_up, fit);
  return fit;
}

TrackFit RefitTrack(const PlanarFamily& family, const PlanarTrack& track, const Eigen::VectorXd& z,
                    const TrackFitOptions& options) {
  TrackFit fit;
  PlanarTrack copy = track;
  if (!copy.noise_given && copy.noise_position <= 0) EstimateNoise(FreeAcceleration(family), copy);
  Fitter fitter(family, copy, options);
  Path path{z, INFINITY, copy.size(), INFINITY, {}};
  fitter.Solve(path, copy.size(), 30, 1e-6, kHuber);
  Finish(fitter, path, INFINITY, fit);
  return fit;
}

}  // namespace ricochet
