// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Bodies in space seen along a direction: the point that is farthest, and the outline from above.
#pragma once

#include <Eigen/Core>
#include <array>
#include <span>
#include <vector>

#include "geometry/spatial_shape.h"
#include "model/model.h"

namespace ricochet {

/// The shape's point farthest along a direction (body axes); the middle of an edge or face that is about square to it.
Eigen::Vector3d FarthestPoint(const SpatialShape<double>& shape, const Eigen::Vector3d& direction);

/// Outline of a body at a pose (x, y, z, qw, qx, qy, qz), seen along the normal of a surface, in the surface's x and y,
/// counter-clockwise [m]. Empty for a body without shape.
std::vector<std::array<double, 2>> OutlineFromAbove(const SpatialShape<double>& shape,
                                                    const SpatialSurface<double>& surface,
                                                    std::span<const double, 7> pose);

/// Heading of the body about the surface's normal: of its x axis, or of its y axis where x is upright [rad].
double Heading(const SpatialSurface<double>& surface, std::span<const double, 7> pose);

}  // namespace ricochet
