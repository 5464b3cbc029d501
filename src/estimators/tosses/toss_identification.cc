// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/tosses/toss_identification.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "core/text.h"
#include "estimators/assess_fit.h"
#include "estimators/estimate_report.h"
#include "estimators/spatial/contact_stretches.h"
#include "estimators/tosses/impact_likelihood.h"
#include "estimators/tosses/toss_fit.h"
#include "estimators/tosses/toss_together.h"
#include "estimators/tosses/toss_problem.h"
#include "inference/bootstrap.h"
#include "inference/cross_validation.h"
#include "inference/information.h"
#include "math/statistics.h"
#include "ricochet/validate.h"

namespace ricochet {
namespace {

constexpr double kExplains = 2.5;  // chi^2 / dof of velocities after impacts up to which the model explains them
constexpr double kLost = 9;        // chi^2 / dof from which a toss counts as not explained
constexpr double kOnePlace = 0.1;  // of the body: contacts that near to each other are in one place
constexpr double kClearly = 0.9, kClearMisfit = 20;  // factor and difference of a misfit that is clearly less
constexpr double kManyLost = 0.25;                   // of the predictable rows after the first contacts
constexpr double kFollowedWell = 0.9;                // of those of one toss
constexpr double kVague = 3;       // a parameter known to no better than this many of its sizes counts as not known,
constexpr double kOfTheBox = 0.7;  // and one whose standard deviation is that part of a uniform one over the search box

/// Where predictions of the request start.
RollStart StartOf(const IdentifyRequest& request) {
  return ParseRollStart(WordOf(request.options.method_options, kTossStart));
}

using Clock = std::chrono::steady_clock;

/// Rigid bodies that rebound in space, contacts resolved at corners on the grid of steps.
bool StepsTosses(const StepperInfo& info) { return info.spatial && info.restitution && info.jumps && !info.soft; }

/// Whether tosses identify parameter `i` at all, better than the box of the search does.
bool IsIdentified(const SpatialFamily& family, const Eigen::VectorXd& params, const Eigen::MatrixXd& covariance,
                  int i) {
  const double deviation = std::sqrt(covariance(i, i));
  if (!(deviation < kVague * std::max(family.scale()[i], std::abs(params[i])))) return false;
  const SearchBox box = MakeSearchBox(family);
  if (box.logarithmic[static_cast<std::size_t>(i)]) return true;
  return deviation < kOfTheBox * (box.upper[i] - box.lower[i]) / std::sqrt(12.0);
}

/// AssessFit, except that a bootstrap does not make a parameter known that the fit does not identify: searches that
/// begin at the estimate leave it where it is, and would seem sure of it.
Eigen::MatrixXd AssessTosses(const IdentifyRequest& request, const SpatialFamily& family, FitProblem& problem,
                             const Fit& fit, Estimate& estimate) {
  Eigen::MatrixXd covariance = AssessFit(problem, fit, request, estimate);
  for (int i = 0; i < family.size(); ++i) {
    if (IsIdentified(family, fit.point.values, fit.covariance, i)) continue;
    covariance.row(i) = fit.covariance.row(i);
    covariance.col(i) = fit.covariance.col(i);
  }
  return covariance;
}

/// Refuses before the search what too few tosses cannot serve.
void RefuseFewTosses(const IdentifyRequest& request, int tosses, int parameters) {
  if (request.options.bootstrap > 0) RefuseFewRecordings("bootstrap", tosses, parameters);
  if (request.options.folds > 0) SplitIntoFolds(tosses, request.options.folds);
}

/// Values, standard deviations and what is not identifiable, in the order of the request.
void ReportNumbers(const MassRefusal& refusal, const SpatialFamily& family, const Eigen::VectorXd& params,
                   const Eigen::MatrixXd& covariance, Estimate& estimate, const Eigen::VectorXd& lower = {},
                   const Eigen::VectorXd& upper = {}) {
  const int p = family.size();
  std::vector<EstimatedParameter> found;
  for (int i = 0; i < p; ++i) {
    EstimatedParameter out =
        UnidentifiedParameter(family.scene(), family.selected()[static_cast<std::size_t>(i)], family.start()[i]);
    const double deviation = std::sqrt(covariance(i, i));
    const bool few = std::isnan(deviation);  // too few tosses to know how well
    if (few || IsIdentified(family, params, covariance, i))
      GiveValue(params[i], few ? std::nullopt : std::optional(deviation), family.lower()[i], family.upper()[i], out,
                estimate);
    else if (lower.size() > i && std::isfinite(lower[i])) {
      out.lower = lower[i];
      out.combination = family.quantity(i) == Quantity::kFriction
                            ? fmt::format("every impact sticks: at least {:.3g} (95 %)", lower[i])
                            : fmt::format("at least {:.3g} (95 %)", lower[i]);
    } else if (upper.size() > i && std::isfinite(upper[i])) {
      out.upper = upper[i];
      out.combination = fmt::format("at most {:.3g} (95 %)", upper[i]);
    } else
      out.combination = std::isfinite(deviation)
                            ? fmt::format("the recorded tosses determine it only to {:.2g} {}", deviation, out.unit)
                            : "it has no effect on the recorded tosses";
    found.push_back(std::move(out));
  }
  PlaceEstimates(refusal, found, covariance, estimate);
}

Estimate BeginEstimate(const IdentifyRequest& request, std::string_view method, const TossSet& set) {
  Estimate estimate = EmptyEstimate(request, method);
  for (std::size_t i = 0; i < request.recordings.size(); ++i) {
    const PreparedToss& toss = set.tosses()[i];
    RecordingUse use{
        request.recordings[i].file, toss.problem.empty(), toss.problem, request.recordings[i].rows(), 0, {}, {}, {}};
    if (use.used) {
      use.noise_position = toss.toss.track.noise_position;
      use.noise_angle = toss.toss.track.noise_angle;
    }
    estimate.recordings.push_back(std::move(use));
  }
  return estimate;
}

/// Predicted poses and contacts beside the recorded ones, from the starts found.
void ReportMotions(const SpatialFamily& family, const TossSet& set, const Eigen::VectorXd& params,
                   const std::vector<Eigen::Matrix<double, 12, 1>>& moved, Estimate& estimate) {
  const std::optional<SpatialInstance> instance = family.Compile(params);
  if (!instance) return;
  TossRoller roller = set.RollerOf(instance->model);
  ContactStretches contacts(kOnePlace * family.size_of(family.moving().front()));
  roller.SetSink(&contacts);
  std::vector<SpatialPose<double>> poses;
  for (std::size_t k = 0; k < set.used().size(); ++k) {
    PreparedToss toss = set.tosses()[static_cast<std::size_t>(set.used()[k])];
    if (set.moves_start()) RefitStart(instance->model, toss);
    if (moved.empty()) {
      roller.Roll(toss, poses);
    } else {
      roller.RollFrom(toss, moved[k], poses);
    }
    EstimatedMotion motion{set.used()[k], {}, {}};
    for (std::size_t i = 0; i < poses.size(); ++i) {
      motion.time.push_back(toss.toss.track.time[static_cast<std::size_t>(toss.start) + i]);
      SpatialPose<double> pose = poses[i];
      pose = toss.sensor.PoseOfBody(pose);
      motion.pose.emplace_back(pose.begin(), pose.end());
    }
    estimate.motions.push_back(std::move(motion));
    AddImpulses(instance->model, contacts.Take(), set.used()[k],
                toss.toss.track.time[static_cast<std::size_t>(toss.start)], estimate);
  }
}

class VelocityEstimator final : public Estimator {
 public:
  EstimatorInfo info() const override {
    return {
        .name = "velocity",
        .summary =
            "velocities after impacts of a tossed body on a single corner, which determine friction and restitution",
        .paper = "Jongeneel sec. III-B, eq. 17",
        .spatial = true};
  }

  std::string Refusal(const IdentifyRequest& request) const override {
    if (request.scene.space != Space::kSpatial) return "it is for tosses in space";
    if (request.scene.simulation.method.empty() || !StepsTosses(StepperOf(request.scene).info()))
      return fmt::format("it needs rigid contacts with restitution; name simulation.method {} in the scene",
                         NamesOfSteppers(StepsTosses));
    int moving = 0;
    for (const Body& body : request.scene.bodies) moving += body.fixed ? 0 : 1;
    return moving == 1 ? "" : "it supports scenes with one moving body";
  }

  Identification Run(const IdentifyRequest& request) const override {
    const auto began = Clock::now();
    const MassRefusal refusal = RefuseMass(request);
    ProfiledParameters(request, refusal.parameters);
    const SpatialFamily family(request.scene, refusal.parameters);
    TossSet set(family, request.recordings, RollStart{});
    set.KeepThoseWithImpacts();
    Estimate estimate = BeginEstimate(request, name(), set);
    const int count = static_cast<int>(set.used().size());
    if (count == 0)
      throw InputError({request.recordings.front().file, 0, 0}, "",
                       "no recording has an impact on a single corner with free flight before and after.",
                       "Use method trajectory, or tosses that land on a corner from higher.");
    RefuseFewTosses(request, count, family.size());
    const ImpactMinimum found = MaximizeImpactLikelihood(family, set, request.seed);
    estimate.cost = found.cost;
    estimate.iterations = found.evaluations;
    estimate.converged = found.converged;
    estimate.chi2_per_dof = found.chi2_per_dof;
    estimate.log = found.log;
    estimate.trace = found.trace;
    int impacts = 0;
    for (const int i : set.used()) {
      const ImpactSelection& selection = set.tosses()[static_cast<std::size_t>(i)].impacts;
      impacts += static_cast<int>(selection.impacts.size());
      estimate.log.insert(estimate.log.end(), selection.log.begin(), selection.log.end());
    }
    estimate.log.push_back(fmt::format("{} impacts of {} tosses", impacts, count));
    if (count <= family.size() + 1)
      estimate.warnings.push_back(
          fmt::format("only {} recordings have usable impacts: the standard deviations are rough", count));
    if (found.chi2_per_dof > kExplains)
      estimate.warnings.push_back(
          fmt::format("residuals are {:.3g} times the noise of the velocities after the impacts: standard deviations "
                      "come from the scatter between tosses",
                      std::sqrt(found.chi2_per_dof)));
    ImpactProblem problem(family, set, request.seed);
    const Eigen::MatrixXd covariance = AssessTosses(request, family, problem, problem.FitOf(found), estimate);
    ReportNumbers(refusal, family, found.params, covariance, estimate, found.lower);
    ReportMotions(family, set, found.params, {}, estimate);
    estimate.seconds = std::chrono::duration<double>(Clock::now() - began).count();
    return {std::move(estimate), family.Calibrated(found.params)};
  }
};

/// What reports on tosses take from.
struct TossEvidence {
  const IdentifyRequest& request;
  const MassRefusal& refusal;
  const SpatialFamily& family;
  const TossSet& set;
};

/// Part of the rows of a toss after its first contact that are used.
double PartUsed(const TossSet& set, const TossLikelihoodResult& fit, std::size_t k) {
  const PreparedToss& toss = set.tosses()[static_cast<std::size_t>(set.used()[k])];
  const int after = toss.end + 1 - toss.arc_last;
  return std::clamp(1 - static_cast<double>(toss.end + 1 - toss.start - fit.frames[k]) / std::max(1, after), 0.0, 1.0);
}

/// How far the model follows each toss. One that ended on a wrong piece would drown what the others say in chi^2.
void ReportFollowed(const TossSet& set, const TossLikelihoodResult& fit, Estimate& estimate) {
  const int count = static_cast<int>(set.used().size());
  int partly = 0, lost = 0;
  double chi2 = 0, freedom = 0;
  for (std::size_t k = 0; k < set.used().size(); ++k) {
    RecordingUse& use = estimate.recordings[static_cast<std::size_t>(set.used()[k])];
    use.chi2_per_dof = fit.ratio[k];
    if (fit.ratio[k] > kLost) {
      use.reason = "the model cannot reproduce it from any start found; it has less weight";
      ++lost;
      continue;
    }
    chi2 += fit.ratio[k] * fit.freedom[k];
    freedom += fit.freedom[k];
    const double part = PartUsed(set, fit, k);
    if (part == 1) continue;
    use.reason = fit.followed[k] < kFollowedWell
                     ? fmt::format("the model reproduces {:.0f} % of the rows after the first contact; only these are "
                                   "used",
                                   100 * part)
                     : fmt::format("{:.0f} % of the rows after the first contact follow from those before; only these "
                                   "are used",
                                   100 * part);
    partly += fit.followed[k] < kFollowedWell ? 1 : 0;
  }
  estimate.chi2_per_dof = chi2 / freedom;
  if (lost > 0)
    estimate.warnings.push_back(
        fmt::format("{} of {} tosses cannot be reproduced by the model from any start found: they have less weight and "
                    "are excluded from chi2/dof",
                    lost, count));
  if (partly > 0)
    estimate.warnings.push_back(
        count == 1 ? estimate.recordings[static_cast<std::size_t>(set.used()[0])].reason
                   : fmt::format("the model reproduces only a part of {} of {} tosses; the rows after that part are "
                                 "not used",
                                 partly, count));
}

/// Maximum likelihood of tosses that the model explains down to their noise.
void ReportExplained(const TossEvidence& evidence, const TossLikelihoodResult& fit, Estimate& estimate) {
  const SpatialFamily& family = evidence.family;
  estimate.log.push_back(
      fmt::format("the model explains the tosses with {} (median chi2/dof {:.3g}): maximum likelihood, every start "
                  "unknown",
                  evidence.set.located() ? "exact flights and located impacts, whatever the step of the scene"
                                         : "the step of the scene, which they were simulated with",
                  Median(fit.ratio)));
  estimate.cost = 0.5 * fit.chi2;
  estimate.trace.insert(estimate.trace.end(), fit.trace.begin(), fit.trace.end());
  for (const OptimizerStage& stage : fit.trace) estimate.iterations += static_cast<int>(stage.cost.size()) - 1;
  ReportFollowed(evidence.set, fit, estimate);
  if (evidence.request.options.bootstrap > 0)
    estimate.log.emplace_back("bootstrap: the fit of each toss is kept, and their results are combined again");
  TossLikelihoodProblem problem(family, evidence.set, evidence.request.seed);
  Fit taken = problem.Take(fit);
  // The scatter between few tosses may be small by chance; secants at the fit say how far it can be known at best.
  if (const auto information = InformationOf(problem, taken.point))
    for (int i = 0; i < family.size(); ++i) {
      const double ratio = std::sqrt(information->covariance(i, i) / taken.covariance(i, i));
      if (!information->determined[static_cast<std::size_t>(i)] || !(ratio > 1) || !std::isfinite(ratio)) continue;
      taken.covariance.row(i) *= ratio;
      taken.covariance.col(i) *= ratio;
    }
  Eigen::MatrixXd covariance = AssessTosses(evidence.request, family, problem, taken, estimate);
  // Never below what the secants say.
  covariance.diagonal() = covariance.diagonal().cwiseMax(fit.least_variance);
  if (const double lost = LostRows(evidence.set, fit); lost > kManyLost)
    estimate.verdict.Lower(
        VerdictLevel::kLimited,
        fmt::format("the model does not follow {:.0f} % of the rows after the first contacts", 100 * lost));
  ReportNumbers(evidence.refusal, family, fit.params, covariance, estimate, fit.lower, fit.upper);
  ReportMotions(family, evidence.set, fit.params, fit.moved, estimate);
}

/// Minimum of the cost (18). `median` of chi^2 / dof that the likelihood leaves.
void ReportUnexplained(const TossEvidence& evidence, const TossMinimum& found, double median, Estimate& estimate) {
  const SpatialFamily& family = evidence.family;
  estimate.log.push_back(
      fmt::format("the model does not explain the tosses down to their noise (median chi2/dof {:.3g}): minimum of the "
                  "cost (18), standard deviations from the scatter between tosses",
                  median));
  estimate.warnings.emplace_back(
      "no values of the requested parameters explain the tosses, so these predict best. Check with `ricochet doctor` "
      "whether gravity, lengths, inertia or the surface of the scene are wrong");
  if (static_cast<int>(evidence.set.used().size()) < kFewestRecordings) {
    estimate.converged = false;
    estimate.warnings.push_back("a fit of tosses that the model does not explain needs at least 5 of them");
  }
  if (evidence.request.options.bootstrap > 0)
    estimate.log.emplace_back("bootstrap: the cost (18) minimized again from the estimate");
  TossCostProblem problem(family, evidence.set, evidence.request.seed);
  const Eigen::MatrixXd covariance = AssessTosses(evidence.request, family, problem, problem.FitOf(found), estimate);
  ReportNumbers(evidence.refusal, family, found.params, covariance, estimate);
  ReportMotions(family, evidence.set, found.params, {}, estimate);
}

/// Whether some contact of the scene has compliance.
bool IsSoft(const Scene& scene) {
  const Model model = CompileModel(scene);
  return std::any_of(model.spatial.pairs.begin(), model.spatial.pairs.end(),
                     [](const SpatialPair<double>& pair) { return pair.law.has_compliance; });
}

/// Whether one way of moving misfits clearly less than another on the same tosses.
bool IsClearlyLess(double misfit, double other) { return misfit < kClearly * other - kClearMisfit; }

}  // namespace

bool TakesTosses(const SpatialFamily& family) {
  return StepsTosses(family.stepper().info()) && family.moving().size() == 1 &&
         family.scene().bodies[static_cast<std::size_t>(family.moving().front())].shape;
}

std::optional<Identification> IdentifyTosses(const IdentifyRequest& request, const MassRefusal& refusal,
                                             const SpatialFamily& family) {
  const auto began = Clock::now();
  const TossSet set(family, request.recordings, StartOf(request));
  const int count = static_cast<int>(set.used().size());
  if (count == 0) return std::nullopt;
  const bool profiles = !ProfiledParameters(request, refusal.parameters).empty();
  RefuseFewTosses(request, count, family.size());
  if (profiles) RefuseFewRecordings("profiles", count, family.size());
  Estimate estimate = BeginEstimate(request, "trajectory", set);
  estimate.converged = true;
  const TossSet located = set.Located();
  TossSet chosen = located;
  // Soft contact has no impacts that could be located; its motion is that of the scene's steps.
  const bool soft = IsSoft(family.scene());
  TossLikelihoodResult fit;
  if (!soft) fit = FitLocated(family, located, family.start(), {}, request.seed);
  std::optional<TossMinimum> least;
  const auto find_least = [&] {
    least = FindLeastCost(family, set, request.seed);
    if ((least->covariance.diagonal().array() == std::numeric_limits<double>::infinity()).all())
      throw InputError({request.recordings[static_cast<std::size_t>(set.used().front())].file, 0, 0}, "",
                       "no impact was found that depends on the requested parameters: none of them changes the motion.",
                       "Record until after the first impacts, or request other parameters.");
    estimate.log = least->log;
    estimate.trace = least->trace;
    estimate.cost = least->cost;
    estimate.iterations = least->evaluations;
  };
  if (!ExplainsWell(set, fit)) {
    find_least();
    // Parameters without effect on the cost stay.
    std::vector<char> held;
    for (int i = 0; i < family.size(); ++i) held.push_back(std::isinf(least->covariance(i, i)) ? 1 : 0);
    if (!soft) {
      TossLikelihoodResult other = FitLocated(family, located, least->params, held, request.seed);
      if (MisfitOf(set, other) < MisfitOf(set, fit)) fit = std::move(other);
    }
    if (!ExplainsWell(set, fit)) {
      // Recordings that were simulated on the grid of the scene's step follow no other motion.
      TossLikelihoodResult other = FitFromLeastCost(family, set, request.seed, *least, estimate.log);
      if (!ExplainsBegin(fit) ||
          (Explains(other) && IsClearlyLess(MisfitOf(set, other), MisfitOf(set, fit)))) {
        fit = std::move(other);
        chosen = set;
      }
    }
  }
  const bool explains = chosen.located() ? ExplainsBegin(fit) : Explains(fit);
  if (!explains && !least) find_least();
  const TossEvidence evidence{request, refusal, family, chosen};
  if (explains) {
    ReportExplained(evidence, fit, estimate);
  } else {
    ReportUnexplained(evidence, *least, fit.ratio.empty() ? INFINITY : Median(fit.ratio), estimate);
  }
  estimate.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  return Identification{std::move(estimate), family.Calibrated(explains ? fit.params : least->params)};
}

const Estimator& SpatialVelocity() {
  static const VelocityEstimator estimator;
  return estimator;
}

}  // namespace ricochet
