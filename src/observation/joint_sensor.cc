// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "observation/joint_sensor.h"

namespace ricochet {

double CoordinateBehind(const JointSensor<double>& sensor, double recorded) {
  double x = (recorded - sensor.offset) / sensor.scale;
  if (sensor.sine == 0 && sensor.cosine == 0) return x;
  constexpr int kRounds = 50;
  for (int round = 0; round < kRounds; ++round) {
    const double step = (recorded - sensor.Angle(x)) / sensor.scale;
    x += step;
    if (std::abs(step) < 1e-15 * (1 + std::abs(x))) break;
  }
  return x;
}

}  // namespace ricochet
