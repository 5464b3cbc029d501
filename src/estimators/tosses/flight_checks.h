// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What flights and rests say about the scene, before any contact law matters. An error of the scene that they show
// would otherwise be absorbed by the start of each toss and by friction.
//
//   flight   the recorded center of mass follows p_0 + v_0 s + g s^2 / 2 with p_0, v_0 of each flight's own. Freed in
//   all
//            flights together: the acceleration (gravity: its size and tilt), and the way from the recorded point to
//            the center of mass, in body axes, which moves the center of mass as the body turns (tracked frame or
//            center of mass). Tests of Fisher's F against what remains with both free.
//   rest     a box at rest stands on a face: the mean gap of its corners there (height of the surface, size, tracked
//            frame), and the lean of the face against the surface (tilt of the surface, rotation of the tracked frame),
//            over the scatter of the rests and the noise of the recorded means.
#pragma once

#include "estimators/tosses/toss_search.h"
#include "ricochet/estimate.h"

namespace ricochet {

/// Lowers the verdict where the flights or rests of the tosses contradict the scene, with what would explain them in
/// front of its explanations.
void JudgeFlightsAndRests(const SpatialFamily& family, const TossSet& set, Verdict& verdict);

}  // namespace ricochet
