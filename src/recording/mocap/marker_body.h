// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Rigid bodies of markers. The frame of a body has its origin in the mean of the markers' places and the axes of the
// frame that shows most of them. Each frame with three or more is fitted (Kabsch 1976; Umeyama 1991); the template is
// averaged over all frames, and takes in markers that the first frame did not show.
//
// A marker belongs to the body when its root-mean-square distance from its place in the template is at most 10 mm and
// at most 5 % of the size of the body.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "recording/mocap/mocap_take.h"

namespace ricochet {

struct MarkerBody {
  MocapBody body;
  std::vector<int> markers;   // those that form it, indices into MocapTake::markers
  std::vector<double> error;  // root-mean-square distance of each from its place, in the file's unit
  double size = 0;            // largest distance of two markers, in the file's unit
  double limit = 0;           // largest error that a rigid body may have

  bool IsRigid() const;
  /// Bound on how far a marker moves from its place in the first frame, in the file's unit.
  double Movement() const;
  double RmsError() const;
};

/// Fits all of the markers, rigid or not. Throws InputError for fewer than three markers,
/// markers in a line, and when no frame shows three of them.
MarkerBody FitMarkers(const MocapTake& take, const std::string& name, const std::vector<int>& markers,
                      double meters_per_unit);

/// The rigid body that most of the markers form: markers that move against the others are left out one by one. Nothing
/// when fewer than three, or fewer than three fifths of them, are left, and when FitMarkers would throw.
std::optional<MarkerBody> FindRigidBody(const MocapTake& take, const std::string& name, const std::vector<int>& markers,
                                        double meters_per_unit);

/// "A (0.2 mm), B (31 mm)": each marker with its error.
std::string DescribeMarkers(const MocapTake& take, const MarkerBody& body);

}  // namespace ricochet
