// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Fazeli Table 1: errors of m/I from three impacts under noise, in percent, by the plain least squares of the paper
// and by the corrected regression; see reproduce/fazeli_table.h for the protocol.
//
//   study_fazeli [RUNS] > bench/study_fazeli.csv        100 runs if not given
#include <fmt/format.h>

#include <cstdlib>

#include "reproduce/fazeli_table.h"

int main(int argc, char** argv) {
  using namespace ricochet;
  const int runs = argc > 1 ? std::atoi(argv[1]) : 100;
  fmt::print("body,snr_db,runs,found,plain_mean,plain_std,mean,std,standard_error,rms_over_std,allowed_mean\n");
  for (const FazeliBody body : {FazeliBody::kBlock, FazeliBody::kEllipse})
    for (const auto& [snr, limit] : {std::pair{40, 0.3}, {30, 1.0}, {20, 2.0}, {10, 5.0}}) {
      const FazeliCell cell = MakeFazeliCell(body, snr, runs);
      fmt::print("{},{},{},{},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.2f},{:.3f}\n",
                 body == FazeliBody::kBlock ? "block" : "ellipse", snr, cell.runs, cell.found, cell.plain_mean,
                 cell.plain_std, cell.mean, cell.std, cell.standard_error, cell.pulls, cell.AllowedMean(limit));
      std::fflush(stdout);
    }
}
