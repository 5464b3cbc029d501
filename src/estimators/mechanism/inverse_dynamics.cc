// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `inverse-dynamics`: jointed scenes from recorded joint angles (Spook sec. 3 and 4). The fit is in
// jointed_fit.h; this file refuses, chooses words and reports.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/text.h"
#include "dataset/joint_reading.h"
#include "estimators/assess_fit.h"
#include "estimators/estimate_report.h"
#include "estimators/mechanism/friction_models.h"
#include "estimators/mechanism/identifiable_sums.h"
#include "estimators/mechanism/inverse_dynamics.h"
#include "estimators/mechanism/motion_problem.h"
#include "estimators/mechanism/shadow_problem.h"
#include "estimators/mechanism/torque_noise.h"
#include "inference/bootstrap.h"
#include "inference/verdict.h"
#include "model/possible_moments.h"

namespace ricochet {
namespace {

constexpr double kExcess = 1.2;     // chi^2 per degree of freedom that is worth a warning where the noise is known
constexpr double kCollapsed = 0.1;  // of the motion's value: an inertia that the paper's residuals lost
constexpr double kBeyondNoise = 3;  // standard deviations: more than noise
constexpr double kMissed = 30;      // times their noise: angles that the paper's residuals do not follow
constexpr double kMisfit = 1.3;     // noise of the residuals over that of the rows that is worth a warning
constexpr double kSuspicious = 4;   // gain of random torques, in twice the log likelihood, that widens intervals,
constexpr double kCertain = 18;     // and that is not chance
constexpr double kExplained = 1.1;  // times the noise: residuals that a held parameter leaves where it explains them

constexpr std::string_view kResiduals[] = {"motion", "paper"};
constexpr OptionInfo kResidual = {.name = "residual",
                                  .kind = OptionKind::kWord,
                                  .words = kResiduals,
                                  .help =
                                      "which residuals to minimize. motion: of the rigid motion itself; paper: "
                                      "impulses of one step of spook, which depend on the scene's step and compliance"};
constexpr OptionInfo kKappa = {.name = "kappa",
                               .lower = 0,
                               .lower_excluded = true,
                               .help = "with residual paper: weight of impulse errors over that of angle errors"};
constexpr OptionInfo kCompareFriction = {.name = "compare_friction",
                                         .kind = OptionKind::kFlag,
                                         .help =
                                             "compares viscous, dry and Stribeck friction on held-out recordings and "
                                             "fits the recommended one; you need not name its parameters"};
constexpr OptionInfo kTorqueNoise = {.name = "torque_noise",
                                     .lower = 0,
                                     .unit = "N m s^1/2",
                                     .help =
                                         "level of random torques on every joint, 0 for none; without it, the level of "
                                         "each joint is estimated"};
constexpr OptionInfo kMechanismOptions[] = {kResidual, kKappa, kCompareFriction, kTorqueNoise};

struct MechanismOptions {
  bool paper = false;           // residuals of the paper
  std::optional<double> kappa;  // none: from the sizes of both residuals
  bool compare_friction = false;
  std::optional<double> torque_noise;  // none: estimated
};

MechanismOptions ReadMechanismOptions(const GivenOptions& given) {
  const MechanismOptions out{WordOf(given, kResidual) == "paper", NumberOf(given, kKappa),
                             FlagOf(given, kCompareFriction), NumberOf(given, kTorqueNoise)};
  if (out.kappa && !out.paper)
    throw InputError({}, "kappa", "it weights the residuals of the paper, which are not requested.",
                     "Set residual to paper, or leave it out.");
  return out;
}

class InverseDynamicsEstimator final : public Estimator {
 public:
  EstimatorInfo info() const override {
    return {.name = "inverse-dynamics",
            .summary = "joint angles of mechanisms (hinges and sliders without loops) in minimal coordinates",
            .paper = "Spook sec. 3, 4",
            .spatial = true,
            .joints = true,
            .drag = true,
            .options = kMechanismOptions};
  }

  std::string Refusal(const IdentifyRequest& request) const override {
    if (request.scene.space != Space::kSpatial) return "inverse-dynamics is for spatial scenes with joints";
    if (request.scene.joints.empty())
      return "inverse-dynamics fits joint angles, and this scene has no joints; use trajectory";
    return "";
  }

  std::string Reason(const IdentifyRequest& /*request*/) const override {
    return "jointed bodies: maximum likelihood of joint angles in minimal coordinates";
  }

  Identification Run(const IdentifyRequest& request) const override {
    const auto began = std::chrono::steady_clock::now();
    Estimate estimate = EmptyEstimate(request, name());
    const MechanismOptions options = ReadMechanismOptions(request.options.method_options);
    if (options.compare_friction) {
      const FrictionComparison compared = CompareFriction(request.scene, request.recordings, request.parameters);
      const FrictionScore& best = compared.models[static_cast<std::size_t>(compared.recommended)];
      IdentifyRequest chosen{best.scene, request.recordings, best.parameters, request.options};
      chosen.options.method_options.erase(std::string(kCompareFriction.name));
      Identification found = Run(chosen);
      found.estimate.log.insert(found.estimate.log.begin(), compared.words);
      found.estimate.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
      return found;
    }
    const auto shared = std::make_shared<const JointedFamily>(request.scene, request.parameters);
    const JointedFamily& family = *shared;
    RefuseNumbers(family);
    ProfiledParameters(request, family.parameters().selected());
    std::vector<RecordedTrack> recorded;
    const auto track_of = [&](int i, RecordingUse& use) {
      const Recording& recording = request.recordings[static_cast<std::size_t>(i)];
      CheckInputs(family, recording, estimate);
      recorded.push_back({i, recording, MakeJointTrack(family.scene(), family.model(), family.mechanism(), recording)});
      use.used = true;
    };
    UseRecordings(request, "See the reason given for each recording.", track_of, estimate);
    if (options.paper) return RunPaper(request, shared, recorded, estimate, began);
    const auto posed = std::make_shared<MotionProblem>(shared, std::move(recorded));
    MotionProblem& problem = *posed;
    const Fit best = problem.Search();
    const JointedFit& fit = problem.fit();
    estimate.log = fit.log;
    estimate.iterations = fit.iterations;
    for (const OptimizerStage& stage : fit.trace)
      if (stage.cost.size() > 1 || estimate.trace.empty()) estimate.trace.push_back(stage);
    if (!best.found) {
      estimate.warnings.emplace_back(
          "no motion of the mechanism follows the recordings: check joints, axes, signs of angles, units and inputs");
      estimate.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
      return {std::move(estimate), request.scene};
    }
    estimate.converged = fit.converged && !fit.lost;
    estimate.cost = fit.cost;
    estimate.chi2_per_dof =
        2 * fit.cost /
        std::max(1, fit.observations - family.size() - 2 * family.dof() * static_cast<int>(fit.tracks.size()));
    ReportRecordings(problem, estimate);
    Eigen::MatrixXd covariance = AssessFit(problem, best, WithoutRepetitions(request), estimate);
    std::optional<Disturbance> disturbance;
    if (fit.exact && !fit.lost) disturbance = FindDisturbance(posed, best, options.torque_noise, estimate);
    Eigen::VectorXd values = disturbance ? disturbance->fit.point.values : fit.params;
    if (disturbance) covariance = disturbance->covariance;
    if (request.options.bootstrap > 0 || !request.options.profiles.empty())
      covariance = Repeat(request, problem, best, disturbance, estimate);
    values = KeepPossible(family, values, covariance, estimate);
    ReportParameters(family, fit, values, covariance, estimate);
    for (int k = 0; k < problem.blocks(); ++k) {
      const int index = problem.recording(k);
      EstimatedMotion motion{index, request.recordings[static_cast<std::size_t>(index)].time, {}};
      if (fit.Motion(k, motion.time, motion.joints)) estimate.motions.push_back(std::move(motion));
    }
    Scene calibrated = Calibrated(family, values, estimate);
    estimate.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return {std::move(estimate), std::move(calibrated)};
  }

 private:
  /// The fit with random torques.
  struct Disturbance {
    std::unique_ptr<DisturbedProblem> problem;
    Fit fit;
    Eigen::MatrixXd covariance;
  };

  /// The request without what repeats the fit.
  static IdentifyRequest WithoutRepetitions(IdentifyRequest request) {
    request.options.bootstrap = 0;
    request.options.profiles.clear();
    return request;
  }

  /// Bootstrap and profiles of the fit that is reported; the verdict stays. Random torques cannot be simulated, so a
  /// bootstrap of a fit that has them resamples recordings. Returns the covariance.
  static Eigen::MatrixXd Repeat(IdentifyRequest request, MotionProblem& problem, const Fit& best,
                                const std::optional<Disturbance>& disturbance, Estimate& estimate) {
    request.options.folds = 0;
    request.options.information = false;
    const Verdict verdict = estimate.verdict;
    if (!disturbance) return AssessFit(problem, best, request, estimate);
    if (const int fewest = std::max(kFewestRecordings, problem.parameters().size() + 2);
        request.options.bootstrap > 0 && problem.blocks() < fewest) {
      request.options.bootstrap = 0;
      estimate.warnings.push_back(
          fmt::format("no bootstrap: random torques are part of the model, which resamples recordings and needs at "
                      "least {}. Standard deviations are those of the likelihood",
                      fewest));
    }
    const Eigen::MatrixXd covariance = AssessFit(*disturbance->problem, disturbance->fit, request, estimate);
    estimate.verdict = verdict;
    return covariance;
  }

  /// The fit with random torques, where they explain more than chance does and nothing that was held explains it all;
  /// the verdict is then theirs.
  static std::optional<Disturbance> FindDisturbance(const std::shared_ptr<const MotionProblem>& calm, const Fit& best,
                                                    std::optional<double> given, Estimate& estimate) {
    if (given && *given == 0) return std::nullopt;
    std::optional<TorqueLevels> found;
    if (given) {
      found = TorqueLevels{Eigen::VectorXd::Constant(calm->family().dof(), *given), 0};
    } else {
      found = FindTorqueLevels(*calm, best);
      if (!found || found->gain < kSuspicious) return std::nullopt;
      const Verdict& verdict = estimate.verdict;
      if (!verdict.explanations.empty() && verdict.explanations.front().residual_over_noise &&
          *verdict.explanations.front().residual_over_noise < kExplained)
        return std::nullopt;
    }
    Disturbance out{std::make_unique<DisturbedProblem>(calm, found->levels), {}, {}};
    out.fit = out.problem->Search(best.held, &best.point);
    if (!out.fit.found || !out.fit.converged) return std::nullopt;
    out.covariance = out.fit.covariance;
    const Verdict verdict = JudgeFit(*out.problem, out.fit, out.covariance);
    if (verdict.level == VerdictLevel::kRejected) return std::nullopt;
    std::vector<std::string> levels;
    for (int k = 0; k < calm->family().dof(); ++k)
      if (found->levels[k] > 0)
        levels.push_back(fmt::format(
            "{:.3g} N m s^1/2 on {}", found->levels[k],
            calm->family().scene().joints[static_cast<std::size_t>(calm->family().mechanism().joint(k))].name));
    const std::string words = fmt::format("random torques of {}", JoinList(levels));
    estimate.log.push_back(
        fmt::format("{} are part of the model{}", words,
                    given ? "" : fmt::format(": twice the log likelihood rises by {:.3g}", found->gain)));
    if (!given && found->gain < kCertain && verdict.level == VerdictLevel::kGood) return out;
    estimate.verdict = verdict;
    if (!given)
      estimate.verdict.Lower(VerdictLevel::kLimited,
                             fmt::format("{} explain what the model leaves: the estimates and their standard "
                                         "deviations account for them",
                                         words));
    return out;
  }

  /// The paper's residuals, with the numbers of the motion itself beside them.
  static Identification RunPaper(const IdentifyRequest& request, const std::shared_ptr<const JointedFamily>& shared,
                                 const std::vector<RecordedTrack>& recorded, Estimate& estimate,
                                 std::chrono::steady_clock::time_point began) {
    const JointedFamily& family = *shared;
    std::vector<JointTrack> tracks;
    std::vector<int> indices;
    for (const RecordedTrack& each : recorded) {
      tracks.push_back(each.track);
      indices.push_back(each.index);
    }
    const Scene& scene = family.scene();
    const JointedInstance instance = family.Compile(family.start());
    for (int i = 0; i < family.size(); ++i)
      if (instance.IsOfSensors(i))
        throw InputError({}, request.parameters[static_cast<std::size_t>(i)].path,
                         "the paper's residuals have no errors of sensors.", "Set option `residual` to motion.");
    const double h = scene[scene.simulation.step];
    const std::optional<double> kappa = ReadMechanismOptions(request.options.method_options).kappa;
    ShadowProblem problem(shared, MakeShadowChains(family, tracks), indices, kappa);
    const Fit best = problem.Search();
    const ShadowFit& fit = problem.fit();
    const Eigen::MatrixXd covariance = AssessFit(problem, best, request, estimate);
    estimate.converged = fit.converged;
    estimate.cost = fit.cost;
    estimate.iterations = fit.iterations;
    estimate.log.push_back(fmt::format(
        "impulses of one step of spook of {:.3g} s, kappa {:.3g}{}: {} states, mean squares {:.3g} rad^2 of angles and "
        "{:.3g} (N m s)^2 of impulses",
        h, fit.kappa, kappa ? "" : " (from the sizes of both residuals)", fit.states, fit.observation_error,
        fit.impulse_error));
    for (std::size_t k = 0; k < tracks.size(); ++k)
      estimate.recordings[static_cast<std::size_t>(recorded[k].index)].noise_angle = std::sqrt(fit.observation_error);
    JointedFit motion(family, tracks);
    const bool found = motion.Run() && motion.converged && !motion.lost;
    const std::vector<std::string> names = family.parameters().paths();
    std::vector<std::string> beside, collapsed;
    for (int i = 0; i < family.size(); ++i) {
      EstimatedParameter& out = estimate.parameters[static_cast<std::size_t>(i)];
      if (!std::isfinite(covariance(i, i))) {
        out.combination = "it has no effect on the residuals by itself";
        continue;
      }
      GiveValue(fit.params[i], std::sqrt(covariance(i, i)), family.lower()[i], family.upper()[i], out, estimate);
      if (!found || motion.covariance(i, i) <= 0) continue;
      const double rigid = motion.params[i], off = fit.params[i] - rigid;
      if (HasInertia(family, i) && fit.params[i] < kCollapsed * rigid)
        collapsed.push_back(fmt::format("{} ({:.3g})", names[static_cast<std::size_t>(i)], fit.params[i]));
      beside.push_back(rigid != 0 ? fmt::format("{} {:.5g} here, {:.5g} +- {:.2g} from the motion ({:+.1f} %)",
                                                names[static_cast<std::size_t>(i)], fit.params[i], rigid,
                                                std::sqrt(motion.covariance(i, i)), 100 * off / std::abs(rigid))
                                  : fmt::format("{} {:.5g} here, 0 from the motion", names[static_cast<std::size_t>(i)],
                                                fit.params[i]));
    }
    estimate.covariance = covariance;
    estimate.warnings.push_back(fmt::format(
        "these are shadow parameters: they make one step of spook of {:.3g} s fit, and take up what the step and the "
        "compliance of the joints do wrong (order h; a step loses energy, which passes for friction and inertia). They "
        "suit simulation with this step only; option `residual` motion gives those of the mechanism{}{}",
        h, beside.empty() ? "" : ": ", JoinList(beside)));
    // A step takes friction away altogether, but no moment of inertia.
    double noise = 0;
    for (const JointTrack& track : motion.tracks)
      for (const JointChannel& channel : track.channels) noise = std::max(noise, channel.noise);
    const double missed = std::sqrt(fit.observation_error) / noise;
    const bool false_minimum = found && (!collapsed.empty() || missed > kMissed);
    if (false_minimum && fit.converged)
      estimate.warnings.insert(
          estimate.warnings.begin(),
          fmt::format("the paper's residuals ended in a false minimum: {}",
                      collapsed.empty() ? fmt::format("residuals of the angles are {:.3g} times their noise", missed)
                                        : fmt::format("{} has lost its inertia", JoinList(collapsed))));
    estimate.converged = fit.converged && !false_minimum;
    if (!fit.converged)
      estimate.warnings.insert(estimate.warnings.begin(),
                               "the paper's residuals did not converge: with compliance below about 1e-5 they are too "
                               "curved (Spook sec. 4.7)");
    estimate.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return {std::move(estimate), family.parameters().Apply(fit.params)};
  }

  static bool HasInertia(const JointedFamily& family, int i) {
    const Quantity kind = family.parameters().quantity(i);
    return kind == Quantity::kInertia || kind == Quantity::kMass;
  }

  /// Numbers without a part in the motion are refused before anything is fitted.
  static void RefuseNumbers(const JointedFamily& family) {
    const JointedInstance instance = family.Compile(family.start());
    for (int i = 0; i < family.size(); ++i) {
      if (!instance.parameters[static_cast<std::size_t>(i)].none || instance.IsOfSensors(i)) continue;
      const SceneNumber number = family.scene().number(family.parameters().selected(i).numerator);
      throw InputError(number.where, number.path,
                       "it has no effect on the rigid motion of joints that inverse-dynamics fits.",
                       "Leave it out of the requested parameters.");
    }
  }

  /// A motor whose input was not recorded: its gain cannot be requested; otherwise the motor counts as off.
  static void CheckInputs(const JointedFamily& family, const Recording& recording, Estimate& estimate) {
    for (const Joint& joint : family.scene().joints) {
      if (!joint.motor || recording.Find(joint.motor->input) >= 0) continue;
      for (const SelectedParameter& selected : family.parameters().selected())
        if (selected.numerator == joint.motor->gain || selected.denominator == joint.motor->gain ||
            selected.factor == joint.motor->gain)
          throw InputError(
              {recording.file, 0, 0}, joint.motor->input,
              fmt::format("the recording has no column `{}`, the input of the motor of {} whose gain is requested.",
                          joint.motor->input, joint.name),
              "Record the input, or leave the gain out of the requested parameters.");
      estimate.warnings.push_back(fmt::format("{}: no column `{}`, so the motor of {} counts as off",
                                              recording.file.empty() ? "recording" : recording.file, joint.motor->input,
                                              joint.name));
    }
  }

  static void ReportRecordings(const MotionProblem& problem, Estimate& estimate) {
    const JointedFit& fit = problem.fit();
    if (fit.lost)
      estimate.warnings.emplace_back(
          "no motion of the model follows the recordings. A parameter that was not requested is probably wrong, or a "
          "recorded column has another unit or sign than in the scene");
    else if (fit.misfit > kMisfit)
      estimate.warnings.push_back(fmt::format(
          "residuals are {:.3g} times the difference of neighboring rows: the model may not explain the data",
          fit.misfit));
    if (!fit.converged) estimate.warnings.emplace_back("the fit reached its limit of iterations");
    if (!fit.exact)
      estimate.warnings.push_back(
          fmt::format("no single motion follows a whole recording: states are free to {:.0e} of the noise every 0.1 s. "
                      "Either the motion is too unstable for its length, or the model does not explain the data; "
                      "standard deviations are those of this looser fit",
                      fit.tie));
    for (std::size_t k = 0; k < fit.tracks.size(); ++k) {
      const JointTrack& track = fit.tracks[k];
      RecordingUse& use = estimate.recordings[static_cast<std::size_t>(problem.recording(static_cast<int>(k)))];
      use.chi2_per_dof = fit.chi2[k] / std::max<double>(1, static_cast<double>(track.observations.size()));
      bool known = false;
      for (const JointChannel& channel : track.channels) {
        if (!channel.rate) use.noise_angle = std::max(use.noise_angle.value_or(0), channel.noise);
        known = known || channel.rounded || channel.given;
        if (channel.rounded)
          estimate.log.push_back(fmt::format(
              "{}: {} is rounded to {:.6g} ({:.5g} steps per turn): {} instants and rows where the count determines "
              "the angle are used in place of {} rows",
              track.name, channel.name, channel.quantum, 2 * M_PI / channel.quantum, channel.observations, track.rows));
      }
      if (known && *use.chi2_per_dof > kExcess)
        estimate.warnings.push_back(
            fmt::format("{}: residuals are {:.3g} times the noise; standard deviations were enlarged by that factor, "
                        "but the model does not explain the data",
                        track.name, std::sqrt(*use.chi2_per_dof)));
    }
    if (!fit.white)
      estimate.warnings.emplace_back(
          "standard deviations are computed from sums over blocks of time, because neighboring residuals are "
          "correlated");
  }

  static void ReportParameters(const JointedFamily& family, const JointedFit& fit, const Eigen::VectorXd& values,
                               const Eigen::MatrixXd& covariance, Estimate& estimate) {
    const std::vector<std::string> names = family.parameters().paths();
    const std::vector<IdentifiableSum> sums = IdentifiableSums(fit.held);
    std::vector<char> held(names.size(), 0);
    for (const HeldNumber& entry : fit.held) held[static_cast<std::size_t>(entry.pivot)] = 1;
    std::vector<int> source;
    for (int i = 0; i < family.size(); ++i) {
      EstimatedParameter& out = estimate.parameters[static_cast<std::size_t>(i)];
      out.combination = DescribeSums(sums, i, names);
      if (out.combination.empty() && held[static_cast<std::size_t>(i)])
        out.combination = "not identifiable from the recorded motion; held at its start value";
      const bool identified = out.combination.empty();
      if (identified)
        GiveValue(values[i], std::sqrt(covariance(i, i)), family.lower()[i], family.upper()[i], out, estimate);
      source.push_back(identified ? i : -1);
    }
    // The sums, as entries of their own.
    for (const IdentifiableSum& sum : sums) {
      EstimatedParameter out;
      out.path = sum.Text(names);
      out.terms = sum.Terms(names);
      out.unit = UnitOf(family.scene(), family.parameters().selected(sum.leading));
      out.value = sum.Value(values);
      out.std = std::sqrt(covariance(sum.leading, sum.leading));
      out.start = sum.Value(family.start());
      out.identifiable = true;
      estimate.parameters.push_back(std::move(out));
      source.push_back(sum.leading);
    }
    PlaceCovariance(source, covariance, estimate);
    std::vector<std::string> alone;
    for (const HeldNumber& entry : fit.held) {
      const std::string& name = names[static_cast<std::size_t>(entry.pivot)];
      if (entry.moves.empty())
        alone.push_back(name);
      else
        estimate.warnings.push_back(fmt::format("{} is not identifiable: {}. It is held at {:.6g}", name,
                                                DescribeSums(sums, entry.pivot, names), values[entry.pivot]));
    }
    if (!alone.empty())
      estimate.warnings.push_back(fmt::format("{} is not identifiable from the recordings: held at the scene's value{}",
                                              JoinList(alone), alone.size() > 1 ? "s" : ""));
  }

  /// How far moment i of a body exceeds the sum of the other two at `at`, and the direction of the numbers in which it
  /// changes.
  static double Excess(const JointedFamily& family, const Eigen::VectorXd& values, const Body& body, int i,
                       Eigen::VectorXd& by) {
    const Scene at = family.parameters().Apply(values);
    const Eigen::MatrixXd pivot_by_value = family.parameters().PivotByValue(values);
    by.setZero(family.size());
    double sum = 0;
    for (int j = 0; j < 3; ++j) {
      const double sign = j == i ? 1 : -1;
      sum += sign * at[body.inertia[static_cast<std::size_t>(j)]];
      for (int k = 0; k < family.size(); ++k)
        if (family.parameters().pivots()[static_cast<std::size_t>(k)] == body.inertia[static_cast<std::size_t>(j)])
          by += sign * pivot_by_value.row(k).transpose();
    }
    return sum;
  }

  /// Moments that break the triangle inequality within their noise go back to its edge, the other numbers with them as
  /// their covariance says: the likeliest numbers that a body can have, to first order.
  static Eigen::VectorXd KeepPossible(const JointedFamily& family, Eigen::VectorXd values,
                                      const Eigen::MatrixXd& covariance, Estimate& estimate) {
    Eigen::VectorXd by;
    for (const Body& body : family.scene().bodies) {
      if (body.fixed || body.inertia.size() != 3) continue;
      for (int i = 0; i < 3; ++i) {
        const double excess = Excess(family, values, body, i, by);
        const double variance = by.dot(covariance * by);
        if (excess <= 0 || !(variance > 0) || excess > kBeyondNoise * std::sqrt(variance)) continue;
        const Eigen::VectorXd moved = values - covariance * by * (excess * (1 + 1e-6) / variance);
        if (moved != family.parameters().Clamp(moved)) continue;
        values = moved;
        estimate.log.push_back(
            fmt::format("bodies.{}.inertia: moment {} exceeded the sum of the others by {:.2g} (standard deviation "
                        "{:.2g}); the reported values are the likeliest that a body can have",
                        body.name, i, excess, std::sqrt(variance)));
      }
    }
    return values;
  }

  /// The scene at the estimate. Moments that were not estimated move until a body can have them; where estimated ones
  /// break the triangle inequality, a warning says so.
  static Scene Calibrated(const JointedFamily& family, const Eigen::VectorXd& values, Estimate& estimate) {
    Scene scene = family.parameters().Apply(values);
    const std::vector<NumberId>& pivots = family.parameters().pivots();
    const auto estimated = [&](NumberId id) {
      for (std::size_t i = 0; i < pivots.size(); ++i)
        if (pivots[i] == id) return estimate.parameters[i].identifiable;
      return false;
    };
    for (const MovedMoments& moved : MakeMomentsPossible(estimated, scene)) {
      const auto& [b0, b1, b2] = moved.before;
      const auto& [a0, a1, a2] = moved.after;
      estimate.warnings.push_back(
          moved.broken
              ? fmt::format("the moments of {} ({:.5g}, {:.5g}, {:.5g}) break the triangle inequality by far more than "
                            "their standard deviations: no body has them, so a moment that was not estimated, or the "
                            "model, is wrong. The calibrated scene has ({:.5g}, {:.5g}, {:.5g}), the nearest that a "
                            "body can have",
                            moved.body, b0, b1, b2, a0, a1, a2)
              : fmt::format("bodies.{}.inertia: moments that were not estimated were moved to ({:.5g}, {:.5g}, {:.5g}) "
                            "in the calibrated scene, so that a body can have them",
                            moved.body, a0, a1, a2));
    }
    return scene;
  }
};

}  // namespace

const Estimator& InverseDynamics() {
  static const InverseDynamicsEstimator estimator;
  return estimator;
}

}  // namespace ricochet
