// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Stages of the doctor: tracks of all bodies, the gravity they agree on, what each shows, what all show.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "dataset/takes/point_flights.h"
#include "dataset/toss.h"
#include "geometry/spatial_shape.h"
#include "ricochet/examine.h"

namespace ricochet {

inline constexpr double kStandardGravity = 9.81;  // [m/s^2]
inline constexpr int kLeastTrack = 8;             // rows

/// A surface of the scene, lifted to space.
struct DoctorSurface {
  std::string name;
  Eigen::Vector3d point = Eigen::Vector3d::Zero();
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();  // columns x, y, z; z is the normal
  bool bounded = false;
  double x0 = 0, x1 = 0, y0 = 0, y1 = 0;  // extent along x and y [m]
};

/// What the scene states about a body, lifted to space as tracks are.
struct DoctorBody {
  std::string name;
  FlightBody flight;
  std::optional<SpatialShape<double>> shape{};  // corners or curved; faces are in `normals`
  std::vector<Eigen::Vector3d> normals;         // outward, of the faces; the body axes without a scene
  bool has_scene = false;
  Eigen::Vector3d up = Eigen::Vector3d::UnitZ();  // normal of the surface
  Eigen::Vector3d surface_point = Eigen::Vector3d::Zero();
  Eigen::Vector3d surface_velocity = Eigen::Vector3d::Zero();
  std::vector<DoctorSurface> surfaces;  // all of them
  double mass = 0;                      // [kg]; 0: not known
  double size = 0;                      // farthest point of the shape from the body's origin [m]; 0 without a shape
};

struct DoctorTrack {
  int report = 0;  // index into Examination::recordings
  DoctorBody body;
  Toss toss;                               // flights with free acceleration
  bool flies = false;                      // falls with the expected gravity, and into contact
  bool point = false;                      // recorded by position only
  std::vector<PointFlight> point_flights;  // of such a track
};

DoctorBody BodyOfScene(const Scene* scene, const std::string& prefix);

/// Gravity of the scene in lifted axes; none where there is no scene, or no gravity in it.
std::optional<Eigen::Vector3d> GravityOfScene(const Scene* scene);

/// The poses of a body in a recording, as tracks are.
SpatialTrack TrackOfBody(const Scene* scene, const Recording& recording, const std::string& prefix);

/// Whether some flight of a track ends in contact, or the whole track flies, with this gravity.
bool FliesIntoContact(const SpatialTrack& track, const Eigen::Vector3d& gravity);

/// Gravity that the parabolas of all tracks agree on.
struct GravityVote {
  Eigen::Vector3d gravity = {0, 0, -9.81};  // recording's unit and axes
  std::string unit;                         // m, mm, cm, in, ft; empty: no unit explains the magnitude
  double units_per_meter = 1;
  bool found = false;
};
GravityVote VoteForGravity(const std::vector<DoctorTrack>& tracks, const Scene* scene);

/// Fills a report from its toss.
void ReportToss(const DoctorTrack& track, const GravityVote& vote, ExaminedRecording& report);

/// Mode of a sample of at least 3 values (half-sample mode, Robertson and Cryer 1974).
double HalfSampleMode(std::vector<double> values);

/// Fills what all recordings show together, and the findings.
void PoolReports(const std::vector<DoctorTrack>& tracks, const GravityVote& vote, const Scene* scene,
                 Examination& report);

/// Clock, frozen frames, outliers and noise of the joint columns.
void ReportJoints(const Recording& recording, const std::vector<int>& columns, ExaminedRecording& report);

}  // namespace ricochet
