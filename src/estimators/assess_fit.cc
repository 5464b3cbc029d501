// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/assess_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "core/text.h"
#include "inference/cross_validation.h"
#include "inference/fit_bootstrap.h"
#include "inference/information.h"
#include "inference/parameter_profile.h"
#include "inference/rivals.h"
#include "inference/verdict.h"

namespace ricochet {
namespace {

/// Parameters that the data do not identify stay where they are in every further search.
void WarnOfHeld(const FitProblem& problem, const Fit& fit, Estimate& estimate) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < fit.held.size(); ++i)
    if (fit.held[i]) names.push_back(problem.parameters().selected(static_cast<int>(i)).path);
  if (!names.empty())
    estimate.warnings.push_back(
        fmt::format("bootstrap and profile hold parameters that the data do not identify at the scene's values: {}",
                    JoinList(names)));
}

/// Rank and null space; of a method without derivatives by which variances are finite.
EstimatedInformation DescribeInformation(const FitProblem& problem, const Fit& fit) {
  EstimatedInformation out;
  out.size = problem.parameters().size();
  if (const std::optional<ParameterInformation> information = InformationOf(problem, fit.point)) {
    out.rank = information->rank;
    out.null_space = DescribeNullSpace(*information, problem.parameters().paths());
    return out;
  }
  for (int i = 0; i < out.size; ++i)
    out.rank += std::isfinite(fit.covariance(i, i)) && (fit.held.empty() || !fit.held[static_cast<std::size_t>(i)]);
  return out;
}

/// The fit with standard deviations enlarged by what its verdict found, so that profiles cover the same.
Fit WidenedBy(const Eigen::VectorXd& factors, const Fit& fit) {
  Fit out = fit;
  if (out.enlargement.size() == 0) out.enlargement = Eigen::VectorXd::Ones(factors.size());
  for (Eigen::Index i = 0; i < factors.size(); ++i) {
    if (!(factors[i] > 1) || !std::isfinite(factors[i])) continue;
    out.enlargement[i] *= factors[i];
    out.covariance.row(i) *= factors[i];
    out.covariance.col(i) *= factors[i];
  }
  return out;
}

}  // namespace

std::vector<int> ProfiledParameters(const IdentifyRequest& request, const std::vector<SelectedParameter>& parameters) {
  std::vector<int> out;
  for (const std::string& path : request.options.profiles)
    for (const SelectedParameter& selected : ParsePathList(request.scene, path)) {
      const auto at = std::find_if(parameters.begin(), parameters.end(),
                                   [&](const SelectedParameter& each) { return each.path == selected.path; });
      if (at == parameters.end()) {
        std::vector<std::string> known;
        known.reserve(parameters.size());
        for (const SelectedParameter& each : parameters) known.push_back(each.path);
        throw InputError({}, "profiles", fmt::format("`{}` is not among the estimated parameters.", selected.path),
                         "Add it to option `paths`" +
                             (known.empty() ? "." : fmt::format(", or choose from {}.", JoinList(known))));
      }
      const int index = static_cast<int>(at - parameters.begin());
      if (std::find(out.begin(), out.end(), index) == out.end()) out.push_back(index);
    }
  return out;
}

Eigen::MatrixXd AssessFit(FitProblem& problem, const Fit& fit, const IdentifyRequest& request, Estimate& estimate) {
  const IdentifyOptions& options = request.options;
  const std::vector<int> profiled = ProfiledParameters(request, problem.parameters().selected());
  if (options.bootstrap > 0 || !profiled.empty()) WarnOfHeld(problem, fit, estimate);
  Eigen::MatrixXd covariance = CovarianceWithRivals(fit);
  if (options.bootstrap > 0)
    TakeBootstrap(options.bootstrap,
                  BootstrapFit(problem, fit,
                               {.repetitions = options.bootstrap,
                                .seed = request.seed,
                                .store = options.store,
                                .fingerprint = request.fingerprint}),
                  BootstrapKind(problem, fit), problem.parameters().paths(), covariance, estimate);
  if (options.information) estimate.information = DescribeInformation(problem, fit);
  if (options.folds > 0) estimate.cross_validation = CrossValidateFit(problem, options.folds);
  const Eigen::VectorXd claimed = covariance.diagonal();
  estimate.verdict = JudgeFit(problem, fit, covariance, options.explain);
  if (!profiled.empty()) {
    const Fit widened = WidenedBy(covariance.diagonal().cwiseQuotient(claimed).cwiseSqrt(), fit);
    for (const int index : profiled) estimate.profiles.push_back(ProfileParameter(problem, widened, index));
  }
  return covariance;
}

}  // namespace ricochet
