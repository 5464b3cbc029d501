// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/tosses/impact_likelihood.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "estimators/optimizer_trace.h"
#include "math/dense.h"
#include "math/statistics.h"
#include "optimize/marquardt.h"

namespace ricochet {
namespace {

constexpr double kAllowances[] = {0.3, 0.05, 0.01, 0};  // [m/s]
constexpr int kStarts = 3, kNewton = 12;
constexpr double kFirstStep = 0.01, kLeastStep = 1e-5;  // of the box, for second differences
constexpr double kSettled = 0.02;                       // step in standard deviations at which Newton ends
constexpr double kNoRise = 1e-300;                      // a step of length 0 counts as falling

class ImpactSearch {
 public:
  /// All numbers are free but those that are held.
  ImpactSearch(const SpatialFamily& family, const TossSet& set, const std::vector<char>& held = {})
      : family_(family), set_(set), box_(MakeSearchBox(family)), tosses_(set.used().size()) {
    std::iota(tosses_.begin(), tosses_.end(), 0);
    for (int i = 0; i < family.size(); ++i)
      if (held.empty() || !held[static_cast<std::size_t>(i)]) free_.push_back(i);
  }

  /// Rows: points of the unit box, columns: tosses.
  Eigen::MatrixXd Costs(const std::vector<Eigen::VectorXd>& units, double allowance) {
    std::vector<Eigen::VectorXd> params;
    params.reserve(units.size());
    for (const Eigen::VectorXd& unit : units) params.push_back(box_.FromUnit(unit));
    evaluations_ += static_cast<int>(units.size());
    return set_.VelocityCosts(params, tosses_, allowance);
  }
  std::vector<double> CostsAt(const Eigen::VectorXd& unit) {
    const Eigen::MatrixXd costs = Costs({unit}, 0);
    return {costs.data(), costs.data() + costs.size()};
  }
  std::vector<double> Sums(const std::vector<Eigen::VectorXd>& units, double allowance) {
    const Eigen::MatrixXd costs = Costs(units, allowance);
    std::vector<double> sums;
    sums.reserve(units.size());
    for (Eigen::Index r = 0; r < costs.rows(); ++r) sums.push_back(costs.row(r).sum());
    return sums;
  }
  double Sum(const Eigen::VectorXd& unit) { return Sums({unit}, 0).front(); }

  ImpactMinimum Run(std::uint64_t seed);
  ImpactRefit Refit(const Eigen::VectorXd& start);

 private:
  class Newton;

  /// Gradients per toss (columns) and the Hessian of the sum over the free numbers, by differences over `step`.
  void Differences(const Eigen::VectorXd& at, const Eigen::VectorXd& step, Eigen::MatrixXd& gradients,
                   Eigen::MatrixXd& hessian);
  /// Newton's method over the free numbers; returns the steps of its last differences.
  Eigen::VectorXd Polish(Eigen::VectorXd& best, ImpactMinimum& out);
  /// Covariance where all numbers are free.
  void Judge(const Eigen::VectorXd& best, const Eigen::VectorXd& step, ImpactMinimum& out);
  void Bound(const Eigen::VectorXd& best, ImpactMinimum& out);

  /// The point with its free numbers moved; differences need both sides.
  Eigen::VectorXd Moved(Eigen::VectorXd at, const Eigen::VectorXd& change) const {
    for (std::size_t i = 0; i < free_.size(); ++i)
      at[free_[i]] = std::clamp(at[free_[i]] + change[static_cast<Eigen::Index>(i)], kLeastStep, 1 - kLeastStep);
    return at;
  }
  /// Steps that stay within the box on both sides.
  void Shorten(const Eigen::VectorXd& at, Eigen::VectorXd& step) const {
    for (std::size_t i = 0; i < free_.size(); ++i) {
      double& own = step[static_cast<Eigen::Index>(i)];
      own = std::min({own, at[free_[i]], 1 - at[free_[i]]});
    }
  }

  const SpatialFamily& family_;
  const TossSet& set_;
  SearchBox box_;
  std::vector<int> tosses_;
  std::vector<int> free_;
  int evaluations_ = 0;
};

void ImpactSearch::Differences(const Eigen::VectorXd& at, const Eigen::VectorXd& step, Eigen::MatrixXd& gradients,
                               Eigen::MatrixXd& hessian) {
  const Eigen::Index n = step.size();
  const auto number = [&](Eigen::Index i) { return free_[static_cast<std::size_t>(i)]; };
  std::vector<Eigen::VectorXd> points = {at};
  for (Eigen::Index i = 0; i < n; ++i)
    for (const double sign : {1.0, -1.0}) {
      points.push_back(at);
      points.back()[number(i)] += sign * step[i];
    }
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < i; ++j)
      for (const double sign : {1.0, -1.0}) {
        points.push_back(at);
        points.back()[number(i)] += sign * step[i];
        points.back()[number(j)] += sign * step[j];
      }
  const Eigen::MatrixXd costs = Costs(points, 0);
  const Eigen::VectorXd sums = costs.rowwise().sum();
  gradients.resize(n, costs.cols());
  hessian.resize(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    gradients.row(i) = (costs.row(1 + 2 * i) - costs.row(2 + 2 * i)) / (2 * step[i]);
    hessian(i, i) = (sums[1 + 2 * i] + sums[2 + 2 * i] - 2 * sums[0]) / (step[i] * step[i]);
  }
  Eigen::Index row = 1 + 2 * n;
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < i; ++j, row += 2) {
      // (f(+,+) + f(-,-) - 2 f - both second differences) / 2 h_i h_j.
      const double mixed = sums[row] + sums[row + 1] - 2 * sums[0] - hessian(i, i) * step[i] * step[i] -
                           hessian(j, j) * step[j] * step[j];
      hessian(i, j) = hessian(j, i) = mixed / (2 * step[i] * step[j]);
    }
}

/// Newton's method as a problem of optimize/marquardt.h: the best of a few parts of each step, differences as wide as
/// the standard deviations that the last ones gave. A step that leads nowhere is one of length 0 with other widths.
class ImpactSearch::Newton final : public MarquardtProblem, public Damping, public StoppingRule {
 public:
  Newton(ImpactSearch& search, Eigen::VectorXd& at)
      : Damping(0),
        search_(search),
        at_(at),
        width_(Eigen::VectorXd::Constant(static_cast<Eigen::Index>(search.free_.size()), kFirstStep)) {
    cost = search.Sum(at);
    history_.push_back({cost, 0});
  }

  bool Linearize() override {
    at_ = search_.Moved(at_, Eigen::VectorXd::Zero(width_.size()));
    search_.Shorten(at_, width_);
    Eigen::MatrixXd gradients, hessian;
    search_.Differences(at_, width_, gradients, hessian);
    // Directions along which the cost does not rise are left alone.
    const SymmetricEigen eigen = EigenOfSymmetric(width_.asDiagonal() * hessian * width_.asDiagonal());
    const Eigen::VectorXd weights = eigen.values.unaryExpr([](double each) { return each > 1e-6 ? 1 / each : 0; });
    inverse_ =
        width_.asDiagonal() * eigen.vectors * weights.asDiagonal() * eigen.vectors.transpose() * width_.asDiagonal();
    gradient_ = gradients.rowwise().sum();
    return true;
  }

  MarquardtStep Propose(double /*lambda*/) override {
    change_ = -inverse_ * gradient_;
    return {.predicted = -0.5 * gradient_.dot(change_)};
  }

  double TrialCost() override {
    std::vector<Eigen::VectorXd> trials;
    for (const double part : {1.0, 0.5, 0.2, 0.05}) trials.push_back(search_.Moved(at_, part * change_));
    const std::vector<double> sums = search_.Sums(trials, 0);
    const auto least = std::min_element(sums.begin(), sums.end(), [](double a, double b) {
      return a < b || (std::isfinite(a) && !std::isfinite(b));
    });
    falls_ = *least < cost;
    trial_ = falls_ ? trials[static_cast<std::size_t>(least - sums.begin())] : at_;
    return falls_ ? *least : cost;
  }

  double Take() override {
    moved_ = 0;
    for (Eigen::Index i = 0; i < width_.size() && falls_; ++i) {
      const int number = search_.free_[static_cast<std::size_t>(i)];
      if (inverse_(i, i) > 0)
        moved_ = std::max(moved_, std::abs(trial_[number] - at_[number]) / std::sqrt(inverse_(i, i)));
    }
    at_ = trial_;
    if (falls_) history_.push_back({cost, moved_});
    // Differences over the standard deviations: what the data distinguish.
    Eigen::VectorXd next = width_;
    for (Eigen::Index i = 0; i < next.size(); ++i)
      if (inverse_(i, i) > 0) next[i] = std::clamp(std::sqrt(inverse_(i, i)), kLeastStep, 3 * kFirstStep);
    steady_ = ((next - width_).cwiseAbs().array() < 0.3 * width_.array()).all();
    width_ = next;
    return moved_;
  }

  void Succeed(double /*gain*/) override {}
  bool Fail() override { return false; }
  bool AfterStep(const MarquardtStep& /*step*/, const MarquardtProgress& /*at*/) override {
    return moved_ < kSettled && steady_;
  }

  const Eigen::VectorXd& width() const { return width_; }
  const std::vector<LeastSquaresStep>& history() const { return history_; }

 private:
  ImpactSearch& search_;
  Eigen::VectorXd& at_;
  Eigen::VectorXd width_;  // of the differences
  Eigen::MatrixXd inverse_;
  Eigen::VectorXd gradient_, change_, trial_;
  bool falls_ = false, steady_ = false;
  double moved_ = 0;  // in standard deviations
  std::vector<LeastSquaresStep> history_;
};

Eigen::VectorXd ImpactSearch::Polish(Eigen::VectorXd& best, ImpactMinimum& out) {
  Newton newton(*this, best);
  out.converged = free_.empty();
  if (!out.converged)
    out.converged =
        RunMarquardt(newton, newton, newton, {.max_iterations = kNewton, .max_attempts = 1, .rounding = kNoRise})
            .converged();
  best = Moved(best, Eigen::VectorXd::Zero(static_cast<Eigen::Index>(free_.size())));
  out.cost = newton.cost;
  AddStage("Newton", newton.history(), out.trace);
  return newton.width();
}

void ImpactSearch::Judge(const Eigen::VectorXd& best, const Eigen::VectorXd& steps, ImpactMinimum& out) {
  const Eigen::Index n = best.size();
  const int count = static_cast<int>(tosses_.size());
  Eigen::VectorXd step = steps;
  Shorten(best, step);
  Eigen::MatrixXd gradients, hessian;
  Differences(best, step, gradients, hessian);
  const SymmetricEigen eigen = EigenOfSymmetric(step.asDiagonal() * hessian * step.asDiagonal());
  Eigen::VectorXd weights(n);
  bool flat = false;
  for (Eigen::Index i = 0; i < n; ++i) {
    flat = flat || !(eigen.values[i] > 1e-6);
    weights[i] = 1 / std::max(eigen.values[i], 1e-12);
  }
  const Eigen::MatrixXd inverse =
      step.asDiagonal() * eigen.vectors * weights.asDiagonal() * eigen.vectors.transpose() * step.asDiagonal();
  const Eigen::VectorXd mean = gradients.rowwise().mean();
  const Eigen::MatrixXd apart = gradients.colwise() - mean;
  const double few = count > n ? static_cast<double>(count) / static_cast<double>(count - n) : 1;
  const double student = StudentFactor(count - static_cast<double>(n));
  const Eigen::MatrixXd robust = inverse * (apart * apart.transpose()) * inverse * (few * student * student);
  // The larger variance of each number, correlations of the first.
  out.enlarged.resize(n);
  for (Eigen::Index i = 0; i < n; ++i)
    out.enlarged[i] = count > n + 1 && !flat ? std::sqrt(std::max(1.0, robust(i, i) / inverse(i, i))) : 1;
  const Eigen::VectorXd slope = box_.Slope(best).cwiseProduct(out.enlarged);
  out.covariance = slope.asDiagonal() * inverse * slope.asDiagonal();
}

void ImpactSearch::Bound(const Eigen::VectorXd& best, ImpactMinimum& out) {
  out.lower = Eigen::VectorXd::Constant(best.size(), std::numeric_limits<double>::quiet_NaN());
  for (int i = 0; i < static_cast<int>(best.size()); ++i) {
    if (family_.quantity(i) != Quantity::kFriction) continue;
    Eigen::VectorXd far = best;
    far[i] = 1;
    if (!(2 * (Sum(far) - out.cost) < kChi2TwoSided)) continue;
    double low = 0, high = best[i];
    for (int k = 0; k < 30; ++k) {
      far[i] = 0.5 * (low + high);
      (2 * (Sum(far) - out.cost) > kChi2OneSided ? low : high) = far[i];
    }
    far[i] = high;
    out.lower[i] = box_.FromUnit(far)[i];
    out.covariance.row(i).setZero();
    out.covariance.col(i).setZero();
    out.covariance(i, i) = std::numeric_limits<double>::infinity();
  }
}

ImpactMinimum ImpactSearch::Run(std::uint64_t seed) {
  const int n = family_.size();
  ImpactMinimum out;
  std::vector<Eigen::VectorXd> points = EvenPoints(n, 24 + 24 * n);
  points.push_back(box_.ToUnit(family_.start()));
  std::vector<double> values = Sums(points, kAllowances[0]);
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return values[a] < values[b] || (std::isfinite(values[a]) && !std::isfinite(values[b]));
  });
  Eigen::VectorXd best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < std::min<std::size_t>(kStarts, order.size()); ++k) {
    Eigen::VectorXd at = points[order[k]];
    EvolutionOptions options;
    options.seed = seed + k;
    options.spread = 0.15;
    std::vector<EvolutionStep> history;
    for (const double allowance : kAllowances) {
      options.evaluations = 40 + 30 * n;
      options.tolerance = 0.1 * options.spread;
      const EvolutionResult found = MinimizeByEvolution(
          [&](const std::vector<Eigen::VectorXd>& units) { return Sums(units, allowance); }, at, options);
      at = allowance == 0 ? found.best : found.mean;
      history = found.history;
      options.spread = std::max(0.01, 0.3 * options.spread);
    }
    const double cost = Sum(at);
    out.log.push_back(fmt::format("search: start {} of {} ends at cost {:.5g}", k + 1, points.size(), cost));
    if (!(cost < least)) continue;
    least = cost;
    best = at;
    out.trace.clear();
    AddStage(fmt::format("search, {} tosses", tosses_.size()), history, out.trace);
  }
  if (!std::isfinite(least)) {
    out.params = family_.start();
    out.covariance = Eigen::MatrixXd::Constant(n, n, std::numeric_limits<double>::infinity());
    out.lower = Eigen::VectorXd::Constant(n, std::numeric_limits<double>::quiet_NaN());
    out.enlarged = Eigen::VectorXd::Ones(n);
    out.costs.assign(tosses_.size(), least);
    out.cost = least;
    return out;
  }
  const Eigen::VectorXd step = Polish(best, out);
  Judge(best, step, out);
  Bound(best, out);
  out.params = box_.FromUnit(best);
  out.costs = CostsAt(best);
  out.evaluations = evaluations_;
  out.chi2_per_dof = set_.VelocityChi2(out.params, n);
  return out;
}

ImpactRefit ImpactSearch::Refit(const Eigen::VectorXd& start) {
  Eigen::VectorXd best = box_.ToUnit(start);
  ImpactMinimum found;
  Polish(best, found);
  return {box_.FromUnit(best), CostsAt(best), found.converged && std::isfinite(found.cost)};
}

}  // namespace

ImpactMinimum MaximizeImpactLikelihood(const SpatialFamily& family, const TossSet& set, std::uint64_t seed) {
  return ImpactSearch(family, set).Run(seed);
}

ImpactRefit RefitImpacts(const SpatialFamily& family, const TossSet& set, const Eigen::VectorXd& start,
                         const std::vector<char>& held) {
  return ImpactSearch(family, set, held).Refit(start);
}

}  // namespace ricochet
