// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A few points whose convex hull is close to that of many, for meshes as contact shapes.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

namespace ricochet {

struct HullPoints {
  std::vector<Eigen::Vector3d> points;  // some of the given ones; the corners of their hull
  double outside = 0;                   // largest distance of a given point outside that hull [unit of the points]
};

/// At most `most` points, beginning with the outermost along 26 directions; the point farthest outside the hull so far
/// is added until none is farther than `tolerance` times the size. None when the points do not enclose a volume.
HullPoints ChooseHullPoints(std::span<const Eigen::Vector3d> points, std::size_t most = 64, double tolerance = 1e-3);

}  // namespace ricochet
