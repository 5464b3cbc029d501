// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "scene/urdf/urdf_bodies.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <map>

namespace ricochet {
namespace {

/// A link that is fixed to another is a part of it if it cannot be a body of its own: without mass or inertia.
bool IsPart(const UrdfRobot& robot, const UrdfJoint& joint) {
  const UrdfLink& link = robot.links[robot.LinkIndex(joint.child, joint.line, joint.name)];
  if (joint.type != "fixed") {
    if (!(link.mass > 0))
      robot.Fail(link.line, link.name, "a link that moves needs a mass.",
                 "Give it <inertial> with <mass> and <inertia>.");
    return false;
  }
  return !(link.mass > 0) || link.inertia.isZero(0);
}

}  // namespace

int FindUrdfRoot(const UrdfRobot& robot) {
  std::vector<int> times(robot.links.size(), 0);
  for (const UrdfJoint& joint : robot.joints) {
    robot.LinkIndex(joint.parent, joint.line, joint.name);
    const int child = robot.LinkIndex(joint.child, joint.line, joint.name);
    if (++times[child] > 1)
      robot.Fail(joint.line, joint.name, fmt::format("link {} is already the child of another joint.", joint.child),
                 "URDF describes trees; add the joint that closes a loop to the scene by hand.");
  }
  std::vector<int> roots;
  for (size_t i = 0; i < robot.links.size(); ++i)
    if (times[i] == 0) roots.push_back(static_cast<int>(i));
  if (roots.size() != 1)
    robot.Fail(1, "robot",
               roots.empty() ? "the joints form a loop."
                             : fmt::format("there are {} links that nothing carries, {} and {}.", roots.size(),
                                           robot.links[roots[0]].name, robot.links[roots[1]].name),
               "Join all links to one root.");
  return roots[0];
}

void JoinUrdfParts(int root, UrdfRobot& robot) {
  std::map<int, const UrdfJoint*> parts;
  for (const UrdfJoint& joint : robot.joints)
    if (IsPart(robot, joint)) parts[robot.LinkIndex(joint.child, joint.line, joint.name)] = &joint;
  for (auto& [index, joint] : parts) {
    // Up through other parts to a body or the root.
    UrdfLink& link = robot.links[index];
    link.in_carrier = joint->origin;
    link.carrier = robot.LinkIndex(joint->parent, joint->line, joint->name);
    while (link.carrier != root && parts.contains(link.carrier)) {
      const UrdfJoint& next = *parts[link.carrier];
      link.in_carrier = next.origin * link.in_carrier;
      link.carrier = robot.LinkIndex(next.parent, next.line, next.name);
    }
    if (!(link.mass > 0)) continue;
    UrdfLink& carrier = robot.links[link.carrier];
    const Eigen::Vector3d part = link.in_carrier.p + link.in_carrier.R * link.center;
    const double mass = carrier.mass + link.mass;
    const Eigen::Vector3d center = (carrier.mass * carrier.center + link.mass * part) / mass;
    const auto at_center = [&](double m, const Eigen::Vector3d& from) {
      const Eigen::Vector3d d = from - center;
      return Eigen::Matrix3d(m * (d.squaredNorm() * Eigen::Matrix3d::Identity() - d * d.transpose()));
    };
    carrier.inertia += at_center(carrier.mass, carrier.center) + at_center(link.mass, part);
    carrier.mass = mass;
    carrier.center = center;
    robot.notes.push_back(fmt::format("link {}: has mass but no inertia; a part of {} here", link.name, carrier.name));
  }
}

void MakeUrdfInertiaPossible(UrdfLink& link, UrdfRobot& robot) {
  constexpr double kSmallest = 1e-3;  // of the largest moment
  Eigen::Vector3d moments = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(link.inertia).eigenvalues();
  const double largest = moments[2];
  if (largest <= 0 && moments[0] == 0) {
    const double radius = std::max(1e-3, 0.01 * link.center.norm());
    link.inertia = 0.4 * link.mass * radius * radius * Eigen::Matrix3d::Identity();
    robot.notes.push_back(
        fmt::format("link {}: its inertia is 0; that of a ball of radius {:.3g} m is used", link.name, radius));
    return;
  }
  if (moments[0] < -1e-9 * std::abs(largest) || moments[2] > (moments[0] + moments[1]) * (1 + 1e-6))
    robot.Fail(link.inertia_line, link.name,
               fmt::format("the principal moments {:.6g}, {:.6g}, {:.6g} kg m^2 cannot belong to a rigid body: {}.",
                           moments[0], moments[1], moments[2],
                           moments[0] < 0 ? "a moment is negative" : "the largest exceeds the sum of the others"),
               "Correct <inertia> in the file.");
  if (moments[0] <= 1e-9 * largest) {
    link.inertia += kSmallest * largest * Eigen::Matrix3d::Identity();
    robot.notes.push_back(fmt::format("link {}: a moment of inertia is 0; {:.3g} kg m^2 are added to all of them",
                                      link.name, kSmallest * largest));
  }
}

}  // namespace ricochet
