// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/spatial/frame_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "dataset/frames/frame_tracks.h"
#include "dataset/spatial_track.h"
#include "dataset/takes/flight_arm.h"
#include "dataset/takes/take_flights.h"
#include "math/nearest_rotation.h"
#include "model/spatial_model.h"
#include "observation/sensor.h"

namespace ricochet {
namespace {

constexpr double kScenesWeight = 1e-3;  // of the scene's rotation beside that of a rest

std::optional<Eigen::Vector3d> ArmOf(const std::vector<SpatialTrack>& tracks, const Eigen::Vector3d& gravity) {
  std::vector<TurningFrames<3>> recordings;
  for (const SpatialTrack& track : tracks) recordings.push_back(FramesOf(track, 0, StandstillAtEnd(track)));
  return ArmFromFlight<3>(recordings, gravity);
}

/// R_BF from the rests; `count` is their number.
Quaternion<double> RotationFromRests(const std::vector<SpatialTrack>& tracks, const SpatialModel<double>& model,
                                     int body, const Quaternion<double>& scenes, int& count) {
  const std::vector<HullFace>& faces = model.bodies[static_cast<std::size_t>(body)].shape.hull.faces;
  count = 0;
  if (faces.empty() || model.surfaces.empty()) return scenes;
  const Eigen::Vector3d n_W = model.surfaces[0].R_WS.col(2);
  Eigen::Matrix3d correlation = kScenesWeight * RotationMatrix<double>(scenes).transpose();  // sum of e_i (R e_i)^T
  for (const SpatialTrack& track : tracks) {
    const int still = StandstillAtEnd(track);
    if (still == track.size()) continue;
    const Quaternion<double> q_WF = AveragePose(track, still, track.size()).rotation;
    const Eigen::Vector3d down_F = -Rotate<double>(QuaternionConjugate<double>(q_WF), n_W);
    const Eigen::Vector3d expected = Rotate<double>(scenes, down_F);
    const auto face = std::max_element(faces.begin(), faces.end(), [&](const HullFace& a, const HullFace& b) {
      return a.normal.dot(expected) < b.normal.dot(expected);
    });
    correlation += down_F * face->normal.transpose();
    ++count;
  }
  return count > 0 ? NearestRotation(correlation) : scenes;
}

}  // namespace

Scene WithFrameFromRecordings(const ParameterMap& parameters, const std::vector<Recording>& recordings,
                              std::vector<std::string>& log) {
  Scene scene = parameters.scene();
  const auto is_parameter = [&](NumberId id) { return id && parameters.IndexOf(id) >= 0; };
  for (const SensorNumbers& numbers : FindObservationNumbers(scene).frames) {
    const bool place = std::any_of(numbers.place.begin(), numbers.place.end(), is_parameter);
    const bool rotation = std::all_of(numbers.rotation.begin(), numbers.rotation.end(), is_parameter);
    if (!place && !rotation) continue;
    std::vector<double> values;
    for (const SceneNumber& entry : scene.numbers()) values.push_back(entry.value);
    const SpatialModel<double> model = CompileSpatial<double>(scene, values);
    const std::vector<SpatialTrack> tracks = FrameTracks(scene, numbers, recordings);
    const SpatialSensor<double> own(numbers, scene);
    Quaternion<double> q_BF = ExpSO3(own.rotation());
    int rests = 0;
    if (rotation) {
      q_BF = RotationFromRests(tracks, model, numbers.body, q_BF, rests);
      const Eigen::Vector3d phi = LogSO3<double>(q_BF);
      for (int k = 0; k < 3; ++k) scene.Set(numbers.rotation[static_cast<std::size_t>(k)], phi[k]);
    }
    const std::optional<Eigen::Vector3d> b = place ? ArmOf(tracks, model.gravity) : std::nullopt;
    if (b) {
      const Eigen::Vector3d p = model.bodies[static_cast<std::size_t>(numbers.body)].p_BBcm + Rotate<double>(q_BF, *b);
      for (int k = 0; k < 3; ++k)
        if (const NumberId id = numbers.place[static_cast<std::size_t>(k)]; is_parameter(id)) scene.Set(id, p[k]);
    }
    const SpatialSensor<double> started(numbers, scene);
    const auto text = [](const Eigen::Vector3d& v) {
      return fmt::format("({:.4g}, {:.4g}, {:.4g})", v[0], v[1], v[2]);
    };
    log.push_back(fmt::format("tracked frame of {}: starts at {} m (from {}) with rotation {} (from {})",
                              scene.bodies[static_cast<std::size_t>(numbers.body)].name, text(started.place()),
                              b ? "flight" : "the scene", text(started.rotation()),
                              rests > 0 ? fmt::format("{} rests", rests) : "the scene"));
  }
  return scene;
}

}  // namespace ricochet
