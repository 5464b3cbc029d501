// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A scene compiled for simulation: constant during a run, shared by threads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/planar_model.h"
#include "model/spatial_model.h"
#include "ricochet/scene.h"

namespace ricochet {

struct Model {
  std::shared_ptr<const Scene> scene;  // what it was compiled from
  Space space = Space::kPlanar;
  PlanarModel<double> planar;    // filled when space is planar
  SpatialModel<double> spatial;  // filled when space is spatial
  std::vector<LoadTrigger> triggers;

  int body_count() const { return static_cast<int>(scene->bodies.size()); }
  /// "body/surface" or "body/body" of a pair.
  std::string PairName(int pair) const;
};

/// Compiles a scene with its own values.
Model CompileModel(Scene scene);
/// The same; the model shares the scene.
Model CompileModel(std::shared_ptr<const Scene> scene);

}  // namespace ricochet
