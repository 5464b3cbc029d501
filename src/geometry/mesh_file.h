// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The corners of a triangle mesh in a file: STL, binary or text, and OBJ. Only places are read: the convex hull needs
// no faces.
#pragma once

#include <Eigen/Core>
#include <string>
#include <string_view>
#include <vector>

namespace ricochet {

/// Corners in the file's unit, repeated ones once, in the order of the file. The kind is recognized by the content.
/// Throws InputError with the place of what is wrong, also if there are fewer than 4 corners.
std::vector<Eigen::Vector3d> ParseMeshCorners(std::string_view content, const std::string& name_in_messages);

}  // namespace ricochet
