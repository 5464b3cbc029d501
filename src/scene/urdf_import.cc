// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "scene/urdf_import.h"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <vector>

#include "core/text.h"
#include "ricochet/scene.h"

namespace ricochet {

namespace {

using tinyxml2::XMLElement;

struct Placement {
  Eigen::Vector3d p = Eigen::Vector3d::Zero();
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  Placement operator*(const Placement& other) const { return {p + R * other.p, R * other.R}; }
};

struct Link {
  std::string name, body;
  int line = 0;
  double mass = 0;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
  std::string shape;  // as the scene writes it
  int carrier = -1;   // link that carries this frame without mass, or -1
  Placement in_carrier;
};

struct RobotJoint {
  std::string name, type, parent, child;
  int line = 0;
  Placement origin;
  Eigen::Vector3d axis = Eigen::Vector3d::UnitX();
  std::optional<double> lower, upper;
  double damping = 0;
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
  int LinkIndex(const std::string& name, int line, const std::string& path) const;
  int FindRoot() const;
  void ResolveFrames(int root);
  std::string UniqueName(const std::string& name, const char* suffix);
  std::string Write(int root);

  std::string_view text_;
  std::string file_;
  UrdfOptions options_;
  std::vector<Link> links_;
  std::vector<RobotJoint> joints_;
  std::vector<std::string> notes_;
  std::set<std::string> names_ = {"world"};
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

std::string List(std::initializer_list<double> numbers) {
  std::string text = "[";
  for (const double x : numbers) {
    // What rounding leaves of a zero is written as one.
    text += (text.size() > 1 ? ", " : "") + FormatDouble(std::abs(x) < 1e-15 ? 0.0 : x);
  }
  return text + "]";
}

std::string List(const Eigen::Vector3d& v) { return List({v[0], v[1], v[2]}); }

void UrdfReader::ReadShape(const XMLElement& at, Link& link) {
  const XMLElement* geometry = at.FirstChildElement("geometry");
  const XMLElement* shape = geometry ? geometry->FirstChildElement() : nullptr;
  if (shape == nullptr || !link.shape.empty()) {
    if (shape != nullptr) notes_.push_back(fmt::format("link {}: only its first collision shape is used", link.name));
    return;
  }
  const Placement place = Origin(&at);
  const bool centered = place.p.norm() < 1e-12;
  const std::string kind = shape->Name();
  if (kind == "box") {
    const auto size = Numbers(*shape, "size", 3, {});
    if (size.empty()) Fail(shape->GetLineNum(), "box", "has no `size`.", "Add size=\"x y z\".");
    if (centered && place.R.isIdentity(1e-12)) {
      link.shape = fmt::format("{{box: {{size: {}}}}}", List({size[0], size[1], size[2]}));
      return;
    }
    std::string corners;
    for (int i = 0; i < 8; ++i) {
      const Eigen::Vector3d corner(i & 1 ? 0.5 * size[0] : -0.5 * size[0], i & 2 ? 0.5 * size[1] : -0.5 * size[1],
                                   i & 4 ? 0.5 * size[2] : -0.5 * size[2]);
      corners += (i ? ", " : "") + List(Eigen::Vector3d(place.p + place.R * corner));
    }
    link.shape = fmt::format("{{polytope: {{vertices: [{}]}}}}", corners);
  } else if (kind == "sphere" && centered) {
    link.shape = fmt::format("{{sphere: {{radius: {}}}}}", FormatDouble(Number(*shape, "radius", {})));
  } else if (kind == "cylinder" && centered) {
    link.shape =
        fmt::format("{{cylinder: {{radius: {}, length: {}, axis: {}}}}}", FormatDouble(Number(*shape, "radius", {})),
                    FormatDouble(Number(*shape, "length", {})), List(Eigen::Vector3d(place.R.col(2))));
  } else {
    notes_.push_back(
        fmt::format("link {}: a {}{} is left out", link.name, kind, centered ? "" : " off the link's origin"));
  }
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
    if (inertia != nullptr) {
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
  if (const XMLElement* axis = at.FirstChildElement("axis")) {
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
    if (Number(*dynamics, "friction", 0) != 0)
      notes_.push_back(
          fmt::format("joint {}: a constant friction torque is left out; `dry` grows with the load", joint.name));
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

/// The link that is no joint's child. Every other link is the child of exactly one joint.
int UrdfReader::FindRoot() const {
  std::vector<int> times(links_.size(), 0);
  for (const RobotJoint& joint : joints_) {
    LinkIndex(joint.parent, joint.line, joint.name);
    const int child = LinkIndex(joint.child, joint.line, joint.name);
    if (++times[child] > 1)
      Fail(joint.line, joint.name, fmt::format("link {} is already the child of another joint.", joint.child),
           "URDF describes trees; add the joint that closes a loop to the scene by hand.");
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

/// Links without mass: frames of the link that carries them.
void UrdfReader::ResolveFrames(int root) {
  for (bool progress = true; progress;) {
    progress = false;
    for (const RobotJoint& joint : joints_) {
      const int parent = LinkIndex(joint.parent, joint.line, joint.name),
                child = LinkIndex(joint.child, joint.line, joint.name);
      Link& link = links_[child];
      if (link.mass > 0 || link.carrier >= 0) continue;
      if (joint.type != "fixed")
        Fail(link.line, link.name, "a link that moves needs a mass.", "Give it <inertial> with <mass> and <inertia>.");
      const Link& carrier = links_[parent];
      const bool frame = parent != root && carrier.mass <= 0;
      if (frame && carrier.carrier < 0) continue;
      link.carrier = frame ? carrier.carrier : parent;
      link.in_carrier = frame ? carrier.in_carrier * joint.origin : joint.origin;
      if (!link.shape.empty())
        notes_.push_back(fmt::format("link {}: the shape of a link without mass is left out", link.name));
      progress = true;
    }
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
  // A root that stands on the world is an obstacle if it has a shape, and otherwise the world itself.
  const bool root_is_world = !options_.floating && links_[root].shape.empty();
  std::string bodies, joints, initial;
  for (size_t i = 0; i < links_.size(); ++i) {
    Link& link = links_[i];
    if (link.carrier >= 0) continue;
    if (static_cast<int>(i) == root && root_is_world) {
      link.body = "world";
      continue;
    }
    link.body = UniqueName(link.name, "_link");
    bodies += fmt::format("  {}:\n", link.body);
    if (!link.shape.empty()) bodies += fmt::format("    shape: {}\n", link.shape);
    if (static_cast<int>(i) == root && !options_.floating) {
      bodies += "    fixed: true\n";
      initial += fmt::format("  {}: {{position: [0, 0, 0], orientation: [1, 0, 0, 0]}}\n", link.body);
      continue;
    }
    if (!(link.mass > 0)) Fail(link.line, link.name, "a free link needs a mass.", "Give it <inertial>.");
    bodies += fmt::format("    mass: {}\n", FormatDouble(link.mass));
    const Eigen::Matrix3d& I = link.inertia;
    bodies += fmt::format("    inertia: {}\n", List({I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)}));
    if (link.center.norm() > 0) bodies += fmt::format("    center_of_mass: {}\n", List(link.center));
    if (static_cast<int>(i) == root)
      initial += fmt::format("  {}: {{position: [0, 0, 0], orientation: [1, 0, 0, 0]}}\n", link.body);
  }
  for (const RobotJoint& joint : joints_) {
    const int parent = LinkIndex(joint.parent, joint.line, joint.name),
              child = LinkIndex(joint.child, joint.line, joint.name);
    if (links_[child].carrier >= 0) continue;
    const bool carried = links_[parent].carrier >= 0;
    const Placement at = carried ? links_[parent].in_carrier * joint.origin : joint.origin;
    const std::string& parent_body = carried ? links_[links_[parent].carrier].body : links_[parent].body;
    if (joint.type == "floating") {
      const Eigen::Quaterniond q(at.R);
      initial += fmt::format("  {}: {{position: {}, orientation: {}}}\n", links_[child].body, List(at.p),
                             List({q.w(), q.x(), q.y(), q.z()}));
      notes_.push_back(fmt::format("joint {}: floating, so {} is a free body at its place for zero angles", joint.name,
                                   links_[child].body));
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
                          parent_body, links_[child].body);
    joints += fmt::format("    parent_frame: {{point: {}, axis: {}, zero: {}}}\n", List(at.p),
                          List(Eigen::Vector3d(at.R * joint.axis)), List(Eigen::Vector3d(at.R * zero)));
    joints += fmt::format("    child_frame: {{point: [0, 0, 0], axis: {}, zero: {}}}\n", List(joint.axis), List(zero));
    joints += "    compliance: {linear: 1.0e-8, angular: 1.0e-8}\n    damping: 0.02\n";
    if (!hinge && !slider) continue;
    if (joint.damping > 0) joints += fmt::format("    viscous: {}\n", FormatDouble(joint.damping));
    const bool whole_turn = hinge && joint.lower && (*joint.lower <= -M_PI || *joint.upper >= M_PI);
    if (whole_turn) notes_.push_back(fmt::format("joint {}: limits beyond half a turn are left out", joint.name));
    if (joint.lower && !whole_turn && *joint.lower < *joint.upper)
      joints +=
          fmt::format("    limits: {{lower: {}, upper: {}}}\n", FormatDouble(*joint.lower), FormatDouble(*joint.upper));
    initial += fmt::format("  {}: {{angle: 0, rate: 0}}\n", name);
  }
  std::string scene =
      fmt::format("# Made from {}; contacts, motors and dry friction are for you to add.\n", Printable(file_, 120));
  for (const std::string& note : notes_) scene += fmt::format("# - {}\n", Printable(note, 200));
  scene += "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n";
  if (bodies.empty()) Fail(1, "robot", "no link has a mass.", "Give at least one link <inertial>.");
  scene += "bodies:\n" + bodies;
  if (!joints.empty()) scene += "joints:\n" + joints;
  if (!initial.empty()) scene += "initial:\n" + initial;
  return scene + "simulation: {method: spook, step: 1.0e-3, duration: 1}\n";
}

std::string UrdfReader::Convert() {
  tinyxml2::XMLDocument document;
  if (document.Parse(text_.data(), text_.size()) != tinyxml2::XML_SUCCESS)
    Fail(document.ErrorLineNum(), "", fmt::format("this is not XML: {}.", document.ErrorName()), "Repair the file.");
  const XMLElement* robot = document.FirstChildElement("robot");
  if (robot == nullptr)
    Fail(1, "robot", "the file has no <robot>.", "Give a URDF file (run xacro first if it is one).");
  for (const XMLElement* at = robot->FirstChildElement("link"); at; at = at->NextSiblingElement("link")) ReadLink(*at);
  for (const XMLElement* at = robot->FirstChildElement("joint"); at; at = at->NextSiblingElement("joint"))
    ReadJoint(*at);
  if (links_.empty()) Fail(robot->GetLineNum(), "robot", "it has no links.", "Give a URDF file with links.");
  const int root = FindRoot();
  ResolveFrames(root);
  const std::string scene = Write(root);
  ParseScene(scene, file_ + " (as a scene)");
  return scene;
}

}  // namespace

std::string ConvertUrdf(std::string_view text, const std::string& name_in_messages, const UrdfOptions& options) {
  return UrdfReader(text, name_in_messages, options).Convert();
}

}  // namespace ricochet
