// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Bodies that touch each other, in impulses (impulse_newton.h): the end of what friction_contact_newton.h leaves short
// of the tolerance because contacts cannot all stick, and least-norm impulses where sliding contacts share a load.
//
// Matrices are dense, with 6 unknowns per body and up to 2 per contact, so it is for islands of up to
// kMaxIslandContacts.
#pragma once

#include <memory>

#include "complementarity/friction/friction_contact.h"

namespace ricochet {

inline constexpr int kMaxIslandContacts = 48;

class IslandContact {
 public:
  IslandContact();
  ~IslandContact();

  /// Takes an island of at most kMaxIslandContacts contacts; `tolerance` is of the relative residual.
  void Begin(const FrictionContactProblem& problem, double tolerance);

  /// Sharp friction from the modes and impulses in `solution`, which is replaced if the result is better or at the
  /// tolerance. True when at the tolerance.
  bool Polish(FrictionContactSolution& solution);

  /// The same along the path of smoothed friction, from the impulses in `solution` or, cold, from none.
  bool Follow(bool warm, FrictionContactSolution& solution);

 private:
  struct Parts;
  void Take(const FrictionContactSolution& from);
  bool Give(FrictionContactSolution& to) const;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ricochet
