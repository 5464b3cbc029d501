// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The one way between a vector of parameter values and the numbers of a scene.
//
// A parameter is a number of the scene, a ratio `a / b` or a product `a * b` (SelectedParameter). Each parameter
// sets one number, its pivot: a plain parameter its own number, a ratio its numerator and a product its first factor,
// unless another parameter has that one already; then the ratio sets its denominator, the product its second factor.
// So a scene calibrated by `inertia / mass` keeps its mass. Pivots are set in an order in which every number is final
// before a ratio or product uses it, whatever the order in which the parameters were named:
//
//   inertia / mass, mass      mass first, then inertia = value * mass
//   inertia / mass, inertia   inertia first, then mass = inertia / value
//
// Numbers that the scene derives from others (inertia of uniform density, gravity's other form, what a pair takes from
// the common law) follow, in derivatives too, because models derive them again. Numbers named by a parameter are
// independent of those they were derived from.
//
// Charts. An optimizer takes steps in units of the values. Move is the only way to apply them, and every iterate is
// physically possible:
//
//   positive quantities   v + s while at least a tenth of v is left; beyond that a tail with the same slope, > 0
//                         a step leads to 4.5 v at most: a parameter without effect must not run away
//   a complete inertia    the same on the cone of inertias that a body can have. With the second moments
//                         S = tr(I) / 2 - I = L L' (Cholesky; Rucker and Wensing 2022) a step is L (1 + X) L', and the
//                         eigenvalues of 1 + X are kept between the same limits
//   Stribeck's curve      its rate, and what it adds at rest, move by factors, v exp(s / v): they trade against each
//                         other as powers, so that valleys of the cost are straight
//
// All agree with v + s to first order, so that derivatives by the values are the derivatives of Move at s = 0, and the
// first two are v + s wherever that is well inside: a fit pays nothing for them. Values without a step stay. Where
// parameters are a part of an inertia, or an inertia is on the edge of the cone (a lamina), a step is halved until the
// whole is possible.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "math/jet.h"
#include "ricochet/parameter.h"
#include "ricochet/scene.h"

namespace ricochet {

class ParameterMap {
 public:
  ParameterMap() = default;
  /// Throws InputError when no order of pivots exists (`a / b, b / a`: one says what the other says; `a / b, a * b`).
  ParameterMap(const Scene& scene, std::vector<SelectedParameter> selected);

  int size() const { return static_cast<int>(selected_.size()); }
  /// The scene, with the numbers that parameters name made independent of those they were derived from.
  const Scene& scene() const { return scene_; }
  const std::vector<SelectedParameter>& selected() const { return selected_; }
  const SelectedParameter& selected(int index) const { return selected_[static_cast<std::size_t>(index)]; }
  std::vector<std::string> paths() const;
  /// Quantity of the number that the parameter is named after: a plain one's own, the numerator of a ratio.
  Quantity quantity(int index) const { return scene_.number(selected(index).numerator).quantity; }
  /// Whether the parameter is this number and nothing else.
  bool IsPlain(int index) const { return !selected(index).denominator && !selected(index).factor; }
  /// Index of the parameter that is this number by itself, or -1.
  int IndexOf(NumberId number) const;

  const Eigen::VectorXd& start() const { return start_; }  // the scene's own values
  const Eigen::VectorXd& lower() const { return lower_; }  // what the values can be; infinite where nothing limits them
  const Eigen::VectorXd& upper() const { return upper_; }
  const Eigen::VectorXd& scale() const { return scale_; }  // how large the values usually are, > 0
  /// Takes narrower bounds that a method knows of.
  void Narrow(int index, double lower, double upper);
  /// Values moved into their bounds.
  Eigen::VectorXd Clamp(const Eigen::VectorXd& values) const { return values.cwiseMax(lower_).cwiseMin(upper_); }

  /// The number that each parameter sets.
  const std::vector<NumberId>& pivots() const { return pivots_; }

  /// All numbers of the scene at these values. Numbers derived from others are not updated: models do that.
  template <class T>
  std::vector<T> Numbers(std::span<const T> values) const {
    if (watch_) {
      Eigen::VectorXd seen(size());
      for (int i = 0; i < size(); ++i) seen[i] = ValueOf(values[static_cast<std::size_t>(i)]);
      watch_(seen);
    }
    return Table<T>(values);
  }

  /// d (pivot numbers) / d (values), in the order of the parameters.
  Eigen::MatrixXd PivotByValue(const Eigen::VectorXd& values) const;

  /// The scene at these values. None when a number is out of its bounds, or when no body has such an inertia.
  std::optional<Scene> TryApply(const Eigen::VectorXd& values) const;
  /// The same. Throws InputError naming the number in place of returning none.
  Scene Apply(const Eigen::VectorXd& values) const;

  /// The values that a scene with the same numbers has.
  Eigen::VectorXd ValuesOf(const Scene& scene) const;

  /// Values after a step, physically possible if `values` are; see above.
  Eigen::VectorXd Move(const Eigen::VectorXd& values, const Eigen::VectorXd& step) const;
  /// The same for a longer vector, whose elements from `first` on are the values. The others are added to.
  Eigen::VectorXd MoveWithin(Eigen::Index first, const Eigen::VectorXd& x, const Eigen::VectorXd& step) const;

  /// Moments that do not move give way to those that do. For methods whose motion depends on sums of moments only: one
  /// that has no effect must not limit one that has. Any positive values of some moments are possible with other values
  /// of the rest.
  void LetMomentsGiveWay() { moments_give_way_ = true; }

  /// Whether bodies can have these values: bounds of the numbers, and inertias of which all entries move.
  bool IsPossible(const Eigen::VectorXd& values, const std::vector<char>& held = {}) const;

  /// Steps in coordinates in which possible values are a box, for solvers that know bounds: a step of the values is
  /// `basis` times a step of the coordinates. Three principal moments of inertia, none of them held, are replaced by
  /// the second moments (I_b + I_c - I_a) / 2 >= 0; everything else is a coordinate by itself.
  struct StepBox {
    Eigen::MatrixXd basis;
    Eigen::VectorXd lower, upper;
  };
  StepBox PossibleSteps(const Eigen::VectorXd& values, const std::vector<char>& held) const;

  /// Calls `watch` with all values that numbers or a scene are made of, on the thread that does it. For tests.
  void Watch(std::function<void(const Eigen::VectorXd& values)> watch) const { watch_ = std::move(watch); }

  /// The same map with more parameters behind its own, whose bounds stay, at the values that `scene` has.
  ParameterMap With(const Scene& scene, std::vector<SelectedParameter> more) const;

 private:
  /// How a pivot follows from its parameter's value and the other number.
  enum class Rule { kValue, kTimesOther, kOverOther, kOtherOver };
  struct Assignment {
    int parameter = 0;
    Rule rule = Rule::kValue;
    NumberId other;
  };
  /// Parameters that together are the complete inertia of a body, possibly over one common number.
  struct InertiaGroup {
    int body = 0;
    std::vector<int> parameters;  // 3 moments, or 6 entries xx yy zz xy xz yz

    Eigen::Matrix3d Of(const Eigen::VectorXd& values) const;
    bool Any(const std::vector<char>& of) const;
  };
  /// Parameters of a joint's friction that Stribeck's curve ties; -1: not a parameter.
  struct StribeckGroup {
    int rate = -1, rest = -1, sliding = -1;
    double sliding_of_scene = 0;
  };

  template <class T>
  std::vector<T> Table(std::span<const T> values) const {
    std::vector<T> numbers;
    numbers.reserve(scene_.numbers().size());
    for (const SceneNumber& number : scene_.numbers()) numbers.emplace_back(number.value);
    const auto at = [&](NumberId id) -> T& { return numbers[static_cast<std::size_t>(id.index)]; };
    for (const Assignment& step : order_) {
      const T& value = values[static_cast<std::size_t>(step.parameter)];
      T& target = at(pivots_[static_cast<std::size_t>(step.parameter)]);
      switch (step.rule) {
        case Rule::kValue:
          target = value;
          break;
        case Rule::kTimesOther:
          target = value * at(step.other);
          break;
        case Rule::kOverOther:
          target = value / at(step.other);
          break;
        case Rule::kOtherOver:
          target = at(step.other) / value;
          break;
      }
    }
    return numbers;
  }

  void OrderPivots();
  void SetRanges();
  void FindInertias();
  void FindStribeck();
  void MoveStribeck(const Eigen::VectorXd& values, const Eigen::VectorXd& step, Eigen::VectorXd& out) const;
  /// Whether these bodies can have the inertias that the values give them.
  bool HasPossibleInertias(const std::vector<int>& bodies, const Eigen::VectorXd& values) const;

  Scene scene_;
  std::vector<SelectedParameter> selected_;
  std::vector<NumberId> pivots_;
  std::vector<Assignment> order_;
  std::vector<Chart> charts_;
  std::vector<InertiaGroup> inertias_;
  std::vector<StribeckGroup> stribeck_;
  std::vector<int> partial_;  // bodies of which parameters set some entries of the inertia, but not all
  bool moments_give_way_ = false;
  Eigen::VectorXd start_, lower_, upper_, scale_;
  mutable std::function<void(const Eigen::VectorXd&)> watch_;
};

/// Value of a parameter in a scene.
double ValueOf(const Scene& scene, const SelectedParameter& parameter);

/// Whether some distribution of mass has this inertia: its principal moments are positive and obey the triangle
/// inequality.
bool IsPossibleInertia(const Eigen::Matrix3d& inertia);

/// What ParameterMap::TryApply does, in a copy of the map's scene whose pivots may have any values. Where it returns
/// false, some of them may be set.
bool TrySet(const ParameterMap& map, const Eigen::VectorXd& values, Scene& scene);

}  // namespace ricochet
