// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Errors of `spook` over step and compliance against minimal coordinates, errors of the second-order option, and energy
// of a frictionless Furuta pendulum over 100 s. Writes four tables into the folder named (default: here):
//
//   study_spook_h.csv           order 1, compliance 1e-9: errors fall with h
//   study_spook_compliance.csv  order 1, h = 1e-4 s: errors fall with the compliance until those of the step are left
//   study_spook_order_2.csv     order 2: without friction, with viscous, with dry friction (against itself at h / 16)
//   study_spook_energy.csv      both orders: largest error and means of both halves, in m g l
//
//   cmake --preset bench && cmake --build build-bench --target study_spook && build-bench/bench/study_spook bench
#include <fmt/format.h>
#include <fmt/os.h>

#include <string>

#include "tests/support/spook_study.h"

int main(int argc, char** argv) {
  using namespace ricochet;
  const std::string folder = argc > 1 ? argv[1] : ".";
  const auto open = [&](const char* name) { return fmt::output_file(folder + "/" + name); };
  const char* const mechanisms[] = {"furuta", "tilted_2", "tilted_3"};

  auto by_step = open("study_spook_h.csv");
  by_step.print("mechanism,compliance,h,error\n");
  for (const char* mechanism : mechanisms) {
    for (const double h : {1e-2, 5e-3, 2.5e-3, 1e-3, 5e-4, 2.5e-4}) {
      by_step.print("{},1e-9,{:g},{:.4e}\n", mechanism, h, SpookStudyError({.mechanism = mechanism}, h));
    }
  }
  auto by_compliance = open("study_spook_compliance.csv");
  by_compliance.print("mechanism,h,compliance,error\n");
  for (const char* mechanism : mechanisms) {
    for (const double compliance : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-9}) {
      const double error = SpookStudyError({.mechanism = mechanism, .compliance = compliance}, 1e-4);
      by_compliance.print("{},1e-4,{:g},{:.4e}\n", mechanism, compliance, error);
    }
  }
  auto second = open("study_spook_order_2.csv");
  second.print("mechanism,friction,compliance,h,error\n");
  for (const char* mechanism : mechanisms) {
    for (const char* friction : {"none", "viscous", "dry"}) {
      for (const double compliance : {0.0, 1e-8}) {
        for (const double h : {1e-2, 5e-3, 2.5e-3, 1e-3, 5e-4}) {
          const double error =
              SpookStudyError({.mechanism = mechanism, .compliance = compliance, .order = 2, .friction = friction}, h);
          second.print("{},{},{:g},{:g},{:.4e}\n", mechanism, friction, compliance, h, error);
        }
      }
    }
  }
  auto energy = open("study_spook_energy.csv");
  energy.print("order,h,largest,mean_first_half,mean_last_half\n");
  for (const int order : {1, 2}) {
    for (const double h : {1e-2, 5e-3, 2.5e-3, 1e-3}) {
      const EnergyRow row = EnergyOfFuruta(order, h, 100);
      energy.print("{},{:g},{:.4e},{:.4e},{:.4e}\n", order, h, row.largest, row.first_half, row.last_half);
    }
  }
  return 0;
}
