// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What the search for mistakes looks at, a body of a recording, and what it may find wrong: a suspicion is a change
// that would undo the mistake, so that the changed recording can be weighed again.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "examine/doctor_tracks.h"
#include "ricochet/examine.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

inline constexpr double kNearAxis = 0.1;  // [rad]: a direction that counts as that of an axis
inline constexpr double kClearly = 0.4;    // of the misfit that a change must leave

/// A body of a recording.
struct Subject {
  const Scene* scene = nullptr;
  Recording recording;  // with poses, thinned
  std::string prefix;
  DoctorBody body;
  Eigen::Vector3d gravity = {0, 0, -kStandardGravity};
  bool flies = true;     // nothing but gravity acts on the body in the air
  bool touches = false;  // surfaces are all that it can touch
  bool alone = false;    // the only body of the recording
  bool planar = false;

  std::string Column(const char* name) const { return prefix.empty() ? name : prefix + "." + name; }
  SpatialTrack Track(const RecordingChange& change) const {
    return TrackOfBody(scene, Repair(recording, change), prefix);
  }
};

/// What is wrong, and what repairs it.
struct Suspicion {
  std::string check, field, problem;
  RecordingChange change;
};

/// One change after the other.
RecordingChange Join(const RecordingChange& first, const RecordingChange& second);

/// The bodies of a recording that can be weighed; throws InputError where its rows cannot be read.
std::vector<Subject> SubjectsOf(const Scene* scene, const Recording& given);

/// The suspicions that another axis of the recording (0..2, or its negative) is up; in the plane y may be reversed with
/// the angle or alone. `problem` says so.
std::vector<Suspicion> AxisSuspicions(const Subject& subject, int axis, bool negative);
/// "-y"; of the plane x and y.
std::string AxisName(int axis, bool negative, bool planar);

}  // namespace ricochet
