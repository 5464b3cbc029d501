// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `joint` (Gabiccini eq. 27): the program of joint_program.h as an estimator; see docs/joint.md.
#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <optional>

#include "core/random.h"
#include "estimators/estimate_report.h"
#include "estimators/planar/planar_report.h"
#include "estimators/planar_trajectory/track_mistakes.h"
#include "estimators/planar_trajectory/track_start.h"
#include "estimators/program/joint_fit.h"
#include "estimators/program/joint_planar.h"
#include "estimators/program/joint_schedule.h"
#include "inference/bootstrap.h"
#include "math/dense.h"
#include "math/statistics.h"
#include "observation/sensor.h"
#include "optimize/covariance.h"

namespace ricochet {
namespace {

constexpr double kSurelySlides = 6;  // standard deviations of a slip that no sticking fit can explain
constexpr double kDisagree = 1.25;   // chi^2 per degree of freedom above which recordings have no common numbers
constexpr double kQuantile = 1.645;  // of the normal distribution, one side, 95 %

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

/// Normal equations at the solution with the equalities as good as hard.
bool Information(const JointFit& fit, BorderedBand& system) {
  JointProgram copy = *fit.program;
  return FactorInformation(copy, system);
}

struct Needed {
  bool slides = false;
  double lower = 0;  // friction below this would have slid (95 %)
};

/// What the contacts that stick need of friction: |ct| / cn less its uncertainty, the largest of all.
Needed FrictionNeeded(const JointFit& fit) {
  Needed out;
  BorderedBand system;
  const bool known = Information(fit, system);
  struct Demand {
    double ratio;
    int chain, node, friction;
  };
  std::vector<Demand> demands;
  const JointProgram& program = *fit.program;
  for (int c = 0; c < static_cast<int>(program.chains().size()); ++c) {
    const std::vector<JointNode>& nodes = program.chains()[static_cast<std::size_t>(c)].nodes;
    for (int k = 1; k + 1 < static_cast<int>(nodes.size()); ++k) {
      const JointNode& node = nodes[static_cast<std::size_t>(k)];
      for (int g = 0; g < node.friction_count; ++g) {
        if (node.frictions[static_cast<std::size_t>(g)].slip != 0) {
          out.slides = true;
          continue;
        }
        double load = 0;
        for (int i = 0; i < node.contact_count; ++i) load += node.contacts[static_cast<std::size_t>(i)].impulse;
        if (load > 0)
          demands.push_back({std::abs(node.frictions[static_cast<std::size_t>(g)].impulse) / load, c, k, g});
      }
    }
  }
  std::sort(demands.begin(), demands.end(), [](const Demand& a, const Demand& b) { return a.ratio > b.ratio; });
  if (demands.size() > 50) demands.resize(50);
  for (const Demand& demand : demands) {
    const JointNode& node =
        program.chains()[static_cast<std::size_t>(demand.chain)].nodes[static_cast<std::size_t>(demand.node)];
    double load = 0;
    for (int i = 0; i < node.contact_count; ++i) load += node.contacts[static_cast<std::size_t>(i)].impulse;
    Eigen::VectorXd slope = Eigen::VectorXd::Zero(program.unknowns() + program.family().size());
    const double ct = node.frictions[static_cast<std::size_t>(demand.friction)].impulse;
    slope[program.IndexOf(demand.chain, demand.node, 4 + kJointContacts + demand.friction)] = (ct < 0 ? -1 : 1) / load;
    for (int i = 0; i < node.contact_count; ++i)
      slope[program.IndexOf(demand.chain, demand.node, 4 + i)] = -demand.ratio / load;
    const double std = known ? std::sqrt(std::max(0.0, slope.dot(system.Solve(slope)))) : 0.0;
    out.lower = std::max(out.lower, demand.ratio - kQuantile * std);
  }
  return out;
}

/// The fit with friction held at a value at which contacts stick, as far as they then do; infinite chi^2 when there is
/// none.
JointFit HoldFriction(const JointFit& fit, int index, double friction) {
  JointProgram program = *fit.program;
  for (JointChain& chain : program.chains())
    for (JointNode& node : chain.nodes)
      for (JointFriction& contact : node.frictions) contact.slip = 0;
  Eigen::VectorXd state = program.State();
  state[program.unknowns() + index] = friction;
  program.SetState(state);
  program.held()[static_cast<std::size_t>(index)] = 1;
  JointFit out = RefitJoint(fit, program);
  if (!out.converged) out.chi2 = INFINITY;
  return out;
}

/// The largest slip of a contact that slides, in its standard deviations: what it would cost to make it stick, squared.
double LargestSlip(const JointFit& fit) {
  BorderedBand system;
  if (!Information(fit, system)) return 0;
  double largest = 0;
  const JointProgram& program = *fit.program;
  for (int c = 0; c < static_cast<int>(program.chains().size()); ++c) {
    const JointChain& chain = program.chains()[static_cast<std::size_t>(c)];
    for (int k = 1; k + 1 < static_cast<int>(chain.nodes.size()); ++k) {
      const JointNode& node = chain.nodes[static_cast<std::size_t>(k)];
      // The beginnings of contacts: what follows in lasting contact slides on.
      if (node.friction_count == 0 || node.frictions[0].slip == 0 || chain.Lasts(k - 1)) continue;
      const int candidate = node.contacts[0].candidate;
      JointChain step;
      step.step = chain.step;
      step.nodes = {node, chain.nodes[static_cast<std::size_t>(k) + 1]};
      const double slip = program.Slip(step, 0, candidate);
      Eigen::VectorXd slope = Eigen::VectorXd::Zero(program.unknowns() + program.family().size());
      for (int side = 0; side < 2; ++side)
        for (int i = 0; i < 4; ++i) {
          const int index = program.IndexOf(c, k + side, i);
          if (index < 0) continue;
          JointNode& moved = step.nodes[static_cast<std::size_t>(side)];
          double& value = i < 3 ? moved.q[i] : moved.time;
          const double kept = value, change = i < 3 ? 1e-7 : 1e-3 * (step.nodes[1].time - step.nodes[0].time);
          value = kept + change;
          const double more = program.Slip(step, 0, candidate);
          value = kept - change;
          slope[index] = (more - program.Slip(step, 0, candidate)) / (2 * change);
          value = kept;
        }
      largest = std::max(largest, std::abs(slip) / std::sqrt(std::max(slope.dot(system.Solve(slope)), 1e-300)));
    }
  }
  return largest;
}

/// Friction that the data do not bound from above: the contacts may stick as well. Then the fit becomes the one in
/// which they do, as the simpler of two that explain the poses, and the result is what it needs of friction at least.
std::optional<double> PreferSticking(JointFit& fit, int index) {
  Needed needed = FrictionNeeded(fit);
  if (!needed.slides) return needed.lower;
  if (LargestSlip(fit) > kSurelySlides) return std::nullopt;
  JointFit stuck = HoldFriction(fit, index, 1.5 * fit.program->params()[index] + 0.1);
  if (stuck.chi2 - fit.chi2 > kChi2OneSided) return std::nullopt;
  DescribeFit(stuck);
  stuck.iterations += fit.iterations;
  stuck.start = fit.start;
  fit = std::move(stuck);
  return FrictionNeeded(fit).lower;
}

class PlanarJointEstimator final : public Estimator {
 public:
  EstimatorInfo info() const override {
    return {.name = "joint",
            .summary = "motion, impulses and parameters of one planar body as one program with complementarity",
            .paper = "Gabiccini eq. 27",
            .planar = true};
  }

  std::string Refusal(const IdentifyRequest& request) const override {
    if (request.scene.space != Space::kPlanar) return "it is for planar scenes; use trajectory";
    if (static_cast<int>(request.wanted.size()) > kJointParams)
      return fmt::format("at most {} numbers at once; use trajectory", kJointParams);
    for (const SelectedParameter& selected : request.wanted)
      if (selected.path.starts_with("observe"))
        return fmt::format("{} is not part of the program; use trajectory", selected.path);
    return "";
  }

  std::string OptionRefusal(const IdentifyRequest& /*request*/, std::string_view option) const override {
    return option == "bootstrap" ? "" : "joint does not know it.";
  }

  Identification Run(const IdentifyRequest& request) const override {
    const auto began = std::chrono::steady_clock::now();
    const int body = MovingPlanarBody(request.scene);
    const MassRefusal refusal = RefuseMass(request);
    RefuseMassAlone(request, refusal);
    const PlanarFamily family(request.scene, refusal.wanted, body);
    Estimate estimate = EmptyEstimate(request, name());
    estimate.converged = true;
    const double size =
        family.Motion<double>({family.start().data(), static_cast<std::size_t>(family.size())}).body().size;

    std::vector<JointFit> fits;
    std::vector<int> recording_of;
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
      JointFit fit = FitJoint(family, track, {.seed = request.options.seed});
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
      if (wrong) {
        use.reason = fit.usable ? "no motion of the program explains it: the residuals are systematic" : fit.problem;
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
      fits.push_back(std::move(fit));
      recording_of.push_back(i);
    };
    UseRecordings(request, "See the reasons of each recording; record impacts on the scene's surfaces.", fit_one,
                  estimate);

    JointFit fit = fits.size() == 1 ? fits[0] : FitJointly(family, fits);
    if (fits.size() > 1) {
      estimate.converged =
          estimate.converged && fit.converged && (Agree(fit) || fit.chi2 <= kDisagree * fit.degrees_of_freedom);
      estimate.iterations += fit.iterations;
      if (!Agree(fit))
        estimate.warnings.push_back(
            fmt::format("the recordings disagree: chi2/dof is {:.3g} together, though each fits alone",
                        fit.chi2 / fit.degrees_of_freedom));
    }
    estimate.trace = fit.program->trace;
    estimate.cost = 0.5 * fit.chi2;
    estimate.chi2_per_dof = fit.chi2 / std::max(1.0, fit.degrees_of_freedom);
    if (!estimate.converged)
      estimate.warnings.push_back("the program did not reach a point that satisfies all its conditions");
    std::vector<std::optional<double>> lowest(static_cast<std::size_t>(family.size()));
    for (int i = 0; i < family.size(); ++i)
      if (family.role(i) == PlanarRole::kFriction) lowest[static_cast<std::size_t>(i)] = PreferSticking(fit, i);
    Report(request, refusal, family, fit, lowest, estimate);
    AddMotion(request, family, fit, recording_of, estimate);
    const Eigen::VectorXd params = fit.program->params();
    estimate.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return {std::move(estimate), family.Calibrated(params)};
  }

 private:
  /// Solutions for poses simulated at the estimate with its noise: their scatter.
  static BootstrapResult BootstrapFit(const JointFit& fit, const IdentifyOptions& options) {
    const auto p = static_cast<int>(fit.program->family().size());
    return Bootstrap(options, p, [&](int k, Eigen::VectorXd& params) {
      Random random(options.seed, 2000 + static_cast<std::uint64_t>(k));
      JointProgram program = *fit.program;
      for (std::size_t c = 0; c < program.chains().size(); ++c) {
        PlanarTrack& track = program.chains()[c].track;
        for (int i = 0; i < track.size(); ++i)
          for (int j = 0; j < 3; ++j)
            track.pose[static_cast<std::size_t>(i)][j] +=
                track.Noise(j) * (fit.residuals[c][3 * i + j] + random.Normal());
      }
      const JointFit again = RefitJoint(fit, program);
      params = again.program->params();
      return again.converged;
    });
  }

  static void Report(const IdentifyRequest& request, const MassRefusal& refusal, const PlanarFamily& family,
                     const JointFit& fit, const std::vector<std::optional<double>>& lowest, Estimate& estimate) {
    const int p = family.size();
    const Eigen::VectorXd params = fit.program->params();
    BorderedBand system;
    ParameterInformation information;
    information.determined.assign(static_cast<std::size_t>(p), false);
    information.covariance = Eigen::MatrixXd::Constant(p, p, NAN);
    if (Information(fit, system)) {
      const Eigen::MatrixXd unit = family.scale().asDiagonal();
      const SymmetricEigen eigen = EigenOfSymmetric(unit * system.schur() * unit);
      const Eigen::MatrixXd root = eigen.Root().transpose() * family.scale().cwiseInverse().asDiagonal();
      information = AnalyzeInformation(root, family.scale(), 1e-7);
    } else {
      estimate.converged = false;
    }
    Eigen::MatrixXd covariance = fit.student.asDiagonal() * information.covariance * fit.student.asDiagonal();
    if (request.options.bootstrap > 0)
      TakeBootstrap(request.options, BootstrapFit(fit, request.options), covariance, estimate);
    std::vector<EstimatedParameter> found;
    for (int i = 0; i < p; ++i) {
      EstimatedParameter& parameter =
          found.emplace_back(UntoldNumber(request.scene, family.parameters().selected(i), family.start()[i]));
      if (family.role(i) == PlanarRole::kFriction) {
        if (const std::optional<double>& lower = lowest[static_cast<std::size_t>(i)]) {
          parameter.lower = *lower;
          parameter.combination =
              fmt::format("the contacts stick: friction is at least {:.3g}, and nothing tells more", *lower);
          continue;
        }
      }
      if (!information.determined[static_cast<std::size_t>(i)] || !std::isfinite(covariance(i, i))) {
        parameter.combination = "it has no effect of its own on the recorded motion";
        continue;
      }
      GiveValue(params[i], std::sqrt(covariance(i, i)), family.lower()[i], family.upper()[i], parameter, estimate);
    }
    PlaceEstimates(refusal, found, covariance, estimate);
  }

  static void AddMotion(const IdentifyRequest& request, const PlanarFamily& family, const JointFit& fit,
                        const std::vector<int>& recording_of, Estimate& estimate) {
    const Scene& scene = request.scene;
    const JointProgram& program = *fit.program;
    const PlanarModel<double> model =
        family.Compile<double>({program.params().data(), static_cast<std::size_t>(family.size())});
    for (std::size_t c = 0; c < program.chains().size(); ++c) {
      const JointChain& chain = program.chains()[c];
      // Recorded poses of the body frame plus residuals are the fitted ones.
      const PlanarTrack recorded =
          MakePlanarTrack(scene, request.recordings[static_cast<std::size_t>(recording_of[c])], family.body());
      const PlanarSensor<double> sensor(FindObservationNumbers(scene).frames[static_cast<std::size_t>(family.body())],
                                        scene);
      EstimatedMotion motion{recording_of[c], recorded.time, {}};
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
          estimate.impulses.push_back({recording_of[c], node.time - 0.5 * duration, duration,
                                       scene.bodies[static_cast<std::size_t>(pair.body)].name + "/" +
                                           scene.surfaces[static_cast<std::size_t>(pair.surface)].name,
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
