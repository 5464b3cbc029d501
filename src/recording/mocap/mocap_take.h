// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What every motion-capture format holds, before it becomes recordings: bodies with poses and loose markers over time,
// in the file's units and axes. The readers (motive_import.h, vicon_import.h, c3d_import.h, trajectory_import.h) fill
// it; ConvertTake makes recordings of it, in meters, z up, time from 0.
//
// Nothing is guessed silently. What the file states is used and noted; what it omits (axes, units of
// some files, the meaning of three angles) must be given by an option or follows the convention of the format, with a
// note.
//
//   unit        from the file; `unit` overrides it, and is required where the file has none
//   up axis     stated (`up`), or the format's convention (Motive y, others z), with a note; recordings are rotated
//               so that z is up: y up by +90 degrees about x, x up by -90 degrees about y
//   pivot       pose of the scene's body frame in the tracked frame: X_WB = X_WP X_PB
//   time        from 0; what the file's clock showed at the first row is in the notes
//   gaps        missing samples stay missing (nan); frames a tracker repeated while the body moved (frozen frames,
//               recording_health.h) become missing, and are counted in the notes
//   clock       times that the file rounds to few digits are written at the stated rate, if they agree with it to
//               within half a digit
//   markers     three or more markers of one subject make a body if they are rigid (marker_body.h); others are points
#pragma once

#include <Eigen/Core>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "math/se3.h"
#include "recording/conventions.h"
#include "ricochet/import.h"
#include "ricochet/recording.h"

namespace ricochet {

inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();  // a sample that is not there

struct MocapBody {
  std::string name;
  std::vector<Eigen::Vector3d> position;     // in the file's unit and axes; NaN: missing
  std::vector<Quaternion<double>> rotation;  // unit; NaN: missing
};

struct MocapMarker {
  std::string name;                       // "Subject:Marker", or a label alone
  std::vector<Eigen::Vector3d> position;  // NaN: missing
  bool labeled = true;                    // false: the tracker made the name up, and may change it within a motion
};

struct MocapTake {
  std::string file, format;      // "Motive CSV 1.23"
  std::string unit;              // as the file states it; empty: not stated
  char usual_up = 'z';           // the format's convention
  std::string up_reason;         // what the convention rests on, for the notes
  std::optional<double> rate{};  // as the file states it [Hz]
  std::vector<double> time;      // [s], strictly increasing
  std::vector<MocapBody> bodies;
  std::vector<MocapMarker> markers;
  std::vector<std::string> notes, left_out, warnings;  // for the user, as in ImportedRecording
};

/// Throws InputError when the take has no body and no marker, not the requested one, or no unit is known.
ImportedRecording ConvertTake(const MocapTake& take, const ImportOptions& options);

/// A name that scenes and recordings accept: other characters become `_`.
std::string LegalName(const std::string& name);

}  // namespace ricochet
