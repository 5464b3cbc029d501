// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/planar_trajectory/track_rivals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "estimators/planar_trajectory/track_fit.h"
#include "reproduce/plywood.h"
#include "ricochet/identify.h"
#include "ricochet/parameter.h"

namespace ricochet {
namespace {

TEST(TrackRivals, SequenceGivesTheFramesAboutEachImpact) {
  const Scene blind = PlywoodBlindScene();
  const PlanarFamily family(blind, ParsePathList(blind, kPlywoodPaths), 0);
  PlanarTrack track = MakePlanarTrack(blind, PlywoodRecording(0.4, 20e-3, 30, 0), 0);
  track.noise_position = 1e-3;
  track.noise_angle = 20e-3;
  const TrackResiduals residuals(family, track);
  Eigen::VectorXd z(9);
  z << 0, 0.1, -0.785, 3, -5, 0, kPlywoodRatio, 0.4, 0.2;
  // Impacts at 12, 36 and 104 ms; frames 33.3 ms apart. The next is slower than 2 percent of the first.
  double score = 0;
  const ContactSequence sequence = SequenceOf(residuals, z, &score);
  ASSERT_GE(sequence.size(), 3u);
  EXPECT_EQ(sequence[0].frame, 1);
  EXPECT_EQ(sequence[1].frame, 2);
  EXPECT_EQ(sequence[2].frame, 4);
  EXPECT_TRUE(
      std::all_of(sequence.begin() + 3, sequence.end(), [](const ContactMark& mark) { return mark.frame < 0; }));
  EXPECT_TRUE(std::isfinite(score));
  EXPECT_NE(sequence[0].slip, 0);
  // Impacts that stick are another sequence, though they fall between the same frames.
  z[7] = 5;
  const ContactSequence sticks = SequenceOf(residuals, z);
  ASSERT_FALSE(sticks.empty());
  EXPECT_EQ(sticks[0].frame, 1);
  EXPECT_EQ(sticks[0].slip, 0);
  EXPECT_NE(sticks, sequence);
  z[7] = 0.4;
  z[5] = 4;  // with spin the second impact comes before the frame at 33.3 ms
  EXPECT_NE(SequenceOf(residuals, z), sequence);
}

/// A recording whose noise speaks for a wrong sequence of contacts: J/m is 8 bounds off, and the estimate says that
/// another sequence is nearly as likely, with a deviation that covers it.
TEST(TrackRivals, AMisledFitSaysSo) {
  const Estimate estimate =
      Identify(PlywoodBlindScene(), {PlywoodRecording(0.4, 20e-3, 30, 1031)}, kPlywoodPaths, {.method = "trajectory"})
          .estimate;
  ASSERT_TRUE(estimate.parameters[0].value && estimate.parameters[0].std);
  const double error = *estimate.parameters[0].value - kPlywoodRatio;
  EXPECT_GT(std::abs(error), 0.05 * kPlywoodRatio);
  EXPECT_LT(std::abs(error), 3 * *estimate.parameters[0].std);
  EXPECT_TRUE(std::any_of(estimate.warnings.begin(), estimate.warnings.end(), [](const std::string& warning) {
    return warning.find("another sequence of contacts") != std::string::npos;
  }));
}

}  // namespace
}  // namespace ricochet
