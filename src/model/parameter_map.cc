// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "model/parameter_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.h"
#include "math/dense.h"
#include "math/jet.h"

namespace ricochet {
namespace {

constexpr double kMostFriction = 5;
constexpr double kUsualLaw = 0.3;        // friction, restitution
constexpr double kAboveExcluded = 1e-4;  // of the scale
constexpr double kLeft = 0.1;            // of a positive value: a step that leaves less is shortened
constexpr double kMost = 4.5;            // times a positive value: a step that leads to more is shortened
constexpr double kMostGrowth = 1.5;      // of a logarithm in one step
constexpr double kLeastAdded = 0.01;     // of the static friction: less moves by addition
constexpr double kRounding = 1e-9;       // relative, of the triangle inequality
constexpr int kHalvings = 40;            // of a step toward an inertia that no body has

bool SetsNumber(const SelectedParameter& parameter, NumberId id) {
  return parameter.numerator == id || parameter.denominator == id || parameter.factor == id;
}

template <class Entries>
Eigen::Matrix3d InertiaOf(const Entries& entries) {
  Eigen::Matrix3d out = Eigen::Vector3d(entries[0], entries[1], entries[2]).asDiagonal();
  if (entries.size() == 6) {
    out(0, 1) = out(1, 0) = entries[3];
    out(0, 2) = out(2, 0) = entries[4];
    out(1, 2) = out(2, 1) = entries[5];
  }
  return out;
}

/// tr(I) / 2 - I, and back: the map is its own inverse up to tr(S) = tr(I) / 2.
Eigen::Matrix3d SecondMoments(const Eigen::Matrix3d& inertia) {
  return 0.5 * inertia.trace() * Eigen::Matrix3d::Identity() - inertia;
}
Eigen::Matrix3d FromSecondMoments(const Eigen::Matrix3d& moments) {
  return moments.trace() * Eigen::Matrix3d::Identity() - moments;
}

/// value + step while enough of a positive value is left, beyond that a positive tail with the same slope; at most
/// kMost times the value.
double Kept(double value, double step) {
  const double left = 1 + step / value;
  if (left > kMost) return value * kMost;
  return left >= kLeft ? value + step : value * kLeft * kLeft / (2 * kLeft - left);
}

/// The value moved by a factor.
double Grown(double value, double by) { return value * std::exp(std::clamp(by / value, -kMostGrowth, kMostGrowth)); }

/// I moved by dI to first order, on the cone of possible inertias. None when I is on its edge.
std::optional<Eigen::Matrix3d> MoveInertia(const Eigen::Matrix3d& inertia, const Eigen::Matrix3d& step) {
  const Eigen::Matrix3d moments = SecondMoments(inertia), change = SecondMoments(step);
  Eigen::Matrix3d L = Eigen::Matrix3d::Zero();
  for (int j = 0; j < 3; ++j)
    for (int i = j; i < 3; ++i) {
      double sum = moments(i, j);
      for (int k = 0; k < j; ++k) sum -= L(i, k) * L(j, k);
      if (i == j && !(sum > 1e-12 * moments.trace())) return std::nullopt;
      L(i, j) = i == j ? std::sqrt(sum) : sum / L(j, j);
    }
  // S + dS = L (1 + X) L'.
  const Eigen::Matrix3d half = L.triangularView<Eigen::Lower>().solve(change);
  const Eigen::Matrix3d X = L.triangularView<Eigen::Lower>().solve(half.transpose());
  const SymmetricEigen eigen = EigenOfSymmetric(X);
  if (!eigen.found) return std::nullopt;
  if (eigen.values.minCoeff() >= kLeft - 1 && eigen.values.maxCoeff() <= kMost - 1) return inertia + step;
  const Eigen::Matrix3d turned = L * eigen.vectors;
  const Eigen::Vector3d kept = eigen.values.unaryExpr([](double x) { return Kept(1, x); });
  return FromSecondMoments(turned * kept.asDiagonal() * turned.transpose());
}

}  // namespace

bool IsPossibleInertia(const Eigen::Matrix3d& inertia) {
  if (!inertia.allFinite() || !(inertia.diagonal().minCoeff() > 0)) return false;
  const Eigen::Vector3d moments = EigenOfSymmetric(inertia).values;
  return moments[0] > 0 && moments[2] <= (moments[0] + moments[1]) * (1 + kRounding);
}

double ValueOf(const Scene& scene, const SelectedParameter& parameter) {
  double value = scene[parameter.numerator];
  if (parameter.denominator) value /= scene[parameter.denominator];
  if (parameter.factor) value *= scene[parameter.factor];
  return value;
}

ParameterMap::ParameterMap(const Scene& scene, std::vector<SelectedParameter> selected)
    : scene_(scene), selected_(std::move(selected)) {
  for (const SelectedParameter& parameter : selected_)
    for (const NumberId id : {parameter.numerator, parameter.denominator, parameter.factor})
      if (id) scene_.MakeIndependent(id);
  OrderPivots();
  SetRanges();
  FindInertias();
  FindStribeck();
}

void ParameterMap::OrderPivots() {
  const int n = size();
  pivots_.assign(static_cast<std::size_t>(n), {});
  std::vector<char> placed(static_cast<std::size_t>(n), 0);
  const auto is_pivot = [&](NumberId id) { return std::find(pivots_.begin(), pivots_.end(), id) != pivots_.end(); };
  const auto place = [&](int i, NumberId pivot, Rule rule, NumberId other) {
    pivots_[static_cast<std::size_t>(i)] = pivot;
    placed[static_cast<std::size_t>(i)] = 1;
    order_.push_back({i, rule, other});
  };
  for (int i = 0; i < n; ++i)
    if (IsPlain(i)) place(i, selected(i).numerator, Rule::kValue, {});
  // A combination is placed when its other number is final: no combination that is still open could set it.
  for (bool progress = true; progress;) {
    progress = false;
    for (int i = 0; i < n; ++i) {
      if (placed[static_cast<std::size_t>(i)]) continue;
      const SelectedParameter& parameter = selected(i);
      const NumberId first = parameter.numerator, second = parameter.factor ? parameter.factor : parameter.denominator;
      const bool taken = is_pivot(first);
      const NumberId pivot = taken ? second : first, other = taken ? first : second;
      // A number that another combination was computed with cannot be set any more.
      const bool used =
          std::any_of(order_.begin(), order_.end(), [&](const Assignment& a) { return a.other == pivot; });
      if (is_pivot(pivot) || used) continue;
      bool open = false;
      for (int j = 0; j < n; ++j)
        if (j != i && !placed[static_cast<std::size_t>(j)] && !is_pivot(other)) {
          const SelectedParameter& rival = selected(j);
          open = open || rival.numerator == other || (is_pivot(rival.numerator) && SetsNumber(rival, other));
        }
      if (open) continue;
      place(i, pivot, parameter.factor ? Rule::kOverOther : taken ? Rule::kOtherOver : Rule::kTimesOther, other);
      progress = true;
    }
  }
  std::vector<std::string> left;
  for (int i = 0; i < n; ++i)
    if (!placed[static_cast<std::size_t>(i)]) left.push_back(selected(i).path);
  if (left.empty()) return;
  throw InputError({}, "paths", fmt::format("{} cannot be set independently of the other parameters.", JoinList(left)),
                   "Request one of the parameters alone instead of one of these ratios or products.");
}

void ParameterMap::SetRanges() {
  const Eigen::Index n = size();
  constexpr double kNone = std::numeric_limits<double>::infinity();
  start_.resize(n);
  lower_.resize(n);
  upper_.resize(n);
  scale_.resize(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const SelectedParameter& parameter = selected(static_cast<int>(i));
    const ParameterInfo& info = InfoOf(quantity(static_cast<int>(i)));
    double factor = 1;
    bool positive = true;  // what the number is divided or multiplied by
    for (const NumberId id : {parameter.denominator, parameter.factor}) {
      if (!id) continue;
      factor = id == parameter.denominator ? 1 / scene_[id] : scene_[id];
      positive = InfoOf(scene_.number(id).quantity).lower >= 0;
    }
    if (!std::isfinite(factor) || (factor == 0 && parameter.factor))
      throw InputError(
          {}, parameter.path,
          fmt::format("{} is 0.", scene_.number(parameter.denominator ? parameter.denominator : parameter.factor).path),
          "Give it a value, or request the parameters separately.");
    start_[i] = ricochet::ValueOf(scene_, parameter);
    scale_[i] = start_[i] != 0 ? std::abs(start_[i]) : 1.0;
    lower_[i] = positive && std::isfinite(info.lower) ? info.lower * factor : -kNone;
    upper_[i] = positive && std::isfinite(info.upper) ? info.upper * factor : kNone;
    if (info.lower_excluded && std::isfinite(lower_[i])) lower_[i] += kAboveExcluded * scale_[i];
    if (IsPlain(static_cast<int>(i))) {
      const bool friction = quantity(static_cast<int>(i)) == Quantity::kFriction;
      if (friction || quantity(static_cast<int>(i)) == Quantity::kRestitution) scale_[i] = kUsualLaw;
      if (friction) upper_[i] = std::min(upper_[i], kMostFriction);
    }
    const auto known_by_ratio = [&](NumberId id) {
      return !id || InfoOf(scene_.number(id).quantity).chart == Chart::kLog;
    };
    charts_.push_back(known_by_ratio(parameter.numerator) && known_by_ratio(parameter.denominator) &&
                              known_by_ratio(parameter.factor)
                          ? Chart::kLog
                          : Chart::kIdentity);
  }
}

void ParameterMap::FindInertias() {
  for (const Body& body : scene_.bodies) {
    if (body.inertia.size() < 3) continue;
    const int index = static_cast<int>(&body - scene_.bodies.data());
    InertiaGroup group{index, {}};
    NumberId over;
    for (const NumberId entry : body.inertia)
      for (int i = 0; i < size(); ++i) {
        const SelectedParameter& parameter = selected(i);
        if (parameter.numerator != entry || parameter.factor || pivots_[static_cast<std::size_t>(i)] != entry) continue;
        if (!group.parameters.empty() && !(parameter.denominator == over)) continue;
        over = parameter.denominator;
        group.parameters.push_back(i);
        break;
      }
    if (group.parameters.size() == body.inertia.size()) {
      inertias_.push_back(std::move(group));
    } else if (std::any_of(pivots_.begin(), pivots_.end(), [&](NumberId id) {
                 return std::find(body.inertia.begin(), body.inertia.end(), id) != body.inertia.end();
               })) {
      partial_.push_back(index);
    }
  }
}

void ParameterMap::FindStribeck() {
  for (const Joint& joint : scene_.joints) {
    if (!joint.stribeck || !joint.dry) continue;
    const StribeckGroup group{IndexOf(joint.stribeck->rate), IndexOf(joint.stribeck->static_friction),
                              IndexOf(joint.dry->friction), scene_[joint.dry->friction]};
    if (group.rate >= 0 || group.rest >= 0) stribeck_.push_back(group);
  }
}

Eigen::Matrix3d ParameterMap::InertiaGroup::Of(const Eigen::VectorXd& values) const {
  return InertiaOf(Eigen::VectorXd(values(parameters)));
}

bool ParameterMap::InertiaGroup::Any(const std::vector<char>& of) const {
  return !of.empty() &&
         std::any_of(parameters.begin(), parameters.end(), [&](int i) { return of[static_cast<std::size_t>(i)] != 0; });
}

bool ParameterMap::HasPossibleInertias(const std::vector<int>& bodies, const Eigen::VectorXd& values) const {
  const std::vector<double> numbers = Table<double>({values.data(), static_cast<std::size_t>(values.size())});
  return std::all_of(bodies.begin(), bodies.end(), [&](int body) {
    std::vector<double> entries;
    for (const NumberId id : scene_.bodies[static_cast<std::size_t>(body)].inertia)
      entries.push_back(numbers[static_cast<std::size_t>(id.index)]);
    return IsPossibleInertia(InertiaOf(entries));
  });
}

std::vector<std::string> ParameterMap::paths() const {
  std::vector<std::string> out;
  for (const SelectedParameter& parameter : selected_) out.push_back(parameter.path);
  return out;
}

int ParameterMap::IndexOf(NumberId number) const {
  for (int i = 0; i < size() && number; ++i)
    if (IsPlain(i) && selected(i).numerator == number) return i;
  return -1;
}

void ParameterMap::Narrow(int index, double lower, double upper) {
  lower_[index] = std::max(lower_[index], lower);
  upper_[index] = std::min(upper_[index], upper);
}

Eigen::MatrixXd ParameterMap::PivotByValue(const Eigen::VectorXd& values) const {
  const Eigen::Index n = size();
  Eigen::MatrixXd out(n, n);
  std::vector<Jet<1>> seeded(static_cast<std::size_t>(n));
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index i = 0; i < n; ++i) seeded[static_cast<std::size_t>(i)] = Jet<1>(values[i]);
    seeded[static_cast<std::size_t>(j)] = Jet<1>::Variable(values[j], 0);
    const std::vector<Jet<1>> numbers = Table<Jet<1>>(seeded);
    for (Eigen::Index i = 0; i < n; ++i)
      out(i, j) = numbers[static_cast<std::size_t>(pivots_[static_cast<std::size_t>(i)].index)].v[0];
  }
  return out;
}

bool TrySet(const ParameterMap& map, const Eigen::VectorXd& values, Scene& scene) {
  if (!map.IsPossible(values)) return false;
  const std::vector<double> numbers = map.Numbers<double>({values.data(), static_cast<std::size_t>(values.size())});
  for (const NumberId id : map.pivots()) scene.Set(id, numbers[static_cast<std::size_t>(id.index)]);
  // Those of which parameters set a part, or what they are derived from.
  return std::all_of(scene.bodies.begin(), scene.bodies.end(), [&](const Body& body) {
    if (body.fixed || body.inertia.size() < 3) return true;
    std::vector<double> entries;
    for (const NumberId id : body.inertia) entries.push_back(scene[id]);
    return IsPossibleInertia(InertiaOf(entries));
  });
}

std::optional<Scene> ParameterMap::TryApply(const Eigen::VectorXd& values) const {
  std::optional<Scene> scene = scene_;
  if (!TrySet(*this, values, *scene)) scene.reset();
  return scene;
}

Scene ParameterMap::Apply(const Eigen::VectorXd& values) const {
  const std::vector<double> numbers = Numbers<double>({values.data(), static_cast<std::size_t>(values.size())});
  Scene scene = scene_;
  for (const NumberId id : pivots_) scene.Set(id, numbers[static_cast<std::size_t>(id.index)]);
  return scene;
}

Eigen::VectorXd ParameterMap::ValuesOf(const Scene& scene) const {
  Eigen::VectorXd out(size());
  for (int i = 0; i < size(); ++i) out[i] = ricochet::ValueOf(scene, selected(i));
  return out;
}

void ParameterMap::MoveStribeck(const Eigen::VectorXd& values, const Eigen::VectorXd& step,
                                Eigen::VectorXd& out) const {
  for (const StribeckGroup& group : stribeck_) {
    if (group.rate >= 0 && values[group.rate] > 0) out[group.rate] = Grown(values[group.rate], step[group.rate]);
    if (group.rest < 0) continue;
    const bool slides = group.sliding >= 0;
    const double base = slides ? values[group.sliding] : group.sliding_of_scene;
    const double added = values[group.rest] - base, change = step[group.rest] - (slides ? step[group.sliding] : 0.0);
    if (!(added > kLeastAdded * values[group.rest])) continue;
    out[group.rest] = (slides ? out[group.sliding] : base) + Grown(added, change);
  }
}

Eigen::VectorXd ParameterMap::Move(const Eigen::VectorXd& values, const Eigen::VectorXd& step) const {
  Eigen::VectorXd out = values + step;
  for (int i = 0; i < size(); ++i)
    if (charts_[static_cast<std::size_t>(i)] == Chart::kLog && values[i] > 0) out[i] = Kept(values[i], step[i]);
  MoveStribeck(values, step, out);
  std::vector<int> unsure;
  if (!moments_give_way_) unsure = partial_;
  for (const InertiaGroup& group : inertias_) {
    if ((step(group.parameters).array() == 0).any()) {
      if (!moments_give_way_) unsure.push_back(group.body);
      continue;
    }
    const std::optional<Eigen::Matrix3d> moved = MoveInertia(group.Of(values), group.Of(step));
    if (!moved || !IsPossibleInertia(*moved)) {
      unsure.push_back(group.body);
      continue;
    }
    constexpr int kRow[] = {0, 1, 2, 0, 0, 1}, kColumn[] = {0, 1, 2, 1, 2, 2};
    for (std::size_t k = 0; k < group.parameters.size(); ++k) out[group.parameters[k]] = (*moved)(kRow[k], kColumn[k]);
  }
  if (unsure.empty() || !HasPossibleInertias(unsure, values)) return out;
  for (int k = 0; k < kHalvings && !HasPossibleInertias(unsure, out); ++k) out = 0.5 * (out + values);
  return HasPossibleInertias(unsure, out) ? out : values;
}

Eigen::VectorXd ParameterMap::MoveWithin(Eigen::Index first, const Eigen::VectorXd& x,
                                         const Eigen::VectorXd& step) const {
  Eigen::VectorXd out = x + step;
  out.segment(first, size()) = Move(x.segment(first, size()), step.segment(first, size()));
  return out;
}

bool ParameterMap::IsPossible(const Eigen::VectorXd& values, const std::vector<char>& held) const {
  const std::vector<double> numbers = Table<double>({values.data(), static_cast<std::size_t>(values.size())});
  for (const NumberId id : pivots_)
    if (!IsAllowed(scene_.number(id).quantity, numbers[static_cast<std::size_t>(id.index)])) return false;
  return std::all_of(inertias_.begin(), inertias_.end(),
                     [&](const InertiaGroup& group) { return group.Any(held) || IsPossibleInertia(group.Of(values)); });
}

ParameterMap::StepBox ParameterMap::PossibleSteps(const Eigen::VectorXd& values, const std::vector<char>& held) const {
  StepBox out{Eigen::MatrixXd::Identity(size(), size()), lower_ - values, upper_ - values};
  for (const InertiaGroup& group : inertias_) {
    if (group.parameters.size() != 3 || group.Any(held)) continue;
    const Eigen::Matrix3d moments = SecondMoments(group.Of(values));
    for (int i = 0; i < 3; ++i) {
      const int a = group.parameters[static_cast<std::size_t>(i)];
      for (int j = 0; j < 3; ++j) out.basis(a, group.parameters[static_cast<std::size_t>(j)]) = i == j ? 0 : 1;
      out.lower[a] = -moments(i, i);
      out.upper[a] = std::numeric_limits<double>::infinity();
    }
  }
  return out;
}

ParameterMap ParameterMap::With(const Scene& scene, std::vector<SelectedParameter> more) const {
  std::vector<SelectedParameter> all = selected_;
  all.insert(all.end(), more.begin(), more.end());
  ParameterMap out(scene, std::move(all));
  for (int i = 0; i < size(); ++i) out.Narrow(i, lower_[i], upper_[i]);
  return out;
}

}  // namespace ricochet
