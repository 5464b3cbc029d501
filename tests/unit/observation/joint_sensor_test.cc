// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "observation/joint_sensor.h"

#include <gtest/gtest.h>

namespace ricochet {
namespace {

TEST(JointSensor, TheCoordinateBehindAnAngleIsItsInverse) {
  JointSensor<double> sensor;
  EXPECT_EQ(sensor.Angle(0.7), 0.7);
  sensor.scale = 1.02;
  sensor.sine = 0.03;
  sensor.cosine = -0.05;
  sensor.offset = 0.2;
  for (const double x : {-7.0, -1.0, 0.0, 0.4, 3.0}) {
    EXPECT_NEAR(CoordinateBehind(sensor, sensor.Angle(x)), x, 1e-14);
    EXPECT_NEAR(sensor.AngleByCoordinate(x), (sensor.Angle(x + 1e-6) - sensor.Angle(x - 1e-6)) / 2e-6, 1e-9);
  }
  // The error of the disk repeats with every turn.
  EXPECT_NEAR(sensor.Angle(0.4 + 2 * M_PI) - sensor.Angle(0.4), 1.02 * 2 * M_PI, 1e-12);
}

}  // namespace
}  // namespace ricochet
