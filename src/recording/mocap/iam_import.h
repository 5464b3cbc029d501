// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Archives of the Impact-Aware Robotics database (HDF5): one file, many recordings.
//
//     /Rec_<time>                               attributes recording_timestamp, note
//        /OBJECT/<name>                         vertices (n x 3), dimensions (3), mass, inertia (6 x 6)
//        /SENSOR_MEASUREMENT/Mocap
//           datalog                             table with a column Time(s); attribute sample_frequency
//           /POSTPROCESSING/<name>/transforms   4 x 4 x N or N x 4 x 4, M_H_B of the object; so too of the conveyor
//
// Becomes one scene (the object; the conveyor as the plane z = 0) and one recording each, with poses relative to the
// conveyor, X_CB = X_MC^-1 X_MB; X_MC is the mean over the recording. Gravity is turned into the conveyor's axes.
// Exact repeats while the object moves, and NaN, become missing. The rate is taken from `Time(s)` and compared with
// sample_frequency, which may be text or a number. Groups that are not known are skipped.
//
// Sizes that the file states are bounded before anything is read. The HDF5 library itself parses the file.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ricochet/import.h"
#include "ricochet/recording.h"

namespace ricochet {

struct IamArchive {
  std::string object;
  std::string scene;                                          // text (YAML), parsed and checked
  std::vector<std::pair<std::string, Recording>> recordings;  // name of the group, recording
  std::vector<std::string> notes;
};

/// Throws InputError; also when the library was built without HDF5.
IamArchive ReadIam(const std::string& file, const IamOptions& options = {});

}  // namespace ricochet
