// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Which contacts of the joint program are closed, and when: nodes from stretches of contact, and the active-set changes
// that lead from a first guess to a solution of all inequalities.
//
//   normal impulse negative          the contact opens (a node without contact is removed)
//   flight enters a surface          a contact is added: an impact in the middle of the overlap, or, where the overlap
//                                    begins or ends at a contact, that contact lasts longer
//   friction beyond its bound        it slides against the impulse
//   slide that changes its sign      it sticks
//   a landing that moves in time     the grid of the lasting contact after it is laid out again
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "estimators/program/joint_program.h"

namespace ricochet {

/// A contact from `from` to `to`; an impact where they are equal.
struct JointStretch {
  double from = 0, to = 0;  // [s]
  int candidate = 0;
  int slip = 0;
};

/// Nodes for the stretches: their beginnings move in time, lasting ones have a node per step. Stretches of one
/// candidate that follow within a step are joined. `pose` gives poses of the center of mass.
void LayNodes(const PlanarFamily& family, std::vector<JointStretch> stretches,
              const std::function<Eigen::Vector3d(double)>& pose, JointChain& chain);

/// The stretches that the nodes of a chain describe.
std::vector<JointStretch> StretchesOf(const JointChain& chain);

/// Impulses of closed nodes from the jumps of the velocity, where the balance determines them.
void SetImpulses(JointProgram& program);

struct JointChanges {
  int opened = 0, closed = 0, friction = 0, moved = 0;
  int total() const { return opened + closed + friction + moved; }
};

/// One round of changes; the program is laid out again when there were any.
JointChanges ChangeActiveSet(JointProgram& program);

/// Flights between two contacts of one candidate that stay below 0.3 of the noise for at most 20 steps cannot be seen:
/// they become lasting contact. Returns how many.
int CloseUnseen(JointProgram& program);

/// Landings that would bounce for longer than two steps by the scene's restitution do so: the lasting contact after
/// them begins where the bounce ends. Returns how many.
int OpenBounces(JointProgram& program);

}  // namespace ricochet
