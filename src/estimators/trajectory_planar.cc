// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `trajectory` for planar scenes: maximum likelihood on event-exact motion; see track_fit.h and docs/trajectory.md.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/random.h"
#include "estimators/estimator.h"
#include "estimators/track_fit.h"
#include "optimize/covariance.h"

namespace ricochet {
namespace {

constexpr double kOneSided = 2.706;  // chi^2 of a one-sided statement at 95 %
constexpr double kWrongNoise = 3;    // residuals this much larger than the scatter about flight: the fit is wrong
constexpr double kCorrelated = 0.5;  // lag-one correlation of residuals: systematic, not noise

/// Tries what commonly goes wrong with recordings; the message when one of them explains the data much better.
std::string Diagnose(const Scene& scene, const std::vector<SelectedParameter>& wanted, int body,
                     const PlanarTrack& track, double quality) {
  struct Suspicion {
    const char* message;
    const char* remedy;
    void (*change)(PlanarTrack&);
    bool flip_gravity;
  };
  static const Suspicion kSuspicions[] = {
      {"positions seem to be in millimetres: divided by 1000 they fit", "Give metres.",
       [](PlanarTrack& t) {
         for (auto& p : t.pose) p.head<2>() *= 1e-3;
       },
       false},
      {"the angle seems to be in degrees", "Give radians.",
       [](PlanarTrack& t) {
         for (auto& p : t.pose) p[2] *= 3.14159265358979323846 / 180;
       },
       false},
      {"the angle seems mirrored: with its sign changed the motion fits",
       "Count angles counter-clockwise from the x axis.",
       [](PlanarTrack& t) {
         for (auto& p : t.pose) p[2] = -p[2];
       },
       false},
      {"gravity seems to point the wrong way: reversed, the motion fits",
       "Correct `gravity` in the scene, or the y axis of the recording.", [](PlanarTrack&) {}, true},
      {"the y axis seems to point down: with y and the angle reversed the motion fits", "Turn y upwards.",
       [](PlanarTrack& t) {
         for (auto& p : t.pose) p[1] = -p[1], p[2] = -p[2];
       },
       false},
  };
  TrackFitOptions quick;
  quick.paths = 2;
  quick.disturbances = 0;
  std::string best;
  double least = 0.2 * quality;
  for (const Suspicion& suspicion : kSuspicions) {
    PlanarTrack changed = track;
    changed.noise_given = false;
    suspicion.change(changed);
    Scene other = scene;
    if (suspicion.flip_gravity)
      for (const NumberId id : other.gravity.vector) other.Set(id, -other[id]);
    const PlanarFamily family(other, wanted, body);
    const TrackFit fit = FitTrack(family, changed, quick);
    if (!fit.usable) continue;
    const double size =
        family.Motion<double>({family.start().data(), static_cast<std::size_t>(family.size())}).body().size;
    const double relative = fit.track.noise_position / size;
    if (relative > 0.08 || fit.track.noise_angle > 0.15 || relative >= least) continue;
    least = relative;
    best = fmt::format("{}. {}", suspicion.message, suspicion.remedy);
  }
  return best;
}

/// Largest lag-one correlation of the residuals of a coordinate.
double Correlation(const TrackFit& fit) {
  double worst = 0;
  for (int k = 0; k < 3; ++k) {
    double product = 0, square = 0;
    for (Eigen::Index i = k; i < fit.residuals.size(); i += 3) {
      square += fit.residuals[i] * fit.residuals[i];
      if (i + 3 < fit.residuals.size()) product += fit.residuals[i] * fit.residuals[i + 3];
    }
    if (square > 0) worst = std::max(worst, product / square);
  }
  return worst;
}

/// All recordings at once: one state per recording, common numbers.
class CommonFit {
 public:
  CommonFit(const PlanarFamily& family, std::vector<TrackFit>& fits) : family_(family), fits_(fits) {
    for (TrackFit& fit : fits_) {
      residuals_.emplace_back(family_, fit.track);
      residuals_.back().rejected() = fit.rejected;
    }
  }
  int size() const { return kTrackState * static_cast<int>(fits_.size()) + family_.size(); }

  bool Evaluate(const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* j) const {
    Eigen::Index rows = 0, at = 0;
    for (const TrackFit& fit : fits_) rows += 3 * fit.track.size();
    r.resize(rows);
    if (j) j->setZero(rows, size());
    const int p = family_.size(), states = kTrackState * static_cast<int>(fits_.size());
    Eigen::VectorXd part;
    Eigen::MatrixXd block;
    for (std::size_t k = 0; k < fits_.size(); ++k) {
      Eigen::VectorXd z(kTrackState + p);
      z << x.segment(kTrackState * static_cast<Eigen::Index>(k), kTrackState), x.tail(p);
      if (!residuals_[k].Evaluate(z, part, j ? &block : nullptr)) return false;
      r.segment(at, part.size()) = part;
      if (j) {
        j->block(at, kTrackState * static_cast<Eigen::Index>(k), part.size(), kTrackState) =
            block.leftCols(kTrackState);
        j->block(at, states, part.size(), p) = block.rightCols(p);
      }
      at += part.size();
    }
    return true;
  }

 private:
  const PlanarFamily& family_;
  std::vector<TrackFit>& fits_;
  std::vector<TrackResiduals> residuals_;
};

class PlanarTrajectoryEstimator final : public Estimator {
 public:
  std::string_view name() const override { return "trajectory"; }
  std::string_view paper() const override { return "ours; the likelihood that Gabiccini eq. 27 approximates"; }

  std::string Refusal(const IdentifyRequest& request) const override {
    return request.scene.space == Space::kPlanar ? "" : "this form is for planar scenes";
  }

  Identification Run(const IdentifyRequest& request) const override {
    const auto began = std::chrono::steady_clock::now();
    const int body = MovingPlanarBody(request.scene);
    const MassRefusal refusal = RefuseMass(request, body);
    const PlanarFamily family(request.scene, refusal.wanted, body);
    Estimate estimate = EmptyEstimate(request, name());

    // Each recording by itself.
    std::vector<TrackFit> fits;
    std::vector<int> recording_of;
    TrackFitOptions options;
    options.seed = request.options.seed;
    options.impact_restitutions = request.recordings.size() == 1 ? request.options.impact_restitutions : 0;
    for (std::size_t i = 0; i < request.recordings.size(); ++i) {
      const Recording& recording = request.recordings[i];
      RecordingUse use{recording.file, false, "", recording.rows(), 0, {}, {}, {}};
      PlanarTrack track;
      try {
        track = MakePlanarTrack(request.scene, recording, body);
      } catch (const InputError& error) {
        if (request.recordings.size() == 1) throw;
        use.reason = error.problem();
        estimate.recordings.push_back(use);
        continue;
      }
      PlanarTrack scatter = track;
      EstimateNoise(FreeAcceleration(family), scatter);
      TrackFit fit = FitTrack(family, track, options);
      estimate.log.insert(estimate.log.end(), fit.log.begin(), fit.log.end());
      const double size =
          family.Motion<double>({family.start().data(), static_cast<std::size_t>(family.size())}).body().size;
      const double relative = fit.usable ? fit.track.noise_position / size : 1e9;
      bool wrong = !fit.usable || relative > 0.1 || fit.track.noise_angle > 0.25;
      if (fit.usable && !wrong) {
        const double excess = fit.noise_estimated ? std::max(fit.track.noise_position / scatter.noise_position,
                                                             fit.track.noise_angle / scatter.noise_angle)
                                                  : std::sqrt(fit.chi2 / std::max(1, fit.degrees_of_freedom));
        wrong = excess > kWrongNoise && fit.track.noise_position > 1e-6 * size;
        if (!wrong && track.size() >= 12 && Correlation(fit) > kCorrelated && fit.track.noise_position > 1e-6 * size)
          wrong = true;
      }
      if (wrong) {
        const std::string cause = Diagnose(request.scene, refusal.wanted, body, track, relative);
        if (!cause.empty() && request.recordings.size() == 1) throw InputError({recording.file, 0, 0}, "", cause, "");
        use.reason =
            !cause.empty() ? cause
            : !fit.usable
                ? fit.problem
                : fmt::format("no motion of the model explains it: the residuals ({:.3g} m, {:.3g} rad) are systematic",
                              fit.track.noise_position, fit.track.noise_angle);
        if (!fit.usable && request.recordings.size() == 1)
          throw InputError({recording.file, 0, 0}, "", fit.problem + ".",
                           "Record the throw until after the first impact; check the scene's surfaces.");
        if (request.recordings.size() > 1 || !fit.usable) {
          estimate.recordings.push_back(use);
          continue;
        }
        estimate.warnings.push_back(fmt::format("{}: {}", recording.file, use.reason));
      }
      use.used = true;
      use.rejected_rows = static_cast<int>(std::count(fit.rejected.begin(), fit.rejected.end(), 1));
      use.chi2_per_dof = fit.chi2 / std::max(1, fit.degrees_of_freedom);
      use.noise_position = fit.track.noise_position;
      use.noise_angle = fit.track.noise_angle;
      if (!wrong && std::isfinite(fit.runner_up) && fit.runner_up - fit.chi2 < 6)
        estimate.warnings.push_back(fmt::format("{}: another sequence of contacts fits almost as well (chi2 {:+.2f})",
                                                recording.file, fit.runner_up - fit.chi2));
      estimate.converged = fits.empty() ? fit.converged && !wrong : estimate.converged && fit.converged && !wrong;
      estimate.iterations += fit.iterations;
      fits.push_back(std::move(fit));
      recording_of.push_back(static_cast<int>(i));
      estimate.recordings.push_back(use);
    }
    if (fits.empty())
      throw InputError({}, "",
                       fmt::format("none of the {} recordings can be used: {}", request.recordings.size(),
                                   estimate.recordings.front().reason),
                       "See the reasons of each recording; record impacts on the scene's surfaces.");

    // Together.
    const int p = family.size();
    Eigen::VectorXd params = fits[0].z.segment(kTrackState, p);
    Eigen::MatrixXd jacobian = fits[0].jacobian;
    double chi2 = fits[0].chi2;
    int freedom = fits[0].degrees_of_freedom;
    if (fits.size() > 1) FitTogether(family, fits, estimate, params, jacobian, chi2, freedom);
    const int states =
        static_cast<int>(jacobian.cols()) - p - (fits.size() == 1 ? fits[0].z.size() - kTrackState - p : 0);

    Eigen::VectorXd scale = Eigen::VectorXd::Ones(jacobian.cols());
    scale.segment(states, p) = family.scale();
    const ParameterInformation information = AnalyzeInformation(jacobian, scale, 1e-7);
    estimate.cost = 0.5 * chi2;
    estimate.chi2_per_dof = chi2 / std::max(1, freedom);
    Eigen::MatrixXd covariance = information.covariance.block(states, states, p, p);
    if (request.options.bootstrap > 0 && fits.size() == 1)
      covariance = Bootstrap(family, fits[0], request.options, estimate);
    Report(request, refusal, family, fits, information, states, params, covariance, estimate);
    AddMotion(request, family, fits, recording_of, estimate);
    estimate.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    Identification result{std::move(estimate), family.Calibrated(params)};
    return result;
  }

 private:
  static void FitTogether(const PlanarFamily& family, std::vector<TrackFit>& fits, Estimate& estimate,
                          Eigen::VectorXd& params, Eigen::MatrixXd& jacobian, double& chi2, int& freedom) {
    const int p = family.size();
    // Start: the median of the separate estimates.
    for (int i = 0; i < p; ++i) {
      std::vector<double> values;
      for (const TrackFit& fit : fits) values.push_back(fit.z[kTrackState + i]);
      std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
      params[i] = values[values.size() / 2];
    }
    const CommonFit common(family, fits);
    Eigen::VectorXd x(common.size());
    for (std::size_t k = 0; k < fits.size(); ++k)
      x.segment(kTrackState * static_cast<Eigen::Index>(k), kTrackState) = fits[k].z.head(kTrackState);
    x.tail(p) = params;
    LeastSquaresOptions solver;
    solver.scale = Eigen::VectorXd::Ones(x.size());
    solver.scale.tail(p) = family.scale();
    solver.lower = Eigen::VectorXd::Constant(x.size(), -INFINITY);
    solver.upper = Eigen::VectorXd::Constant(x.size(), INFINITY);
    solver.lower.tail(p) = family.lower();
    solver.upper.tail(p) = family.upper();
    const LeastSquaresSummary summary = MinimizeLeastSquares(
        [&](const Eigen::VectorXd& z, Eigen::VectorXd& r, Eigen::MatrixXd* j) { return common.Evaluate(z, r, j); },
        solver, x);
    Eigen::VectorXd r;
    common.Evaluate(x, r, &jacobian);
    chi2 = r.squaredNorm();
    freedom = 0;
    for (const TrackFit& fit : fits) freedom += fit.degrees_of_freedom + p;
    freedom -= p;
    params = x.tail(p);
    estimate.iterations += summary.iterations;
    estimate.converged = estimate.converged && summary.end != LeastSquaresEnd::kFailed;
    if (chi2 > 2.0 * freedom)
      estimate.warnings.push_back(
          fmt::format("the recordings disagree: chi2/dof is {:.3g} together, though each fits alone", chi2 / freedom));
    for (std::size_t k = 0; k < fits.size(); ++k) {
      fits[k].z.head(kTrackState) = x.segment(kTrackState * static_cast<Eigen::Index>(k), kTrackState);
      fits[k].z.segment(kTrackState, p) = params;
    }
  }

  /// Recordings simulated at the estimate with its noise, fitted again from the estimate: their scatter.
  static Eigen::MatrixXd Bootstrap(const PlanarFamily& family, const TrackFit& fit, const IdentifyOptions& options,
                                   Estimate& estimate) {
    const int p = family.size();
    std::vector<Eigen::Vector3d> poses;
    const TrackResiduals residuals(family, fit.track);
    residuals.Predict(fit.z, poses);
    Eigen::MatrixXd samples(options.bootstrap, p);
    for (int k = 0; k < options.bootstrap; ++k) {
      Random random(options.seed, 1000 + static_cast<std::uint64_t>(k));
      PlanarTrack track = fit.track;
      for (int i = 0; i < track.size(); ++i)
        for (int c = 0; c < 3; ++c)
          track.pose[i][c] = poses[static_cast<std::size_t>(i)][c] + track.Noise(c) * random.Normal();
      TrackFitOptions quick;
      const TrackFit again = RefitTrack(family, track, fit.z, quick);
      samples.row(k) = (again.usable ? again.z : fit.z).segment(kTrackState, p).transpose();
    }
    const Eigen::MatrixXd centred = samples.rowwise() - samples.colwise().mean();
    estimate.log.push_back(
        fmt::format("standard deviations from {} repetitions of the parametric bootstrap", options.bootstrap));
    return centred.transpose() * centred / std::max(1, options.bootstrap - 1);
  }

  /// Rise of chi^2 when friction is held at a value and everything else is refitted.
  static double FrictionRise(const Scene& scene, const std::vector<SelectedParameter>& wanted, int body, int index,
                             const TrackFit& fit, double friction) {
    std::vector<SelectedParameter> rest;
    std::vector<int> kept;
    Scene fixed = scene;
    for (int i = 0; i < static_cast<int>(wanted.size()); ++i) {
      if (i == index) {
        fixed.Set(wanted[static_cast<std::size_t>(i)].numerator, friction);
        continue;
      }
      rest.push_back(wanted[static_cast<std::size_t>(i)]);
      kept.push_back(i);
    }
    const PlanarFamily family(fixed, rest, body);
    Eigen::VectorXd z(kTrackState + family.size());
    z.head(kTrackState) = fit.z.head(kTrackState);
    for (std::size_t i = 0; i < kept.size(); ++i)
      z[kTrackState + static_cast<Eigen::Index>(i)] = fit.z[kTrackState + kept[i]];
    TrackResiduals residuals(family, fit.track);
    residuals.rejected() = fit.rejected;
    LeastSquaresOptions options;
    options.max_iterations = 12;
    options.cost_tolerance = 1e-4;
    const LeastSquaresSummary end = MinimizeLeastSquares(
        [&](const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* j) { return residuals.Evaluate(x, r, j); },
        options, z);
    return end.end == LeastSquaresEnd::kFailed ? INFINITY : 2 * end.cost - fit.chi2;
  }

  /// Smallest friction that the data allow when they do not bound it from above: chi^2 rises by kOneSided there.
  static double FrictionFromBelow(const Scene& scene, const std::vector<SelectedParameter>& wanted, int body, int index,
                                  const TrackFit& fit) {
    double allowed = fit.motion.slid ? fit.z[kTrackState + index] : fit.motion.friction_needed,
           excluded = 0.5 * allowed;
    for (int k = 0; k < 6; ++k) {
      const double middle = 0.5 * (allowed + excluded);
      (FrictionRise(scene, wanted, body, index, fit, middle) < kOneSided ? allowed : excluded) = middle;
    }
    return allowed;
  }

  /// Whether some recording tells an upper bound: with much more friction, so that everything sticks, it fits worse.
  static bool FrictionFromAbove(const Scene& scene, const std::vector<SelectedParameter>& wanted, int body, int index,
                                const std::vector<TrackFit>& fits) {
    for (const TrackFit& fit : fits) {
      if (!fit.motion.slid) continue;
      const double friction = fit.z[kTrackState + index];
      if (FrictionRise(scene, wanted, body, index, fit, 1.5 * friction + 0.1) > kOneSided) return true;
    }
    return false;
  }

  static void Report(const IdentifyRequest& request, const MassRefusal& refusal, const PlanarFamily& family,
                     const std::vector<TrackFit>& fits, const ParameterInformation& information, int states,
                     const Eigen::VectorXd& params, const Eigen::MatrixXd& covariance, Estimate& estimate) {
    const int p = family.size();
    std::vector<EstimatedParameter> found(static_cast<std::size_t>(p));
    for (int i = 0; i < p; ++i) {
      EstimatedParameter& parameter = found[static_cast<std::size_t>(i)];
      const SelectedParameter& selected = family.wanted()[static_cast<std::size_t>(i)];
      parameter.path = selected.path;
      parameter.unit = UnitOf(request.scene, selected);
      parameter.start = family.start()[i];
      parameter.identifiable =
          information.determined[static_cast<std::size_t>(states + i)] && std::isfinite(covariance(i, i));
      if (family.role(i) == PlanarRole::kFriction &&
          !FrictionFromAbove(request.scene, family.wanted(), family.body(), i, fits)) {
        parameter.identifiable = false;
        double lower = 0;
        for (const TrackFit& fit : fits)
          lower = std::max(lower, FrictionFromBelow(request.scene, family.wanted(), family.body(), i, fit));
        parameter.lower = lower;
        parameter.combination =
            fmt::format("the contacts stick: friction is at least {:.3g}, and nothing tells more", lower);
        continue;
      }
      if (!parameter.identifiable) {
        parameter.combination = "it has no effect of its own on the recorded motion";
        continue;
      }
      parameter.value = params[i];
      parameter.std = std::sqrt(covariance(i, i));
      if (params[i] <= family.lower()[i] || params[i] >= family.upper()[i])
        estimate.warnings.push_back(fmt::format("{} is at its bound {:.4g}", parameter.path, params[i]));
    }
    // In the order asked for; what was refused names the ratio, which is appended.
    Eigen::MatrixXd full = Eigen::MatrixXd::Constant(static_cast<Eigen::Index>(refusal.index.size()),
                                                     static_cast<Eigen::Index>(refusal.index.size()), NAN);
    for (std::size_t a = 0; a < refusal.index.size(); ++a) {
      EstimatedParameter& target = estimate.parameters[a];
      if (refusal.index[a] < 0) {
        target.identifiable = false;
        target.combination = refusal.combination + " (without a known force only this ratio can be told)";
        continue;
      }
      const double start = target.start;
      target = found[static_cast<std::size_t>(refusal.index[a])];
      target.start = start;
      for (std::size_t b = 0; b < refusal.index.size(); ++b)
        if (refusal.index[b] >= 0 && target.value && found[static_cast<std::size_t>(refusal.index[b])].value)
          full(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)) =
              covariance(refusal.index[a], refusal.index[b]);
    }
    estimate.covariance = full;
    if (refusal.refused) {
      for (const EstimatedParameter& parameter : found)
        if (parameter.path == refusal.combination) {
          const Eigen::Index n = estimate.covariance.rows();
          estimate.covariance.conservativeResize(n + 1, n + 1);
          estimate.covariance.row(n).setConstant(NAN);
          estimate.covariance.col(n).setConstant(NAN);
          if (parameter.std) estimate.covariance(n, n) = *parameter.std * *parameter.std;
          estimate.parameters.push_back(parameter);
        }
      estimate.warnings.push_back("mass and inertia cannot be told apart without a known force; only " +
                                  refusal.combination + " is given");
    }
  }

  static void AddMotion(const IdentifyRequest& request, const PlanarFamily& family, const std::vector<TrackFit>& fits,
                        const std::vector<int>& recording_of, Estimate& estimate) {
    const Scene& scene = request.scene;
    for (std::size_t k = 0; k < fits.size(); ++k) {
      const TrackResiduals residuals(family, fits[k].track);
      std::vector<Eigen::Vector3d> poses;
      std::vector<EventRecord> records;
      Eigen::VectorXd z = fits[k].z.head(kTrackState + family.size());
      if (!residuals.Predict(z, poses, nullptr, &records)) continue;
      EstimatedMotion motion{recording_of[k], fits[k].track.time, {}};
      for (const Eigen::Vector3d& pose : poses) motion.pose.push_back({pose[0], pose[1], pose[2]});
      estimate.motions.push_back(std::move(motion));
      const PlanarModel<double> model =
          family.Compile<double>({z.data() + kTrackState, static_cast<std::size_t>(family.size())});
      const EventBody<double> body = MakeEventBody(model, family.body());
      for (const EventRecord& record : records) {
        const EventCandidate<double>& candidate = body.candidates[static_cast<std::size_t>(record.candidate)];
        const PlanarPair<double>& pair = model.pairs[static_cast<std::size_t>(candidate.pair)];
        const std::string name = scene.bodies[static_cast<std::size_t>(pair.body)].name + "/" +
                                 scene.surfaces[static_cast<std::size_t>(pair.surface)].name;
        estimate.impulses.push_back({recording_of[k], record.time, record.duration, name, candidate.contact,
                                     record.normal_impulse, record.tangential_impulse, record.slip != 0});
      }
    }
  }
};

}  // namespace

const Estimator& PlanarTrajectory() {
  static const PlanarTrajectoryEstimator estimator;
  return estimator;
}

}  // namespace ricochet
