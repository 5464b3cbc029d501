// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The scene's numbers with derivatives in chosen directions.
//
// The directions of a derivative are those of the state, then those of the parameters; a Jet<N> holds N of them, so
// they are taken in groups: group g carries directions N g .. N g + N - 1.
#pragma once

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

}  // namespace ricochet
