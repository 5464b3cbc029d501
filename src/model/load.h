// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Known loads on bodies, compiled from the scene's actions.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <span>
#include <vector>

#include "ricochet/scene.h"

namespace ricochet {

/// A load on a body at its center of mass, world axes. Planar wrenches use entries 0, 1 (force) and 2 (torque);
/// spatial ones 0..2 and 3..5.
template <class T>
struct Load {
  int body = 0;
  Eigen::Matrix<T, 6, 1> force = Eigen::Matrix<T, 6, 1>::Zero();    // [N], [N m], between `from` and `until`
  Eigen::Matrix<T, 6, 1> impulse = Eigen::Matrix<T, 6, 1>::Zero();  // [N s], [N m s]
  double from = -std::numeric_limits<double>::infinity();           // [s]
  double until = std::numeric_limits<double>::infinity();           // [s]
  double at = std::numeric_limits<double>::quiet_NaN();             // [s]; NaN unless the impulse acts at a time
  int trigger = -1;                                                 // event that fires the impulse, or -1
};

/// `when`: fires in the step after velocity component `component` of `body` (index into the body's velocity, linear
/// first) went from above to at or below `falls_to`; `position` true: the pose coordinate instead.
struct LoadTrigger {
  int body = 0;
  int component = 0;
  bool position = false;
  double falls_to = 0;
};

/// The scene's actions; `numbers` has one value per entry of scene.numbers(). Times are taken by value: motion is not
/// differentiated with respect to them.
template <class T>
std::vector<Load<T>> CompileLoads(const Scene& scene, std::span<const T> numbers) {
  const auto value = [&](NumberId id) -> const T& { return numbers[static_cast<size_t>(id.index)]; };
  const int linear = scene.space == Space::kPlanar ? 2 : 3;
  std::vector<Load<T>> loads;
  int triggers = 0;
  for (const Action& action : scene.actions) {
    Load<T>& load = loads.emplace_back();
    load.body = scene.BodyIndex(action.body);
    const auto fill = [&](const std::vector<NumberId>& ids, int from, Eigen::Matrix<T, 6, 1>& wrench) {
      for (size_t i = 0; i < ids.size(); ++i) wrench[from + static_cast<int>(i)] = value(ids[i]);
    };
    fill(action.force, 0, load.force);
    fill(action.torque, linear, load.force);
    fill(action.impulse, 0, load.impulse);
    fill(action.angular_impulse, linear, load.impulse);
    if (action.from) load.from = scene[action.from];
    if (action.until) load.until = scene[action.until];
    if (action.at) load.at = scene[action.at];
    if (action.when) load.trigger = triggers++;
  }
  return loads;
}

/// Those that act on one body.
template <class T>
std::vector<Load<T>> LoadsOn(int body, const std::vector<Load<T>>& loads) {
  std::vector<Load<T>> out;
  for (const Load<T>& load : loads)
    if (load.body == body) out.push_back(load);
  return out;
}

/// The scene's events, in the order of Load::trigger.
std::vector<LoadTrigger> CompileTriggers(const Scene& scene);

}  // namespace ricochet
