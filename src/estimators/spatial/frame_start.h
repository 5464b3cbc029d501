// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Start values of the pose of the tracked frame F in a body, where it is to be estimated.
//
// Position. From flight (dataset/takes/flight_arm.h): the way b from the center of mass to F in the axes of F, then
// p_BF = p_BBcm + R_BF b. It needs tosses that turn about more than one axis, and holds however far off the frame is.
//
// Rotation. A body with flat faces comes to rest on one of them: in the axes of F the surface's normal n_F is then
// opposite to the outward normal f_B of that face, R_BF n_F = -f_B. The face is the nearest one by the scene's own
// rotation, so that axes of a box may be off by less than 45 degrees. Rotations that the rests leave open (all of them
// on one face or its opposite: the turn about its normal) stay with the scene's.
#pragma once

#include <string>
#include <vector>

#include "model/parameter_map.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

/// The scene with these start values; as it is where no parameter is a number of a tracked frame or nothing shows it.
Scene WithFrameFromRecordings(const ParameterMap& parameters, const std::vector<Recording>& recordings,
                              std::vector<std::string>& log);

}  // namespace ricochet
