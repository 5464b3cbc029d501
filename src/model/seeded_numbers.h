// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The scene's numbers with derivatives in chosen directions.
//
// The directions of a derivative are those of the state, then those of the parameters; a Jet<N> holds N of them, so
// they are taken in groups: group g carries directions N g .. N g + N - 1.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "math/jet.h"
#include "ricochet/scene.h"

namespace ricochet {

/// One table per group, parameter k being direction `first + k`; `first` is the number of directions of the state.
template <int N>
std::vector<std::vector<Jet<N>>> SeededNumbers(const Scene& scene, std::span<const NumberId> parameters, int first) {
  const int groups = (first + static_cast<int>(parameters.size()) + N - 1) / N;
  std::vector<std::vector<Jet<N>>> tables(static_cast<std::size_t>(groups));
  for (auto& table : tables) {
    table.reserve(scene.numbers().size());
    for (const SceneNumber& number : scene.numbers()) table.emplace_back(number.value);
  }
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const int direction = first + static_cast<int>(k);
    tables[static_cast<std::size_t>(direction / N)][static_cast<std::size_t>(parameters[k].index)].v[direction % N] = 1;
  }
  return tables;
}

/// What a stepper compiles for derivatives: one `Compiled` per group of directions, kept as long as scene and
/// parameters stay the same.
template <int N, class Compiled>
class SeededModels {
 public:
  /// Compiles with `compile(scene, numbers)` where scene or parameters differ from those of the last call.
  template <class Compile>
  void Prepare(const std::shared_ptr<const Scene>& scene, std::span<const NumberId> parameters, int first,
               const Compile& compile) {
    if (scene_ == scene && std::ranges::equal(parameters_, parameters)) return;
    scene_ = scene;
    parameters_.assign(parameters.begin(), parameters.end());
    groups_.clear();
    for (const auto& numbers : SeededNumbers<N>(*scene, parameters, first)) groups_.push_back(compile(*scene, numbers));
  }

  std::size_t size() const { return groups_.size(); }
  const Compiled& operator[](std::size_t group) const { return groups_[group]; }

 private:
  std::shared_ptr<const Scene> scene_;
  std::vector<NumberId> parameters_;
  std::vector<Compiled> groups_;
};

}  // namespace ricochet
