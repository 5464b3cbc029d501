// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "scene/optional_parts.h"

namespace ricochet {

bool HasDrag(const Scene& scene, const Body& body) {
  return body.drag && (scene.number(body.drag->linear).given || scene.number(body.drag->quadratic).given);
}

bool HasDrive(const Scene& scene, const Joint& joint) {
  return joint.drive && (scene.number(joint.drive->stiffness).given || scene.number(joint.drive->damping).given);
}

}  // namespace ricochet
