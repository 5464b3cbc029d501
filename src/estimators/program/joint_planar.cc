// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `joint` (Gabiccini eq. 27): the program of joint_program.h as an estimator; see docs/theory/joint.md.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>

#include "estimators/assess_fit.h"
#include "estimators/estimate_report.h"
#include "estimators/planar/planar_family.h"
#include "estimators/planar/planar_report.h"
#include "estimators/planar_trajectory/track_mistakes.h"
#include "estimators/program/joint_planar.h"
#include "estimators/program/joint_problem.h"
#include "observation/sensor.h"

namespace ricochet {
namespace {

constexpr double kDisagree = 1.25;  // chi^2 per degree of freedom above which recordings have no common numbers

/// The track in lengths and times of the scene: what `observe` did to it is undone.
PlanarTrack UndoObservation(const Scene& scene, int body, PlanarTrack track) {
  const ObservationNumbers numbers = FindObservationNumbers(scene);
  const PlanarSensor<double> sensor(numbers.frames[static_cast<std::size_t>(body)], scene);
  for (Eigen::Vector3d& pose : track.pose) pose = sensor.BodyPose(pose);
  for (double& time : track.time) time -= numbers.delay ? scene[numbers.delay] : 0.0;
  // The error of the angle moves the body frame about the tracked one.
  if (track.noise_given)
    track.noise_position = std::hypot(track.noise_position / sensor.length_scale(),
                                      std::numbers::sqrt2 / 2 * sensor.place().norm() * track.noise_angle);
  return track;
}

class PlanarJointEstimator final : public Estimator {
 public:
  EstimatorInfo info() const override {
    return {.name = "joint",
            .summary = "motion, impulses and parameters of one planar body as one optimization problem with "
                       "complementarity constraints",
            .paper = "Gabiccini eq. 27",
            .planar = true};
  }

  std::string Refusal(const IdentifyRequest& request) const override {
    if (request.scene.space != Space::kPlanar) return "it is for planar scenes; use trajectory";
    if (static_cast<int>(request.parameters.size()) > kJointParams)
      return fmt::format("at most {} parameters at once; use trajectory", kJointParams);
    for (const SelectedParameter& selected : request.parameters)
      if (selected.path.starts_with("observe"))
        return fmt::format("{} is not part of the program; use trajectory", selected.path);
    return "";
  }

  Identification Run(const IdentifyRequest& request) const override {
    const auto began = std::chrono::steady_clock::now();
    const int body = MovingPlanarBody(request.scene);
    const MassRefusal refusal = RefuseMass(request);
    RefuseMassAlone(request, refusal);
    ProfiledParameters(request, refusal.parameters);  // refuses what has none before the search
    const auto shared = std::make_shared<const PlanarFamily>(request.scene, refusal.parameters, body);
    const PlanarFamily& family = *shared;
    Estimate estimate = EmptyEstimate(request, name());
    estimate.converged = true;
    const double size =
        family.Motion<double>({family.start().data(), static_cast<std::size_t>(family.size())}).body().size;

    std::vector<JointProblem::Block> blocks;
    const auto fit_one = [&](int i, RecordingUse& use) {
      const Recording& recording = request.recordings[static_cast<std::size_t>(i)];
      const bool alone = request.recordings.size() == 1;
      const PlanarTrack seen = MakePlanarTrack(request.scene, recording, body);
      if (alone) {
        // What commonly goes wrong with recordings is said before the program is tried on it in vain.
        const std::string mistake = FindMistake(request.scene, body, seen);
        if (!mistake.empty()) throw InputError({recording.file, 0, 0}, "", mistake, "");
      }
      const PlanarTrack track = UndoObservation(request.scene, body, seen);
      PlanarTrack scatter = track;
      EstimateNoise(FreeAcceleration(family), scatter);
      JointFit fit = FitJoint(family, track, {.seed = request.seed});
      estimate.log.insert(estimate.log.end(), fit.log.begin(), fit.log.end());
      bool wrong = !fit.usable;
      if (fit.usable) {
        const PlanarTrack& used = fit.program->chains()[0].track;
        const double excess = fit.noise_estimated
                                  ? std::max(used.noise_position / std::max(scatter.noise_position, 2e-6 * size),
                                             used.noise_angle / std::max(scatter.noise_angle, 2e-6))
                                  : std::sqrt(fit.chi2 / std::max(1.0, fit.degrees_of_freedom));
        const bool exact = used.noise_position < 1e-4 * size;
        wrong = used.noise_position > 0.1 * size || used.noise_angle > 0.25 || (excess > kWrongNoise && !exact) ||
                (track.size() >= 12 && LagCorrelation(fit.residuals[0]) > kCorrelated && !exact) ||
                fit.degrees_of_freedom < 3;
      }
      const bool false_minimum = fit.usable && fit.exact_gain > kFalseMinimum;
      wrong = wrong || false_minimum;
      if (wrong) {
        use.reason = !fit.usable ? fit.problem
                     : false_minimum
                         ? fmt::format(
                               "the program ended in a false minimum: exact motion is likelier by {:.3g} in "
                               "twice the log-likelihood; use method trajectory",
                               fit.exact_gain)
                         : "no start of the optimization reached the noise: the residuals are systematic";
        if (!alone) return;
        if (!fit.usable)
          throw InputError({recording.file, 0, 0}, "", fit.problem + ".",
                           "Record the throw until after the first impact; check the scene's surfaces.");
        estimate.warnings.push_back(fmt::format("{}: {}", recording.file, use.reason));
      }
      use.used = true;
      const JointChain& chain = fit.program->chains()[0];
      use.rejected_rows = static_cast<int>(std::count(chain.rejected.begin(), chain.rejected.end(), 1));
      use.chi2_per_dof = fit.chi2 / std::max(1.0, fit.degrees_of_freedom);
      use.noise_position = chain.track.noise_position;
      use.noise_angle = chain.track.noise_angle;
      estimate.converged = estimate.converged && fit.converged && !wrong;
      estimate.iterations += fit.iterations;
      blocks.push_back({i, std::move(fit)});
    };
    UseRecordings(request, "See the reason given for each recording; record impacts on the scene's surfaces.", fit_one,
                  estimate);

    JointProblem problem(shared, std::move(blocks));
    const Fit fit = problem.Search();
    const JointFit solution = problem.solution();
    estimate.converged = estimate.converged && fit.converged;
    if (problem.blocks() > 1) {
      estimate.converged =
          estimate.converged && (Agree(solution) || solution.chi2 <= kDisagree * solution.degrees_of_freedom);
      estimate.iterations += solution.iterations;
      if (!Agree(solution))
        estimate.warnings.push_back(
            fmt::format("the recordings disagree: chi2/dof is {:.3g} together, though each fits alone",
                        solution.chi2 / solution.degrees_of_freedom));
    }
    estimate.trace = solution.program->trace;
    estimate.cost = 0.5 * solution.chi2;
    estimate.chi2_per_dof = solution.chi2 / std::max(1.0, solution.degrees_of_freedom);
    if (!estimate.converged)
      estimate.warnings.push_back("the program did not reach a point that satisfies all its conditions");
    const std::vector<std::optional<double>> lowest = problem.lowest();
    const Eigen::MatrixXd covariance = AssessFit(problem, fit, request, estimate);
    PlaceEstimates(refusal, Values(family, fit, covariance, lowest, estimate), covariance, estimate);
    AddMotion(request, family, problem, solution, estimate);
    estimate.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return {std::move(estimate), family.Calibrated(fit.point.values)};
  }

 private:
  static std::vector<EstimatedParameter> Values(const PlanarFamily& family, const Fit& fit,
                                                const Eigen::MatrixXd& covariance,
                                                const std::vector<std::optional<double>>& lowest, Estimate& estimate) {
    std::vector<EstimatedParameter> found;
    for (int i = 0; i < family.size(); ++i) {
      EstimatedParameter& parameter =
          found.emplace_back(UnidentifiedParameter(family.scene(), family.parameters().selected(i), family.start()[i]));
      if (const std::optional<double>& lower = lowest[static_cast<std::size_t>(i)]) {
        parameter.lower = *lower;
        parameter.combination =
            fmt::format("the contacts stick: friction is at least {:.3g}, and the data set no upper limit", *lower);
      } else if (fit.held[static_cast<std::size_t>(i)] || !std::isfinite(covariance(i, i))) {
        parameter.combination = "it has no effect of its own on the recorded motion";
      } else {
        GiveValue(fit.point.values[i], std::sqrt(covariance(i, i)), family.lower()[i], family.upper()[i], parameter,
                  estimate);
      }
    }
    return found;
  }

  static void AddMotion(const IdentifyRequest& request, const PlanarFamily& family, const JointProblem& problem,
                        const JointFit& fit, Estimate& estimate) {
    const Scene& scene = request.scene;
    const JointProgram& program = *fit.program;
    const PlanarModel<double> model =
        family.Compile<double>({program.params().data(), static_cast<std::size_t>(family.size())});
    for (std::size_t c = 0; c < program.chains().size(); ++c) {
      const JointChain& chain = program.chains()[c];
      const int index = problem.recording(static_cast<int>(c));
      // Recorded poses of the body frame plus residuals are the fitted ones.
      const PlanarTrack recorded =
          MakePlanarTrack(scene, request.recordings[static_cast<std::size_t>(index)], family.body());
      const PlanarSensor<double> sensor(FindObservationNumbers(scene).frames[static_cast<std::size_t>(family.body())],
                                        scene);
      EstimatedMotion motion{index, recorded.time, {}};
      for (int i = 0; i < chain.track.size(); ++i) {
        Eigen::Vector3d pose = chain.track.pose[static_cast<std::size_t>(i)];
        for (int k = 0; k < 3; ++k) pose[k] += fit.residuals[c][3 * i + k] * chain.track.Noise(k);
        pose = sensor.PoseOfBody(pose);
        motion.pose.push_back({pose[0], pose[1], pose[2]});
      }
      estimate.motions.push_back(std::move(motion));
      for (int k = 1; k + 1 < static_cast<int>(chain.nodes.size()); ++k) {
        const JointNode& node = chain.nodes[static_cast<std::size_t>(k)];
        for (int i = 0; i < node.contact_count; ++i) {
          const JointContact& contact = node.contacts[static_cast<std::size_t>(i)];
          const EventCandidate<double>& candidate =
              program.body().candidates[static_cast<std::size_t>(contact.candidate)];
          const PlanarPair<double>& pair = model.pairs[static_cast<std::size_t>(candidate.pair)];
          double load = 0, tangential = 0;
          bool slides = false;
          for (int j = 0; j < node.contact_count; ++j)
            if (program.body()
                    .candidates[static_cast<std::size_t>(node.contacts[static_cast<std::size_t>(j)].candidate)]
                    .group == candidate.group)
              load += node.contacts[static_cast<std::size_t>(j)].impulse;
          for (int g = 0; g < node.friction_count; ++g)
            if (node.frictions[static_cast<std::size_t>(g)].group == candidate.group) {
              // Friction of a surface belongs to its contacts in proportion to their load.
              tangential = load > 0 ? node.frictions[static_cast<std::size_t>(g)].impulse * contact.impulse / load : 0;
              slides = node.frictions[static_cast<std::size_t>(g)].slip != 0;
            }
          const bool impact = !chain.Lasts(k - 1);
          const double duration = impact ? 0.0
                                         : 0.5 * (chain.nodes[static_cast<std::size_t>(k) + 1].time -
                                                  chain.nodes[static_cast<std::size_t>(k) - 1].time);
          estimate.impulses.push_back({index, node.time - 0.5 * duration, duration, PairName(scene, pair),
                                       candidate.contact, contact.impulse, tangential, slides});
        }
      }
    }
  }
};

}  // namespace

const Estimator& PlanarJoint() {
  static const PlanarJointEstimator estimator;
  return estimator;
}

}  // namespace ricochet
