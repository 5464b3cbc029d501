// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/takes/point_tracks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "math/so3.h"
#include "recording/recording_health.h"
#include "ricochet/error.h"

namespace ricochet {
namespace {

std::string Column(const std::string& point, const char* name) { return point.empty() ? name : point + "." + name; }

}  // namespace

std::vector<std::string> PointsOfRecording(const Recording& recording) {
  const std::vector<std::string> bodies = BodiesWithPoses(recording);
  std::vector<std::string> points;
  for (const std::string& column : recording.columns) {
    if (column != "x" && !column.ends_with(".x")) continue;
    const std::string name = column == "x" ? "" : column.substr(0, column.size() - 2);
    if (recording.Find(Column(name, "y")) >= 0 && std::find(bodies.begin(), bodies.end(), name) == bodies.end())
      points.push_back(name);
  }
  return points;
}

SpatialTrack MakePointTrack(const Recording& recording, const std::string& point, int least) {
  SpatialTrack track;
  track.name = recording.file.empty() ? "recording" : recording.file;
  const int x = recording.Find(Column(point, "x")), y = recording.Find(Column(point, "y")),
            z = recording.Find(Column(point, "z"));
  track.planar = z < 0;
  for (int row = 0; row < recording.rows(); ++row) {
    const auto at = [&](int column) {
      return recording.values[static_cast<std::size_t>(column)][static_cast<std::size_t>(row)];
    };
    const Eigen::Vector3d p = track.planar ? Eigen::Vector3d(at(x), 0, at(y)) : Eigen::Vector3d(at(x), at(y), at(z));
    if (!p.allFinite()) {
      ++track.incomplete_rows;
      continue;
    }
    track.row.push_back(row);
    track.time.push_back(recording.time[static_cast<std::size_t>(row)]);
    track.position.push_back(p);
    track.rotation.push_back(IdentityQuaternion<double>());
  }
  if (track.size() < least)
    throw InputError({recording.file, 0, 0}, point,
                     fmt::format("{} rows show it; at least {} are needed.", track.size(), least),
                     "Record the whole motion.");
  track.outlier.assign(track.time.size(), 0);
  track.interval = CheckClock(recording.time).interval;
  EstimateNoise(track);
  return track;
}

}  // namespace ricochet
