// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "observation/without_observation.h"

namespace ricochet {

Scene WithoutObservation(Scene scene) {
  const Observation observe = scene.observe;
  const auto set = [&](NumberId id, double value) {
    if (id) scene.Set(id, value);
  };
  set(observe.length_scale, 1);
  set(observe.delay, 0);
  for (const Observation::Offset& offset : observe.offsets) set(offset.value, 0);
  for (const Observation::ChannelScale& scale : observe.scales) set(scale.value, 1);
  for (const Observation::Eccentricity& eccentricity : observe.eccentricities)
    for (const NumberId id : eccentricity.value) set(id, 0);
  for (const TrackedFrame& frame : observe.frames) {
    for (const NumberId id : frame.position) set(id, 0);
    for (const NumberId id : frame.rotation) set(id, 0);
  }
  return scene;
}

}  // namespace ricochet
