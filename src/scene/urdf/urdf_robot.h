// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What a robot description says, in its own words: links, joints, and what was left out of it.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

namespace ricochet {

struct UrdfPlacement {
  Eigen::Vector3d p = Eigen::Vector3d::Zero();
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  UrdfPlacement operator*(const UrdfPlacement& other) const { return {p + R * other.p, R * other.R}; }
};

/// A collision shape: `size` holds the edges of a box, the radius of a sphere, or radius and length of a cylinder;
/// `corners` those of a mesh.
struct UrdfGeometry {
  std::string kind;
  Eigen::Vector3d size = Eigen::Vector3d::Zero();
  UrdfPlacement place;  // in the frame of its link
  std::vector<Eigen::Vector3d> corners{};
};

struct UrdfLink {
  std::string name, body;
  int line = 0, inertia_line = 0;
  double mass = 0;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
  std::optional<UrdfGeometry> geometry;
  int carrier = -1;  // link that this one is a part of, or -1
  UrdfPlacement in_carrier;
};

struct UrdfJoint {
  std::string name, type, parent, child;
  int line = 0;
  UrdfPlacement origin;
  Eigen::Vector3d axis = Eigen::Vector3d::UnitX();
  std::optional<double> lower, upper;
  double damping = 0, friction = 0;
};

struct UrdfRobot {
  std::string file;  // as it is named in messages
  std::vector<UrdfLink> links;
  std::vector<UrdfJoint> joints;
  std::vector<std::string> notes;  // on what a scene says otherwise, or not at all

  [[noreturn]] void Fail(int line, const std::string& path, std::string problem, std::string remedy) const;
  /// Index of a link that a joint names. Throws InputError where there is none.
  int LinkIndex(const std::string& name, int line, const std::string& path) const;
};

}  // namespace ricochet
