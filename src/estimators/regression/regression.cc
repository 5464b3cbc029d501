// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `regression`: mass over inertia from the velocity jumps of single impacts; see find_impacts.h, impact_regression.h,
// regression_problem.h and docs/theory/regression.md.
#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "estimators/assess_fit.h"
#include "estimators/estimate_report.h"
#include "estimators/mass_observability.h"
#include "estimators/planar/planar_family.h"
#include "estimators/planar_trajectory/track_mistakes.h"
#include "estimators/regression/find_impacts.h"
#include "estimators/regression/regression.h"
#include "estimators/regression/regression_problem.h"

namespace ricochet {
namespace {

/// What chi^2 per degree of freedom stays below by 4 standard deviations (Wilson, Hilferty).
double LargestChi2(int freedom) {
  const double v = 2.0 / (9 * freedom);
  return std::pow(1 - v + 4 * std::sqrt(v), 3);
}

class RegressionEstimator final : public Estimator {
 public:
  EstimatorInfo info() const override {
    return {.name = "regression",
            .summary = "inertia and mass of one planar body by linear regression, impact by impact",
            .paper = "Fazeli eq. 16-25",
            .planar = true};
  }

  std::string Refusal(const IdentifyRequest& request) const override {
    if (request.scene.space != Space::kPlanar) return "regression is for planar scenes";
    const Body& body = request.scene.bodies[static_cast<std::size_t>(MovingPlanarBody(request.scene))];
    for (const SelectedParameter& selected : request.parameters) {
      const NumberId inertia = body.inertia.empty() ? NumberId{} : body.inertia[0];
      const bool known = selected.numerator == body.mass || selected.numerator == inertia;
      if (!known)
        return fmt::format("regression gives inertia and mass of the body, not {}; use trajectory", selected.path);
    }
    return "";
  }

  Identification Run(const IdentifyRequest& request) const override {
    const auto began = std::chrono::steady_clock::now();
    const int index = MovingPlanarBody(request.scene);
    const MassRefusal refusal = RefuseMass(request);
    ProfiledParameters(request, refusal.parameters);  // refuses what has none before the search
    const PlanarFamily family(request.scene, refusal.parameters, index);
    Estimate estimate = EmptyEstimate(request, name());
    RegressionProblem problem(family, FindBlocks(request, family, estimate));
    const Fit fit = problem.Search();
    Judge(family, problem, fit, estimate);
    AddImpulses(family, problem, fit, estimate);
    if (estimate.converged) {
      const Eigen::MatrixXd covariance = AssessFit(problem, fit, request, estimate);
      PlaceEstimates(refusal,
                     FoundParameters(family.parameters(), fit, covariance,
                                     "it has no effect of its own on the jumps of the velocity", estimate),
                     covariance, estimate);
    }
    estimate.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    Scene calibrated = estimate.converged ? family.Calibrated(fit.point.values) : request.scene;
    return {std::move(estimate), std::move(calibrated)};
  }

 private:
  /// The impacts of every recording that has some.
  static std::vector<ImpactBlock> FindBlocks(const IdentifyRequest& request, const PlanarFamily& family,
                                             Estimate& estimate) {
    std::vector<ImpactBlock> blocks;
    bool checked = false;
    const auto find = [&](int i, RecordingUse& use) {
      const Recording& recording = request.recordings[static_cast<std::size_t>(i)];
      const PlanarTrack track = MakePlanarTrack(request.scene, recording, family.body());
      if (!checked && track.velocity.empty()) {
        // A jump of the velocity by itself does not show a wrong unit or a mirrored angle; the whole motion does.
        const std::string mistake = FindMistake(request.scene, family.body(), track);
        if (!mistake.empty()) throw InputError({recording.file, 0, 0}, "", mistake, "");
        checked = true;
      }
      FoundImpacts found = FindImpacts(family, track);
      estimate.log.insert(estimate.log.end(), found.log.begin(), found.log.end());
      use.noise_position = found.noise_position;
      use.noise_angle = found.noise_angle;
      use.used = !found.impacts.empty();
      use.reason =
          use.used ? fmt::format("{} impacts", found.impacts.size()) : "no impact between two stretches of free flight";
      if (!use.used) return;
      for (ImpactSample& impact : found.impacts) impact.recording = i;
      std::vector<char> used(found.impacts.size(), 1);
      blocks.push_back({i, std::move(found.impacts), std::move(used)});
    };
    UseRecordings(request, "Record the body before and after it bounces, or use method trajectory.", find, estimate);
    return blocks;
  }

  /// Whether the impacts agree with each other and with a rigid body of this shape.
  static void Judge(const PlanarFamily& family, const RegressionProblem& problem, const Fit& fit, Estimate& estimate) {
    const std::vector<ImpactSample> impacts = problem.AllImpacts();
    const RatioEstimate plain = PlainRatio(impacts), ratio = CorrectedRatio(impacts);
    estimate.log.push_back(fmt::format("plain least squares of m/I: {:.6g} 1/m^2; with errors in the regressor: {:.6g}",
                                       plain.value, ratio.value));
    estimate.converged = fit.found && fit.converged;
    estimate.iterations = 1;
    if (!fit.found) return;
    estimate.cost = 0.5 * fit.cost();
    const int used = problem.used(), all = static_cast<int>(impacts.size()), freedom = used - family.size();
    if (freedom > 0) estimate.chi2_per_dof = fit.cost() / freedom;
    if (used < all)
      estimate.warnings.push_back(
          fmt::format("{} of {} impacts do not fit the others and are excluded", all - used, all));
    if (problem.forces()) return;
    const auto disagree = [&](std::string reason) {
      estimate.converged = false;
      estimate.warnings.insert(estimate.warnings.begin(), std::move(reason));
    };
    if (freedom > 0 && *estimate.chi2_per_dof > LargestChi2(freedom))
      disagree(
          fmt::format("the impacts disagree (chi2/dof {:.3g}): check units, gravity, surfaces and the center of mass",
                      *estimate.chi2_per_dof));
    // All mass lies within the shape.
    const double reach =
        family.Motion<double>({family.start().data(), static_cast<std::size_t>(family.size())}).body().size;
    if (estimate.converged && 1 / ratio.value > reach * reach)
      disagree(fmt::format(
          "inertia over mass would be {:.3g} m^2, more than any mass within the shape has ({:.3g} m^2): check "
          "units, surfaces, the center of mass and whether the angle is mirrored",
          1 / ratio.value, reach * reach));
  }

  /// Impulses of each impact from its own velocity jump. Without a known force the mass is the scene's.
  static void AddImpulses(const PlanarFamily& family, const RegressionProblem& problem, const Fit& fit,
                          Estimate& estimate) {
    const Scene& scene = family.scene();
    const Body& body = scene.bodies[static_cast<std::size_t>(family.body())];
    const Eigen::VectorXd& values = fit.point.values;
    const PlanarModel<double> model = family.Compile<double>({values.data(), static_cast<std::size_t>(values.size())});
    const double mass =
        problem.forces() && fit.found ? model.bodies[static_cast<std::size_t>(family.body())].mass : scene[body.mass];
    const EventBody<double> event_body = MakeEventBody(model, family.body());
    for (const ImpactSample& impact : problem.AllImpacts()) {
      const Eigen::Vector3d jump = impact.Jump();
      const EventCandidate<double>& candidate = event_body.candidates[static_cast<std::size_t>(impact.candidate)];
      const PlanarPair<double>& pair = model.pairs[static_cast<std::size_t>(candidate.pair)];
      estimate.impulses.push_back({impact.recording, impact.time, 0.0, PairName(scene, pair), candidate.contact,
                                   mass * jump[1] - impact.step * impact.force[1],
                                   mass * jump[0] - impact.step * impact.force[0], true});
    }
  }
};

}  // namespace

const Estimator& Regression() {
  static const RegressionEstimator estimator;
  return estimator;
}

}  // namespace ricochet
