// Copyright 2026 The Ricochet Authors. Licensed under the Apache License,
// Version 2.0.
#include "scene/urdf_import.h"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <vector>

#include "core/input_file.h"
#include "core/text.h"
#include "geometry/hull_points.h"
#include "geometry/mesh_file.h"
#include "ricochet/scene.h"

namespace ricochet {

namespace {

using tinyxml2::XMLElement;

struct Placement {
  Eigen::Vector3d p = Eigen::Vector3d::Zero();
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  Placement operator*(const Placement& other) const { return {p + R * other.p, R * other.R}; }
};

/// A collision shape: `size` holds the edges of a box, the radius of a sphere,
/// or radius and length of a cylinder; `corners` those of a mesh.
struct Geometry {
  std::string kind;
  Eigen::Vector3d size = Eigen::Vector3d::Zero();
  Placement place;  // in the frame of its link
  std::vector<Eigen::Vector3d> corners{};
};

struct Link {
  std::string name, body;
  int line = 0, inertia_line = 0;
  double mass = 0;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
  std::optional<Geometry> geometry;
  int carrier = -1;  // link that this one is a part of, or -1
  Placement in_carrier;
};

struct RobotJoint {
  std::string name, type, parent, child;
  int line = 0;
  Placement origin;
  Eigen::Vector3d axis = Eigen::Vector3d::UnitX();
  std::optional<double> lower, upper;
  double damping = 0, friction = 0;
};

class UrdfReader {
 public:
  UrdfReader(std::string_view text, std::string file, const UrdfOptions& options)
      : text_(text), file_(std::move(file)), options_(options) {}

  std::string Convert();

 private:
  [[noreturn]] void Fail(int line, const std::string& path, std::string problem, std::string remedy) const {
    throw InputError({file_, line, 0}, path, std::move(problem), std::move(remedy));
  }
  std::vector<double> Numbers(const XMLElement& at, const char* attribute, size_t count,
                              std::vector<double> fallback) const;
  double Number(const XMLElement& at, const char* attribute, std::optional<double> fallback) const;
  std::string Text(const XMLElement& at, const char* attribute) const;
  Placement Origin(const XMLElement* parent) const;
  void ReadLink(const XMLElement& at);
  void ReadJoint(const XMLElement& at);
  void ReadShape(const XMLElement& at, Link& link);
  std::vector<Eigen::Vector3d> MeshCorners(const XMLElement& mesh, const std::string& link);
  void NoteDropped(const XMLElement& robot);
  int LinkIndex(const std::string& name, int line, const std::string& path) const;
  int FindRoot() const;
  bool IsPart(const RobotJoint& joint) const;
  void JoinParts(int root);
  void CheckInertia(Link& link);
  std::string ShapeOf(const Link& link, const Placement& place);
  void CheckScene(const std::string& scene) const;
  std::string UniqueName(const std::string& name, const char* suffix);
  std::string Write(int root);

  std::string_view text_;
  std::string file_;
  UrdfOptions options_;
  std::vector<Link> links_;
  std::vector<RobotJoint> joints_;
  std::vector<std::string> notes_;
  std::set<std::string> names_ = {"world"};
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> dropped_meshes_;  // link and file, by reason
  bool floating_ = false;
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
    Fail(at.GetLineNum(), fmt::format("{}.{}", at.Name(), attribute),
         fmt::format("expected {} number{}, found `{}`.", count, count == 1 ? "" : "s", Printable(text)),
         "Write plain numbers with spaces between them.");
  return numbers;
}

double UrdfReader::Number(const XMLElement& at, const char* attribute, std::optional<double> fallback) const {
  if (at.Attribute(attribute) == nullptr && !fallback)
    Fail(at.GetLineNum(), at.Name(), fmt::format("has no `{}`.", attribute), fmt::format("Add {}=\"...\".", attribute));
  return Numbers(at, attribute, 1, {fallback.value_or(0)})[0];
}

std::string UrdfReader::Text(const XMLElement& at, const char* attribute) const {
  const char* text = at.Attribute(attribute);
  if (text == nullptr || *text == 0)
    Fail(at.GetLineNum(), at.Name(), fmt::format("has no `{}`.", attribute), fmt::format("Add {}=\"...\".", attribute));
  return text;
}

Placement UrdfReader::Origin(const XMLElement* parent) const {
  Placement out;
  const XMLElement* at = parent ? parent->FirstChildElement("origin") : nullptr;
  if (at == nullptr) return out;
  const auto xyz = Numbers(*at, "xyz", 3, {0, 0, 0}), rpy = Numbers(*at, "rpy", 3, {0, 0, 0});
  out.p = Eigen::Vector3d(xyz[0], xyz[1], xyz[2]);
  out.R = (Eigen::AngleAxisd(rpy[2], Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(rpy[1], Eigen::Vector3d::UnitY()) *
           Eigen::AngleAxisd(rpy[0], Eigen::Vector3d::UnitX()))
              .toRotationMatrix();
  return out;
}

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

void UrdfReader::ReadShape(const XMLElement& at, Link& link) {
  const XMLElement* geometry = at.FirstChildElement("geometry");
  const XMLElement* shape = geometry ? geometry->FirstChildElement() : nullptr;
  if (shape == nullptr) return;
  if (link.geometry) {
    const std::string note = fmt::format("link {}: only its first collision shape is used", link.name);
    if (notes_.empty() || notes_.back() != note) notes_.push_back(note);
    return;
  }
  Geometry found{shape->Name(), {}, Origin(&at)};
  if (found.kind == "box") {
    const auto size = Numbers(*shape, "size", 3, {});
    if (size.empty()) Fail(shape->GetLineNum(), "box", "has no `size`.", "Add size=\"x y z\".");
    found.size = Eigen::Vector3d(size[0], size[1], size[2]);
  } else if (found.kind == "sphere") {
    found.size[0] = Number(*shape, "radius", {});
  } else if (found.kind == "cylinder") {
    found.size = Eigen::Vector3d(Number(*shape, "radius", {}), Number(*shape, "length", {}), 0);
  } else if (found.kind == "mesh") {
    found.corners = MeshCorners(*shape, link.name);
    if (found.corners.empty()) return;
  } else {
    notes_.push_back(fmt::format("link {}: a {} is left out", link.name, Printable(found.kind)));
    return;
  }
  link.geometry = found;
}

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

/// The corners of the convex hull of a mesh; none if its file is not there or of another kind.
std::vector<Eigen::Vector3d> UrdfReader::MeshCorners(const XMLElement& mesh, const std::string& link) {
  const std::string name = Text(mesh, "filename");
  const auto scale = Numbers(mesh, "scale", 3, {1, 1, 1});
  const auto drop = [&](const std::string& why) {
    dropped_meshes_[why].emplace_back(link, name);
    return std::vector<Eigen::Vector3d>{};
  };
  std::string extension = std::filesystem::path(name).extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (extension != ".stl" && extension != ".obj") return drop("only STL and OBJ are read");
  const std::string file = FindMesh(name, file_);
  if (file.empty()) return drop("there is no such file beside the description");
  std::vector<Eigen::Vector3d> corners = ParseMeshCorners(ReadInputFile(file), file);
  for (Eigen::Vector3d& corner : corners) corner = corner.cwiseProduct(Eigen::Vector3d(scale[0], scale[1], scale[2]));
  if (!std::all_of(corners.begin(), corners.end(), [](const Eigen::Vector3d& c) { return c.norm() < 1e6; }))
    Fail(mesh.GetLineNum(), link, "the mesh is larger than 1000 km.", "Correct `scale`.");
  HullPoints hull = ChooseHullPoints(corners);
  if (hull.points.empty()) return drop("its corners lie in a plane");
  notes_.push_back(fmt::format("link {}: the mesh {} becomes its convex hull of {} corners{}", link,
                               Printable(name, 80), hull.points.size(),
                               hull.outside > 0 ? fmt::format(", to within {:.2g} m", hull.outside) : ""));
  return hull.points;
}

/// The shape of a link as the scene writes it, in a frame in which the link has
/// the given place; empty for none.
std::string UrdfReader::ShapeOf(const Link& link, const Placement& place_of_link) {
  if (!link.geometry) return "";
  const Geometry& shape = *link.geometry;
  const Placement place = place_of_link * shape.place;
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
    notes_.push_back(
        fmt::format("link {}: a cylinder off the link's origin becomes a prism of {} sides, to within {:.2g} m",
                    link.name, kSides, shape.size[0] * (1 - std::cos(M_PI / kSides))));
    return polytope(corners);
  }
  if (!centered) {
    notes_.push_back(fmt::format("link {}: a {} off the link's origin is left out", link.name, shape.kind));
    return "";
  }
  if (shape.kind == "sphere") return fmt::format("{{sphere: {{radius: {}}}}}", YamlNumber(shape.size[0]));
  return fmt::format("{{cylinder: {{radius: {}, length: {}, axis: {}}}}}", YamlNumber(shape.size[0]),
                     YamlNumber(shape.size[1]), List(Eigen::Vector3d(place.R.col(2))));
}

void UrdfReader::ReadLink(const XMLElement& at) {
  Link link;
  link.name = Text(at, "name");
  link.line = at.GetLineNum();
  for (const Link& other : links_)
    if (other.name == link.name) Fail(link.line, link.name, "there are two links of this name.", "Rename one of them.");
  if (const XMLElement* inertial = at.FirstChildElement("inertial")) {
    const Placement place = Origin(inertial);
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
  links_.push_back(std::move(link));
}

void UrdfReader::ReadJoint(const XMLElement& at) {
  RobotJoint joint;
  joint.name = Text(at, "name");
  joint.type = Text(at, "type");
  joint.line = at.GetLineNum();
  const std::vector<std::string> known = {"revolute", "continuous", "prismatic", "fixed", "floating"};
  if (std::find(known.begin(), known.end(), joint.type) == known.end())
    Fail(joint.line, joint.name,
         fmt::format("joints of type `{}` have no counterpart in a scene.", Printable(joint.type)),
         SuggestName(joint.type, known));
  for (const auto& [key, target] : {std::pair{"parent", &joint.parent}, {"child", &joint.child}}) {
    const XMLElement* link = at.FirstChildElement(key);
    if (link == nullptr) Fail(joint.line, joint.name, fmt::format("has no <{}>.", key), "Name the link it joins.");
    *target = Text(*link, "link");
  }
  joint.origin = Origin(&at);
  // Fixed and floating joints have no axis, whatever stands there.
  const XMLElement* axis = joint.type == "fixed" || joint.type == "floating" ? nullptr : at.FirstChildElement("axis");
  if (axis != nullptr) {
    const auto xyz = Numbers(*axis, "xyz", 3, {1, 0, 0});
    joint.axis = Eigen::Vector3d(xyz[0], xyz[1], xyz[2]);
    if (joint.axis.norm() < 1e-9)
      Fail(axis->GetLineNum(), joint.name, "its axis has no direction.", "Give xyz=\"0 0 1\".");
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
        Fail(dynamics->GetLineNum(), joint.name, fmt::format("its {} is negative.", key), "Correct <dynamics>.");
  }
  if (at.FirstChildElement("mimic"))
    notes_.push_back(fmt::format("joint {}: its mimic relation is left out, the joint moves freely", joint.name));
  joints_.push_back(std::move(joint));
}

int UrdfReader::LinkIndex(const std::string& name, int line, const std::string& path) const {
  std::vector<std::string> known;
  for (size_t i = 0; i < links_.size(); ++i) {
    if (links_[i].name == name) return static_cast<int>(i);
    known.push_back(links_[i].name);
  }
  Fail(line, path, fmt::format("there is no link `{}`.", Printable(name)), SuggestName(name, known));
}

/// The link that is no joint's child. Every other link is the child of exactly
/// one joint.
int UrdfReader::FindRoot() const {
  std::vector<int> times(links_.size(), 0);
  for (const RobotJoint& joint : joints_) {
    LinkIndex(joint.parent, joint.line, joint.name);
    const int child = LinkIndex(joint.child, joint.line, joint.name);
    if (++times[child] > 1)
      Fail(joint.line, joint.name, fmt::format("link {} is already the child of another joint.", joint.child),
           "URDF describes trees; add the joint that closes a loop to the "
           "scene by hand.");
  }
  std::vector<int> roots;
  for (size_t i = 0; i < links_.size(); ++i)
    if (times[i] == 0) roots.push_back(static_cast<int>(i));
  if (roots.size() != 1)
    Fail(1, "robot",
         roots.empty() ? "the joints form a loop."
                       : fmt::format("there are {} links that nothing carries, {} and {}.", roots.size(),
                                     links_[roots[0]].name, links_[roots[1]].name),
         "Join all links to one root.");
  return roots[0];
}

/// A link that is fixed to another is a part of it if it cannot be a body of
/// its own: without mass or inertia.
bool UrdfReader::IsPart(const RobotJoint& joint) const {
  const Link& link = links_[LinkIndex(joint.child, joint.line, joint.name)];
  if (joint.type != "fixed") {
    if (!(link.mass > 0))
      Fail(link.line, link.name, "a link that moves needs a mass.", "Give it <inertial> with <mass> and <inertia>.");
    return false;
  }
  return !(link.mass > 0) || link.inertia.isZero(0);
}

/// Adds the mass of parts to the links that carry them, and finds their places
/// there.
void UrdfReader::JoinParts(int root) {
  std::map<int, const RobotJoint*> parts;
  for (const RobotJoint& joint : joints_)
    if (IsPart(joint)) parts[LinkIndex(joint.child, joint.line, joint.name)] = &joint;
  for (auto& [index, joint] : parts) {
    // Up through other parts to a body or the root.
    Link& link = links_[index];
    link.in_carrier = joint->origin;
    link.carrier = LinkIndex(joint->parent, joint->line, joint->name);
    while (link.carrier != root && parts.contains(link.carrier)) {
      const RobotJoint& next = *parts[link.carrier];
      link.in_carrier = next.origin * link.in_carrier;
      link.carrier = LinkIndex(next.parent, next.line, next.name);
    }
    if (!(link.mass > 0)) continue;
    Link& carrier = links_[link.carrier];
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
    notes_.push_back(fmt::format("link {}: has mass but no inertia; a part of {} here", link.name, carrier.name));
  }
}

/// Throws InputError for an inertia that no body can have. One that is zero
/// about an axis, as of point masses and thin rods, becomes slightly larger.
void UrdfReader::CheckInertia(Link& link) {
  constexpr double kSmallest = 1e-3;  // of the largest moment
  Eigen::Vector3d moments = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(link.inertia).eigenvalues();
  const double largest = moments[2];
  if (largest <= 0 && moments[0] == 0) {
    const double radius = std::max(1e-3, 0.01 * link.center.norm());
    link.inertia = 0.4 * link.mass * radius * radius * Eigen::Matrix3d::Identity();
    notes_.push_back(
        fmt::format("link {}: its inertia is 0; that of a ball of radius {:.3g} m is used", link.name, radius));
    return;
  }
  if (moments[0] < -1e-9 * std::abs(largest) || moments[2] > (moments[0] + moments[1]) * (1 + 1e-6))
    Fail(link.inertia_line, link.name,
         fmt::format("the principal moments {:.6g}, {:.6g}, {:.6g} kg m^2 "
                     "cannot belong to a rigid body: {}.",
                     moments[0], moments[1], moments[2],
                     moments[0] < 0 ? "a moment is negative" : "the largest exceeds the sum of the others"),
         "Correct <inertia> in the file.");
  if (moments[0] <= 1e-9 * largest) {
    link.inertia += kSmallest * largest * Eigen::Matrix3d::Identity();
    notes_.push_back(
        fmt::format("link {}: a moment of inertia is 0; {:.3g} kg "
                    "m^2 are added to all of them",
                    link.name, kSmallest * largest));
  }
}

std::string UrdfReader::UniqueName(const std::string& name, const char* suffix) {
  std::string legal;
  for (const char c : name) legal += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (legal.empty() || std::isdigit(static_cast<unsigned char>(legal[0]))) legal = "_" + legal;
  std::string unique = legal;
  if (names_.count(unique)) unique += suffix;
  for (int i = 2; names_.count(unique); ++i) unique = fmt::format("{}{}_{}", legal, suffix, i);
  names_.insert(unique);
  if (unique != name) notes_.push_back(fmt::format("{} is called {} here", name, unique));
  return unique;
}

std::string UrdfReader::Write(int root) {
  // A root that stands on the world is an obstacle if it has a shape, and
  // otherwise the world itself.
  const bool root_is_world = !floating_ && !links_[root].geometry;
  std::string bodies, joints, initial, recorded;
  const auto record = [&](const std::string& what) { recorded += (recorded.empty() ? "" : ", ") + what; };
  const auto place_text = [](const Placement& place) {
    const Eigen::Quaterniond q(place.R);
    return fmt::format("{{position: {}, orientation: {}}}", List(place.p), List({q.w(), q.x(), q.y(), q.z()}));
  };
  const auto add_obstacle = [&](Link& link, const Placement& place) {
    link.body = UniqueName(link.name, "_link");
    bodies += fmt::format("  {}:\n", link.body);
    if (const std::string shape = ShapeOf(link, {}); !shape.empty()) bodies += fmt::format("    shape: {}\n", shape);
    bodies += "    fixed: true\n";
    initial += fmt::format("  {}: {}\n", link.body, place_text(place));
  };
  std::map<int, std::string> shapes;  // of links that carry parts
  for (Link& link : links_) {
    if (link.carrier < 0 || !link.geometry || (link.carrier == root && root_is_world)) continue;
    if (!links_[link.carrier].geometry && shapes[link.carrier].empty())
      shapes[link.carrier] = ShapeOf(link, link.in_carrier);
    else
      notes_.push_back(fmt::format("link {}: the shape of a part is left out", link.name));
  }
  for (size_t i = 0; i < links_.size(); ++i) {
    Link& link = links_[i];
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
    if (!(link.mass > 0)) Fail(link.line, link.name, "a free link needs a mass.", "Give it <inertial>.");
    CheckInertia(link);
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
  for (const RobotJoint& joint : joints_) {
    const int parent = LinkIndex(joint.parent, joint.line, joint.name),
              child = LinkIndex(joint.child, joint.line, joint.name);
    if (links_[child].carrier >= 0) continue;
    const bool carried = links_[parent].carrier >= 0;
    const Placement at = carried ? links_[parent].in_carrier * joint.origin : joint.origin;
    const std::string& parent_body = carried ? links_[links_[parent].carrier].body : links_[parent].body;
    if (joint.type == "floating") {
      initial += fmt::format("  {}: {}\n", links_[child].body, place_text(at));
      record(links_[child].body);
      notes_.push_back(
          fmt::format("joint {}: floating, so {} is a free body "
                      "at its place for zero angles",
                      joint.name, links_[child].body));
      continue;
    }
    const std::string name = UniqueName(joint.name, "_joint");
    const bool hinge = joint.type == "revolute" || joint.type == "continuous", slider = joint.type == "prismatic";
    // Any direction across the axis serves as zero; the same one in both frames
    // makes the angle 0 where URDF has it.
    Eigen::Vector3d zero = Eigen::Vector3d::UnitX() - joint.axis * joint.axis[0];
    if (zero.norm() < 0.5) zero = Eigen::Vector3d::UnitY() - joint.axis * joint.axis[1];
    zero.normalize();
    joints += fmt::format("  {}:\n    type: {}\n    parent: {}\n    child: {}\n", name,
                          hinge    ? "hinge"
                          : slider ? "slider"
                                   : "fixed",
                          parent_body, links_[child].body);
    joints += fmt::format("    parent_frame: {{point: {}, axis: {}, zero: {}}}\n", List(at.p),
                          List(Eigen::Vector3d(at.R * joint.axis)), List(Eigen::Vector3d(at.R * zero)));
    joints += fmt::format("    child_frame: {{point: [0, 0, 0], axis: {}, zero: {}}}\n", List(joint.axis), List(zero));
    joints +=
        "    compliance: {linear: 1.0e-8, angular: 1.0e-8}\n    damping: "
        "0.02\n";
    if (!hinge && !slider) continue;
    if (joint.damping > 0) joints += fmt::format("    viscous: {}\n", YamlNumber(joint.damping));
    if (joint.friction > 0) joints += fmt::format("    coulomb: {}\n", YamlNumber(joint.friction));
    const bool whole_turn = hinge && joint.lower && (*joint.lower <= -M_PI || *joint.upper >= M_PI);
    if (whole_turn) notes_.push_back(fmt::format("joint {}: limits beyond half a turn are left out", joint.name));
    if (joint.lower && !whole_turn && *joint.lower < *joint.upper)
      joints +=
          fmt::format("    limits: {{lower: {}, upper: {}}}\n", YamlNumber(*joint.lower), YamlNumber(*joint.upper));
    initial += fmt::format("  {}: {{angle: 0, rate: 0}}\n", name);
    record(name + ".angle");
  }
  std::string scene = fmt::format("# Made from {}; contacts and motors are for you to add.\n", Printable(file_, 120));
  for (const std::string& note : notes_) scene += fmt::format("# - {}\n", Printable(note, 200));
  scene += "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n";
  if (bodies.empty()) Fail(1, "robot", "no link has a mass or a shape.", "Give at least one link <inertial>.");
  scene += "bodies:\n" + bodies;
  if (!joints.empty()) scene += "joints:\n" + joints;
  if (!initial.empty()) scene += "initial:\n" + initial;
  if (!joints.empty() && !recorded.empty()) scene += fmt::format("observe: [{}]\n", recorded);
  return scene + "simulation: {method: spook, step: 1.0e-3, duration: 1}\n";
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
      notes_.push_back(
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
    notes_.push_back(fmt::format("{} of {} {} left out: {} ({})", meshes.size() == 1 ? "the mesh" : "meshes",
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
    notes_.push_back(fmt::format("<contact> of {} {} is left out; add `contact` with friction and restitution", count,
                                 count == 1 ? "link" : "links"));
  if (const int count = std::max(count_in("joint", "limit", "effort"), count_in("joint", "limit", "velocity"));
      count > 0)
    notes_.push_back(fmt::format("limits of effort and velocity of {} joints are left out", count));
  if (const int count = count_in("joint", "safety_controller", nullptr); count > 0)
    notes_.push_back(fmt::format("<safety_controller> of {} joints is left out", count));
}

std::string UrdfReader::Convert() {
  tinyxml2::XMLDocument document;
  if (document.Parse(text_.data(), text_.size()) != tinyxml2::XML_SUCCESS)
    Fail(document.ErrorLineNum(), "", fmt::format("this is not XML: {}.", document.ErrorName()),
         "Give a robot description (URDF).");
  const XMLElement* robot = document.FirstChildElement("robot");
  if (robot == nullptr)
    Fail(1, "robot", "the file has no <robot>.", "Give a URDF file (run xacro first if it is one).");
  for (const XMLElement* at = robot->FirstChildElement("link"); at; at = at->NextSiblingElement("link")) ReadLink(*at);
  for (const XMLElement* at = robot->FirstChildElement("joint"); at; at = at->NextSiblingElement("joint"))
    ReadJoint(*at);
  if (links_.empty()) Fail(robot->GetLineNum(), "robot", "it has no links.", "Give a URDF file with links.");
  // The link `world` needs no element of its own.
  const auto is_world = [](const Link& link) { return link.name == "world"; };
  if (std::any_of(joints_.begin(), joints_.end(), [](const RobotJoint& joint) { return joint.parent == "world"; }) &&
      std::none_of(links_.begin(), links_.end(), is_world))
    links_.emplace_back().name = "world";
  NoteDropped(*robot);
  const int root = FindRoot();
  // A single link is a body to be thrown, not a robot on its base.
  floating_ = options_.floating || (joints_.empty() && links_[root].mass > 0);
  if (is_world(links_[root])) links_[root].mass = 0;
  JoinParts(root);
  const std::string scene = Write(root);
  CheckScene(scene);
  return scene;
}

/// Parses the scene. What is wrong in it is wrong in the file: the message
/// names the line there.
void UrdfReader::CheckScene(const std::string& scene) const {
  try {
    ParseScene(scene, file_);
  } catch (const InputError& error) {
    int line = 0;
    std::string name = error.path();
    for (const Link& link : links_)
      if (!link.body.empty() && error.path().starts_with("bodies." + link.body)) {
        line = link.line;
        name = link.name + error.path().substr(7 + link.body.size());
      }
    throw InputError({file_, line, 0}, name, error.problem(), error.remedy());
  }
}

}  // namespace

std::string ConvertUrdf(std::string_view text, const std::string& name_in_messages, const UrdfOptions& options) {
  return UrdfReader(text, name_in_messages, options).Convert();
}

}  // namespace ricochet
