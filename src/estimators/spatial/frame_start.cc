// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/spatial/frame_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "dataset/flight_arm.h"
#include "dataset/spatial_track.h"
#include "math/nearest_rotation.h"
#include "model/spatial_model.h"
#include "observation/poses_from_points.h"
#include "observation/sensor.h"
#include "ricochet/error.h"

namespace ricochet {
namespace {

constexpr double kScenesWeight = 1e-3;  // of the scene's rotation beside that of a rest

/// Tracks of a body with recorded lengths and offsets undone, the frame left in; recordings without it are left out.
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

Eigen::Matrix3d MatrixOf(const Quaternion<double>& q) {
  Eigen::Matrix3d R;
  for (int k = 0; k < 3; ++k) R.col(k) = Rotate<double>(q, Eigen::Vector3d(Eigen::Vector3d::Unit(k)));
  return R;
}

std::optional<Eigen::Vector3d> ArmOf(const std::vector<SpatialTrack>& tracks, const Eigen::Vector3d& gravity) {
  std::vector<TurningFrames<3>> recordings;
  for (const SpatialTrack& track : tracks) {
    TurningFrames<3>& frames = recordings.emplace_back();
    for (int k = 0; k < StandstillAtEnd(track); ++k) {
      frames.time.push_back(track.time[k]);
      frames.rotation.push_back(MatrixOf(track.rotation[k]));
      frames.position.push_back(track.position[k]);
    }
  }
  return ArmFromFlight<3>(recordings, gravity);
}

/// R_BF from the rests; `count` is their number.
Quaternion<double> RotationFromRests(const std::vector<SpatialTrack>& tracks, const SpatialModel<double>& model,
                                     int body, const Quaternion<double>& scenes, int& count) {
  const std::vector<HullFace>& faces = model.bodies[static_cast<std::size_t>(body)].shape.hull.faces;
  count = 0;
  if (faces.empty() || model.surfaces.empty()) return scenes;
  const Eigen::Vector3d n_W = model.surfaces[0].R_WS.col(2);
  Eigen::Matrix3d correlation = kScenesWeight * MatrixOf(scenes).transpose();  // sum of e_i (R e_i)^T
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
