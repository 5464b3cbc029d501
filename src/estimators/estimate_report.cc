// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/estimate_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/parameter_map.h"
#include "result/estimated_value.h"

namespace ricochet {

void UseRecordings(const IdentifyRequest& request, std::string_view remedy,
                   const std::function<void(int, RecordingUse&)>& use, Estimate& estimate,
                   const std::function<void()>& otherwise) {
  for (std::size_t i = 0; i < request.recordings.size(); ++i) {
    const Recording& recording = request.recordings[i];
    RecordingUse entry{recording.file, false, "", recording.rows(), 0, {}, {}, {}};
    try {
      use(static_cast<int>(i), entry);
    } catch (const InputError& error) {
      if (request.recordings.size() == 1) throw;
      entry.used = false;
      entry.reason = error.problem();
    }
    estimate.recordings.push_back(std::move(entry));
  }
  const auto any = [&] {
    return std::any_of(estimate.recordings.begin(), estimate.recordings.end(), [](const auto& r) { return r.used; });
  };
  if (!any() && otherwise) otherwise();
  if (any()) return;
  const RecordingUse& first = estimate.recordings.front();
  if (request.recordings.size() == 1) throw InputError({first.file, 0, 0}, "", first.reason + ".", std::string(remedy));
  throw InputError({}, "",
                   fmt::format("none of the {} recordings can be used: {}", request.recordings.size(), first.reason),
                   std::string(remedy));
}

EstimatedParameter UnidentifiedParameter(const Scene& scene, const SelectedParameter& selected, double start) {
  EstimatedParameter number;
  number.path = selected.path;
  number.unit = UnitOf(scene, selected);
  number.start = start;
  return number;
}

void GiveValue(double value, std::optional<double> deviation, double lower, double upper, EstimatedParameter& number,
               Estimate& estimate) {
  number.identifiable = true;
  number.value = value;
  number.std = deviation;
  if (value <= lower || value >= upper)
    estimate.warnings.push_back(fmt::format("{} is at its bound {:.4g}", number.path, value));
}

std::vector<EstimatedParameter> FoundParameters(const ParameterMap& parameters, const Fit& fit,
                                                const Eigen::MatrixXd& covariance, std::string_view no_effect,
                                                Estimate& estimate) {
  std::vector<EstimatedParameter> found;
  for (int i = 0; i < parameters.size(); ++i) {
    EstimatedParameter& parameter =
        found.emplace_back(UnidentifiedParameter(parameters.scene(), parameters.selected(i), parameters.start()[i]));
    if ((!fit.held.empty() && fit.held[static_cast<std::size_t>(i)]) || !std::isfinite(covariance(i, i)))
      parameter.combination = no_effect;
    else
      GiveValue(fit.point.values[i], std::sqrt(covariance(i, i)), parameters.lower()[i], parameters.upper()[i],
                parameter, estimate);
  }
  return found;
}

void PlaceEstimates(const MassRefusal& refusal, const std::vector<EstimatedParameter>& found,
                    const Eigen::MatrixXd& covariance, Estimate& estimate) {
  std::vector<int> source = refusal.index;
  std::vector<char> shown(found.size(), 0);
  for (std::size_t a = 0; a < refusal.index.size(); ++a) {
    EstimatedParameter& target = estimate.parameters[a];
    if (source[a] >= 0) {
      shown[static_cast<std::size_t>(source[a])] = 1;
      const double start = target.start;
      target = found[static_cast<std::size_t>(source[a])];
      target.start = start;
      continue;
    }
    const int ratio = refusal.ratio[a];
    target.combination = ratio >= 0 ? found[static_cast<std::size_t>(ratio)].path : refusal.combination;
    target.combination += " (without a known force only this ratio is identifiable)";
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (shown[i]) continue;
    source.push_back(static_cast<int>(i));
    estimate.parameters.push_back(found[i]);
  }
  if (refusal.refused)
    estimate.warnings.push_back("without a known force mass and inertia are not identifiable separately; only " +
                                refusal.combination + " is reported");
  PlaceCovariance(source, covariance, estimate);
}

void KeepEstimates(const Scene& scene, Identification& result) {
  constexpr double kRounding = 1e-9;
  const EstimatedParameter* other = nullptr;
  double has = 0;
  for (const EstimatedParameter& parameter : result.estimate.parameters) {
    if (!parameter.value) continue;
    const double value = ValueIn(result.calibrated, parameter);
    if (std::abs(value - *parameter.value) <= kRounding * std::abs(*parameter.value)) continue;
    other = &parameter;
    has = value;
  }
  if (other == nullptr) return;
  try {
    result.calibrated = Apply(scene, result.estimate);
  } catch (const InputError& error) {
    result.estimate.warnings.push_back(fmt::format(
        "no scene can have all estimated values ({}): the calibrated scene has {} = {:.6g} in place of {:.6g}",
        error.problem(), other->path, has, *other->value));
  }
}

void PlaceCovariance(const std::vector<int>& source, const Eigen::MatrixXd& covariance, Estimate& estimate) {
  const Eigen::Index n = static_cast<Eigen::Index>(source.size());
  estimate.covariance = Eigen::MatrixXd::Constant(n, n, NAN);
  for (Eigen::Index a = 0; a < n; ++a)
    for (Eigen::Index b = 0; b < n; ++b) {
      const int i = source[static_cast<std::size_t>(a)], j = source[static_cast<std::size_t>(b)];
      if (i >= 0 && j >= 0 && estimate.parameters[static_cast<std::size_t>(a)].value &&
          estimate.parameters[static_cast<std::size_t>(b)].value)
        estimate.covariance(a, b) = covariance(i, j);
    }
}

}  // namespace ricochet
