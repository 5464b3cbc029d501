// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/tosses/toss_identification.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

#include "estimators/estimate_report.h"
#include "estimators/spatial/contact_stretches.h"
#include "estimators/tosses/impact_likelihood.h"
#include "estimators/tosses/toss_likelihood.h"
#include "estimators/tosses/toss_search.h"
#include "estimators/tosses/toss_uncertainty.h"
#include "inference/profile.h"
#include "math/statistics.h"

namespace ricochet {
namespace {

constexpr int kFew = kFewestRecordings;  // tosses, below which their scatter tells nothing
constexpr int kTrialTosses = 16;         // that tell whether the model explains tosses
constexpr double kExplains = 2.5;        // chi^2 / dof of the median toss up to which it does
constexpr double kFollowed = 0.4;        // of the frames behind the first contact, from which on that counts
constexpr int kAgain = 3;                // times that the likelihood begins anew
constexpr int kSomeExplained = 5;        // 1 / part of the tosses that must be explained for that
constexpr double kWider = 0.05;          // of a number's size, by which starts are wider each time
constexpr double kNarrower = 0.2;        // factor by which they are nearer each time, for few tosses
constexpr double kLost = 9;              // chi^2 / dof from which a toss counts as not explained
constexpr double kOnePlace = 0.1;        // of the body: contacts that near to each other are in one place

using Clock = std::chrono::steady_clock;

/// Values, deviations and what cannot be told, in the order asked for.
void ReportNumbers(const MassRefusal& refusal, const SpatialFamily& family, const Eigen::VectorXd& params,
                   const Eigen::MatrixXd& covariance, Estimate& estimate, const Eigen::VectorXd& lower = {}) {
  const int p = family.size();
  std::vector<EstimatedParameter> found;
  for (int i = 0; i < p; ++i) {
    EstimatedParameter out =
        UntoldNumber(family.scene(), family.wanted()[static_cast<std::size_t>(i)], family.start()[i]);
    const double deviation = std::sqrt(covariance(i, i));
    const bool few = std::isnan(deviation);  // tosses, too few to tell how well
    if (few || IsToldByTosses(family, params, covariance, i))
      GiveValue(params[i], few ? std::nullopt : std::optional(deviation), family.lower()[i], family.upper()[i], out,
                estimate);
    else if (lower.size() > i && std::isfinite(lower[i])) {
      out.lower = lower[i];
      out.combination = fmt::format("every impact sticks: at least {:.3g} (95 %)", lower[i]);
    } else
      out.combination = std::isfinite(deviation)
                            ? fmt::format("the recorded tosses tell it to {:.2g} {} only", deviation, out.unit)
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
  TossRoller roller(instance->model, family.stepper());
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
      pose.head<3>() = pose.head<3>() * toss.scale + toss.offset;
      motion.pose.emplace_back(pose.begin(), pose.end());
    }
    estimate.motions.push_back(std::move(motion));
    AddImpulses(instance->model, contacts.Take(), set.used()[k],
                toss.toss.track.time[static_cast<std::size_t>(toss.start)], estimate);
  }
}

/// A part of the tosses, evenly spread.
std::vector<Recording> PartOf(const std::vector<Recording>& recordings, const TossSet& set, int count) {
  std::vector<Recording> part;
  const int used = static_cast<int>(set.used().size());
  for (int i = 0; i < std::min(count, used); ++i)
    part.push_back(recordings[static_cast<std::size_t>(set.used()[static_cast<std::size_t>(i * used / count)])]);
  return part;
}

/// Tosses that the model explains down to their noise, far enough behind the first contact.
int CountExplained(const TossLikelihoodResult& fit) {
  int count = 0;
  for (std::size_t k = 0; k < fit.ratio.size(); ++k)
    count += fit.ratio[k] < kExplains && fit.followed[k] >= kFollowed ? 1 : 0;
  return count;
}
bool Explains(const TossLikelihoodResult& fit) {
  return !fit.ratio.empty() && 2 * CountExplained(fit) > static_cast<int>(fit.ratio.size());
}

/// The likelihood from where the cost (18) is least. That is off where few tosses have long chaotic ends (noise in the
/// start pulls restitution down), and the tosses then end on wrong pieces. Where some of them are explained and too
/// few, it begins again from what those say, each time with wider starts.
TossLikelihoodResult FitFromSeveralStarts(const SpatialFamily& family, const TossSet& set, const Eigen::VectorXd& start,
                                          const Eigen::VectorXd& spread, const TossLikelihoodOptions& options,
                                          std::vector<std::string>& log) {
  TossLikelihoodResult best = MaximiseTossLikelihood(family, set, start, spread, options);
  const int count = static_cast<int>(set.used().size());
  for (int again = 1; again <= kAgain && !Explains(best); ++again) {
    if (count >= kFew && CountExplained(best) * kSomeExplained < count) break;
    Eigen::VectorXd from = best.params, wide = spread;
    for (int i = 0; i < family.size(); ++i) {
      std::vector<double> told;
      for (std::size_t k = 0; k < best.alone.size(); ++k)
        if (best.ratio[k] < kExplains && best.followed[k] >= kFollowed) told.push_back(best.alone[k][i]);
      if (!told.empty()) from[i] = Median(told);
      // Few tosses began with starts all over; their own scatter does not say how near they are.
      wide[i] = count < kFew ? spread[i] * std::pow(kNarrower, again)
                             : std::max(spread[i], kWider * again * family.scale()[i]);
    }
    TossLikelihoodOptions other = options;
    other.seed = options.seed + static_cast<std::uint64_t>(1000003 * again);
    TossLikelihoodResult next = MaximiseTossLikelihood(family, set, from, wide, other);
    log.push_back(fmt::format("{} of {} tosses explained; from {} starts {}", CountExplained(best), count,
                              count < kFew ? "nearer" : "wider", CountExplained(next)));
    if (CountExplained(next) > CountExplained(best)) best = std::move(next);
  }
  return best;
}

class VelocityEstimator final : public Estimator {
 public:
  std::string_view name() const override { return "velocity"; }
  std::string_view paper() const override { return "Jongeneel sec. III-B, eq. 17"; }

  std::string Refusal(const IdentifyRequest& request) const override {
    if (request.scene.space != Space::kSpatial) return "it is for tosses in space; use regression";
    if (request.scene.simulation.method != "moreau") return "it steps with moreau; name that method in the scene";
    int moving = 0;
    for (const Body& body : request.scene.bodies) moving += body.fixed ? 0 : 1;
    return moving == 1 ? "" : "it takes scenes with one moving body";
  }

  bool Knows(std::string_view option) const override { return option == "--bootstrap" || option == "--profile"; }

  Identification Run(const IdentifyRequest& request) const override {
    const auto began = Clock::now();
    const MassRefusal refusal = RefuseMass(request);
    const std::vector<int> profiled = ProfiledNumbers(request, refusal.wanted);
    const SpatialFamily family(request.scene, refusal.wanted);
    TossSet set(family, request.recordings, request.options.start);
    set.KeepThoseWithImpacts();
    Estimate estimate = BeginEstimate(request, name(), set);
    const int count = static_cast<int>(set.used().size());
    std::vector<int> all(set.used().size());
    std::iota(all.begin(), all.end(), 0);
    if (count == 0)
      throw InputError({request.recordings.front().file, 0, 0}, "",
                       "no recording has an impact on a single corner with free flight before and after.",
                       "Use --method trajectory, or tosses that land on a corner from higher.");
    if (request.options.bootstrap > 0) RefuseFewRecordings("--bootstrap", count, family.size());
    ImpactMinimum found = MaximiseImpactLikelihood(family, set, request.options.seed);
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
      estimate.warnings.push_back(fmt::format(
          "the model leaves {:.3g} times the noise of the velocities behind the impacts: deviations are from "
          "the scatter between tosses",
          std::sqrt(found.chi2_per_dof)));
    for (const int i : profiled) {
      ProfileTask task = BeginTossProfile(family, found.params, found.covariance, i);
      task.allowance = found.enlarged[i] * found.enlarged[i];
      task.fit = [&](double value, const Eigen::VectorXd& start) {
        Eigen::VectorXd from = start.size() > 0 ? start : found.params;
        from[i] = value;
        const ImpactRefit held = RefitImpacts(family, set, all, from, i);
        return HeldFit{{2 * held.cost}, held.params};
      };
      estimate.profiles.push_back(MakeProfile(task));
    }
    if (request.options.bootstrap > 0)
      TakeTossBootstrap(request, family, found.params, RepeatImpacts(request, family, set, found.params),
                        "the bootstrap over recordings, each fitted from the estimate", found.covariance, estimate);
    ReportNumbers(refusal, family, found.params, found.covariance, estimate, found.lower);
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
  const TossCosts& costs;  // by (18)
  const std::vector<int>& profiled;
  const TossMinimum& found;  // least of these costs

  EstimatedProfile CostProfile(int i) const {
    return ProfileOfCost(family, costs, static_cast<int>(set.used().size()), found.params, found.covariance, i,
                         request.options.seed);
  }
};

/// How far the model follows each toss. One that ended on a wrong piece would drown what the others say in chi^2.
void ReportFollowed(const TossSet& set, const TossLikelihoodResult& fit, Estimate& estimate) {
  const int count = static_cast<int>(set.used().size());
  int partly = 0, lost = 0;
  double chi2 = 0, freedom = 0;
  for (std::size_t k = 0; k < set.used().size(); ++k) {
    RecordingUse& use = estimate.recordings[static_cast<std::size_t>(set.used()[k])];
    use.chi2_per_dof = fit.ratio[k];
    if (fit.ratio[k] > kLost) {
      use.reason = "no start was found from which the model follows it; it counts less";
      ++lost;
      continue;
    }
    chi2 += fit.ratio[k] * fit.freedom[k];
    freedom += fit.freedom[k];
    if (fit.followed[k] < 1) {
      use.reason =
          fmt::format("the model follows it through {:.0f} % of the rows behind the first contact; only these are used",
                      100 * fit.followed[k]);
      ++partly;
    }
  }
  estimate.chi2_per_dof = chi2 / freedom;
  if (lost > 0)
    estimate.warnings.push_back(
        fmt::format("{} of {} tosses: no start was found from which the model follows them; they count less, and "
                    "chi2/dof leaves them out",
                    lost, count));
  if (partly > 0)
    estimate.warnings.push_back(
        count == 1 ? estimate.recordings[static_cast<std::size_t>(set.used()[0])].reason
                   : fmt::format("{} of {} tosses are followed through a part of their rows only, and used up to there",
                                 partly, count));
}

/// Maximum likelihood of tosses that the model explains down to their noise.
void ReportExplained(const TossEvidence& evidence, const TossLikelihoodResult& fit, Estimate& estimate) {
  const SpatialFamily& family = evidence.family;
  estimate.log.push_back(
      fmt::format("the model explains the tosses (median chi2/dof {:.3g}): maximum likelihood, every start unknown",
                  Median(fit.ratio)));
  estimate.cost = 0.5 * fit.chi2;
  estimate.trace.insert(estimate.trace.end(), fit.trace.begin(), fit.trace.end());
  ReportFollowed(evidence.set, fit, estimate);
  Eigen::MatrixXd covariance = fit.covariance;
  if (evidence.request.options.bootstrap > 0) {
    TakeTossBootstrap(evidence.request, family, fit.params, RepeatLikelihood(evidence.request, fit),
                      "the bootstrap over recordings; the fit of each is kept, and they are combined anew", covariance,
                      estimate);
    // Never below what the secants say.
    covariance.diagonal() = covariance.diagonal().cwiseMax(fit.least_variance);
  }
  for (const int i : evidence.profiled) {
    if (!IsToldByTosses(family, fit.params, fit.covariance, i)) {
      estimate.profiles.push_back(evidence.CostProfile(i));
      continue;
    }
    ProfileTask task = BeginTossProfile(family, fit.params, covariance, i);
    const auto deviance = DevianceOfNumber(fit.told, i, covariance(i, i));
    task.fit = [&](double value, const Eigen::VectorXd& /*start*/) { return HeldFit{{deviance(value)}, {}}; };
    estimate.profiles.push_back(MakeProfile(task));
  }
  ReportNumbers(evidence.refusal, family, fit.params, covariance, estimate);
  ReportMotions(family, evidence.set, fit.params, fit.moved, estimate);
}

/// Minimum of the cost (18). `median` of chi^2 / dof that the likelihood leaves.
void ReportUnexplained(const TossEvidence& evidence, double median, Estimate& estimate) {
  const SpatialFamily& family = evidence.family;
  const TossMinimum& found = evidence.found;
  estimate.log.push_back(
      fmt::format("the model does not explain the tosses down to their noise (median chi2/dof {:.3g}): minimum of the "
                  "cost (18), deviations from the scatter between tosses",
                  median));
  estimate.warnings.push_back(fmt::format(
      "the model leaves {:.3g} times the noise: the numbers are those that predict best, not those of a true model. "
      "`ricochet doctor --scene` tells whether gravity, lengths or the surface are wrong",
      std::sqrt(median)));
  if (static_cast<int>(evidence.set.used().size()) < kFew) {
    estimate.converged = false;
    estimate.warnings.push_back("that takes at least 5 tosses to judge");
  }
  Eigen::MatrixXd covariance = found.covariance;
  if (evidence.request.options.bootstrap > 0)
    TakeTossBootstrap(
        evidence.request, family, found.params, RepeatSearch(evidence.request, family, evidence.set, found),
        "the bootstrap over recordings, the cost (18) minimised again from the estimate", covariance, estimate);
  for (const int i : evidence.profiled) estimate.profiles.push_back(evidence.CostProfile(i));
  ReportNumbers(evidence.refusal, family, found.params, covariance, estimate);
  ReportMotions(family, evidence.set, found.params, {}, estimate);
}

}  // namespace

bool TakesTosses(const SpatialFamily& family) {
  return family.stepper().info().name == "moreau" && family.moving().size() == 1 &&
         family.scene().bodies[static_cast<std::size_t>(family.moving().front())].shape;
}

std::optional<Identification> IdentifyTosses(const IdentifyRequest& request, const MassRefusal& refusal,
                                             const SpatialFamily& family) {
  const auto began = Clock::now();
  const TossSet set(family, request.recordings, request.options.start);
  const int count = static_cast<int>(set.used().size()), p = family.size();
  if (count == 0) return std::nullopt;
  const std::vector<int> profiled = ProfiledNumbers(request, refusal.wanted);
  if (request.options.bootstrap > 0) RefuseFewRecordings("--bootstrap", count, family.size());
  if (!profiled.empty()) RefuseFewRecordings("--profile", count, p);
  Estimate estimate = BeginEstimate(request, "trajectory", set);
  TossSearchOptions search;
  search.seed = request.options.seed;
  const TossCosts costs = [&](const std::vector<Eigen::VectorXd>& params, const std::vector<int>& tosses) {
    return set.TrajectoryCosts(params, tosses);
  };
  TossMinimum found = MinimiseTossCost(family, costs, count, search);
  MarkThoseWithoutEffect(family, costs, count, found.params, found.covariance);
  if ((found.covariance.diagonal().array() == std::numeric_limits<double>::infinity()).all())
    throw InputError({request.recordings[static_cast<std::size_t>(set.used().front())].file, 0, 0}, "",
                     "no impact is found, or none that the wanted numbers act in: none of them changes the motion.",
                     "Record until after the first impacts, or estimate other numbers.");
  estimate.log = found.log;
  estimate.trace = found.trace;
  estimate.cost = found.cost;
  estimate.iterations = found.evaluations;
  estimate.converged = true;

  // Does the model explain the tosses?
  Eigen::VectorXd spread(p);
  for (int i = 0; i < p; ++i) {
    const double deviation = std::sqrt(found.covariance(i, i)), size = family.scale()[i];
    spread[i] = count >= kFew && std::isfinite(deviation) ? std::clamp(deviation, 0.01 * size, 0.1 * size) : 0.1 * size;
  }
  TossLikelihoodOptions options;
  options.seed = request.options.seed;
  TossLikelihoodResult fit;
  bool explains = true;
  if (count > 2 * kTrialTosses) {
    const TossSet part(family, PartOf(request.recordings, set, kTrialTosses), request.options.start);
    fit = FitFromSeveralStarts(family, part, found.params, spread, options, estimate.log);
    explains = Explains(fit);
    if (explains) found.params = fit.params;
  }
  if (explains) {
    fit = FitFromSeveralStarts(family, set, found.params, spread, options, estimate.log);
    explains = Explains(fit);
  }
  // What has no effect stays as the scene has it.
  for (int i = 0; i < p; ++i) {
    if (std::isfinite(found.covariance(i, i)) || std::isnan(found.covariance(i, i))) continue;
    found.params[i] = family.start()[i];
    if (fit.params.size() == p) fit.params[i] = family.start()[i];
  }
  const TossEvidence evidence{request, refusal, family, set, costs, profiled, found};
  if (explains) {
    ReportExplained(evidence, fit, estimate);
  } else {
    ReportUnexplained(evidence, fit.ratio.empty() ? INFINITY : Median(fit.ratio), estimate);
  }
  estimate.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  return Identification{std::move(estimate), family.Calibrated(explains ? fit.params : found.params)};
}

const Estimator& SpatialVelocity() {
  static const VelocityEstimator estimator;
  return estimator;
}

}  // namespace ricochet
