// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "reproduce/mechanism_recordings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace ricochet {
namespace {

TEST(MechanismRecordings, TheSwingUpReachesTheTop) {
  const Scene scene = FrictionFuruta();
  const Recording up = RecordMechanism(
      scene, {.angle = {0, 0}, .rate = {}, .duration = 10, .noise = 0, .seed = 1, .control = SwingUpright(scene)},
      "up");
  double least = M_PI, most_arm = 0, most_input = 0;
  for (int i = 0; i < up.rows(); ++i) {
    least = std::min(least, std::abs(std::remainder(up.values[1][i] - M_PI, 2 * M_PI)));
    most_arm = std::max(most_arm, std::abs(up.values[0][i]));
    most_input = std::max(most_input, std::abs(up.values[2][i]));
  }
  EXPECT_LT(least, 0.15) << "upright";
  EXPECT_LT(most_arm, M_PI) << "the arm stays";
  EXPECT_LE(most_input, 4);
}

}  // namespace
}  // namespace ricochet
