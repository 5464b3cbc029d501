// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Playback of recordings that hold joint angles and no poses: bodies are placed by the joints, as the scene's initial
// state is (dynamics/joint_configuration.h).
#pragma once

#include "model/model.h"
#include "ricochet/report.h"

namespace ricochet {

/// Adds poses, velocities (from neighbouring rows) and energy of all bodies that are not fixed, when the track has the
/// coordinate of every joint that places one: hinges and sliders in a tree, held to what stands fast. Leaves the track
/// as it is otherwise: when it has poses already, a joint was not recorded, or joints form a loop.
void AddPosesFromJoints(const Model& model, ReportTrack& track);

/// Adds coordinates of hinges and sliders (turns included) and their rates to a track whose states have them.
void AddJointChannels(const Scene& scene, ReportTrack& track);

}  // namespace ricochet
