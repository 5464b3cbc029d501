// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// fuzz_values FIRST COUNT [quick]: runs the cases of seeds FIRST, FIRST + 1, ... and prints each that fails with what
// it printed, then one line with runs, processor time, peak memory and findings. `quick` leaves slow commands out.
// fuzz_values show SEED [quick]: prints the files and the command of one case.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "tests/fuzz/values/value_cases.h"

int main(int count, char** arguments) {
  using namespace ricochet::testing;
  if (count < 3) {
    fmt::print(stderr, "usage: fuzz_values FIRST COUNT [quick] | fuzz_values show SEED [quick]\n");
    return 2;
  }
  const bool quick = count > 3 && std::string(arguments[3]) == "quick";
  const unsigned long long second = std::strtoull(arguments[2], nullptr, 10);
  if (std::string(arguments[1]) == "show") {
    const ValueCase shown = MakeValueCase(second, quick);
    for (const auto& [name, text] : shown.files) fmt::print("# {}\n{}\n", name, text);
    fmt::print("# {}\nricochet", shown.name);
    for (const std::string& argument : shown.arguments) fmt::print(" '{}'", argument);
    fmt::print("\n");
    return 0;
  }
  const unsigned long long first = std::strtoull(arguments[1], nullptr, 10);
  double seconds = 0, slowest = 0;
  long memory = 0;
  int findings = 0;
  for (unsigned long long seed = first; seed < first + second; ++seed) {
    const ValueCase value_case = MakeValueCase(seed, quick);
    const ValueRun run = RunValueCase(value_case);
    seconds += run.result.cpu_seconds;
    slowest = std::max(slowest, run.result.cpu_seconds);
    memory = std::max(memory, run.result.peak_memory_kib);
    if (run.fault.empty()) continue;
    ++findings;
    fmt::print("seed {}: {}: {}\n{}{}\n", seed, value_case.name, run.fault, run.result.out.substr(0, 400),
               run.result.err.substr(0, 400));
    std::fflush(stdout);
  }
  fmt::print("values: {} runs, {:.0f} s of processor time, slowest {:.1f} s, {} MiB, {} findings\n", second, seconds,
             slowest, memory / 1024, findings);
  return findings == 0 ? 0 : 1;
}
