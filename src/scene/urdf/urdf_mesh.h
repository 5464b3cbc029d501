// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Meshes that a robot description names: where their files are, and their convex hulls.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

namespace ricochet {

struct UrdfMesh {
  std::vector<Eigen::Vector3d> corners;  // of the convex hull; none where the mesh cannot be used
  double outside = 0;                    // [m], of corners that were left out of the hull
  std::string left_out;                  // why it cannot be used
  bool too_large = false;                // beyond 1000 km
};

/// The mesh `name` of a description, scaled. Throws InputError for a file that is damaged.
UrdfMesh ReadUrdfMesh(const std::string& name, const Eigen::Vector3d& scale, const std::string& description);

}  // namespace ricochet
