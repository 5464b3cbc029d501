// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Playback of recordings that hold joint angles and no poses: bodies are placed by the joints, as the scene's initial
// state is (dynamics/joint_configuration.h). What a sensor adds to a coordinate by the scene's `observe: offset` is
// taken off.
#pragma once

#include "model/model.h"
#include "ricochet/report.h"

namespace ricochet {

/// Adds poses, velocities (from neighboring rows) and energy of all bodies that are not fixed, when the track has the
/// coordinate of every joint that places one: hinges and sliders in a tree, held to what stands fast. Leaves the track
/// as it is otherwise: when it has poses already, a joint was not recorded, or joints form a loop.
void AddPosesFromJoints(const Model& model, ReportTrack& track);

/// Adds the channels of a hinge or slider, empty: its coordinate (turns included) and its rate. Nothing for others.
void AddJointChannels(const Joint& joint, ReportTrack& track);

}  // namespace ricochet
