// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "steppers/spook/spook_contacts.h"

namespace ricochet {

int ContactCount(const SpatialModel<double>& model, int pair, std::span<const MassPose<double>> poses,
                 BodyContactWorkspace<double>& scratch) {
  const SpatialPair<double>& p = model.pairs[pair];
  const SpatialBody<double>& body = model.bodies[p.body];
  if (p.surface >= 0) return CandidateCount<double>(body.shape);
  CollideBodies<double>(internal::PlaceShape<double>(body, poses[p.body]),
                        internal::PlaceShape<double>(model.bodies[p.other], poses[p.other]), scratch);
  return static_cast<int>(scratch.points.size());
}

}  // namespace ricochet
