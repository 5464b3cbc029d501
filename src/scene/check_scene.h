// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The parts of CheckScene (ricochet/scene.h). Each throws InputError at the position of the number at fault.
#pragma once

#include "ricochet/scene.h"

namespace ricochet {

/// Polygons are convex and polytopes have volume, in numbers; axes have a length. Comes before derived numbers, which
/// need shapes that enclose something.
void CheckShapes(const Scene& scene);

/// A rigid body's inertia about its center of mass: principal moments a <= b <= c with a > 0 and c <= a + b, because
/// a + b - c is twice the integral of a square over the mass. The inequality may be missed by rounding, 1e-6 of c.
void CheckInertias(const Scene& scene);

/// No body starts deeper in a surface or another body than 1e-3 of its size.
void CheckOverlap(const Scene& scene);

/// Complains about a number of the scene.
[[noreturn]] void FailAt(const Scene& scene, NumberId id, std::string path, std::string problem, std::string remedy);

}  // namespace ricochet
