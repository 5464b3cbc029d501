// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/frames/frame_tracks.h"

#include <algorithm>
#include <string>

#include "observation/poses_from_points.h"
#include "observation/sensor.h"
#include "ricochet/error.h"

namespace ricochet {

std::vector<SpatialTrack> FrameTracks(const Scene& scene, const SensorNumbers& numbers,
                                      const std::vector<Recording>& recordings) {
  SensorNumbers bare = numbers;
  bare.place = bare.center_of_mass = bare.rotation = {};
  const SpatialSensor<double> sensor(bare, scene);
  const std::string& name = scene.bodies[static_cast<std::size_t>(numbers.body)].name;
  std::vector<SpatialTrack> tracks;
  for (const Recording& given : recordings) {
    const Recording recording = AddPosesFromPoints(scene, given);
    const std::vector<std::string> prefixes = BodiesWithPoses(recording);
    const auto own = std::find_if(prefixes.begin(), prefixes.end(),
                                  [&](const std::string& prefix) { return prefix.empty() || prefix == name; });
    if (own == prefixes.end()) continue;
    try {
      SpatialTrack& track = tracks.emplace_back(MakeSpatialTrack(recording, *own));
      for (int k = 0; k < track.size(); ++k) {
        SpatialPose<double> pose;
        pose << track.position[k], track.rotation[k];
        track.position[k] = sensor.BodyPose(pose).head<3>();
      }
    } catch (const InputError&) {
      continue;  // the fit excludes it by name
    }
  }
  return tracks;
}

}  // namespace ricochet
