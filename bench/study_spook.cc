// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What `spook` errs against the rigid mechanism in minimal coordinates, over step and compliance, with orders 1 and 2,
// and the energy of a Furuta pendulum without friction over 100 s (tests/support/spook_study.h has the motions).
//
//   cmake --preset bench && cmake --build build-bench --target study_spook
//   build-bench/bench/study_spook errors > bench/study_spook_errors.csv
//   build-bench/bench/study_spook order2 > bench/study_spook_order2.csv
//   build-bench/bench/study_spook energy > bench/study_spook_energy.csv
//
// The tables are held by tests/golden/spook_study_test.cc.
#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "tests/support/spook_study.h"

namespace ricochet {
namespace {

using testing::MeasureSpookError;

void PrintError(const std::string& motion, int order, double h, double compliance) {
  const testing::SpookStudyError error = MeasureSpookError(motion, order, h, compliance);
  const size_t count = error.joints.size();
  fmt::print("{},{},{:g},{:g},{:.4g},{},{},{}\n", motion, order, h, compliance, error.joints[0],
             count > 1 ? fmt::format("{:.4g}", error.joints[1]) : "",
             count > 2 ? fmt::format("{:.4g}", error.joints[2]) : "", error.failed_steps);
  std::fflush(stdout);
}

void PrintErrors() {
  fmt::print("motion,order,h,compliance,joint1,joint2,joint3,failed\n");
  for (const std::string& motion : testing::SpookStudyMotions()) {
    for (const double compliance : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8}) {
      for (const double h : {1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4}) PrintError(motion, 1, h, compliance);
    }
    // What the compliance alone does.
    for (const double compliance : {1e-4, 1e-5, 1e-6}) PrintError(motion, 1, 1e-5, compliance);
  }
  // The chain is fast, and the pendulum starts near the top: 1e-4 is far from rigid for them.
  for (const double compliance : {1e-6, 1e-7}) PrintError("chain", 1, 2e-6, compliance);
  for (const double compliance : {1e-5, 1e-6}) PrintError("pendulum_viscous", 1, 2e-6, compliance);
}

void PrintOrderTwo() {
  fmt::print("motion,order,h,compliance,joint1,joint2,joint3,failed\n");
  for (const std::string& motion : testing::SpookStudyMotions()) {
    for (const double compliance : {0.0, 1e-8}) {
      for (const double h : {1e-2, 5e-3, 2.5e-3, 1.25e-3, 6.25e-4, 3.125e-4}) PrintError(motion, 2, h, compliance);
    }
  }
}

void PrintEnergy() {
  fmt::print("scene,order,h,compliance,largest,first_tenth,drift,mean_step,damping,failed\n");
  // Order 1 with the damping of the reference (0.02 s) and with that of two steps; order 2 does not use it.
  for (const bool tilted : {false, true}) {
    for (const auto& [order, steps] : {std::pair{1, 0}, {1, 2}, {2, 0}}) {
      for (const double h : {1e-2, 5e-3, 2.5e-3, 1.25e-3, 6.25e-4, 3.125e-4}) {
        const double compliance = order == 1 ? 1e-8 : 0, damping = steps > 0 ? steps * h : 0.02;
        const testing::SpookStudyEnergy row = testing::MeasureSpookEnergy(tilted, order, h, compliance, damping, 100);
        fmt::print("{},{},{:g},{:g},{:.3g},{:.3g},{:.3g},{:.3g},{:g},{}\n", tilted ? "tilted" : "furuta", order, h,
                   compliance, row.largest, row.first_tenth, row.drift, row.mean_step, damping, row.failed_steps);
        std::fflush(stdout);
      }
    }
  }
}

}  // namespace
}  // namespace ricochet

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "errors") {
    ricochet::PrintErrors();
  } else if (what == "order2") {
    ricochet::PrintOrderTwo();
  } else if (what == "energy") {
    ricochet::PrintEnergy();
  } else if (what == "one" && argc == 6) {
    ricochet::PrintError(argv[2], std::stoi(argv[3]), std::stod(argv[4]), std::stod(argv[5]));
  } else {
    fmt::print(stderr, "study_spook errors | order2 | energy | one MOTION ORDER STEP COMPLIANCE\n");
    return 2;
  }
  return 0;
}
