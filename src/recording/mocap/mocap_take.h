// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What every motion-capture format holds, before it becomes recordings: bodies with poses and loose markers over time,
// in the file's units and axes. The readers (motive_import.h, vicon_import.h, c3d_import.h, trajectory_import.h) fill
// it; convert_take.h makes recordings of it, in meters, z up, time from 0.
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

/// A name that scenes and recordings accept: other characters become `_`.
std::string LegalName(const std::string& name);

}  // namespace ricochet
