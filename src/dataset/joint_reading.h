// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// From recorded joint angles to observations of a mechanism's coordinates.
//
// Noise that looks Gaussian is estimated from sixth differences (dataset/noise.h) and again from the residuals
// of the fit. An encoder rounds to a multiple of its step D: the error of a row is then D / sqrt(12), but not
// independent from row to row, because a joint that stands or creeps is rounded the same way every time. What is
// independent is the instant at which the count changes. So where the joint moves less than D between rows, the rows
// are replaced by the changes of the count: between rows i and i + 1, at the middle, the coordinate was at the edge
// (q_i + q_(i+1)) / 2, to within
//
//     sigma^2 = (rate dt)^2 / 12 + (acceleration dt^2 / 8)^2,
//
// and a count that stays for long gives one more observation, its middle to within D / sqrt(12).
//
// Smoothed coordinates, rates and accelerations for starts come from a zero-phase Butterworth filter (Spook 4.4) with
// the lowest cut-off that leaves residuals of the size of the noise.
#pragma once

#include "dataset/joint_track.h"
#include "model/model.h"

namespace ricochet {

/// Throws InputError for recordings without the angles of all moving joints, too short ones, and motions that reach a
/// joint's limit (an impact on a stop).
JointTrack MakeJointTrack(const Scene& scene, const Model& model, const TreeMechanism& mechanism,
                          const Recording& recording);

/// What that throws, for a scene with hinges and sliders, as `identify` would.
void CheckJointRecording(const Scene& scene, const Recording& recording);

}  // namespace ricochet
