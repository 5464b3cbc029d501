// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `regression`: mass over inertia from the velocity jumps of single impacts; see impact_regression.h, find_impacts.h
// and docs/regression.md.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "estimators/estimate_report.h"
#include "estimators/planar/planar_family.h"
#include "estimators/planar_trajectory/track_mistakes.h"
#include "estimators/regression/find_impacts.h"
#include "estimators/regression/regression.h"

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
    for (const SelectedParameter& selected : request.wanted) {
      const NumberId inertia = body.inertia.empty() ? NumberId{} : body.inertia[0];
      const bool known = selected.numerator == body.mass || selected.numerator == inertia;
      if (!known)
        return fmt::format("regression gives inertia and mass of the body, not {}; use trajectory", selected.path);
    }
    return "";
  }

  std::string OptionRefusal(const IdentifyRequest& /*request*/, std::string_view /*option*/) const override {
    return "regression does not know it.";
  }

  Identification Run(const IdentifyRequest& request) const override {
    const auto began = std::chrono::steady_clock::now();
    const int index = MovingPlanarBody(request.scene);
    const Body& body = request.scene.bodies[static_cast<std::size_t>(index)];
    const PlanarFamily family(request.scene, {}, index);
    Estimate estimate = EmptyEstimate(request, name());
    std::vector<ImpactSample> impacts;
    bool checked = false;
    const auto find = [&](int i, RecordingUse& use) {
      const Recording& recording = request.recordings[static_cast<std::size_t>(i)];
      const PlanarTrack track = MakePlanarTrack(request.scene, recording, index);
      if (!checked && track.velocity.empty()) {
        // A jump of the velocity by itself does not show a wrong unit or a mirrored angle; the whole motion does.
        const std::string mistake = FindMistake(request.scene, index, track);
        if (!mistake.empty()) throw InputError({recording.file, 0, 0}, "", mistake, "");
        checked = true;
      }
      const FoundImpacts found = FindImpacts(family, track);
      estimate.log.insert(estimate.log.end(), found.log.begin(), found.log.end());
      use.noise_position = found.noise_position;
      use.noise_angle = found.noise_angle;
      use.used = !found.impacts.empty();
      use.reason =
          use.used ? fmt::format("{} impacts", found.impacts.size()) : "no impact between two stretches of free flight";
      for (ImpactSample impact : found.impacts) {
        impact.recording = i;
        impacts.push_back(impact);
      }
    };
    UseRecordings(request, "Record the body before and after it bounces, or use --method trajectory.", find, estimate);

    Scene calibrated = request.scene;
    const bool forces = !request.scene.actions.empty();
    const MassEstimate both = forces ? MassFromForces(impacts) : MassEstimate{};
    std::vector<char> used;
    const RatioEstimate plain = PlainRatio(impacts), ratio = CorrectedRatio(impacts, &used);
    estimate.log.push_back(fmt::format("plain least squares of m/I: {:.6g} 1/m^2; with errors in the regressor: {:.6g}",
                                       plain.value, ratio.value));
    estimate.converged = forces ? both.found : ratio.found && ratio.value > 0;
    estimate.iterations = 1;
    estimate.cost = 0.5 * ratio.chi2;
    const int kept = static_cast<int>(std::count(used.begin(), used.end(), 1));
    if (kept > 1) estimate.chi2_per_dof = ratio.chi2 / (kept - 1);
    if (kept < static_cast<int>(impacts.size()))
      estimate.warnings.push_back(fmt::format("{} of {} impacts do not fit the others and were set aside",
                                              impacts.size() - kept, impacts.size()));
    if (estimate.converged && !forces && kept > 1 && *estimate.chi2_per_dof > LargestChi2(kept - 1)) {
      estimate.converged = false;
      estimate.warnings.insert(estimate.warnings.begin(),
                               fmt::format("the impacts disagree (chi2/dof {:.3g}): check units, gravity, surfaces and "
                                           "the centre of mass",
                                           *estimate.chi2_per_dof));
    }
    // All mass lies within the shape.
    const double reach = family.Motion<double>({}).body().size;
    if (estimate.converged && !forces && 1 / ratio.value > reach * reach) {
      estimate.converged = false;
      estimate.warnings.insert(
          estimate.warnings.begin(),
          fmt::format(
              "inertia over mass would be {:.3g} m^2, more than any mass within the shape has ({:.3g} m^2): check "
              "units, surfaces, the centre of mass and whether the angle is mirrored",
              1 / ratio.value, reach * reach));
    }
    const NumberId inertia = body.inertia[0];
    const std::string combination = fmt::format("bodies.{0}.inertia/bodies.{0}.mass", body.name);
    for (std::size_t i = 0; i < request.wanted.size(); ++i) {
      const SelectedParameter& selected = request.wanted[i];
      EstimatedParameter& parameter = estimate.parameters[i];
      const auto put = [&](double value, double std) {
        parameter.value = value;
        parameter.std = std;
        parameter.identifiable = true;
        estimate.covariance(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i)) = std * std;
        if (selected.denominator)
          calibrated.Set(selected.numerator, value * calibrated[selected.denominator]);
        else
          calibrated.Set(selected.numerator, value);
      };
      if (!estimate.converged) continue;
      const double of_ratio = ratio.std / ratio.value;  // relative
      if (selected.denominator && selected.numerator == inertia)
        put(1 / ratio.value, of_ratio / ratio.value);
      else if (selected.denominator)
        put(ratio.value, ratio.std);
      else if (forces && selected.numerator == body.mass)
        put(both.mass, std::sqrt(both.covariance(0, 0)));
      else if (forces)
        put(both.inertia, std::sqrt(both.covariance(1, 1)));
      else {
        parameter.combination =
            fmt::format("{} = {:.6g} +- {:.2g} m^2 (without a known force only this ratio can be told)", combination,
                        1 / ratio.value, of_ratio / ratio.value);
      }
    }
    // Impulses of each impact from its own velocity jump, for the mass at hand.
    const double mass = forces && both.found ? both.mass : request.scene[body.mass];
    const PlanarModel<double> model = family.Compile<double>({});
    const EventBody<double> event_body = MakeEventBody(model, index);
    for (const ImpactSample& impact : impacts) {
      const Eigen::Vector3d jump = impact.Jump();
      const EventCandidate<double>& candidate = event_body.candidates[static_cast<std::size_t>(impact.candidate)];
      const PlanarPair<double>& pair = model.pairs[static_cast<std::size_t>(candidate.pair)];
      estimate.impulses.push_back(
          {impact.recording, impact.time, 0.0,
           body.name + "/" + request.scene.surfaces[static_cast<std::size_t>(pair.surface)].name, candidate.contact,
           mass * jump[1] - impact.step * impact.force[1], mass * jump[0] - impact.step * impact.force[0], true});
    }
    estimate.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return {std::move(estimate), std::move(calibrated)};
  }
};

}  // namespace

const Estimator& Regression() {
  static const RegressionEstimator estimator;
  return estimator;
}

}  // namespace ricochet
