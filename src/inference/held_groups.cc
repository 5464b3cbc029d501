// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <algorithm>
#include <array>
#include <cmath>
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
    if (groups.empty() || groups.back().path != list) groups.push_back({list, {}});
    groups.back().parameters.push_back({number.path, NumberId{static_cast<int>(i)}, {}, {}});
  }
  for (HeldGroup& group : groups) KeepEntriesThatAct(scene, group);
  return groups;
}

}  // namespace ricochet
