// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Spatial motion capture of a planar experiment as a planar recording.
//
//     const ricochet::PlanarProjection flat = ricochet::ProjectToPlane(take.recording);
//     std::cout << "off the plane by " << 1e3 * flat.residual << " mm\n";
//     ricochet::WriteRecording(flat.recording, "flat.csv");
//
// Positions stay in the plane, and bodies turn about its normal; it is fitted by least squares over all of them. In a
// vertical plane, y is up; in a horizontal one, x and y are nearest to those of the recording.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "ricochet/recording.h"

namespace ricochet {

/// How to project.
struct ProjectionOptions {
  /// Two points that look alike, so that a tracker may take one for the other: continuity distinguishes them, from
  /// their places in the first row that shows both. Empty: none.
  std::vector<std::string> alike{};
};

/// A planar recording and the plane it is in.
struct PlanarProjection {
  Recording recording;  // x, y, theta of bodies; NAME.x, NAME.y of points; times and other columns as they were
  Eigen::Vector3d normal = Eigen::Vector3d::UnitY();                           // unit; theta turns x toward y about it
  Eigen::Vector3d x = Eigen::Vector3d::UnitX(), y = Eigen::Vector3d::UnitZ();  // axes of the plane, unit
  double residual = 0;             // root mean square of the distances from the plane [m]
  double residual_angle = 0;       // of the lean of bodies out of it [rad]; 0 without bodies
  bool level = false;              // the plane is horizontal: gravity does not act in it
  int swapped = 0;                 // rows in which the points that look alike change places
  std::vector<std::string> notes;  // one sentence each
};

/// Throws InputError if the recording has no positions in space, or if the motion leaves every plane by more than 5 %
/// of its extent. Throws it also for options that name points that the recording does not have.
PlanarProjection ProjectToPlane(const Recording& recording, const ProjectionOptions& options = {});

}  // namespace ricochet
