// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Wrong scenes and the exact words about them: a good scene, one change, the whole message.
#pragma once

#include <ostream>
#include <string>

#include "ricochet/scene.h"

namespace ricochet {

struct WrongScene {
  const char* name;
  const char* scene;  // a good one
  const char* from;   // stands in it once
  const char* to;
  const char* message;  // of the InputError, for the file name scene.yaml
};

/// How a failing test shows its case.
inline void PrintTo(const WrongScene& wrong, std::ostream* out) { *out << wrong.name; }

/// The good scene with its change.
inline std::string Changed(const WrongScene& wrong) {
  std::string text = wrong.scene;
  return text.replace(text.find(wrong.from), std::string(wrong.from).size(), wrong.to);
}

/// The message of the InputError that reading throws, or a note that it does not.
inline std::string SceneMessageOf(const std::string& text) {
  try {
    ParseScene(text, "scene.yaml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "(the scene was read)";
}

inline constexpr const char* kPlanarScene = R"(ricochet: 1
space: planar
gravity: [0, -9.81]
bodies:
  block:
    shape: {rectangle: {size: [1, 0.5]}}
    mass: 2
    inertia: 0.2
surfaces:
  ground: {line: {point: [0, 0], angle: 0}}
contact: {friction: 0.5, restitution: 0.25}
initial:
  block: {pose: [0, 2, 0.25], velocity: [1, 0], angular_velocity: 2}
simulation: {method: lcp, step: 1e-3, duration: 3}
)";

inline constexpr const char* kSpatialScene = R"(ricochet: 1
space: spatial
gravity: {magnitude: 9.81, tilt: [0, 0]}
bodies:
  box:
    shape: {box: {size: [0.2, 0.1, 0.3]}}
    mass: 0.5
    inertia: [1.0e-3, 1.6e-3, 1.9e-3]
  post:
    shape: {cylinder: {radius: 0.1, length: 1}}
    fixed: true
surfaces:
  floor:
    plane: {point: [0, 0, 0], normal: [0, 0, 1]}
    extent: [[-2, 2], [-1, 1]]
contact:
  friction: 0.4
  patch: [1, 1, 0.1]
  pairs: {box/floor: {friction: 0.2}}
initial:
  box: {position: [0, 0, 0.5], orientation: [1, 0, 0, 0]}
  post: {position: [1, 0.5, 0.5]}
actions:
  - {body: box, impulse: [0, 0, 1], at: 0.5}
  - {body: box, force: [1, 0, 0], from: 0.1, until: 0.2}
simulation: {method: moreau, step: 0.002, duration: 1, options: {corners: all}}
observe: {channels: [box.x], noise: {position: 1.0e-3}}
)";

inline constexpr const char* kMechanism = R"(ricochet: 1
space: spatial
bodies:
  A: {mass: 0.2, inertia: [0.001, 0.003, 0.003]}
  B: {mass: 0.4, inertia: [0.002, 0.004, 0.004, 0, 0, 1.0e-4]}
joints:
  shoulder:
    type: hinge
    parent: world
    child: A
    parent_frame: {point: [0, 0, 0], axis: [0, 0, 1], zero: [1, 0, 0]}
    child_frame: {point: [-0.1, 0, 0], axis: [0, 0, 1], zero: [1, 0, 0]}
    dry: {radius: 0.01, friction: 0.1, norm: l1}
    stribeck: {static: 0.2, rate: 0.5}
    motor: {gain: 0.1, input: u}
    limits: {lower: -90 deg, upper: 90 deg}
  wrist:
    type: ball
    parent: A
    child: B
    parent_frame: {point: [0.1, 0, 0]}
    child_frame: {point: [-0.2, 0, 0]}
initial:
  shoulder: {angle: 0.5, rate: 0}
observe: [shoulder.angle]
simulation: {method: spook, step: 0.001, duration: 1}
)";

}  // namespace ricochet
