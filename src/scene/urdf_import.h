// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A scene from a robot description (URDF).
//
//     link       body of the same frame; mass, center of mass, inertia turned into the link's axes
//     joint      revolute, continuous -> hinge; prismatic -> slider; fixed -> fixed; floating -> none (a free body)
//     collision  the first box, sphere, cylinder or mesh; a box or cylinder off the link's origin becomes
//                a polytope, as does the convex hull of a mesh (STL, OBJ) whose file is beside the description
//     dynamics   damping -> viscous, friction -> coulomb
//     limit      lower, upper -> limits
//     rpy        fixed axes x, y, z: R = Rz(yaw) Ry(pitch) Rx(roll)
//
// The root link stands on the world: an obstacle (`fixed: true`) if it has a shape, else the world itself; with
// `floating`, and if it is the only link and has a mass, it is a free body at the origin. The link `world` need not be
// in the file. A link without mass or inertia that is fixed to another is a part of it: its mass and shape belong to
// the link that carries it, as do joints on it; on the world it is an obstacle. What a scene cannot express (mimic
// joints, transmissions, limits of effort, offset spheres) is left out and named in a comment at the head of the
// scene. Names are made unique over links and joints and legal for scenes. Numbers are such that YAML 1.1 reads them as
// numbers.
//
// Wrong input (no robot, a joint between unknown links, a loop, a moving link without mass, an inertia that no body can
// have, a `planar` joint) throws InputError with the line in the file.
#pragma once

#include <string>
#include <string_view>

#include "ricochet/import.h"

namespace ricochet {

/// Text of the scene (YAML). It has been parsed and checked before it is returned.
std::string ConvertUrdf(std::string_view text, const std::string& name_in_messages, const UrdfOptions& options = {});

}  // namespace ricochet
