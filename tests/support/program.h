// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Runs the program as a user does.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ricochet::testing {

struct ProgramResult {
  int status = -1;
  std::string out, err;
  long peak_memory_kib = 0;
  double cpu_seconds = 0;
};

struct ProgramLimits {
  int cpu_seconds = 0;  // beyond which the program is ended by a signal; 0: none
};

/// Variables of the environment that the program gets beside those of the test.
using ProgramEnvironment = std::vector<std::pair<std::string, std::string>>;

/// Runs `ricochet ARGUMENTS...` in `folder` and collects what it printed.
ProgramResult RunProgram(const std::vector<std::string>& arguments, const std::string& folder,
                         const ProgramLimits& limits = {}, const ProgramEnvironment& environment = {});

}  // namespace ricochet::testing
