// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Mistakes in recordings of joints that no fit should try to explain: too short, with a hole, too coarse, angles in
// degrees, times in milliseconds. `doctor` and `identify` make the same checks.
//
// Units show in the equations of motion. With the torques that accelerate the links, t_i, and those of gravity, t_g, at
// the scene's values, a free joint has t_i = -t_g but for friction and motors. Least squares t_g = -alpha t_i over all
// rows gives alpha = 1 within the error of the scene's inertias. Times in milliseconds make t_i too small by 1e6, and
// so alpha = 1e6. Angles in degrees destroy the relation, and reading them as degrees restores it.
#pragma once

#include "dataset/joint_track.h"

namespace ricochet {

/// What times and rows must have before they can be smoothed. Throws InputError with the remedy.
void CheckJointTimes(const Recording& recording);

/// Units and resolution of a track. Throws InputError with the remedy.
void CheckJointUnits(const TreeMechanism& mechanism, const TreeConstants<double>& constants, const Recording& recording,
                     const JointTrack& track);

}  // namespace ricochet
