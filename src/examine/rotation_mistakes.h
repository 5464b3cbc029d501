// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Rotations that contacts contradict: angles in degrees, mirrored or inverted rotations, another order of quaternions.
#pragma once

#include <optional>

#include "examine/contact_evidence.h"
#include "examine/suspicion.h"

namespace ricochet {

/// Whether the angle changes by more between rows than a camera follows.
bool SpinsTooFast(const Subject& subject);

/// The change of the rotation with which contacts confirm the scene by far better than `before`, what they say after
/// the change `base`.
std::optional<Suspicion> FindRotation(const Subject& subject, const RecordingChange& base,
                                      const ContactEvidence& before);

}  // namespace ricochet
