// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/regression/regression_problem.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "inference/information.h"
#include "optimize/least_squares.h"

namespace ricochet {
namespace {

/// Moment of the known force over the duration of the impact, the right side of (25).
double ForceMoment(const ImpactSample& impact) {
  return impact.step * (impact.force[2] - impact.jx * impact.force[0] - impact.jy * impact.force[1]);
}

/// Derivatives of I dw - m A by the jumps (vx, vy, w) and by the angle, and the variances of those.
struct Errors {
  Eigen::Vector4d slope, variance;
};

Errors ErrorsOf(const ImpactSample& impact, double mass, double inertia) {
  const Eigen::Vector3d jump = impact.Jump();
  const double turn = jump[0] * impact.jx_rate + jump[1] * impact.jy_rate;
  return {{-mass * impact.jx, -mass * impact.jy, inertia, -mass * turn},
          {impact.jump_variance[0], impact.jump_variance[1], impact.jump_variance[2], impact.angle_variance}};
}

/// The impact with other jumps and another angle.
void Move(const Eigen::Vector4d& change, ImpactSample& impact) {
  impact.after += change.head<3>();
  impact.jx += impact.jx_rate * change[3];
  impact.jy += impact.jy_rate * change[3];
}

}  // namespace

RegressionProblem::RegressionProblem(const PlanarFamily& family, std::vector<ImpactBlock> blocks)
    : family_(family), data_(std::move(blocks)), forces_(false) {
  for (const ImpactSample& impact : AllImpacts()) forces_ = forces_ || ForceMoment(impact) != 0;
}

int RegressionProblem::used() const {
  std::ptrdiff_t count = 0;
  for (const ImpactBlock& block : data_) count += std::count(block.used.begin(), block.used.end(), 1);
  return static_cast<int>(count);
}

std::vector<ImpactSample> RegressionProblem::AllImpacts() const {
  std::vector<ImpactSample> all;
  for (const ImpactBlock& block : data_) all.insert(all.end(), block.impacts.begin(), block.impacts.end());
  return all;
}

RegressionProblem::MassAndInertia RegressionProblem::At(const Eigen::VectorXd& values) const {
  std::vector<EventJet> seeded;
  for (int i = 0; i < family_.size(); ++i) seeded.push_back(EventJet::Variable(values[i], i));
  const PlanarModel<EventJet> model = family_.Compile<EventJet>(seeded);
  const PlanarBody<EventJet>& body = model.bodies[static_cast<std::size_t>(family_.body())];
  return {body.mass, body.inertia};
}

bool RegressionProblem::Evaluate(int block, const FitPoint& at, bool derivatives, ResidualBlock& out) const {
  const ImpactBlock& data = data_[static_cast<std::size_t>(block)];
  const MassAndInertia body = At(at.values);
  const std::ptrdiff_t rows = std::count(data.used.begin(), data.used.end(), 1);
  out.residuals.resize(rows);
  out.labels.clear();
  out.by_local.resize(derivatives ? rows : 0, 0);
  out.by_values.resize(derivatives ? rows : 0, family_.size());
  Eigen::Index row = 0;
  for (std::size_t i = 0; i < data.impacts.size(); ++i) {
    if (!data.used[i]) continue;
    const ImpactSample& impact = data.impacts[i];
    const EventJet left = body.inertia * impact.Jump()[2] - body.mass * impact.Moment() - ForceMoment(impact);
    const EventJet variance =
        body.inertia * body.inertia * impact.jump_variance[2] + body.mass * body.mass * impact.MomentVariance();
    using std::sqrt;
    const EventJet residual = left / (sqrt(variance) * scatter_);
    out.residuals[row] = residual.a;
    out.labels.push_back({impact.time, 0});
    if (derivatives) out.by_values.row(row) = residual.v.head(family_.size());
    ++row;
  }
  return out.residuals.allFinite();
}

bool RegressionProblem::Begin(Eigen::VectorXd& values) {
  const std::vector<ImpactSample> all = AllImpacts();
  const Body& body = family_.scene().bodies[static_cast<std::size_t>(family_.body())];
  double mass = family_.scene()[body.mass], inertia = 0;
  std::vector<char> used(all.size(), 1);
  if (const MassEstimate both = forces_ ? MassFromForces(all) : MassEstimate{}; both.found) {
    mass = both.mass;
    inertia = both.inertia;
  } else {
    const RatioEstimate ratio = CorrectedRatio(all, &used);
    if (!ratio.found || !(ratio.value > 0)) return false;
    inertia = mass / ratio.value;
    if (forces_) used.assign(all.size(), 1);
  }
  auto mark = used.begin();
  for (ImpactBlock& block : data_)
    for (char& each : block.used) each = *mark++;
  Scene scene = family_.scene();
  scene.Set(body.mass, mass);
  scene.Set(body.inertia[0], inertia);
  values = parameters().Clamp(parameters().ValuesOf(scene));
  return true;
}

Fit RegressionProblem::Search(const HeldParameters& held, const FitPoint* from) {
  Fit fit;
  fit.point.values = parameters().start();
  fit.point.local.assign(data_.size(), Eigen::VectorXd());
  fit.costs.assign(data_.size(), INFINITY);
  if (from != nullptr)
    fit.point.values = from->values;
  else if (scatter_ = 1; !Begin(fit.point.values))
    return fit;

  std::vector<Eigen::Index> free;
  for (Eigen::Index i = 0; i < family_.size(); ++i)
    if (held.empty() || !held[static_cast<std::size_t>(i)]) free.push_back(i);
  const auto residuals = [&](const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* jacobian) {
    FitPoint at{fit.point.values, {}};
    at.values(free) = x;
    r.resize(used());
    if (jacobian != nullptr) jacobian->resize(used(), x.size());
    Eigen::Index row = 0;
    for (int k = 0; k < blocks(); ++k) {
      ResidualBlock block;
      if (!Evaluate(k, at, jacobian != nullptr, block)) return false;
      const Eigen::Index rows = block.residuals.size();
      r.segment(row, rows) = block.residuals;
      if (jacobian != nullptr) jacobian->middleRows(row, rows) = block.by_values(Eigen::all, free);
      row += rows;
    }
    return true;
  };
  fit.converged = true;
  if (!free.empty()) {
    LeastSquaresOptions options;
    options.cost_tolerance = 1e-12;
    options.scale = parameters().scale()(free);
    options.lower = parameters().lower()(free);
    options.upper = parameters().upper()(free);
    options.move = [&](const Eigen::VectorXd& at, const Eigen::VectorXd& step) {
      Eigen::VectorXd all = fit.point.values, change = Eigen::VectorXd::Zero(all.size());
      all(free) = at;
      change(free) = step;
      return Eigen::VectorXd(parameters().Move(all, change)(free));
    };
    Eigen::VectorXd x = fit.point.values(free);
    const LeastSquaresSummary summary = MinimizeLeastSquares(residuals, options, x);
    fit.point.values(free) = x;
    fit.converged = summary.end == LeastSquaresEnd::kConverged || summary.end == LeastSquaresEnd::kStalled;
  }
  const double freedom = used() - family_.size();
  if (from == nullptr && forces_ && freedom > 0) {
    Eigen::VectorXd r;
    residuals(fit.point.values(free), r, nullptr);
    scatter_ = std::max(r.norm() / std::sqrt(freedom), 1e-300);
  }
  fit.found = true;
  for (int k = 0; k < blocks(); ++k) {
    ResidualBlock block;
    if (Evaluate(k, fit.point, false, block)) fit.costs[static_cast<std::size_t>(k)] = block.residuals.squaredNorm();
  }
  if (!held.empty()) return fit;
  if (const std::optional<ParameterInformation> information = InformationOf(*this, fit.point)) {
    fit.covariance = information->covariance;
    fit.held.assign(information->determined.size(), 0);
    for (std::size_t i = 0; i < fit.held.size(); ++i) fit.held[i] = !information->determined[i];
  } else {
    fit.converged = false;
    fit.covariance = Eigen::MatrixXd::Constant(family_.size(), family_.size(), NAN);
  }
  fit.enlargement = Eigen::VectorXd::Ones(family_.size());
  if (forces_ && freedom > 2) fit.enlargement *= std::sqrt(freedom / (freedom - 2));
  fit.covariance = fit.enlargement.asDiagonal() * fit.covariance * fit.enlargement.asDiagonal();
  return fit;
}

std::unique_ptr<FitProblem> RegressionProblem::Draw(const Fit& fit, Random& random) const {
  auto drawn = std::make_unique<RegressionProblem>(*this);
  const MassAndInertia body = At(fit.point.values);
  const double mass = body.mass.a, inertia = body.inertia.a;
  for (ImpactBlock& block : drawn->data_)
    for (ImpactSample& impact : block.impacts) {
      // The change of least chi^2 that makes (25) hold, then errors.
      const Errors errors = ErrorsOf(impact, mass, inertia);
      const double left = inertia * impact.Jump()[2] - mass * impact.Moment() - ForceMoment(impact);
      const Eigen::Vector4d weighed = errors.variance.cwiseProduct(errors.slope);
      const double variance = errors.slope.dot(weighed);
      if (variance > 0) Move(-left / variance * weighed, impact);
      Eigen::Vector4d error;
      for (Eigen::Index i = 0; i < 4; ++i) error[i] = scatter_ * std::sqrt(errors.variance[i]) * random.Normal();
      Move(error, impact);
    }
  return drawn;
}

std::unique_ptr<FitProblem> RegressionProblem::Subset(const std::vector<int>& blocks) const {
  auto subset = std::make_unique<RegressionProblem>(*this);
  subset->data_.clear();
  for (const int block : blocks) subset->data_.push_back(data_[static_cast<std::size_t>(block)]);
  return subset;
}

}  // namespace ricochet
