// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A planar scene compiled to constants. T is double for simulation, or a Jet (math/jet.h) that carries derivatives with
// respect to chosen numbers of the scene: compile with a table of Jet values and everything computed from the model
// carries them on.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "geometry/planar_shape.h"
#include "model/load.h"
#include "ricochet/scene.h"

namespace ricochet {

template <class T>
struct PlanarBody {
  T mass, inverse_mass;           // [kg]; inverse 0 for a fixed body
  T inertia, inverse_inertia;     // about Bcm [kg m^2]
  Eigen::Matrix<T, 2, 1> p_BBcm;  // [m]
  PlanarShape<T> shape;           // about Bcm, in B's axes (ShapeType and numbers; `present` false without shape)
  bool fixed = false;
};

template <class T>
struct PlanarSurface {
  Eigen::Matrix<T, 2, 1> point, tangent, normal, velocity;
  bool bounded = false;  // true: only between lo and hi along the tangent from `point`
  T lo, hi;
};

template <class T>
struct PlanarLaw {
  T friction, restitution, tangential_restitution;
};

/// A body and a surface that may touch, with their law.
template <class T>
struct PlanarPair {
  int body = 0, surface = 0;
  PlanarLaw<T> law;
};

/// "body/surface".
std::string PairName(const Scene& scene, const PlanarPair<double>& pair);

template <class T>
struct PlanarModel {
  Eigen::Matrix<T, 2, 1> gravity;
  std::vector<PlanarBody<T>> bodies;
  std::vector<PlanarSurface<T>> surfaces;
  std::vector<PlanarPair<T>> pairs;  // every moving body with a shape against every surface, in scene order
  std::vector<Load<T>> loads;        // wrench: force x, y, torque
};

/// `numbers` has one value per entry of scene.numbers(). Compiled for the scalars at the end of planar_model.cc.
template <class T>
PlanarModel<T> CompilePlanar(const Scene& scene, std::span<const T> numbers);

}  // namespace ricochet
