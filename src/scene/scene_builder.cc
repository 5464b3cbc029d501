// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The builder writes the tree that a scene file would have and hands it to the reader of scene files.
#include "ricochet/scene_builder.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "scene/read/scene_reader.h"
#include "scene/text/number_text.h"
#include "scene/text/yaml_tree.h"

namespace ricochet {
namespace {

// Nodes of the tree. One that is not given has no key: Put leaves it out.

YamlNode Word(std::string text) {
  const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
  double value = 0;
  YamlNode node;
  node.kind = YamlNode::Kind::kScalar;
  node.quoted = !std::all_of(text.begin(), text.end(), plain) || text == "null" || text == "Null" || text == "NULL" ||
                ParseNumber(text, Quantity::kPlain, value) != NumberText::kNotANumber;
  node.scalar = std::move(text);
  return node;
}

YamlNode Number(double value) {
  YamlNode node;
  node.kind = YamlNode::Kind::kScalar;
  node.scalar = FormatSceneNumber(value);
  return node;
}

YamlNode List(const Values& values) {
  YamlNode node;
  node.kind = YamlNode::Kind::kList;
  node.flow = true;
  for (const double value : values.list()) node.items.push_back(Number(value));
  return node;
}

YamlNode List(const std::vector<Values>& points) {
  YamlNode node;
  node.kind = YamlNode::Kind::kList;
  node.flow = true;
  for (const Values& point : points) node.items.push_back(List(point));
  return node;
}

YamlNode Map() { return EmptyMap(); }

void Put(YamlNode& map, std::string key, YamlNode value) {
  YamlEntry& entry = map.entries.emplace_back();
  entry.key = std::move(key);
  entry.value = std::move(value);
}

void Put(YamlNode& map, const char* key, const std::optional<double>& value) {
  if (value) Put(map, key, Number(*value));
}

void PutList(YamlNode& map, const std::string& key, const Values& values) {
  if (!values.empty()) Put(map, key, List(values));
}

// What has one number in some scenes is not a list there.
void PutNumberOrList(YamlNode& map, const char* key, const Values& values) {
  if (values.list().size() == 1) {
    Put(map, key, Number(values.list().front()));
  } else {
    PutList(map, key, values);
  }
}

void PutWord(YamlNode& map, const char* key, const std::string& word) {
  if (!word.empty()) Put(map, key, Word(word));
}

// A section of the scene that says nothing is not written.
void PutSection(YamlNode& root, const char* key, YamlNode section) {
  if (!section.entries.empty() || !section.items.empty()) Put(root, key, std::move(section));
}

YamlNode ShapeNode(const ShapeSpec& shape) {
  YamlNode form = Map();
  if (shape.type == "intersection") {
    form.kind = YamlNode::Kind::kList;
    for (const ShapeSpec& part : shape.parts) form.items.push_back(ShapeNode(part));
  }
  for (const auto& [key, values] : shape.numbers) {
    if (key == "radius" || key == "length") {
      Put(form, key, Number(values.list().front()));
    } else {
      PutList(form, key, values);
    }
  }
  if (!shape.vertices.empty()) Put(form, "vertices", List(shape.vertices));
  PutList(form, "position", shape.position);
  PutList(form, "orientation", shape.orientation);
  YamlNode node = Map();
  Put(node, shape.type, std::move(form));
  return node;
}

YamlNode BodyNode(const BodySpec& body) {
  YamlNode node = Map();
  if (body.shape) Put(node, "shape", ShapeNode(*body.shape));
  Put(node, "mass", body.mass);
  PutNumberOrList(node, "inertia", body.inertia);
  PutList(node, "center_of_mass", body.center_of_mass);
  if (body.drag) {
    YamlNode drag = Map();
    Put(drag, "linear", body.drag->linear);
    Put(drag, "quadratic", body.drag->quadratic);
    PutSection(node, "drag", std::move(drag));
  }
  if (body.fixed) Put(node, "fixed", Word("true"));
  return node;
}

YamlNode SurfaceNode(const SurfaceSpec& surface, Space space) {
  YamlNode form = Map();
  PutList(form, "point", surface.point);
  Put(form, "angle", surface.angle);
  PutList(form, "normal", surface.normal);
  YamlNode node = Map();
  Put(node, space == Space::kPlanar ? "line" : "plane", std::move(form));
  PutList(node, "velocity", surface.velocity);
  if (space == Space::kPlanar) {
    PutList(node, "extent", surface.extent);
  } else if (!surface.extent.empty()) {
    // Intervals of two numbers.
    const std::vector<double>& ends = surface.extent.list();
    std::vector<Values> intervals;
    for (std::size_t i = 0; i < ends.size(); i += 2)
      intervals.push_back(i + 1 < ends.size() ? Values{ends[i], ends[i + 1]} : Values{ends[i]});
    Put(node, "extent", List(intervals));
  }
  return node;
}

YamlNode ContactNode(const ContactSpec& law) {
  YamlNode node = Map();
  Put(node, "friction", law.friction);
  Put(node, "restitution", law.restitution);
  Put(node, "tangential_restitution", law.tangential_restitution);
  PutList(node, "patch", law.patch);
  Put(node, "restitution_low", law.restitution_low);
  Put(node, "restitution_speed", law.restitution_speed);
  Put(node, "compliance", law.compliance);
  Put(node, "damping", law.damping);
  Put(node, "rounding", law.rounding);
  return node;
}

YamlNode FrameNode(const JointFrameSpec& frame) {
  YamlNode node = Map();
  PutList(node, "point", frame.point);
  PutList(node, "axis", frame.axis);
  PutList(node, "zero", frame.zero);
  return node;
}

const char* JointWord(JointType type) {
  switch (type) {
    case JointType::kHinge:
      return "hinge";
    case JointType::kSlider:
      return "slider";
    case JointType::kBall:
      return "ball";
    case JointType::kFixed:
      return "fixed";
    case JointType::kUniversal:
      return "universal";
    case JointType::kDistance:
      return "distance";
  }
  return "";
}

// Friction, motor, drive and stops of a joint.
void PutJointForces(YamlNode& node, const JointSpec& joint) {
  if (joint.dry) {
    YamlNode dry = Map();
    Put(dry, "radius", joint.dry->radius);
    Put(dry, "friction", joint.dry->friction);
    if (joint.dry->norm) PutWord(dry, "norm", *joint.dry->norm == DryNorm::kL1 ? "l1" : "euclidean");
    Put(node, "dry", std::move(dry));
  }
  if (joint.stribeck) {
    YamlNode stribeck = Map();
    Put(stribeck, "static", joint.stribeck->static_friction);
    Put(stribeck, "rate", joint.stribeck->rate);
    Put(node, "stribeck", std::move(stribeck));
  }
  if (joint.motor) {
    YamlNode motor = Map();
    Put(motor, "gain", joint.motor->gain);
    Put(motor, "shaft_inertia", joint.motor->shaft_inertia);
    PutWord(motor, "input", joint.motor->input);
    if (joint.motor->interpolation)
      PutWord(motor, "interpolation", *joint.motor->interpolation == InputInterpolation::kLinear ? "linear" : "hold");
    Put(node, "motor", std::move(motor));
  }
  if (joint.drive) {
    YamlNode drive = Map();
    Put(drive, "stiffness", joint.drive->stiffness);
    Put(drive, "damping", joint.drive->damping);
    PutNumberOrList(drive, "target", joint.drive->target);
    PutNumberOrList(drive, "rate", joint.drive->rate);
    Put(node, "drive", std::move(drive));
  }
  if (joint.limits) {
    YamlNode limits = Map();
    Put(limits, "swing", joint.limits->swing);
    PutNumberOrList(limits, "lower", joint.limits->lower);
    PutNumberOrList(limits, "upper", joint.limits->upper);
    Put(node, "limits", std::move(limits));
  }
}

YamlNode JointNode(const JointSpec& joint) {
  YamlNode node = Map();
  PutWord(node, "type", JointWord(joint.type));
  PutWord(node, "parent", joint.parent);
  PutWord(node, "child", joint.child);
  Put(node, "parent_frame", FrameNode(joint.parent_frame));
  Put(node, "child_frame", FrameNode(joint.child_frame));
  YamlNode compliance = Map();
  Put(compliance, "linear", joint.compliance_linear);
  Put(compliance, "angular", joint.compliance_angular);
  PutSection(node, "compliance", std::move(compliance));
  Put(node, "damping", joint.damping);
  Put(node, "viscous", joint.viscous);
  Put(node, "coulomb", joint.coulomb);
  PutJointForces(node, joint);
  Put(node, "length", joint.length);
  return node;
}

YamlNode InitialNode(const InitialSpec& start) {
  YamlNode node = Map();
  PutList(node, "pose", start.pose);
  PutList(node, "position", start.position);
  PutList(node, "orientation", start.orientation);
  PutList(node, "velocity", start.velocity);
  PutNumberOrList(node, "angular_velocity", start.angular_velocity);
  Put(node, "angle", start.angle);
  Put(node, "rate", start.rate);
  return node;
}

YamlNode ActionNode(const ActionSpec& action) {
  YamlNode node = Map();
  PutWord(node, "body", action.body);
  PutList(node, "force", action.force);
  PutNumberOrList(node, "torque", action.torque);
  PutList(node, "impulse", action.impulse);
  PutNumberOrList(node, "angular_impulse", action.angular_impulse);
  Put(node, "from", action.from);
  Put(node, "until", action.until);
  Put(node, "at", action.at);
  if (action.when) {
    YamlNode when = Map();
    PutWord(when, "quantity", action.when->quantity);
    Put(when, "falls_to", action.when->falls_to);
    Put(node, "when", std::move(when));
  }
  return node;
}

YamlNode SimulationNode(const SimulationSpec& simulation) {
  YamlNode node = Map();
  PutWord(node, "method", simulation.method);
  Put(node, "step", simulation.step);
  Put(node, "duration", simulation.duration);
  Put(node, "tolerance", simulation.tolerance);
  YamlNode options = Map();
  for (const auto& [name, value] : simulation.options)
    Put(options, name, value.number ? Number(*value.number) : Word(value.word));
  PutSection(node, "options", std::move(options));
  return node;
}

YamlNode ObserveNode(const ObserveSpec& observe, const std::vector<std::string>& moving) {
  YamlNode node = Map();
  YamlNode channels = List(Values());
  for (const std::string& channel : observe.channels) channels.items.push_back(Word(channel));
  PutSection(node, "channels", std::move(channels));
  YamlNode noise = Map();
  Put(noise, "position", observe.noise_position);
  Put(noise, "angle", observe.noise_angle);
  PutSection(node, "noise", std::move(noise));
  Put(node, "length_scale", observe.length_scale);
  Put(node, "delay", observe.delay);
  YamlNode offset = Map();
  for (const auto& [channel, value] : observe.offset) Put(offset, channel, Number(value));
  PutSection(node, "offset", std::move(offset));
  YamlNode scale = Map();
  for (const auto& [channel, value] : observe.scale) Put(scale, channel, Number(value));
  PutSection(node, "scale", std::move(scale));
  YamlNode eccentricity = Map();
  for (const auto& [channel, values] : observe.eccentricity) PutList(eccentricity, channel, values);
  PutSection(node, "eccentricity", std::move(eccentricity));

  YamlNode frames = Map();
  for (const TrackedFrameSpec& frame : observe.frames) {
    YamlNode form = Map();
    PutList(form, "position", frame.position);
    PutNumberOrList(form, "rotation", frame.rotation);
    Put(frames, frame.body, std::move(form));
  }
  // The only body that moves is not named.
  if (frames.entries.size() == 1 && moving == std::vector<std::string>{frames.entries.front().key}) {
    Put(node, "frame", std::move(frames.entries.front().value));
  } else {
    PutSection(node, "frames", std::move(frames));
  }

  YamlNode points = Map();
  for (const ObservedPointSpec& point : observe.points) {
    YamlNode form = List(point.at);
    if (!point.body.empty()) {
      form = Map();
      PutWord(form, "body", point.body);
      PutList(form, "at", point.at);
    }
    Put(points, point.name, std::move(form));
  }
  PutSection(node, "points", std::move(points));
  return node;
}

// A file cannot have a key twice in one map, and the reader relies on it.
void CheckKeys(const YamlNode& node, const std::string& path) {
  for (std::size_t i = 0; i < node.entries.size(); ++i) {
    const YamlEntry& entry = node.entries[i];
    const std::string at = JoinPath(path, entry.key);
    for (std::size_t k = 0; k < i; ++k) {
      if (node.entries[k].key == entry.key) throw InputError({}, at, "is given twice.", "Keep one of them.");
    }
    CheckKeys(entry.value, at);
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) CheckKeys(node.items[i], IndexPath(path, i));
}

ShapeSpec MakeShape(const char* type, std::vector<std::pair<std::string, Values>> numbers) {
  ShapeSpec shape;
  shape.type = type;
  shape.numbers = std::move(numbers);
  return shape;
}

template <class Spec>
void SetByName(std::vector<std::pair<std::string, Spec>>& list, std::string name, Spec spec) {
  for (auto& [known, value] : list) {
    if (known != name) continue;
    value = std::move(spec);
    return;
  }
  list.emplace_back(std::move(name), std::move(spec));
}

}  // namespace

ShapeSpec ShapeSpec::At(Values new_position, Values new_orientation) const {
  ShapeSpec placed = *this;
  placed.position = std::move(new_position);
  placed.orientation = std::move(new_orientation);
  return placed;
}

namespace shapes {

ShapeSpec Ellipse(Values semi_axes) { return MakeShape("ellipse", {{"semi_axes", std::move(semi_axes)}}); }
ShapeSpec Circle(double radius) { return MakeShape("circle", {{"radius", radius}}); }
ShapeSpec Rectangle(Values size) { return MakeShape("rectangle", {{"size", std::move(size)}}); }
ShapeSpec Box(Values size) { return MakeShape("box", {{"size", std::move(size)}}); }
ShapeSpec Sphere(double radius) { return MakeShape("sphere", {{"radius", radius}}); }
ShapeSpec Ellipsoid(Values semi_axes) { return MakeShape("ellipsoid", {{"semi_axes", std::move(semi_axes)}}); }

ShapeSpec Cylinder(double radius, double length, Values axis) {
  return MakeShape("cylinder", {{"radius", radius}, {"length", length}, {"axis", std::move(axis)}});
}

ShapeSpec Polygon(std::vector<Values> vertices) {
  ShapeSpec shape = MakeShape("polygon", {});
  shape.vertices = std::move(vertices);
  return shape;
}

ShapeSpec Polytope(std::vector<Values> vertices) {
  ShapeSpec shape = MakeShape("polytope", {});
  shape.vertices = std::move(vertices);
  return shape;
}

ShapeSpec Intersection(std::vector<ShapeSpec> parts) {
  ShapeSpec shape = MakeShape("intersection", {});
  shape.parts = std::move(parts);
  return shape;
}

ShapeSpec HalfSpace(Values point, Values normal) {
  return MakeShape("half_space", {{"point", std::move(point)}, {"normal", std::move(normal)}});
}

}  // namespace shapes

struct SceneBuilder::Parts {
  Space space;
  std::optional<YamlNode> gravity;
  std::vector<std::pair<std::string, BodySpec>> bodies;
  std::vector<std::pair<std::string, SurfaceSpec>> surfaces;
  std::vector<std::pair<std::string, JointSpec>> joints;
  std::optional<ContactSpec> contact;
  std::vector<std::pair<std::string, ContactSpec>> pairs;  // "box/floor"
  std::vector<std::pair<std::string, InitialSpec>> initial;
  std::vector<ActionSpec> actions;
  SimulationSpec simulation;
  ObserveSpec observe;

  YamlNode Tree() const {
    YamlNode root = Map();
    Put(root, "ricochet", 1.0);
    Put(root, "space", Word(space == Space::kPlanar ? "planar" : "spatial"));
    if (gravity) Put(root, "gravity", *gravity);
    YamlNode section = Map();
    for (const auto& [name, body] : bodies) Put(section, name, BodyNode(body));
    Put(root, "bodies", std::exchange(section, Map()));
    for (const auto& [name, surface] : surfaces) Put(section, name, SurfaceNode(surface, space));
    PutSection(root, "surfaces", std::exchange(section, Map()));
    for (const auto& [pair, law] : pairs) Put(section, pair, ContactNode(law));
    YamlNode law = contact ? ContactNode(*contact) : Map();
    PutSection(law, "pairs", std::exchange(section, Map()));
    PutSection(root, "contact", std::move(law));
    for (const auto& [name, joint] : joints) Put(section, name, JointNode(joint));
    PutSection(root, "joints", std::exchange(section, Map()));
    for (const auto& [name, start] : initial) Put(section, name, InitialNode(start));
    PutSection(root, "initial", std::exchange(section, Map()));
    YamlNode list = List(Values());
    for (const ActionSpec& action : actions) list.items.push_back(ActionNode(action));
    PutSection(root, "actions", std::move(list));
    PutSection(root, "simulation", SimulationNode(simulation));
    std::vector<std::string> moving;
    for (const auto& [name, body] : bodies)
      if (!body.fixed) moving.push_back(name);
    PutSection(root, "observe", ObserveNode(observe, moving));
    return root;
  }
};

SceneBuilder::SceneBuilder(Space space) : parts_(std::make_unique<Parts>()) { parts_->space = space; }
SceneBuilder::SceneBuilder(const SceneBuilder& other) : parts_(std::make_unique<Parts>(*other.parts_)) {}
SceneBuilder& SceneBuilder::operator=(const SceneBuilder& other) {
  *parts_ = *other.parts_;
  return *this;
}
SceneBuilder::SceneBuilder(SceneBuilder&&) noexcept = default;
SceneBuilder& SceneBuilder::operator=(SceneBuilder&&) noexcept = default;
SceneBuilder::~SceneBuilder() = default;

SceneBuilder& SceneBuilder::SetGravity(Values vector) {
  parts_->gravity = List(vector);
  return *this;
}

SceneBuilder& SceneBuilder::SetGravity(double magnitude, Values tilt) {
  YamlNode node = Map();
  Put(node, "magnitude", magnitude);
  PutNumberOrList(node, "tilt", tilt);
  parts_->gravity = std::move(node);
  return *this;
}

SceneBuilder& SceneBuilder::AddBody(std::string name, BodySpec body) {
  parts_->bodies.emplace_back(std::move(name), std::move(body));
  return *this;
}

SceneBuilder& SceneBuilder::AddSurface(std::string name, SurfaceSpec surface) {
  parts_->surfaces.emplace_back(std::move(name), std::move(surface));
  return *this;
}

SceneBuilder& SceneBuilder::AddJoint(std::string name, JointSpec joint) {
  parts_->joints.emplace_back(std::move(name), std::move(joint));
  return *this;
}

SceneBuilder& SceneBuilder::SetContact(ContactSpec law) {
  parts_->contact = std::move(law);
  return *this;
}

SceneBuilder& SceneBuilder::SetContact(std::string a, std::string b, ContactSpec law) {
  SetByName(parts_->pairs, a + "/" + b, std::move(law));
  return *this;
}

SceneBuilder& SceneBuilder::SetInitial(std::string name, InitialSpec start) {
  SetByName(parts_->initial, std::move(name), std::move(start));
  return *this;
}

SceneBuilder& SceneBuilder::AddAction(ActionSpec action) {
  parts_->actions.push_back(std::move(action));
  return *this;
}

SceneBuilder& SceneBuilder::SetSimulation(SimulationSpec simulation) {
  parts_->simulation = std::move(simulation);
  return *this;
}

SceneBuilder& SceneBuilder::SetObserve(ObserveSpec observe) {
  parts_->observe = std::move(observe);
  return *this;
}

Scene SceneBuilder::Build() const {
  const YamlNode tree = parts_->Tree();
  CheckKeys(tree, "");
  return MakeScene(tree, FormatYaml(tree), "");
}

}  // namespace ricochet
