// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What a step reports about a contact, the same for all steppers.
#pragma once

#include <Eigen/Core>

namespace ricochet {

enum class SlipState { kStick, kSlide };
enum class ContactKind { kPoint, kLine, kSurface };

/// One closed contact of one step. Impulses act on the pair's first body, in the contact frame C: planar, tangential
/// impulse along the line's tangent in entry 0; spatial, along x and y of the surface's frame.
struct ContactRecord {
  int pair = 0;               // index into the model's pairs
  int contact = 0;            // number of the vertex, or 0
  double gap = 0;             // as the stepper used it [m]
  double normal_impulse = 0;  // [N s]
  Eigen::Vector2d tangential_impulse = Eigen::Vector2d::Zero();
  double torsional_impulse = 0;  // [N m s], ecp
  Eigen::Vector3d p_WC = Eigen::Vector3d::Zero();
  SlipState slip = SlipState::kStick;
  ContactKind kind = ContactKind::kPoint;
  int active_facets = 0;  // of the first body, ecp
  // The contact point on both bodies, ecp: in the first body's frame, and in the other's (or the surface's) [m].
  Eigen::Vector3d p_BC = Eigen::Vector3d::Zero(), p_OC = Eigen::Vector3d::Zero();
};

}  // namespace ricochet
