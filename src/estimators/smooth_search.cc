// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/smooth_search.h"

#include <limits>
#include <optional>
#include <utility>

#include "inference/information.h"
#include "optimize/block_least_squares.h"

namespace ricochet {
namespace {

/// The residuals of a problem as optimize/ takes them.
class ProblemResiduals final : public BlockResiduals {
 public:
  ProblemResiduals(const FitProblem& problem, const FitPoint& start) : problem_(problem), at_(start) {}

  int blocks() const override { return problem_.blocks(); }
  int local_size(int block) const override {
    return static_cast<int>(at_.local[static_cast<std::size_t>(block)].size());
  }
  int common_size() const override { return problem_.parameters().size(); }
  Eigen::VectorXd MoveCommon(const Eigen::VectorXd& common, const Eigen::VectorXd& step) const override {
    return problem_.parameters().Move(common, step);
  }
  bool SetCommon(const Eigen::VectorXd& common) override {
    at_.values = common;
    return true;
  }
  bool Evaluate(int block, const Eigen::VectorXd& local, Eigen::VectorXd& residuals,
                Eigen::MatrixXd* jacobian) override {
    // Blocks are evaluated at the same time: each has its own point.
    FitPoint at{at_.values, std::vector<Eigen::VectorXd>(at_.local.size())};
    at.local[static_cast<std::size_t>(block)] = local;
    ResidualBlock out;
    if (!problem_.Evaluate(block, at, jacobian != nullptr, out)) return false;
    if (jacobian) {
      jacobian->resize(out.residuals.size(), out.by_local.cols() + out.by_values.cols());
      *jacobian << out.by_local, out.by_values;
    }
    residuals = std::move(out.residuals);
    return true;
  }

 private:
  const FitProblem& problem_;
  FitPoint at_;
};

}  // namespace

Fit SearchSmooth(const FitProblem& problem, const HeldParameters& held, FitPoint start) {
  const ParameterMap& parameters = problem.parameters();
  ProblemResiduals residuals(problem, start);
  BlockPoint point{std::move(start.values), std::move(start.local)};
  const LeastSquaresSummary summary =
      MinimizeBlocks(residuals, {.lower = parameters.lower(), .upper = parameters.upper(), .held = held}, point);

  Fit fit;
  fit.point = {std::move(point.common), std::move(point.local)};
  fit.found = summary.end != LeastSquaresEnd::kFailed;
  fit.converged = summary.converged() || summary.end == LeastSquaresEnd::kStalled;  // at the limit of rounding
  for (int block = 0; block < problem.blocks(); ++block) {
    ResidualBlock out;
    const bool computed = problem.Evaluate(block, fit.point, false, out);
    fit.costs.push_back(computed ? out.residuals.squaredNorm() : std::numeric_limits<double>::infinity());
  }
  if (const std::optional<ParameterInformation> information = InformationOf(problem, fit.point, held))
    fit.covariance = information->covariance;
  return fit;
}

}  // namespace ricochet
