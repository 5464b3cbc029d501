// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Motions of an independent program that finds the contact mode of each step by enumeration (tests/data/truth/planar).
// States must agree to 1e-9 and impulses to 1e-8 at every step; computed again with other rounding the references move
// by 2e-13 (irc, lcp) and impulses of igc by 5e-10, so a miss is a difference of method.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "ricochet/recording.h"
#include "ricochet/simulate.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

class PlanarTruth : public ::testing::TestWithParam<const char*> {};

TEST_P(PlanarTruth, EveryStepMatches) {
  const std::string stem = testing::DataPath(std::string("truth/planar/") + GetParam());
  const Recording truth = ReadRecording(stem + ".csv");
  const SimulationResult run = Simulate(ReadScene(stem + ".yaml"));
  ASSERT_EQ(run.recording.rows(), truth.rows());
  EXPECT_EQ(run.summary.failed_steps, 0);

  // Impulses of a step, summed over its contacts, by the row that the step led to.
  std::map<int, std::pair<double, double>> impulses;
  for (const ContactRow& contact : run.contacts) {
    auto& sum = impulses[static_cast<int>(std::lround(contact.time / run.summary.step))];
    sum.first += contact.normal_impulse;
    sum.second += contact.tangential_impulse[0];
  }
  const auto& normal = truth.values[truth.Find("normal_impulse")];
  const auto& tangential = truth.values[truth.Find("tangential_impulse")];
  for (int row = 0; row < truth.rows(); ++row) {
    for (const char* column : {"x", "y", "theta", "vx", "vy", "omega"})
      ASSERT_NEAR(run.recording.values[run.recording.Find(column)][row], truth.values[truth.Find(column)][row], 1e-9)
          << column << " of row " << row;
    const auto found = impulses.find(row);
    const auto ours = found == impulses.end() ? std::pair(0.0, 0.0) : found->second;
    ASSERT_NEAR(ours.first, normal[row], 1e-8) << "normal impulse of row " << row;
    ASSERT_NEAR(ours.second, tangential[row], 1e-8) << "tangential impulse of row " << row;
  }
}

INSTANTIATE_TEST_SUITE_P(All, PlanarTruth,
                         ::testing::Values("block_faz", "drop_igc", "drop_irc", "ellipse_faz", "sec61_irc_mu03",
                                           "sliding_irc_mu03", "sliding_irc_mu05", "thrown_igc", "thrown_irc_eps0",
                                           "thrown_irc_eps1_mu0"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace ricochet
