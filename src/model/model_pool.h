// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Models at many values of the parameters of one scene, made and dropped by the thousand in a search. Copying a scene
// costs more than compiling it, so a model sets its values in the scene of one that is no longer used.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>

#include "model/model.h"
#include "model/parameter_map.h"

namespace ricochet {

class ModelPool {
 public:
  ModelPool();

  /// The model at these values; none where TryApply has none. The map is always the same, or a copy of it. Any thread.
  std::optional<Model> Compile(const ParameterMap& map, const Eigen::VectorXd& values) const;

 private:
  struct Spare;
  std::shared_ptr<Spare> spare_;  // outlives the pool while models use its scenes
};

}  // namespace ricochet
