// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "scene/urdf/read_urdf.h"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <locale>
#include <map>
#include <sstream>
#include <utility>

#include "core/text.h"
#include "scene/urdf/urdf_mesh.h"

namespace ricochet {
namespace {

using tinyxml2::XMLElement;

class UrdfReader {
 public:
  explicit UrdfReader(const std::string& file) { robot_.file = file; }

  UrdfRobot Read(std::string_view text);

 private:
  std::vector<double> Numbers(const XMLElement& at, const char* attribute, size_t count,
                              std::vector<double> fallback) const;
  double Number(const XMLElement& at, const char* attribute, std::optional<double> fallback) const;
  std::string Text(const XMLElement& at, const char* attribute) const;
  UrdfPlacement Origin(const XMLElement* parent) const;
  void ReadLink(const XMLElement& at);
  void ReadJoint(const XMLElement& at);
  void ReadShape(const XMLElement& at, UrdfLink& link);
  std::vector<Eigen::Vector3d> MeshCorners(const XMLElement& mesh, const std::string& link);
  void NoteDropped(const XMLElement& robot);

  UrdfRobot robot_;
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> dropped_meshes_;  // link and file, by reason
};

std::vector<double> UrdfReader::Numbers(const XMLElement& at, const char* attribute, size_t count,
                                        std::vector<double> fallback) const {
  const char* text = at.Attribute(attribute);
  if (text == nullptr) return fallback;
  std::istringstream in(text);
  in.imbue(std::locale::classic());
  std::vector<double> numbers;
  for (double x; in >> x;) numbers.push_back(x);
  const bool finite = std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
  if (numbers.size() != count || !in.eof() || !finite)
    robot_.Fail(at.GetLineNum(), fmt::format("{}.{}", at.Name(), attribute),
                fmt::format("expected {} number{}, found `{}`.", count, count == 1 ? "" : "s", Printable(text)),
                "Write plain numbers with spaces between them.");
  return numbers;
}

double UrdfReader::Number(const XMLElement& at, const char* attribute, std::optional<double> fallback) const {
  if (at.Attribute(attribute) == nullptr && !fallback)
    robot_.Fail(at.GetLineNum(), at.Name(), fmt::format("has no `{}`.", attribute),
                fmt::format("Add {}=\"...\".", attribute));
  return Numbers(at, attribute, 1, {fallback.value_or(0)})[0];
}

std::string UrdfReader::Text(const XMLElement& at, const char* attribute) const {
  const char* text = at.Attribute(attribute);
  if (text == nullptr || *text == 0)
    robot_.Fail(at.GetLineNum(), at.Name(), fmt::format("has no `{}`.", attribute),
                fmt::format("Add {}=\"...\".", attribute));
  return text;
}

UrdfPlacement UrdfReader::Origin(const XMLElement* parent) const {
  UrdfPlacement out;
  const XMLElement* at = parent ? parent->FirstChildElement("origin") : nullptr;
  if (at == nullptr) return out;
  const auto xyz = Numbers(*at, "xyz", 3, {0, 0, 0}), rpy = Numbers(*at, "rpy", 3, {0, 0, 0});
  out.p = Eigen::Vector3d(xyz[0], xyz[1], xyz[2]);
  out.R = (Eigen::AngleAxisd(rpy[2], Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(rpy[1], Eigen::Vector3d::UnitY()) *
           Eigen::AngleAxisd(rpy[0], Eigen::Vector3d::UnitX()))
              .toRotationMatrix();
  return out;
}

void UrdfReader::ReadShape(const XMLElement& at, UrdfLink& link) {
  const XMLElement* geometry = at.FirstChildElement("geometry");
  const XMLElement* shape = geometry ? geometry->FirstChildElement() : nullptr;
  if (shape == nullptr) return;
  if (link.geometry) {
    const std::string note = fmt::format("link {}: only its first collision shape is used", link.name);
    if (robot_.notes.empty() || robot_.notes.back() != note) robot_.notes.push_back(note);
    return;
  }
  UrdfGeometry found{shape->Name(), {}, Origin(&at)};
  if (found.kind == "box") {
    const auto size = Numbers(*shape, "size", 3, {});
    if (size.empty()) robot_.Fail(shape->GetLineNum(), "box", "has no `size`.", "Add size=\"x y z\".");
    found.size = Eigen::Vector3d(size[0], size[1], size[2]);
  } else if (found.kind == "sphere") {
    found.size[0] = Number(*shape, "radius", {});
  } else if (found.kind == "cylinder") {
    found.size = Eigen::Vector3d(Number(*shape, "radius", {}), Number(*shape, "length", {}), 0);
  } else if (found.kind == "mesh") {
    found.corners = MeshCorners(*shape, link.name);
    if (found.corners.empty()) return;
  } else {
    robot_.notes.push_back(fmt::format("link {}: a {} is left out", link.name, Printable(found.kind)));
    return;
  }
  link.geometry = found;
}

/// The corners of the convex hull of a mesh; none if its file is not there or of another kind.
std::vector<Eigen::Vector3d> UrdfReader::MeshCorners(const XMLElement& mesh, const std::string& link) {
  const std::string name = Text(mesh, "filename");
  const auto scale = Numbers(mesh, "scale", 3, {1, 1, 1});
  UrdfMesh found = ReadUrdfMesh(name, Eigen::Vector3d(scale[0], scale[1], scale[2]), robot_.file);
  if (found.too_large) robot_.Fail(mesh.GetLineNum(), link, "the mesh is larger than 1000 km.", "Correct `scale`.");
  if (!found.left_out.empty()) {
    dropped_meshes_[found.left_out].emplace_back(link, name);
    return {};
  }
  robot_.notes.push_back(fmt::format("link {}: the mesh {} becomes its convex hull of {} corners{}", link,
                                     Printable(name, 80), found.corners.size(),
                                     found.outside > 0 ? fmt::format(", to within {:.2g} m", found.outside) : ""));
  return std::move(found.corners);
}

void UrdfReader::ReadLink(const XMLElement& at) {
  UrdfLink link;
  link.name = Text(at, "name");
  link.line = at.GetLineNum();
  for (const UrdfLink& other : robot_.links)
    if (other.name == link.name)
      robot_.Fail(link.line, link.name, "there are two links of this name.", "Rename one of them.");
  if (const XMLElement* inertial = at.FirstChildElement("inertial")) {
    const UrdfPlacement place = Origin(inertial);
    const XMLElement* mass = inertial->FirstChildElement("mass");
    const XMLElement* inertia = inertial->FirstChildElement("inertia");
    if (mass != nullptr) link.mass = Number(*mass, "value", {});
    link.center = place.p;
    link.inertia_line = inertial->GetLineNum();
    if (inertia != nullptr) {
      link.inertia_line = inertia->GetLineNum();
      const double ixx = Number(*inertia, "ixx", {}), iyy = Number(*inertia, "iyy", {}),
                   izz = Number(*inertia, "izz", {});
      const double ixy = Number(*inertia, "ixy", 0), ixz = Number(*inertia, "ixz", 0), iyz = Number(*inertia, "iyz", 0);
      Eigen::Matrix3d I;
      I << ixx, ixy, ixz, ixy, iyy, iyz, ixz, iyz, izz;
      link.inertia = place.R * I * place.R.transpose();
    }
  }
  for (const XMLElement* shape = at.FirstChildElement("collision"); shape;
       shape = shape->NextSiblingElement("collision"))
    ReadShape(*shape, link);
  robot_.links.push_back(std::move(link));
}

void UrdfReader::ReadJoint(const XMLElement& at) {
  UrdfJoint joint;
  joint.name = Text(at, "name");
  joint.type = Text(at, "type");
  joint.line = at.GetLineNum();
  const std::vector<std::string> known = {"revolute", "continuous", "prismatic", "fixed", "floating"};
  if (std::find(known.begin(), known.end(), joint.type) == known.end())
    robot_.Fail(joint.line, joint.name,
                fmt::format("joints of type `{}` have no counterpart in a scene.", Printable(joint.type)),
                SuggestName(joint.type, known));
  for (const auto& [key, target] : {std::pair{"parent", &joint.parent}, {"child", &joint.child}}) {
    const XMLElement* link = at.FirstChildElement(key);
    if (link == nullptr)
      robot_.Fail(joint.line, joint.name, fmt::format("has no <{}>.", key), "Name the link it joins.");
    *target = Text(*link, "link");
  }
  joint.origin = Origin(&at);
  // Fixed and floating joints have no axis, whatever stands there.
  const XMLElement* axis = joint.type == "fixed" || joint.type == "floating" ? nullptr : at.FirstChildElement("axis");
  if (axis != nullptr) {
    const auto xyz = Numbers(*axis, "xyz", 3, {1, 0, 0});
    joint.axis = Eigen::Vector3d(xyz[0], xyz[1], xyz[2]);
    if (joint.axis.norm() < 1e-9)
      robot_.Fail(axis->GetLineNum(), joint.name, "its axis has no direction.", "Give xyz=\"0 0 1\".");
    joint.axis.normalize();
  }
  if (const XMLElement* limit = at.FirstChildElement("limit"); limit && joint.type != "continuous") {
    joint.lower = Number(*limit, "lower", 0);
    joint.upper = Number(*limit, "upper", 0);
  }
  if (const XMLElement* dynamics = at.FirstChildElement("dynamics")) {
    joint.damping = Number(*dynamics, "damping", 0);
    joint.friction = Number(*dynamics, "friction", 0);
    for (const auto& [key, value] : {std::pair{"damping", joint.damping}, {"friction", joint.friction}})
      if (!(value >= 0))
        robot_.Fail(dynamics->GetLineNum(), joint.name, fmt::format("its {} is negative.", key), "Correct <dynamics>.");
  }
  if (at.FirstChildElement("mimic"))
    robot_.notes.push_back(fmt::format("joint {}: its mimic relation is left out, the joint moves freely", joint.name));
  robot_.joints.push_back(std::move(joint));
}

/// Names what has no counterpart in a scene, once for each kind.
void UrdfReader::NoteDropped(const XMLElement& robot) {
  const struct {
    const char *element, *remedy;
  } kinds[] = {{"transmission", "; add `motor` to joints"},
               {"gazebo", ""},
               {"sensor", "; see `observe`"},
               {"drake:loop_constraint", ""},
               {"loop_joint", ""}};
  for (const auto& [element, remedy] : kinds) {
    std::vector<std::string> names;
    int count = 0;
    for (const XMLElement* at = robot.FirstChildElement(element); at; at = at->NextSiblingElement(element), ++count)
      if (const char* name = at->Attribute("name"); name != nullptr && names.size() < 6) names.emplace_back(name);
    if (count > 0)
      robot_.notes.push_back(
          fmt::format("{} <{}> {} left out{}{}", count, element, count == 1 ? "is" : "are",
                      names.empty() ? "" : fmt::format(" ({}{})", JoinList(names), count > 6 ? ", ..." : ""), remedy));
  }
  for (const auto& [reason, meshes] : dropped_meshes_) {
    std::vector<std::string> links;
    for (const auto& [link, file] : meshes)
      if (links.empty() || links.back() != link) links.push_back(link);
    if (links.size() > 4) {
      links.resize(3);
      links.push_back(fmt::format("others, {} meshes in all", meshes.size()));
    }
    robot_.notes.push_back(fmt::format("{} of {} {} left out: {} ({})", meshes.size() == 1 ? "the mesh" : "meshes",
                                       JoinList(links), meshes.size() == 1 ? "is" : "are", reason,
                                       Printable(meshes.front().second, 80)));
  }
  const auto count_in = [&](const char* parent, const char* child, const char* attribute) {
    int count = 0;
    for (const XMLElement* at = robot.FirstChildElement(parent); at; at = at->NextSiblingElement(parent)) {
      const XMLElement* found = at->FirstChildElement(child);
      if (found != nullptr && (attribute == nullptr || found->Attribute(attribute) != nullptr)) ++count;
    }
    return count;
  };
  if (const int count = count_in("link", "contact", nullptr); count > 0)
    robot_.notes.push_back(fmt::format("<contact> of {} {} is left out; add `contact` with friction and restitution",
                                       count, count == 1 ? "link" : "links"));
  if (const int count = std::max(count_in("joint", "limit", "effort"), count_in("joint", "limit", "velocity"));
      count > 0)
    robot_.notes.push_back(fmt::format("limits of effort and velocity of {} joints are left out", count));
  if (const int count = count_in("joint", "safety_controller", nullptr); count > 0)
    robot_.notes.push_back(fmt::format("<safety_controller> of {} joints is left out", count));
}

UrdfRobot UrdfReader::Read(std::string_view text) {
  tinyxml2::XMLDocument document;
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS)
    robot_.Fail(document.ErrorLineNum(), "", fmt::format("this is not XML: {}.", document.ErrorName()),
                "Give a robot description (URDF).");
  const XMLElement* robot = document.FirstChildElement("robot");
  if (robot == nullptr)
    robot_.Fail(1, "robot", "the file has no <robot>.", "Give a URDF file (run xacro first if it is one).");
  for (const XMLElement* at = robot->FirstChildElement("link"); at; at = at->NextSiblingElement("link")) ReadLink(*at);
  for (const XMLElement* at = robot->FirstChildElement("joint"); at; at = at->NextSiblingElement("joint"))
    ReadJoint(*at);
  if (robot_.links.empty())
    robot_.Fail(robot->GetLineNum(), "robot", "it has no links.", "Give a URDF file with links.");
  NoteDropped(*robot);
  return std::move(robot_);
}

}  // namespace

UrdfRobot ReadUrdf(std::string_view text, const std::string& name_in_messages) {
  return UrdfReader(name_in_messages).Read(text);
}

}  // namespace ricochet
