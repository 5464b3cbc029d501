// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Motions as the page wants them: channels with units and groups, poses, velocities and energy.
#pragma once

#include "dynamics/state.h"
#include "model/model.h"
#include "ricochet/report.h"

namespace ricochet {

/// The columns of a recording, poses as those of the body frames in the scene's lengths (what `observe` did is undone).
/// Poses without velocities get these from central differences; the scene must be the one that the recording is of
/// (ResolveChannels). Joint angles are played back where the joints alone place the bodies.
ReportTrack RecordedTrack(const Scene& scene, const Recording& recording, TrackKind kind = TrackKind::kRecorded);

/// Fitted motion, undone likewise: a pose per row of every body that is not fixed, in the scene's order.
ReportTrack FittedTrack(const Scene& scene, const EstimatedMotion& motion);

/// An empty track with the pose, velocity, joint and energy channels of all bodies that are not fixed.
ReportTrack EmptyStateTrack(const Scene& scene, TrackKind kind);

/// Adds a row to a track made by EmptyStateTrack.
void AppendState(const Model& model, const State& state, ReportTrack& track);

}  // namespace ricochet
