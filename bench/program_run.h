// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A program as a user runs it, with what it cost.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ricochet::bench {

using Words = std::vector<std::string>;

struct Outcome {
  double seconds = 0, cpu = 0;  // wall and processor time [s]
  double megabytes = 0;         // largest resident size
  int status = -1;              // exit status; -1: killed
};

enum class Victim { kAll, kOneRank };

/// Runs a command, its output thrown away; kills it, or one of the ranks that it started, after `limit` seconds when
/// that is given.
Outcome Run(const Words& words, std::optional<double> limit = {}, Victim victim = Victim::kAll);

}  // namespace ricochet::bench
