// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Recordings that cannot be right as they are: other units, times that are no seconds, another order of quaternions,
// another vertical axis, a mirrored angle, another object, no motion, too few rows. `doctor` lists them and `identify`
// stops on them, so that both always agree.
//
// Evidence that nothing is wrong comes first: a recording whose contacts are at the scene's surfaces
// (contact_evidence.h) and that falls as the scene does is never questioned. Otherwise:
//
//   gravity   Parabolas whose acceleration is known to 3 % and that end in contact (the velocity jumps against the
//   fall)
//             say in which unit and along which axis the recording falls, and with times that are no seconds, what a
//             unit of time is. A body that slides, rolls or is carried makes no such parabola.
//   change    A mistake is undone and the changed recording is weighed again. It is named when contacts then confirm
//   the
//             scene. So a mistake that is named always has a change that repairs it.
//   size      Contacts at a common multiple of the heights that the scene's shape gives, or at a common distance from
//   the
//             surface.
#pragma once

#include <string>
#include <vector>

#include "ricochet/examine.h"
#include "ricochet/parameter.h"

namespace ricochet {

/// What is wrong with the recordings, in the order of the recordings, at most one per recording. `scene` may be null.
/// What `requested` parameters would explain is not called a mistake.
std::vector<Mistake> FindMistakes(const Scene* scene, const std::vector<Recording>& recordings,
                                  const std::vector<SelectedParameter>& requested = {});

/// Throws the first of them as InputError.
void RefuseMistakes(const Scene& scene, const std::vector<Recording>& recordings,
                    const std::vector<SelectedParameter>& requested);

}  // namespace ricochet
