// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "scene/urdf/write_urdf_scene.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cctype>
#include <cmath>
#include <initializer_list>
#include <map>
#include <set>

#include "core/text.h"
#include "scene/urdf/urdf_bodies.h"

namespace ricochet {
namespace {

/// Text that YAML 1.1 reads as a number too: "1.0e-05", not "1e-05".
std::string YamlNumber(double value) {
  std::string text = FormatDouble(value);
  const std::size_t e = text.find('e');
  if (e != std::string::npos && text.find('.') == std::string::npos) text.insert(e, ".0");
  return text;
}

std::string List(std::initializer_list<double> numbers) {
  std::string text = "[";
  for (const double x : numbers) {
    // What rounding leaves of a zero is written as one.
    text += (text.size() > 1 ? ", " : "") + YamlNumber(std::abs(x) < 1e-15 ? 0.0 : x);
  }
  return text + "]";
}

std::string List(const Eigen::Vector3d& v) { return List({v[0], v[1], v[2]}); }

class SceneWriter {
 public:
  SceneWriter(int root, bool floating, UrdfRobot& robot) : root_(root), floating_(floating), robot_(robot) {}

  std::string Write();

 private:
  std::string ShapeOf(const UrdfLink& link, const UrdfPlacement& place);
  std::string UniqueName(const std::string& name, const char* suffix);

  int root_;
  bool floating_;
  UrdfRobot& robot_;
  std::set<std::string> names_ = {"world"};
};

/// The shape of a link as the scene writes it, in a frame in which the link has
/// the given place; empty for none.
std::string SceneWriter::ShapeOf(const UrdfLink& link, const UrdfPlacement& place_of_link) {
  if (!link.geometry) return "";
  const UrdfGeometry& shape = *link.geometry;
  const UrdfPlacement place = place_of_link * shape.place;
  const bool centered = place.p.norm() < 1e-12;
  const auto polytope = [&](const std::vector<Eigen::Vector3d>& points) {
    std::string corners;
    for (const Eigen::Vector3d& point : points)
      corners += (corners.empty() ? "" : ", ") + List(Eigen::Vector3d(place.p + place.R * point));
    return fmt::format("{{polytope: {{vertices: [{}]}}}}", corners);
  };
  if (shape.kind == "box") {
    if (centered && place.R.isIdentity(1e-12)) return fmt::format("{{box: {{size: {}}}}}", List(shape.size));
    std::vector<Eigen::Vector3d> corners;
    for (int i = 0; i < 8; ++i)
      corners.push_back(0.5 * shape.size.cwiseProduct(Eigen::Vector3d(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
    return polytope(corners);
  }
  if (shape.kind == "mesh") return polytope(shape.corners);
  if (!centered && shape.kind == "cylinder") {
    constexpr int kSides = 20;
    std::vector<Eigen::Vector3d> corners;
    for (int i = 0; i < 2 * kSides; ++i) {
      const double angle = 2 * M_PI * (i / 2) / kSides;
      corners.emplace_back(shape.size[0] * std::cos(angle), shape.size[0] * std::sin(angle),
                           (i % 2 == 0 ? 0.5 : -0.5) * shape.size[1]);
    }
    robot_.notes.push_back(
        fmt::format("link {}: a cylinder off the link's origin becomes a prism of {} sides, to within {:.2g} m",
                    link.name, kSides, shape.size[0] * (1 - std::cos(M_PI / kSides))));
    return polytope(corners);
  }
  if (!centered) {
    robot_.notes.push_back(fmt::format("link {}: a {} off the link's origin is left out", link.name, shape.kind));
    return "";
  }
  if (shape.kind == "sphere") return fmt::format("{{sphere: {{radius: {}}}}}", YamlNumber(shape.size[0]));
  return fmt::format("{{cylinder: {{radius: {}, length: {}, axis: {}}}}}", YamlNumber(shape.size[0]),
                     YamlNumber(shape.size[1]), List(Eigen::Vector3d(place.R.col(2))));
}

std::string SceneWriter::UniqueName(const std::string& name, const char* suffix) {
  std::string legal;
  for (const char c : name) legal += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (legal.empty() || std::isdigit(static_cast<unsigned char>(legal[0]))) legal = "_" + legal;
  std::string unique = legal;
  if (names_.count(unique)) unique += suffix;
  for (int i = 2; names_.count(unique); ++i) unique = fmt::format("{}{}_{}", legal, suffix, i);
  names_.insert(unique);
  if (unique != name) robot_.notes.push_back(fmt::format("{} is called {} here", name, unique));
  return unique;
}

std::string SceneWriter::Write() {
  const int root = root_;
  // A root that stands on the world is an obstacle if it has a shape, and
  // otherwise the world itself.
  const bool root_is_world = !floating_ && !robot_.links[root].geometry;
  std::string bodies, joints, initial, recorded;
  const auto record = [&](const std::string& what) { recorded += (recorded.empty() ? "" : ", ") + what; };
  const auto place_text = [](const UrdfPlacement& place) {
    const Eigen::Quaterniond q(place.R);
    return fmt::format("{{position: {}, orientation: {}}}", List(place.p), List({q.w(), q.x(), q.y(), q.z()}));
  };
  const auto add_obstacle = [&](UrdfLink& link, const UrdfPlacement& place) {
    link.body = UniqueName(link.name, "_link");
    bodies += fmt::format("  {}:\n", link.body);
    if (const std::string shape = ShapeOf(link, {}); !shape.empty()) bodies += fmt::format("    shape: {}\n", shape);
    bodies += "    fixed: true\n";
    initial += fmt::format("  {}: {}\n", link.body, place_text(place));
  };
  std::map<int, std::string> shapes;  // of links that carry parts
  for (UrdfLink& link : robot_.links) {
    if (link.carrier < 0 || !link.geometry || (link.carrier == root && root_is_world)) continue;
    if (!robot_.links[link.carrier].geometry && shapes[link.carrier].empty())
      shapes[link.carrier] = ShapeOf(link, link.in_carrier);
    else
      robot_.notes.push_back(fmt::format("link {}: the shape of a part is left out", link.name));
  }
  for (size_t i = 0; i < robot_.links.size(); ++i) {
    UrdfLink& link = robot_.links[i];
    if (link.carrier >= 0) {
      if (link.carrier == root && root_is_world && link.geometry) add_obstacle(link, link.in_carrier);
      continue;
    }
    if (static_cast<int>(i) == root && root_is_world) {
      link.body = "world";
      continue;
    }
    if (static_cast<int>(i) == root && !floating_) {
      add_obstacle(link, {});
      continue;
    }
    if (!(link.mass > 0)) robot_.Fail(link.line, link.name, "a free link needs a mass.", "Give it <inertial>.");
    MakeUrdfInertiaPossible(link, robot_);
    link.body = UniqueName(link.name, "_link");
    bodies += fmt::format("  {}:\n", link.body);
    const std::string shape = link.geometry ? ShapeOf(link, {}) : shapes[static_cast<int>(i)];
    if (!shape.empty()) bodies += fmt::format("    shape: {}\n", shape);
    bodies += fmt::format("    mass: {}\n", YamlNumber(link.mass));
    const Eigen::Matrix3d& I = link.inertia;
    bodies += fmt::format("    inertia: {}\n", List({I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)}));
    if (link.center.norm() > 0) bodies += fmt::format("    center_of_mass: {}\n", List(link.center));
    if (static_cast<int>(i) == root) {
      initial += fmt::format("  {}: {}\n", link.body, place_text({}));
      record(link.body);
    }
  }
  for (const UrdfJoint& joint : robot_.joints) {
    const int parent = robot_.LinkIndex(joint.parent, joint.line, joint.name),
              child = robot_.LinkIndex(joint.child, joint.line, joint.name);
    if (robot_.links[child].carrier >= 0) continue;
    const bool carried = robot_.links[parent].carrier >= 0;
    const UrdfPlacement at = carried ? robot_.links[parent].in_carrier * joint.origin : joint.origin;
    const std::string& parent_body = robot_.links[carried ? robot_.links[parent].carrier : parent].body;
    if (joint.type == "floating") {
      initial += fmt::format("  {}: {}\n", robot_.links[child].body, place_text(at));
      record(robot_.links[child].body);
      robot_.notes.push_back(
          fmt::format("joint {}: floating, so {} is a free body at its place for zero angles", joint.name,
                      robot_.links[child].body));
      continue;
    }
    const std::string name = UniqueName(joint.name, "_joint");
    const bool hinge = joint.type == "revolute" || joint.type == "continuous", slider = joint.type == "prismatic";
    // Any direction across the axis serves as zero; the same one in both frames makes the angle 0 where URDF has it.
    Eigen::Vector3d zero = Eigen::Vector3d::UnitX() - joint.axis * joint.axis[0];
    if (zero.norm() < 0.5) zero = Eigen::Vector3d::UnitY() - joint.axis * joint.axis[1];
    zero.normalize();
    joints += fmt::format("  {}:\n    type: {}\n    parent: {}\n    child: {}\n", name,
                          hinge    ? "hinge"
                          : slider ? "slider"
                                   : "fixed",
                          parent_body, robot_.links[child].body);
    joints += fmt::format("    parent_frame: {{point: {}, axis: {}, zero: {}}}\n", List(at.p),
                          List(Eigen::Vector3d(at.R * joint.axis)), List(Eigen::Vector3d(at.R * zero)));
    joints += fmt::format("    child_frame: {{point: [0, 0, 0], axis: {}, zero: {}}}\n", List(joint.axis), List(zero));
    joints += "    compliance: {linear: 1.0e-8, angular: 1.0e-8}\n    damping: 0.02\n";
    if (!hinge && !slider) continue;
    if (joint.damping > 0) joints += fmt::format("    viscous: {}\n", YamlNumber(joint.damping));
    if (joint.friction > 0) joints += fmt::format("    coulomb: {}\n", YamlNumber(joint.friction));
    const bool whole_turn = hinge && joint.lower && (*joint.lower <= -M_PI || *joint.upper >= M_PI);
    if (whole_turn) robot_.notes.push_back(fmt::format("joint {}: limits beyond half a turn are left out", joint.name));
    if (joint.lower && !whole_turn && *joint.lower < *joint.upper)
      joints +=
          fmt::format("    limits: {{lower: {}, upper: {}}}\n", YamlNumber(*joint.lower), YamlNumber(*joint.upper));
    initial += fmt::format("  {}: {{angle: 0, rate: 0}}\n", name);
    record(name + ".angle");
  }
  std::string scene =
      fmt::format("# Made from {}; contacts and motors are for you to add.\n", Printable(robot_.file, 120));
  for (const std::string& note : robot_.notes) scene += fmt::format("# - {}\n", Printable(note, 200));
  scene += "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n";
  if (bodies.empty()) robot_.Fail(1, "robot", "no link has a mass or a shape.", "Give at least one link <inertial>.");
  scene += "bodies:\n" + bodies;
  if (!joints.empty()) scene += "joints:\n" + joints;
  if (!initial.empty()) scene += "initial:\n" + initial;
  if (!joints.empty() && !recorded.empty()) scene += fmt::format("observe: [{}]\n", recorded);
  return scene + "simulation: {method: spook, step: 1.0e-3, duration: 1}\n";
}

}  // namespace

std::string WriteUrdfScene(int root, bool floating, UrdfRobot& robot) {
  return SceneWriter(root, floating, robot).Write();
}

}  // namespace ricochet
