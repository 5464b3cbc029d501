// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "inference/parameter_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "math/statistics.h"

namespace ricochet {
namespace {

constexpr double kStep = 0.7;         // standard deviations
constexpr double kBeside = 0.1;       // standard deviations
constexpr int kEven = 6, kMost = 14;  // steps of that length, and in all, on one side
constexpr double kGrowth = 1.7;       // of steps after those
constexpr double kFirstStep = 0.05;   // of the parameter's size, where no standard deviation is known
constexpr int kRefinements = 8;       // fits at a limit, at most
constexpr double kLeap = 2;           // roots of a limit beyond which it is halved
constexpr double kNear = 0.02;        // of the limit's root, at which it is found
constexpr double kBelow = 1;          // deviance by which a better fit is reported

/// The parameter and the range in which it is varied.
struct Task {
  FitProblem& problem;
  const Fit& fit;
  int index = 0;
  double value = 0;             // the estimate
  double deviation = 0;         // its standard deviation; infinite or not a number: not known
  double size = 1;              // of the parameter, by which steps are chosen then
  double lower = 0, upper = 0;  // end of its range
  double allowance = 1;         // factor that variances have over those of the curve
};

/// A fit with the parameter held.
struct HeldFit {
  std::vector<double> costs;  // one deviance for all; or one cost per recording, judged by their scatter
  FitPoint solution;
};

/// a + t (b - a). None where the two do not have the same unknowns.
std::optional<FitPoint> Between(const FitPoint& a, const FitPoint& b, double t) {
  if (a.local.size() != b.local.size()) return std::nullopt;
  FitPoint out{a.values + t * (b.values - a.values), {}};
  for (std::size_t k = 0; k < a.local.size(); ++k) {
    if (a.local[k].size() != b.local[k].size()) return std::nullopt;
    out.local.push_back(a.local[k] + t * (b.local[k] - a.local[k]));
  }
  return out;
}

class Curve {
 public:
  explicit Curve(const Task& task) : task_(task) { Add(std::clamp(task.value, task.lower, task.upper)); }

  /// Values so near to the estimate that its solution leads to theirs: they show where those farther out are.
  void ShowTheWay() {
    if (!Known() || fits_.at(best_).costs.size() > 1) return;
    for (const double side : {-1.0, 1.0})
      Add(std::clamp(task_.value + side * kBeside * task_.deviation, task_.lower, task_.upper));
  }

  /// Outward until the limit is passed or the range ends; true when it is passed.
  bool Walk(int side) {
    const bool known = Known();
    double step = known ? kStep * task_.deviation : kFirstStep * task_.size;
    for (int k = 0; k < kMost; ++k) {
      const double at = End(side);
      if (Passed(side)) return true;
      if (at == (side < 0 ? task_.lower : task_.upper)) return false;
      if (!known || k >= kEven) step *= kGrowth;
      Add(std::clamp(at + side * step, task_.lower, task_.upper));
    }
    return Passed(side);
  }

  /// Where the rise passes `limit` for good on a side on which it does.
  double Limit(int side, double limit) {
    double at = 0;
    for (int k = 0; k <= kRefinements; ++k) {
      const auto [inner, outer] = Bracket(side, limit);
      const double low = std::sqrt(std::max(0.0, Rise(inner))), high = std::sqrt(Rise(outer));
      // A curve that leaps there is no parabola.
      const double part = high < kLeap * std::sqrt(limit) ? (std::sqrt(limit) - low) / (high - low) : 0.5;
      at = inner + part * (outer - inner);
      if (k == kRefinements || fits_.count(at)) break;
      Add(at);
      if (std::abs(std::sqrt(std::max(0.0, Rise(at))) / std::sqrt(limit) - 1) < kNear) break;
    }
    return at;
  }

  double End(int side) const { return side < 0 ? fits_.begin()->first : fits_.rbegin()->first; }

  /// Deviance above that of the best value.
  double Rise(double value) const { return Rise(fits_.at(best_).costs, fits_.at(value).costs); }
  double RiseOfEstimate() const { return Rise(std::clamp(task_.value, task_.lower, task_.upper)); }
  double best() const { return best_; }
  /// Whether the best value has a fit at all.
  bool HasFit() const { return HasCost(fits_.at(best_).costs); }

  void Report(EstimatedProfile& out) const {
    for (const auto& [value, fit] : fits_) {
      out.value.push_back(value);
      out.deviance.push_back(Rise(value));
    }
  }

 private:
  bool Known() const { return task_.deviation > 0 && std::isfinite(task_.deviation); }

  void Add(double value) {
    if (fits_.count(value)) return;
    HeldFit fit = Better(value);
    const std::vector<double> costs = fits_.emplace(value, std::move(fit)).first->second.costs;
    const auto found = fits_.find(best_);
    if (found == fits_.end() || !HasCost(found->second.costs) || Rise(found->second.costs, costs) < 0) best_ = value;
  }

  /// From the solution of the nearest value; of a likelihood also from where the two nearest point, and the better one.
  HeldFit Better(double value) const {
    std::vector<std::pair<double, const HeldFit*>> near;
    for (const auto& [other, fit] : fits_) near.emplace_back(other, &fit);
    std::sort(near.begin(), near.end(),
              [&](const auto& a, const auto& b) { return std::abs(a.first - value) < std::abs(b.first - value); });
    HeldFit best = Held(value, near.empty() ? task_.fit.point : near[0].second->solution);
    if (near.size() < 2 || best.costs.size() > 1) return best;
    const std::optional<FitPoint> ahead = Between(near[0].second->solution, near[1].second->solution,
                                                  (value - near[0].first) / (near[1].first - near[0].first));
    if (!ahead) return best;
    HeldFit other = Held(value, *ahead);
    return HasCost(best.costs) && !(other.costs[0] < best.costs[0]) ? best : other;
  }

  /// The search with the parameter held at a value.
  HeldFit Held(double value, FitPoint from) const {
    HeldParameters held(static_cast<std::size_t>(from.values.size()), 0);
    held[static_cast<std::size_t>(task_.index)] = 1;
    from.values[task_.index] = value;
    Fit fit = task_.problem.Search(held, &from);
    const bool deviance = task_.problem.cost_kind() == CostKind::kDeviance;
    if (!fit.found) {
      const std::size_t count = deviance ? 1 : static_cast<std::size_t>(task_.problem.blocks());
      return {std::vector<double>(count, INFINITY), std::move(from)};
    }
    if (deviance) fit.costs = {fit.cost()};
    return {std::move(fit.costs), std::move(fit.point)};
  }

  static bool HasCost(const std::vector<double>& costs) {
    return std::any_of(costs.begin(), costs.end(), [](double cost) { return std::isfinite(cost); });
  }

  double Rise(const std::vector<double>& base, const std::vector<double>& other) const {
    const auto [mean, error] = MeanRise(base, other);
    if (base.size() == 1) return std::isnan(mean) ? INFINITY : mean / task_.allowance;
    if (!(error > 0)) return mean > 0 ? INFINITY : mean;
    return std::copysign(std::pow(mean / error, 2), mean) / task_.allowance;
  }

  /// Values from the end of a side to the best one.
  std::vector<double> Inwards(int side) const {
    std::vector<double> out;
    for (const auto& [value, fit] : fits_)
      if (side * (value - best_) >= 0) out.push_back(value);
    if (side > 0) std::reverse(out.begin(), out.end());
    return out;
  }

  /// The limit is passed at the end; the two last values must agree on that where costs jump with the number, unless
  /// the range ends there.
  bool Passed(int side) const {
    const std::vector<double> values = Inwards(side);
    const bool ended = End(side) == (side < 0 ? task_.lower : task_.upper);
    const std::size_t agree = fits_.at(best_).costs.size() > 1 && !ended ? 2 : 1;
    if (values.size() <= agree) return false;
    return std::all_of(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(agree),
                       [&](double value) { return Rise(value) > kChi2TwoSided; });
  }

  /// The outermost value that has not risen by `limit`, and the one behind it.
  std::pair<double, double> Bracket(int side, double limit) const {
    double outer = End(side);
    for (const double value : Inwards(side)) {
      if (!(Rise(value) > limit)) return {value, outer};
      outer = value;
    }
    return {best_, outer};
  }

  const Task& task_;
  std::map<double, HeldFit> fits_;
  double best_ = 0;
};

}  // namespace

EstimatedProfile ProfileParameter(FitProblem& problem, const Fit& fit, int index) {
  const ParameterMap& parameters = problem.parameters();
  const double enlargement = fit.enlargement.size() > 0 ? fit.enlargement[index] : 1;
  const std::pair<double, double> range = problem.Range(index);
  const Task task{.problem = problem,
                  .fit = fit,
                  .index = index,
                  .value = fit.point.values[index],
                  .deviation = std::sqrt(fit.covariance(index, index)),
                  .size = parameters.scale()[index],
                  .lower = range.first,
                  .upper = range.second,
                  .allowance = enlargement * enlargement};
  const SelectedParameter& selected = parameters.selected(index);
  EstimatedProfile out{selected.path, UnitOf(parameters.scene(), selected), {}, {}, {}, {}, ""};
  Curve curve(task);
  curve.ShowTheWay();
  // Twice: a better value found on one side moves the limit of the other.
  bool below = false, above = false;
  for (int pass = 0; pass < 2; ++pass) {
    below = curve.Walk(-1);
    above = curve.Walk(1);
  }
  if (!curve.HasFit()) {
    out.words = "no value has a fit";
    return out;
  }
  const double limit = below && above ? kChi2TwoSided : kChi2OneSided;
  if (below) out.lower = curve.Limit(-1, limit);
  if (above) out.upper = curve.Limit(1, limit);
  curve.Report(out);
  const std::string unit = out.unit == "-" ? "" : " " + out.unit;
  const auto flat = [&](int side) {
    return fmt::format("{} not identifiable: {} {:.4g} the deviance rises by only {:.2g}",
                       side < 0 ? "lower limit" : "upper limit", side < 0 ? "down to" : "up to", curve.End(side),
                       std::max(0.0, curve.Rise(curve.End(side))));
  };
  if (below && above)
    out.words = fmt::format("between {:.6g} and {:.6g}{} (95 %)", *out.lower, *out.upper, unit);
  else if (below)
    out.words = fmt::format("at least {:.4g}{} (95 %); {}", *out.lower, unit, flat(1));
  else if (above)
    out.words = fmt::format("at most {:.4g}{} (95 %); {}", *out.upper, unit, flat(-1));
  else
    out.words =
        fmt::format("not identifiable: from {:.4g} to {:.4g}{} the deviance rises by at most {:.2g}", out.value.front(),
                    out.value.back(), unit, *std::max_element(out.deviance.begin(), out.deviance.end()));
  if (curve.RiseOfEstimate() > kBelow)
    out.words += fmt::format("; minimum at {:.6g}, {:.2g} below the estimate", curve.best(), curve.RiseOfEstimate());
  return out;
}

}  // namespace ricochet
