// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Channels that are made of other channels of a track: velocities, placed bodies, energy; and how all are named.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "model/model.h"
#include "ricochet/report.h"

namespace ricochet {

/// "box." before a body's channel where several bodies move.
std::string ChannelPrefix(const Scene& scene, std::size_t body);

/// Of the values of a pose, and of a velocity.
std::string PoseUnit(bool planar, int index);
std::string VelocityUnit(bool planar, int index);

/// Adds the velocity of the center of mass from the poses one row before and after; at the ends from the row itself.
void DifferentiatePose(const Scene& scene, const Model& model, std::size_t body, ReportTrack& track,
                       ChannelGroup group = ChannelGroup::kVelocity);

/// Adds a body that joints place: its pose in the given columns, its velocity from neighboring rows.
void AddPlacedBody(const Model& model, int body, std::array<std::vector<double>, 7> pose, ReportTrack& track);

/// Adds kinetic and potential energy from poses and velocities of the track, when all moving bodies have both.
void AddEnergy(const Model& model, ReportTrack& track);

}  // namespace ricochet
