// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Well-formed scenes and recordings with absurd numbers, against every command. A case follows from its seed alone: a
// scene, a recording of its motion, one to three changes of numbers, and a command.
//
// What must hold: the program ends by itself with one of its exit codes, within 20 s of processor time and 2 GB of
// memory, and prints no NaN, infinity or name from inside the program.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/program.h"

namespace ricochet::testing {

struct ValueCase {
  std::string name;  // "pendulum, times x 1000, gravity -> 1e300: identify"
  std::vector<std::pair<std::string, std::string>> files;
  std::vector<std::string> arguments;
};

/// Commands that take long only for numbers that make sense are left to others if `quick`.
ValueCase MakeValueCase(std::uint64_t seed, bool quick);

struct ValueRun {
  std::string fault;  // empty: all is as it must be
  ProgramResult result;
};
/// Runs a case in a folder of its own.
ValueRun RunValueCase(const ValueCase& value_case);

}  // namespace ricochet::testing
