// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Units of length, axes and times that gravity contradicts: how a body falls (falls.h) says in which unit and along
// which axis it was recorded, and with times that are no seconds, what a unit of time is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "examine/falls.h"
#include "examine/suspicion.h"

namespace ricochet {

/// What the falls say against the scene's gravity: whether one agrees with it, and otherwise why not.
struct GravityFinding {
  bool right = false;
  std::vector<Suspicion> suspicions;       // to be tried in this order; one of them is true
  std::optional<std::string> unexplained;  // neither unit nor axis: gravity, scale or clock
};

GravityFinding ReadFalls(const Subject& subject, const std::vector<Fall>& falls);

/// Times that cannot be seconds, with what they may be; the first that gravity confirms, with what it then says.
std::optional<Suspicion> FindTimes(const Subject& subject, GravityFinding& gravity);

}  // namespace ricochet
