// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/estimate.h"

#include <string>
#include <vector>

#include "model/parameter_map.h"

namespace ricochet {

Scene Apply(const Scene& scene, const Estimate& estimate) {
  std::vector<std::string> paths;
  std::vector<double> values;
  for (const EstimatedParameter& parameter : estimate.parameters) {
    if (!parameter.value) continue;
    paths.push_back(parameter.path);
    values.push_back(*parameter.value);
  }
  Scene out = WithValues(scene, paths, values);
  CheckScene(out);
  return out;
}

}  // namespace ricochet
