// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "scene/derived_numbers.h"

namespace ricochet {

void UpdateDerivedNumbers(Scene& scene) {
  std::vector<double> values;
  values.reserve(scene.numbers_.size());
  for (const SceneNumber& number : scene.numbers_) values.push_back(number.value);
  DeriveNumbers<double>(scene, values);
  for (std::size_t i = 0; i < values.size(); ++i) scene.numbers_[i].value = values[i];
}

}  // namespace ricochet
