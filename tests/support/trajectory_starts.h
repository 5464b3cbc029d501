// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// How often planar `trajectory` finds the same optimum from disturbed starts; for bench/study_trajectory_starts and its
// test.
#pragma once

namespace ricochet::testing {

struct StartRate {
  int starts = 0, reached = 0;  // the best known fit, to 1 % of a standard deviation of J/m
  double mean_iterations = 0;
};

/// The local fit alone (no search): initial state and numbers of the best fit disturbed by `spread` of their size.
StartRate LocalStarts(int starts, double spread);

/// The whole estimator: inertia of the scene off by a factor of up to 3 either way, friction 0.05 to 0.9, restitution
/// 0.05 to 0.9, seeds of the search different each time; recordings of friction 0.2 and 0.5 at 60, 120 and 240 fps in
/// turn.
StartRate BlindStarts(int starts);

}  // namespace ricochet::testing
