// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Finds where the tracked frame is on a body, and where the surface is, from tosses. A motion-capture system follows a
// pivot of its own, with axes of its own, and its floor is not exactly the plane z = 0. To estimate contact laws, the
// scene must state both.
//
//     const ricochet::FrameCalibration found = ricochet::CalibrateFrame(scene, tosses);
//     std::cout << ricochet::DescribeFrameCalibration(found);
//     ricochet::WriteScene(found.scene, "calibrated.yaml");
//
// Flights show where the pivot is, relative to the center of mass. Rests and impacts show the directions of the faces
// and the surface, and tumbling shows the axes of inertia. Size, center of mass and inertia are those of the scene.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "ricochet/context.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

/// How to calibrate.
struct FrameCalibrationOptions {
  std::string body{};  // whose tracked frame; empty: the first that moves
};

/// A pose of the tracked frame in the body.
struct FramePose {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  // of the pivot in the body frame [m]
  Eigen::Vector3d rotation = Eigen::Vector3d::Zero();  // rotation vector: axis times angle [rad]
};

/// What CalibrateFrame found.
struct FrameCalibration {
  std::string body, surface;                                // names in the scene
  FramePose frame;                                          // best, and nearest to the scene's of those that are alike
  Eigen::Vector3d position_std = Eigen::Vector3d::Zero();   // [m]
  Eigen::Vector3d rotation_std = Eigen::Vector3d::Zero();   // turns about x, y, z of the body frame [rad]
  Eigen::Vector3d surface_point = Eigen::Vector3d::Zero();  // the scene's, moved along the normal [m]
  Eigen::Vector3d surface_normal = Eigen::Vector3d::UnitZ();
  double surface_moved = 0, surface_moved_std = 0;  // along the scene's normal [m]
  double surface_lean = 0, surface_lean_std = 0;    // angle to the scene's normal [rad]

  int tosses = 0, flights = 0, rests = 0, impacts = 0;  // that were used
  double residual = 0;  // root mean square of the residuals over the noise; near 1 if the scene explains the tosses

  /// Poses that differ from `frame` by a turn that takes the body to itself: they predict the same motion.
  std::vector<FramePose> symmetric;
  /// Other poses that explain the tosses as well but predict other motions: the choice is open.
  std::vector<FramePose> rivals;
  std::vector<std::string> not_identifiable;  // one sentence each; standard deviations show it too
  std::vector<std::string> notes;             // what was found and left out, one sentence each

  /// Whether everything is known to 5 mm and 2 degrees, without rivals.
  bool identifiable() const { return not_identifiable.empty() && rivals.empty(); }

  Scene scene;  // with `observe.frame` and the plane of the surface as found
};

/// Finds the pose of the tracked frame and the surface from recordings of tosses; long takes are split first. The body
/// is a box or a polytope, the first surface a plane. Throws InputError for other scenes and for recordings without
/// poses of the body, NumericsError when no flight shows the pivot or no toss comes to rest, and Cancelled.
FrameCalibration CalibrateFrame(const Scene& scene, const std::vector<Recording>& recordings,
                                const FrameCalibrationOptions& options = {}, const Context& context = {});

/// A few lines of text: pose, surface, uncertainty, what is not identifiable.
std::string DescribeFrameCalibration(const FrameCalibration& calibration);
/// The same as JSON.
std::string FormatFrameCalibration(const FrameCalibration& calibration);

}  // namespace ricochet
