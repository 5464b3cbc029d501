// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>

#include "inference/held_tests.h"
#include "scene/path_pattern.h"

namespace ricochet {
namespace {

/// What is worth testing. A list is one group; `*` stands for a name.
constexpr std::string_view kTested[] = {
    "observe.frame.position",
    "observe.frame.rotation",
    "observe.frames.*.position",
    "observe.frames.*.rotation",
    "observe.length_scale",
    "observe.delay",
    "observe.offset.*.*",
    "observe.scale.*.*",
    "observe.eccentricity.*.*",
    "gravity.magnitude",
    "gravity.tilt",
    "bodies.*.center_of_mass",
    "bodies.*.shape.*.semi_axes",
    "bodies.*.shape.*.radius",
    "bodies.*.shape.*.size",
    "bodies.*.shape.*.length",
    "bodies.*.inertia",
    "bodies.*.drag.linear",
    "bodies.*.drag.quadratic",
    "surfaces.*.line.point",
    "surfaces.*.line.angle",
    "surfaces.*.plane.point",
    "surfaces.*.plane.normal",
    "surfaces.*.velocity",
    "contact.friction",
    "contact.restitution",
    "contact.tangential_restitution",
    "contact.pairs.*.friction",
    "contact.pairs.*.restitution",
    "joints.*.viscous",
    "joints.*.coulomb",
    "joints.*.drive.stiffness",
    "joints.*.dry.friction",
    "joints.*.motor.gain",
    "joints.*.motor.shaft_inertia",
};

bool IsTested(std::string_view path) {
  const auto steps = SplitPath(path);
  return steps && std::any_of(std::begin(kTested), std::end(kTested),
                              [&](std::string_view pattern) { return MatchesPath(*SplitPath(pattern), *steps); });
}

/// Numbers of bodies that do not move, and of a mass or inertia of which only a ratio acts.
bool IsOfFixedBody(const Scene& scene, std::string_view path) {
  return std::any_of(scene.bodies.begin(), scene.bodies.end(),
                     [&](const Body& body) { return body.fixed && path.starts_with("bodies." + body.name + "."); });
}

/// Which entries of a surface's vectors matter: a point moves the surface along its normal only, and a normal turns it
/// about two axes. The entry nearest to the normal stands for the point, the others for the normal and the velocity.
void KeepEntriesThatAct(const Scene& scene, HeldGroup& group) {
  const auto ends = [&](std::string_view suffix) { return group.path.ends_with(suffix); };
  const bool point = ends(".line.point") || ends(".plane.point"), normal = ends(".plane.normal"),
             velocity = group.path.starts_with("surfaces.") && ends(".velocity");
  if (!point && !normal && !velocity) return;
  const std::string name = group.path.substr(9, group.path.find('.', 9) - 9);
  std::array<double, 3> along{};
  for (const SceneNumber& number : scene.numbers()) {
    if (number.path == "surfaces." + name + ".line.angle") along = {-std::sin(number.value), std::cos(number.value), 0};
    for (std::size_t i = 0; i < 3; ++i)
      if (number.path == "surfaces." + name + ".plane.normal[" + std::to_string(i) + "]") along[i] = number.value;
  }
  const auto main = static_cast<std::size_t>(
      std::max_element(along.begin(), along.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }) -
      along.begin());
  if (main >= group.parameters.size()) return;
  if (point)
    group.parameters = {group.parameters[main]};
  else
    group.parameters.erase(group.parameters.begin() + static_cast<std::ptrdiff_t>(main));
  if (group.parameters.size() == 1) group.path = group.parameters[0].path;
}

constexpr double kAirDensity = 1.2;       // [kg/m^3]
constexpr double kAirViscosity = 1.8e-5;  // [Pa s]
constexpr double kDragCoefficient = 1.1;  // of a blunt body
constexpr double kDragArea = 0.1;         // of the square of its length: a rod
constexpr double kSmallTorque = 0.01;     // of that of a body's weight at its radius of gyration
constexpr double kSlow = 1;               // [1/s], of rates at which friction is as large as that

/// Largest moment of a body over its mass, the square of its radius of gyration; 0 where it has none.
double SquaredGyration(const Scene& scene, const Body& body) {
  double largest = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, body.inertia.size()); ++i)
    largest = std::max(largest, scene[body.inertia[i]]);
  return body.mass && scene[body.mass] > 0 ? largest / scene[body.mass] : 0;
}

/// The body that a path belongs to; of a joint, its child.
const Body* BodyOf(const Scene& scene, const std::string& path) {
  std::string name;
  const auto steps = SplitPath(path);
  if (steps && steps->size() > 1 && path.starts_with("bodies.")) name = std::string((*steps)[1].name);
  for (const Joint& joint : scene.joints)
    if (path.starts_with("joints." + joint.name + ".")) name = joint.child;
  for (const Body& body : scene.bodies)
    if (body.name == name) return &body;
  return nullptr;
}

/// Error of a number that a careful person makes, or the size of an effect that a scene leaves out.
double PlausibleError(const Scene& scene, const SceneNumber& number) {
  const double value = std::abs(number.value);
  const Body* body = BodyOf(scene, number.path);
  const double gyration = body ? std::sqrt(SquaredGyration(scene, *body)) : 0.1;  // [m]
  const double mass = body && body->mass ? scene[body->mass] : 1;
  double gravity = 9.81;
  for (const SceneNumber& each : scene.numbers())
    if (each.path == "gravity.magnitude" && each.value > 0) gravity = each.value;
  const double force = kSmallTorque * mass * gravity, torque = force * gyration;
  const double length = std::sqrt(12.0) * gyration;  // of a uniform rod
  switch (number.quantity) {
    case Quantity::kPosition:
      return 5e-4;
    case Quantity::kAngle:
    case Quantity::kDirection:
      return 5e-3;
    case Quantity::kVelocity:
      return std::max(2e-3, 0.01 * value);
    case Quantity::kFriction:
    case Quantity::kRestitution:
      return 0.02;
    case Quantity::kTime:
    case Quantity::kNonNegativeTime:
      return 1e-3;
    case Quantity::kScale:
      return 2e-3;
    case Quantity::kCoulomb:
    case Quantity::kStiffness:
      return std::max(torque, 0.01 * value);
    case Quantity::kLinearCoulomb:
      return std::max(force, 0.01 * value);
    case Quantity::kLinearStiffness:
      return std::max(force / gyration, 0.01 * value);
    case Quantity::kViscous:
      return std::max(torque / kSlow, 0.01 * value);
    case Quantity::kLinearViscous:
      return std::max(force / (kSlow * gyration), 0.01 * value);
    case Quantity::kDrag:  // Stokes, a sphere of this diameter
      return std::max(3 * std::numbers::pi * kAirViscosity * length, 0.01 * value);
    case Quantity::kQuadraticDrag:
      return std::max(0.5 * kAirDensity * kDragCoefficient * kDragArea * length * length, 0.01 * value);
    case Quantity::kNonNegativeAcceleration:
      return 2e-3 * value;
    case Quantity::kNonNegativeInertia:
      return 0.01 * std::max(value, mass * gyration * gyration);
    case Quantity::kNonNegativeMass:
      return 0.01 * std::max(value, mass);
    default:
      return value > 0 ? 0.01 * value : 1e-3;
  }
}

/// Whether 0 means that something does not act, which a scene may not mention.
bool IsEffect(const SceneNumber& number) {
  switch (number.quantity) {
    case Quantity::kCoulomb:
    case Quantity::kLinearCoulomb:
    case Quantity::kStiffness:
    case Quantity::kLinearStiffness:
    case Quantity::kDrag:
    case Quantity::kQuadraticDrag:
      return true;
    default:
      return false;
  }
}

/// A Coulomb torque of a joint whose dry friction the scene states: it says how the joint rubs.
bool HasOtherFriction(const Scene& scene, const SceneNumber& number) {
  return (number.quantity == Quantity::kCoulomb || number.quantity == Quantity::kLinearCoulomb) &&
         std::any_of(scene.joints.begin(), scene.joints.end(), [&](const Joint& joint) {
           return joint.dry && number.path == "joints." + joint.name + ".coulomb";
         });
}

}  // namespace

std::vector<HeldGroup> HeldGroupsOf(const Scene& scene, const std::vector<SelectedParameter>& estimated) {
  const auto named = [&](const SceneNumber& number) {
    return std::any_of(estimated.begin(), estimated.end(), [&](const SelectedParameter& each) {
      for (const NumberId id : {each.numerator, each.denominator, each.factor})
        if (id && ListPath(scene.number(id).path) == ListPath(number.path)) return true;
      return false;
    });
  };
  std::vector<HeldGroup> groups;
  for (std::size_t i = 0; i < scene.numbers().size(); ++i) {
    const SceneNumber& number = scene.numbers()[i];
    if (!IsTested(number.path) || named(number) || IsOfFixedBody(scene, number.path)) continue;
    const std::string list(ListPath(number.path));
    if (groups.empty() || groups.back().path != list)
      groups.push_back({list, {}, {}, IsEffect(number) && !number.given && !HasOtherFriction(scene, number)});
    groups.back().parameters.push_back({number.path, NumberId{static_cast<int>(i)}, {}, {}});
  }
  for (HeldGroup& group : groups) {
    KeepEntriesThatAct(scene, group);
    for (const SelectedParameter& parameter : group.parameters) {
      const SceneNumber& number = scene.number(parameter.numerator);
      const bool absent = IsEffect(number) && number.given && number.value == 0;
      group.plausible.push_back(absent ? 0 : PlausibleError(scene, number));
    }
  }
  return groups;
}

}  // namespace ricochet
