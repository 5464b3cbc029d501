// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "scene/urdf/urdf_mesh.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "core/input_file.h"
#include "geometry/hull_points.h"
#include "geometry/mesh_file.h"

namespace ricochet {
namespace {

constexpr double kFarthest = 1e6;  // [m], of a corner

/// The file of a mesh: beside the description, or for package://NAME/PATH in a folder NAME above or beside it. Empty if
/// it is not there.
std::string FindMesh(const std::string& name, const std::string& description) {
  namespace fs = std::filesystem;
  const auto there = [](const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
  };
  const fs::path folder = fs::path(description).parent_path();
  std::string path = name;
  for (const char* scheme : {"package://", "model://", "file://"}) {
    if (!name.starts_with(scheme)) continue;
    path = name.substr(std::string(scheme).size());
    if (scheme == std::string("file://")) break;
    const fs::path whole(path), inside = fs::path(path).lexically_relative(*whole.begin());
    if (there(folder / inside)) return (folder / inside).string();
    std::error_code unknown;
    for (fs::path up = fs::absolute(folder, unknown); !unknown && up.has_relative_path(); up = up.parent_path()) {
      if (there(up / whole)) return (up / whole).string();
      if (up.filename() == *whole.begin() && there(up / inside)) return (up / inside).string();
    }
  }
  return there(folder / path) ? (folder / path).string() : "";
}

}  // namespace

UrdfMesh ReadUrdfMesh(const std::string& name, const Eigen::Vector3d& scale, const std::string& description) {
  UrdfMesh out;
  std::string extension = std::filesystem::path(name).extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (extension != ".stl" && extension != ".obj") {
    out.left_out = "only STL and OBJ are read";
    return out;
  }
  const std::string file = FindMesh(name, description);
  if (file.empty()) {
    out.left_out = "there is no such file beside the description";
    return out;
  }
  std::vector<Eigen::Vector3d> corners = ParseMeshCorners(ReadInputFile(file), file);
  for (Eigen::Vector3d& corner : corners) corner = corner.cwiseProduct(scale);
  out.too_large =
      !std::all_of(corners.begin(), corners.end(), [](const Eigen::Vector3d& c) { return c.norm() < kFarthest; });
  if (out.too_large) return out;
  HullPoints hull = ChooseHullPoints(corners);
  if (hull.points.empty()) out.left_out = "its corners lie in a plane";
  out.corners = std::move(hull.points);
  out.outside = hull.outside;
  return out;
}

}  // namespace ricochet
