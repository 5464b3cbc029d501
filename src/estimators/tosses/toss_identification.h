// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Friction, restitution and other numbers from tosses of one body that fly, hit and come to rest (Jongeneel sec.
// III-V).
//
//   trajectory   the numbers that explain all rows down to their noise, with every start unknown, exact flights and
//                impacts that are located in time (toss_together.h), so that the scene's step is no part of the answer.
//                Where they do not: the likelihood on the grid of the scene's step (toss_alone.h), which
//                recordings of `simulate` follow, and the numbers that predict the tosses best by the cost (18)
//                (toss_search.h). With real boxes the likelihood's standard deviations would mean nothing, and the
//                minimum of (18) is the answer.
//   velocity     the numbers that predict the velocities after impacts on one corner best, by the cost (17).
#pragma once

#include <optional>

#include "estimators/estimator.h"
#include "estimators/mass_observability.h"
#include "estimators/spatial/spatial_family.h"

namespace ricochet {

inline constexpr std::string_view kTossStarts[] = {"release", "contact", "first", "below:HEIGHT"};
inline constexpr OptionInfo kTossStart = {
    .name = "start", .kind = OptionKind::kText, .words = kTossStarts, .help = "where the simulation of a toss starts"};
inline constexpr OptionInfo kTossOptions[] = {kTossStart};

/// Whether the scene and its stepper make tosses: one moving body with a shape, rigid contacts with restitution.
bool TakesTosses(const SpatialFamily& family);

/// None when no recording has a free flight to start from.
std::optional<Identification> IdentifyTosses(const IdentifyRequest& request, const MassRefusal& refusal,
                                             const SpatialFamily& family);

/// `velocity`: the velocities after impacts on a single corner (Jongeneel sec. III-B).
const Estimator& SpatialVelocity();

}  // namespace ricochet
