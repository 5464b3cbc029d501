// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `trajectory` for planar scenes: maximum likelihood on event-exact motion; see track_fit.h and
// docs/theory/trajectory.md.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <utility>

#include "dynamics/kinematics.h"
#include "estimators/assess_fit.h"
#include "estimators/estimate_report.h"
#include "estimators/optimizer_trace.h"
#include "estimators/planar/planar_report.h"
#include "estimators/planar_trajectory/track_friction.h"
#include "estimators/planar_trajectory/track_mistakes.h"
#include "estimators/planar_trajectory/track_problem.h"
#include "estimators/planar_trajectory/trajectory_planar.h"

namespace ricochet {
namespace {

constexpr double kNamedLoss = 9;  // of a rival (track_rivals.h): it is named
constexpr int kLeastFrames = 4;
constexpr int kLeastHorizon = 10;                      // rows of a part of a recording that is fitted by itself
constexpr double kReached = 1.5;                       // residuals over the noise of a part that is explained
constexpr long kHorizonWork = 2'000'000;               // of a search on it
constexpr double kLostPlace = 0.1, kLostAngle = 0.25;  // residuals of a search that failed: of the body's size, rad

constexpr OptionInfo kImpactRestitutions = {
    .name = "impact_restitutions",
    .number = 0,
    .lower = 0,
    .whole = true,
    .help = "estimates a separate restitution for each of this many first impacts"};
constexpr OptionInfo kTrajectoryOptions[] = {kImpactRestitutions};

class PlanarTrajectoryEstimator final : public Estimator {
 public:
  EstimatorInfo info() const override {
    return {.name = "trajectory",
            .summary = "maximum likelihood of recorded poses on exact planar motion of one body",
            .paper = "ours; the likelihood that Gabiccini eq. 27 approximates",
            .planar = true,
            .points = true,
            .options = kTrajectoryOptions};
  }

  std::string Refusal(const IdentifyRequest& request) const override {
    return request.scene.space == Space::kPlanar ? "" : "this form is for planar scenes";
  }

  std::string Reason(const IdentifyRequest& /*request*/) const override {
    return "planar, one body: maximum likelihood on exact motion";
  }

  std::optional<PosedFit> Pose(const IdentifyRequest& request, bool at_scene) const override {
    const Scene& scene = request.scene;
    const int body = MovingPlanarBody(scene);
    const auto family = std::make_shared<const PlanarFamily>(scene, request.parameters, body);
    PosedFit posed;
    std::vector<TrackBlock> blocks;
    const auto reduced = std::make_shared<const PlanarFamily>(scene, RefuseMass(request).parameters, body);
    for (std::size_t k = 0; k < request.recordings.size(); ++k) {
      const Recording& recording = request.recordings[k];
      TrackBlock block{MakePlanarTrack(scene, recording, body, kLeastFrames, PartialRows::kInterpolated),
                       static_cast<int>(k),
                       {},
                       !at_scene};
      if (at_scene) {
        block.fit.track = block.recorded;
        block.fit.rejected.assign(static_cast<std::size_t>(block.recorded.size()), 0);
      } else {
        block.fit = FitTrack(*reduced, block.recorded);
        if (!block.fit.usable) {
          posed.notes.push_back(fmt::format("{}: {}", recording.file, block.fit.problem));
          continue;
        }
        AddMisfitNote(*reduced, block, posed.notes);
      }
      blocks.push_back(std::move(block));
    }
    if (blocks.empty())
      throw InputError({request.recordings.front().file, 0, 0}, "", "no recording can be used: " + posed.notes.front(),
                       "Record impacts.");
    if (at_scene) {
      const State start = InitialState(CompileModel(scene));
      Eigen::VectorXd local(kTrackState);
      local << start.q.segment<3>(3 * body), start.v.segment<3>(3 * body);
      posed.point = {family->start(), std::vector<Eigen::VectorXd>(blocks.size(), local)};
    } else {
      // The same motions in terms of the requested parameters.
      posed.point = TrackProblem(reduced, blocks, {}).Search().point;
      posed.point.values = family->parameters().ValuesOf(reduced->Calibrated(posed.point.values));
    }
    auto problem = std::make_shared<TrackProblem>(family, std::move(blocks), TrackFitOptions{});
    for (int k = 0; k < problem->blocks(); ++k) {
      std::vector<Eigen::Vector3d> poses;
      std::vector<EventRecord> records;
      EventSummary motion;
      TrackResiduals(*family, problem->track(k).fit.track)
          .Predict(problem->Unknowns(k, posed.point), poses, &motion, &records);
      posed.touched = posed.touched || !records.empty();
      posed.slid = posed.slid || motion.slid;
      posed.friction_needed = std::max(posed.friction_needed, motion.friction_needed);
    }
    posed.problem = std::move(problem);
    return posed;
  }

  Identification Run(const IdentifyRequest& request) const override {
    const auto began = std::chrono::steady_clock::now();
    const int body = MovingPlanarBody(request.scene);
    const MassRefusal refusal = RefuseMass(request);
    RefuseMassAlone(request, refusal);
    const auto shared = std::make_shared<const PlanarFamily>(request.scene, refusal.parameters, body);
    const PlanarFamily& family = *shared;
    ProfiledParameters(request, refusal.parameters);
    Estimate estimate = EmptyEstimate(request, name());

    // Each recording by itself.
    bool failed = false;  // the only recording, with residuals of the size of the body
    std::string failure;  // what the search for the only recording did not reach
    std::vector<TrackBlock> blocks;
    std::vector<int> recording_of;
    TrackFitOptions options;
    options.seed = request.seed;
    options.impact_restitutions = static_cast<int>(*NumberOf(request.options.method_options, kImpactRestitutions));
    const auto take = [&](int i, const PlanarTrack& track, TrackFit fit, RecordingUse& use) {
      use.used = true;
      use.rejected_rows = static_cast<int>(std::count(fit.rejected.begin(), fit.rejected.end(), 1));
      use.chi2_per_dof = fit.chi2 / std::max(1, fit.degrees_of_freedom);
      use.noise_position = fit.track.place_noise();
      use.noise_angle = fit.track.angle_noise();
      estimate.converged = blocks.empty() ? fit.converged : estimate.converged && fit.converged;
      estimate.iterations += fit.iterations;
      AddStages(request.recordings.size() > 1 ? use.file : "", fit.trace, estimate.trace);
      blocks.push_back({track, i, std::move(fit), true});
      recording_of.push_back(i);
    };
    // Of recordings that the model does not follow, the one that it follows best says most about why.
    struct Unexplained {
      int recording = -1;
      PlanarTrack track;
      TrackFit fit;
      double excess = INFINITY;
      bool lost = false;  // residuals of the size of the body
    } best_unexplained;
    const auto take_unexplained = [&](Unexplained each, RecordingUse& use) {
      failed = each.lost;
      failure = std::exchange(use.reason, "") + Horizon(family, each.track, options);
      take(each.recording, each.track, std::move(each.fit), use);
    };
    const auto fit_one = [&](int i, RecordingUse& use) {
      const Recording& recording = request.recordings[static_cast<std::size_t>(i)];
      const PlanarTrack track =
          MakePlanarTrack(request.scene, recording, body, kLeastFrames, PartialRows::kInterpolated);
      PlanarTrack scatter = track;
      EstimateNoise(FreeAcceleration(family), scatter);
      if (request.recordings.size() == 1)
        if (const std::string mistake = FindEvidentMistake(request.scene, refusal.parameters, body, track);
            !mistake.empty())
          throw InputError({recording.file, 0, 0}, "", mistake, "");
      TrackFit fit = SearchTrack(family, track, options);
      estimate.log.insert(estimate.log.end(), fit.log.begin(), fit.log.end());
      const double size =
          family.Motion<double>({family.start().data(), static_cast<std::size_t>(family.size())}).body().size;
      const double relative = fit.usable ? fit.track.place_noise() / size : 1e9;
      bool wrong = !fit.usable || relative > kLostPlace || fit.track.angle_noise() > kLostAngle;
      const double excess = !fit.usable           ? INFINITY
                            : fit.noise_estimated ? fit.track.NoiseOver(scatter)
                                                  : std::sqrt(fit.chi2 / std::max(1, fit.degrees_of_freedom));
      if (fit.usable && !wrong) {
        wrong = excess > kWrongNoise && relative > 1e-6;
        if (!wrong && track.size() >= 12 && LagCorrelation(fit.residuals, track.width()) > kCorrelated &&
            relative > 1e-6)
          wrong = true;
      }
      if (wrong) {
        const std::string cause = FindMistake(request.scene, refusal.parameters, body, track, Misfit(fit, size));
        if (!cause.empty() && request.recordings.size() == 1) throw InputError({recording.file, 0, 0}, "", cause, "");
        use.reason = !cause.empty() ? cause
                     : !fit.usable  ? fit.problem
                                    : fmt::format(
                                          "no start of the search reached the noise: residuals of the best are {:.3g} "
                                           "times it ({:.3g} m, {:.3g} rad)",
                                          excess, fit.track.place_noise(), fit.track.angle_noise());
        if (!fit.usable && request.recordings.size() == 1)
          throw InputError({recording.file, 0, 0}, "", fit.problem + ".",
                           "Record the throw until after the first impact; check the scene's surfaces.");
        const bool lost = relative > kLostPlace || fit.track.angle_noise() > kLostAngle;
        Unexplained unexplained{i, track, std::move(fit), excess, lost};
        if (request.recordings.size() == 1)
          take_unexplained(std::move(unexplained), use);
        else if (unexplained.fit.usable && cause.empty() && excess < best_unexplained.excess)
          best_unexplained = std::move(unexplained);
        return;
      }
      WarnOfRivals(request, family, recording, fit, estimate);
      take(i, track, std::move(fit), use);
    };
    const auto otherwise = [&] {
      if (best_unexplained.recording >= 0)
        take_unexplained(best_unexplained, estimate.recordings[static_cast<std::size_t>(best_unexplained.recording)]);
    };
    UseRecordings(request, "See the reason given for each recording; record impacts on the scene's surfaces.", fit_one,
                  estimate, otherwise);

    // Together.
    TrackProblem problem(shared, std::move(blocks), options);
    const Fit fit = problem.Search();
    const TogetherFit& together = problem.together();
    const std::vector<TrackFit>& fits = problem.fits();
    const TogetherUncertainty& uncertainty = problem.uncertainty();
    estimate.iterations += together.iterations;
    if (fits.size() > 1) AddStage("together", together.trace, estimate.trace);
    estimate.converged = together.converged && (estimate.converged || fits.size() > 1);
    if (fits.size() > 1 && together.chi2 > 2.0 * together.degrees_of_freedom)
      estimate.warnings.push_back(
          fmt::format("the recordings disagree: chi2/dof is {:.3g} together, though each fits alone",
                      together.chi2 / together.degrees_of_freedom));
    estimate.cost = 0.5 * together.chi2;
    estimate.chi2_per_dof = together.chi2 / std::max(1, together.degrees_of_freedom);
    const Eigen::MatrixXd covariance = AssessFit(problem, fit, request, estimate);
    if (failed)
      estimate.verdict.Lower(VerdictLevel::kRejected, failure);
    else if (!failure.empty() && estimate.verdict.explanations.empty())
      estimate.verdict.Lower(VerdictLevel::kLimited, failure);
    for (const TrackFit& each : fits)
      if (each.cut_short && estimate.verdict.level != VerdictLevel::kGood)
        estimate.verdict.Lower(VerdictLevel::kLimited,
                               each.track.name + ": the search reached its limit of work; the values are its best");
    AddImpactRestitutions(family, fits, recording_of, uncertainty.restitutions, estimate);
    Report(request, refusal, family, fits, uncertainty.parameters, together.params, covariance, estimate);
    AddMotion(request, family, fits, recording_of, estimate);
    estimate.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    Identification result{std::move(estimate), family.Calibrated(together.params)};
    return result;
  }

 private:
  /// The longest part of a recording, from its start, that a quick search explains, in words; empty: none.
  static std::string Horizon(const PlanarFamily& family, const PlanarTrack& track, const TrackFitOptions& options) {
    for (const double part : {0.75, 0.5, 0.35, 0.25}) {
      const int rows = static_cast<int>(part * track.size());
      if (rows < kLeastHorizon) break;
      const PlanarTrack first = FirstRows(track, rows);
      PlanarTrack scatter = first;
      EstimateNoise(FreeAcceleration(family), scatter);
      const TrackFit fit = FitTrack(family, first,
                                    {.disturbances = 0,
                                     .impact_restitutions = options.impact_restitutions,
                                     .seed = options.seed,
                                     .work = kHorizonWork});
      if (!fit.usable) continue;
      const double excess = fit.noise_estimated ? fit.track.NoiseOver(scatter)
                                                : std::sqrt(fit.chi2 / std::max(1, fit.degrees_of_freedom));
      if (excess < kReached)
        return fmt::format("; its first {:.3g} s ({} of {} rows) fit to within {:.2g} times the noise",
                           first.time.back() - first.time.front(), rows, track.size(), excess);
    }
    return "";
  }

  static void AddMisfitNote(const PlanarFamily& family, const TrackBlock& block, std::vector<std::string>& notes) {
    PlanarTrack scatter = block.recorded;
    EstimateNoise(FreeAcceleration(family), scatter);
    const PlanarTrack& track = block.fit.track;
    if (track.NoiseOver(scatter) <= kWrongNoise && LagCorrelation(block.fit.residuals, track.width()) <= kCorrelated)
      return;
    notes.push_back(
        fmt::format("{}: no motion of the scene explains it (residuals {:.3g} m, {:.3g} rad), so this analysis "
                    "is not valid. Check shape, center of mass, surfaces, units and the parameters that are held.",
                    track.name, track.place_noise(), track.angle_noise()));
  }

  /// Says which other sequences of contacts the recording does not exclude, and what they would mean.
  static void WarnOfRivals(const IdentifyRequest& request, const PlanarFamily& family, const Recording& recording,
                         const TrackFit& fit, Estimate& estimate) {
    if (fit.rivals.empty() || fit.rivals[0].loss > kNamedLoss) return;
    std::string numbers;
    for (int i = 0; i < family.size(); ++i) {
      const SelectedParameter& selected = family.parameters().selected(i);
      numbers += fmt::format("{}{} = {:.4g}", i > 0 ? ", " : "", UnidentifiedParameter(request.scene, selected, 0).path,
                             fit.rivals[0].z[kTrackState + i]);
    }
    estimate.warnings.push_back(
        fmt::format("{}: another sequence of contacts fits almost as well (twice the log-likelihood {:+.2f}), with {}",
                    recording.file, -fit.rivals[0].loss, numbers));
  }

  static void Report(const IdentifyRequest& request, const MassRefusal& refusal, const PlanarFamily& family,
                     const std::vector<TrackFit>& fits, const ParameterInformation& information,
                     const Eigen::VectorXd& params, const Eigen::MatrixXd& covariance, Estimate& estimate) {
    const int p = family.size();
    std::vector<EstimatedParameter> found;
    for (int i = 0; i < p; ++i) {
      EstimatedParameter& parameter =
          found.emplace_back(UnidentifiedParameter(request.scene, family.parameters().selected(i), family.start()[i]));
      if (family.role(i) == PlanarRole::kFriction &&
          std::none_of(fits.begin(), fits.end(), [](const TrackFit& fit) { return fit.motion.slid; })) {
        double lower = 0;
        for (const TrackFit& fit : fits) lower = std::max(lower, FrictionLowerBound(family, i, fit));
        parameter.lower = lower;
        parameter.combination =
            fmt::format("the contacts stick: friction is at least {:.3g}, and the data set no upper limit", lower);
        continue;
      }
      if (!information.determined[static_cast<std::size_t>(i)] || !std::isfinite(covariance(i, i))) {
        parameter.combination = "it has no effect of its own on the recorded motion";
        continue;
      }
      GiveValue(params[i], std::sqrt(covariance(i, i)), family.lower()[i], family.upper()[i], parameter, estimate);
    }
    PlaceEstimates(refusal, found, covariance, estimate);
  }

  /// Restitutions of single impacts, with the times of the impacts in the fitted motion.
  static void AddImpactRestitutions(const PlanarFamily& family, const std::vector<TrackFit>& fits,
                                    const std::vector<int>& recording_of,
                                    const std::vector<Eigen::VectorXd>& deviations, Estimate& estimate) {
    for (std::size_t k = 0; k < fits.size(); ++k) {
      const int extra = static_cast<int>(fits[k].z.size()) - kTrackState - family.size();
      std::vector<double> times;
      for (const EventRecord& record : fits[k].records)
        if (record.kind == EventKind::kImpact && -record.approach > kCountedImpact &&
            (times.empty() || record.time > times.back()))
          times.push_back(record.time);
      for (int i = 0; i < extra; ++i) {
        ImpactRestitution entry{recording_of[k], std::nullopt, std::nullopt, std::nullopt};
        if (i < static_cast<int>(times.size())) entry.time = times[static_cast<std::size_t>(i)];
        if (entry.time && std::isfinite(deviations[k][i])) {
          entry.value = fits[k].z[kTrackState + family.size() + i];
          entry.std = deviations[k][i];
        }
        estimate.impact_restitutions.push_back(entry);
      }
    }
  }

  static void AddMotion(const IdentifyRequest& request, const PlanarFamily& family, const std::vector<TrackFit>& fits,
                        const std::vector<int>& recording_of, Estimate& estimate) {
    const Scene& scene = request.scene;
    for (std::size_t k = 0; k < fits.size(); ++k) {
      TrackResiduals residuals(family, fits[k].track);
      std::vector<Eigen::Vector3d> poses;
      std::vector<EventRecord> records;
      const Eigen::VectorXd& z = fits[k].z;
      residuals.SetImpactRestitutions(static_cast<int>(z.size()) - kTrackState - family.size(), kCountedImpact);
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
        estimate.impulses.push_back({recording_of[k], record.time, record.duration, PairName(scene, pair),
                                     candidate.contact, record.normal_impulse, record.tangential_impulse,
                                     record.slip != 0});
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
