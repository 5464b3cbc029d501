// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Campaigns of tosses by the independent simulator of box_world.h, for the gauntlet of `identify`: 1 to 10 tosses of a
// random box at 120 to 500 Hz, clean or with one nuisance that the scene does not know of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ricochet/identify.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet::testing {

struct TossCase {
  std::string kind;
  std::uint64_t seed = 0;
  Scene scene;  // with friction and restitution elsewhere
  std::vector<Recording> recordings;
  double truth[2] = {0, 0};  // friction, restitution
  double rate = 0, noise = 0, size = 0;
  double nuisance = 0;  // its size
};

/// "clean" and the nuisances.
const std::vector<std::string>& TossCaseKinds();

/// Beginning of the path that explains the nuisance of a kind; empty: none.
std::string CulpritOf(const std::string& kind);

TossCase MakeTossCase(const std::string& kind, std::uint64_t seed);

struct TossOutcome {
  std::string verdict;  // good, limited, rejected, or refused with an error
  double value[2], std[2];
  double residual = 0;  // over the noise
  double seconds = 0;
  std::string first;  // path of the first explanation
  std::string reason;

  double Pull(const TossCase& made, int i) const;
};

TossOutcome RunTossCase(const TossCase& made);

/// One row of the table, and its header.
std::string TossRow(const TossCase& made, const TossOutcome& outcome);
std::string TossHeader();

}  // namespace ricochet::testing
