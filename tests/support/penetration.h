// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Penetration of planar time steppers over random scenes; shared by the study in bench/ and the test of its table.
#pragma once

namespace ricochet::testing {

struct PenetrationSummary {
  int scenes = 0;
  double mean = 0;  // over the scenes, of the deepest penetration in units of the body's size
  double largest = 0;
  double largest_excess = 0;  // of a fresh impact beyond h |vn|, in units of h^2 (|g| + omega^2 size): drift of curved
                              // and turning bodies within one step
};

/// Scenes 0 .. count - 1 with their own step times `fraction`, over a fixed time.
PenetrationSummary MeasurePenetration(const char* method, int count, double fraction);

}  // namespace ricochet::testing
