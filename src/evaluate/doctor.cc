// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/examine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/context.h"
#include "core/threads.h"
#include "evaluate/doctor_tracks.h"
#include "math/manifold.h"
#include "math/se3.h"
#include "model/spatial_model.h"
#include "observation/poses_from_points.h"
#include "recording/recording_health.h"

namespace ricochet {
namespace {

constexpr int kLeastRows = 8;

std::vector<int> PoseColumnsOf(const Recording& recording, const std::string& prefix) {
  std::vector<int> columns;
  for (const char* name : {"x", "y", "z", "theta", "qw", "qx", "qy", "qz"})
    if (const int column = recording.Find(prefix.empty() ? name : prefix + "." + name); column >= 0)
      columns.push_back(column);
  return columns;
}

std::vector<int> JointColumnsOf(const Recording& recording) {
  std::vector<int> columns;
  for (std::size_t i = 0; i < recording.columns.size(); ++i)
    if (recording.columns[i].ends_with(".angle")) columns.push_back(static_cast<int>(i));
  return columns;
}

ExaminedRecording ReportClock(const Recording& recording, const std::string& body, const std::vector<int>& columns) {
  ExaminedRecording report;
  report.file = recording.file;
  report.body = body;
  report.rows = recording.rows();
  const ClockHealth clock = CheckClock(recording.time);
  report.duration = recording.time.back() - recording.time.front();
  report.rate = clock.rate;
  report.jitter = clock.jitter;
  report.dropped_frames = clock.dropped_frames;
  for (const int row : FindFrozenRows(recording, columns)) report.frozen_rows.push_back(row + 1);
  return report;
}

Eigen::Vector3d Lift(double x, double y) { return {x, 0, y}; }

}  // namespace

/// From the tracked frame to the body frame, as the scene has it. Length scale and offsets stay: the doctor measures
/// them.
void MoveToBodyFrame(const Scene& scene, const std::string& prefix, SpatialTrack& track) {
  for (const TrackedFrame& frame : scene.observe.frames) {
    if (!prefix.empty() && frame.body != prefix) continue;
    Eigen::Vector3d place, rotation;
    if (scene.space == Space::kPlanar) {
      place = Lift(scene[frame.position[0]], scene[frame.position[1]]);
      rotation = Eigen::Vector3d(0, -scene[frame.rotation[0]], 0);
    } else {
      for (int i = 0; i < 3; ++i) {
        place[i] = scene[frame.position[static_cast<std::size_t>(i)]];
        rotation[i] = scene[frame.rotation[static_cast<std::size_t>(i)]];
      }
    }
    if (place.isZero(0) && rotation.isZero(0)) return;
    const SE3<double> X_FB = SE3<double>{place, ExpSO3(rotation)}.Inverse();
    for (int k = 0; k < track.size(); ++k) {
      const SE3<double> X_WB = SE3<double>{track.position[k], track.rotation[k]} * X_FB;
      track.position[k] = X_WB.p;
      track.rotation[k] = X_WB.q;
    }
    return;
  }
}

DoctorBody BodyOfScene(const Scene* scene, const std::string& prefix) {
  DoctorBody body;
  body.normals = {Eigen::Vector3d::UnitX(),  -Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitY(),
                  -Eigen::Vector3d::UnitY(), Eigen::Vector3d::UnitZ(),  -Eigen::Vector3d::UnitZ()};
  if (scene == nullptr) return body;
  int index = prefix.empty() ? -1 : scene->BodyIndex(prefix);
  for (int i = 0; index < 0 && prefix.empty() && i < static_cast<int>(scene->bodies.size()); ++i)
    if (!scene->bodies[static_cast<std::size_t>(i)].fixed) index = i;
  if (index < 0) return body;
  body.has_scene = true;
  const Body& described = scene->bodies[static_cast<std::size_t>(index)];
  const auto number = [&](NumberId id) { return (*scene)[id]; };
  std::vector<double> values;
  for (const SceneNumber& entry : scene->numbers()) values.push_back(entry.value);

  if (scene->space == Space::kSpatial) {
    const SpatialModel<double> model = CompileSpatial<double>(*scene, values);
    const SpatialBody<double>& compiled = model.bodies[static_cast<std::size_t>(index)];
    body.flight.p_BBcm = compiled.p_BBcm;
    if (compiled.I_BBcm_B.norm() > 0) body.flight.inertia = compiled.I_BBcm_B;
    if (compiled.shape.present) body.shape = compiled.shape;
    if (!model.surfaces.empty()) {
      body.up = model.surfaces[0].R_WS.col(2);
      body.surface_point = model.surfaces[0].point;
      body.surface_velocity = model.surfaces[0].velocity;
    } else if (model.gravity.norm() > 0) {
      body.up = -model.gravity.normalized();
    }
    if (body.shape && !body.shape->hull.faces.empty()) {
      body.normals.clear();
      for (const HullFace& face : body.shape->hull.faces) body.normals.push_back(face.normal);
    }
    return body;
  }
  // Planar: what turns, turns about one axis, so that any inertia does.
  body.flight.inertia = Eigen::Matrix3d::Identity();
  if (described.center_of_mass.size() == 2)
    body.flight.p_BBcm = Lift(number(described.center_of_mass[0]), number(described.center_of_mass[1]));
  if (!scene->surfaces.empty()) {
    const Surface& surface = scene->surfaces[0];
    const double angle = number(surface.angle);
    body.up = Lift(-std::sin(angle), std::cos(angle));
    body.surface_point = Lift(number(surface.point[0]), number(surface.point[1]));
    if (surface.velocity.size() == 2)
      body.surface_velocity = Lift(number(surface.velocity[0]), number(surface.velocity[1]));
  }
  if (!described.shape) return body;
  std::vector<double> shape_numbers;
  for (const NumberId id : described.shape->numbers) shape_numbers.push_back(number(id));
  SpatialShape<double> shape;
  shape.present = true;
  switch (described.shape->type) {
    case ShapeType::kCircle:
      shape.type = ShapeType::kSphere;
      shape.radius = shape_numbers[0];
      break;
    case ShapeType::kEllipse:
      shape.type = ShapeType::kEllipsoid;
      shape.semi_axes = {shape_numbers[0], 0, shape_numbers[1]};
      break;
    case ShapeType::kRectangle:
      shape.type = ShapeType::kPolytope;
      for (const double x : {-0.5, 0.5})
        for (const double y : {-0.5, 0.5}) shape.vertices.push_back(Lift(x * shape_numbers[0], y * shape_numbers[1]));
      break;
    default:
      shape.type = ShapeType::kPolytope;
      for (std::size_t i = 0; i + 1 < shape_numbers.size(); i += 2)
        shape.vertices.push_back(Lift(shape_numbers[i], shape_numbers[i + 1]));
  }
  if (described.shape->type == ShapeType::kPolygon) {
    body.normals.clear();
    for (std::size_t i = 0; i < shape.vertices.size(); ++i) {
      const Eigen::Vector3d edge = shape.vertices[(i + 1) % shape.vertices.size()] - shape.vertices[i];
      body.normals.push_back(Lift(edge[2], -edge[0]).normalized());  // counter-clockwise: the outside is to the right
    }
  }
  body.shape = shape;
  return body;
}

namespace {

Examination ExamineAgainst(const Scene* scene, const std::vector<Recording>& recordings, const Context& context) {
  const ContextScope scope(context, "examine");
  Examination report;
  if (scene != nullptr && !scene->gravity.vector.empty()) {
    Eigen::Vector3d g = Eigen::Vector3d::Zero();
    for (std::size_t i = 0; i < scene->gravity.vector.size(); ++i)
      g[static_cast<int>(i)] = (*scene)[scene->gravity.vector[i]];
    if (g.norm() > 0) report.gravity_expected = g.norm();
  }
  std::vector<DoctorTrack> tracks;
  std::vector<SpatialTrack> poses;
  for (const Recording& given : recordings) {
    const Recording recording = scene != nullptr ? AddPosesFromPoints(*scene, given) : given;
    const std::vector<std::string> bodies = BodiesWithPoses(recording);
    const std::vector<int> joints = JointColumnsOf(recording);
    if (bodies.empty() && joints.empty())
      throw InputError({recording.file, recording.lines.empty() ? 0 : 1, 0}, "", "has no pose and no joint angle.",
                       "Columns are t and x,y,z,qw,qx,qy,qz, or x,y,theta, or NAME.angle.");
    if (scene != nullptr && !bodies.empty()) {
      const bool planar = recording.Find(bodies[0].empty() ? "theta" : bodies[0] + ".theta") >= 0;
      if (planar != (scene->space == Space::kPlanar))
        throw InputError({recording.file, recording.lines.empty() ? 0 : 1, 0}, "",
                         fmt::format("is {}, but the scene {} is {}.", planar ? "planar" : "spatial", scene->file,
                                     planar ? "spatial" : "planar"),
                         "Give the scene of this recording.");
    }
    for (const std::string& body : bodies) {
      ExaminedRecording entry = ReportClock(recording, body, PoseColumnsOf(recording, body));
      entry.kind = recording.Find(body.empty() ? "theta" : body + ".theta") >= 0 ? "planar" : "spatial";
      DoctorTrack track;
      track.report = static_cast<int>(report.recordings.size());
      track.body = BodyOfScene(scene, body);
      try {
        poses.push_back(MakeSpatialTrack(recording, body, kLeastRows));
        if (scene != nullptr) MoveToBodyFrame(*scene, body, poses.back());
        // Frozen frames are not measurements.
        std::vector<char> frozen(static_cast<std::size_t>(recording.rows()), 0);
        for (const int row : entry.frozen_rows) frozen[static_cast<std::size_t>(row - 1)] = 1;
        SpatialTrack& pose = poses.back();
        SpatialTrack kept = pose;
        kept.row.clear(), kept.time.clear(), kept.position.clear(), kept.rotation.clear(), kept.outlier.clear();
        for (int k = 0; k < pose.size(); ++k) {
          if (frozen[static_cast<std::size_t>(pose.row[k])]) continue;
          kept.row.push_back(pose.row[k]);
          kept.time.push_back(pose.time[k]);
          kept.position.push_back(pose.position[k]);
          kept.rotation.push_back(pose.rotation[k]);
          kept.outlier.push_back(0);
        }
        if (kept.size() >= kLeastRows) pose = std::move(kept);
        tracks.push_back(std::move(track));
      } catch (const InputError& error) {
        entry.usable = false;
        entry.reasons.push_back(error.problem());
      }
      report.recordings.push_back(std::move(entry));
    }
    if (bodies.empty()) {
      ExaminedRecording entry = ReportClock(recording, "", joints);
      entry.kind = "joint";
      ReportJoints(recording, joints, entry);
      report.recordings.push_back(std::move(entry));
    }
  }

  // Parabolas of all tracks, the gravity they agree on, then each toss with it; noise is refined once by the flights.
  const int count = static_cast<int>(tracks.size());
  ParallelFor(count, [&](int i) {
    DoctorTrack& track = tracks[static_cast<std::size_t>(i)];
    track.toss.track = std::move(poses[static_cast<std::size_t>(i)]);
    track.toss.stretches = CutIntoParabolas(track.toss.track, track.body.flight);
  });
  const GravityVote vote = VoteForGravity(tracks, scene);
  ParallelFor(count, [&](int i) {
    DoctorTrack& track = tracks[static_cast<std::size_t>(i)];
    TossOptions options;
    options.gravity = vote.gravity;
    options.least_jump *= vote.units_per_meter;
    options.standstill.position *= vote.units_per_meter;
    options.standstill.speed *= vote.units_per_meter;
    options.standstill.surface_velocity = track.body.surface_velocity;
    SpatialTrack pose = std::move(track.toss.track);
    pose.outlier.assign(pose.time.size(), 0);
    track.toss = MakeToss(std::move(pose), track.body.flight, options);
    ReportToss(track, vote, report.recordings[static_cast<std::size_t>(track.report)]);
  });
  PoolReports(tracks, vote, scene, report);
  for (const ExaminedRecording& entry : report.recordings) report.usable += entry.usable ? 1 : 0;
  return report;
}

}  // namespace

Examination Examine(const std::vector<Recording>& recordings, const Context& context) {
  return ExamineAgainst(nullptr, recordings, context);
}

Examination Examine(const std::vector<Recording>& recordings, const Scene& scene, const Context& context) {
  return ExamineAgainst(&scene, recordings, context);
}

}  // namespace ricochet
