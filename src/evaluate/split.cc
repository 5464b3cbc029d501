// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/atomic_file.h"
#include "core/context.h"
#include "core/text.h"
#include "dataset/takes/point_tracks.h"
#include "dataset/takes/split_take.h"
#include "examine/doctor_tracks.h"

namespace ricochet {
namespace {

constexpr int kLeastRows = 12;

TakePiece PieceOf(const Recording& recording, const TakeSection& section, const std::string& kind, std::size_t number) {
  const auto first = static_cast<std::ptrdiff_t>(section.first), last = static_cast<std::ptrdiff_t>(section.last);
  const auto cut = [&](const auto& values) {
    return std::decay_t<decltype(values)>(values.begin() + first, values.begin() + last);
  };
  TakePiece result{{}, section.first, section.last - section.first, {}};
  Recording& piece = result.recording;
  piece.columns = recording.columns;
  piece.time = cut(recording.time);
  for (double& t : piece.time) t -= recording.time[static_cast<std::size_t>(section.first)];
  for (const std::vector<double>& column : recording.values) piece.values.push_back(cut(column));
  if (!recording.lines.empty()) piece.lines = cut(recording.lines);
  const std::string file = recording.file.empty() ? "recording" : recording.file;
  piece.file = fmt::format("{}, {} {}", file, kind, number);
  result.origin = fmt::format("{} {} of {}, rows {} to {}, from t = {:.6g} s", kind, number, file, section.first + 1,
                              section.last, recording.time[static_cast<std::size_t>(section.first)]);
  return result;
}

/// Angles of all joints in rows that have them all, and those rows.
TakeSections SplitJoints(const Recording& recording, const SplitLimits& limits) {
  std::vector<std::vector<double>> angles;
  std::vector<int> columns, rows;
  for (std::size_t c = 0; c < recording.columns.size(); ++c)
    if (recording.columns[c].ends_with(".angle")) columns.push_back(static_cast<int>(c));
  if (columns.empty()) return {};
  for (int row = 0; row < recording.rows(); ++row)
    if (std::all_of(columns.begin(), columns.end(), [&](int c) {
          return std::isfinite(recording.values[static_cast<std::size_t>(c)][static_cast<std::size_t>(row)]);
        }))
      rows.push_back(row);
  if (static_cast<int>(rows.size()) < kLeastRows) return {};
  std::vector<double> time;
  for (const int row : rows) time.push_back(recording.time[static_cast<std::size_t>(row)]);
  for (const int c : columns) {
    std::vector<double>& angle = angles.emplace_back();
    for (const int row : rows)
      angle.push_back(recording.values[static_cast<std::size_t>(c)][static_cast<std::size_t>(row)]);
  }
  TakeSections found = SplitAngles(time, angles, limits);
  for (TakeSection& section : found.sections) {
    section.first = rows[static_cast<std::size_t>(section.first)];
    section.last = rows[static_cast<std::size_t>(section.last - 1)] + 1;
  }
  return found;
}

/// Sections of all points in order of time. Those that overlap are of one motion that several points show.
TakeSections SplitPoints(const Recording& recording, const std::vector<std::string>& points,
                         const SplitLimits& limits) {
  TakeSections all;
  for (const std::string& point : points) {
    int shown = 0;
    const int x = recording.Find(point.empty() ? "x" : point + ".x");
    for (const double value : recording.values[static_cast<std::size_t>(x)]) shown += std::isfinite(value) ? 1 : 0;
    if (shown < kLeastRows) continue;
    TakeSections found = SplitPoint(MakePointTrack(recording, point), limits);
    for (std::string& why : found.left_out)
      all.left_out.push_back(point.empty() ? std::move(why) : fmt::format("{}, {}", point, why));
    if (found.kind.empty() || (all.kind == "toss" && found.kind != "toss")) continue;
    if (found.kind != all.kind) all.sections.clear();
    all.kind = found.kind;
    all.sections.insert(all.sections.end(), found.sections.begin(), found.sections.end());
  }
  std::sort(all.sections.begin(), all.sections.end(),
            [](const TakeSection& a, const TakeSection& b) { return a.first < b.first; });
  std::vector<TakeSection> apart;
  for (const TakeSection& section : all.sections) {
    if (!apart.empty() && section.first < apart.back().last)
      apart.back().last = std::max(apart.back().last, section.last);
    else
      apart.push_back(section);
  }
  all.sections = std::move(apart);
  return all;
}

/// Without the points that a piece hardly shows.
void DropHiddenPoints(Recording& piece, const std::vector<std::string>& points) {
  constexpr int kShown = 4;
  for (const std::string& point : points) {
    const std::string prefix = point.empty() ? "" : point + ".";
    const std::vector<double>& x = piece.values[static_cast<std::size_t>(piece.Find(prefix + "x"))];
    if (std::count_if(x.begin(), x.end(), [](double value) { return std::isfinite(value); }) >= kShown) continue;
    for (const char* name : {"x", "y", "z"}) {
      const int column = piece.Find(prefix + name);
      if (column < 0) continue;
      piece.columns.erase(piece.columns.begin() + column);
      piece.values.erase(piece.values.begin() + column);
    }
  }
}

TakeSections SectionsOf(const Recording& recording, const std::vector<std::string>& points,
                        const SplitOptions& options) {
  const SplitLimits limits{options.gravity, options.belt, options.rest};
  if (!points.empty()) return SplitPoints(recording, points, limits);
  std::vector<std::string> bodies = BodiesWithPoses(recording);
  if (!options.body.empty()) {
    if (std::find(bodies.begin(), bodies.end(), options.body) == bodies.end())
      throw InputError({recording.file, 0, 0}, "", fmt::format("has no poses of a body `{}`.", options.body),
                       "Name a body of the recording, or none.");
    bodies = {options.body};
  }
  TakeSections best = bodies.empty() ? SplitJoints(recording, limits) : TakeSections{};
  for (const std::string& body : bodies) {
    TakeSections found = SplitPoses(MakeSpatialTrack(recording, body, kLeastRows), limits);
    const bool more = !found.kind.empty() && (best.kind.empty() || (best.kind == "slide" && found.kind == "toss"));
    if (more || (best.kind.empty() && best.left_out.empty())) best = std::move(found);
  }
  return best;
}

}  // namespace

SplitTake SplitRecording(const Recording& recording, const SplitOptions& options, const Context& context) {
  const ContextScope scope(context, "split");
  const bool jointed = std::any_of(recording.columns.begin(), recording.columns.end(),
                                   [](const std::string& column) { return column.ends_with(".angle"); });
  const bool posed = !BodiesWithPoses(recording).empty();
  std::vector<std::string> points;
  if (!posed && !jointed) points = PointsOfRecording(recording);
  if (!options.body.empty() && !points.empty()) {
    if (std::find(points.begin(), points.end(), options.body) == points.end())
      throw InputError({recording.file, 0, 0}, "", fmt::format("has no point `{}`.", options.body),
                       "Name a point of the recording, or none.");
    points = {options.body};
  }
  if (!posed && !jointed && points.empty())
    throw InputError({recording.file, recording.lines.empty() ? 0 : 1, 0}, "",
                     "no column is a pose, a point or a joint angle.",
                     "Name the columns t and x,y,z,qw,qx,qy,qz, or x,y,theta, or NAME.x,NAME.y,NAME.z, or NAME.angle; "
                     "`ricochet import` does this with option `columns`.");
  const TakeSections found = SectionsOf(recording, points, options);
  SplitTake result{found.kind, {}, found.left_out};
  for (const TakeSection& section : found.sections) {
    result.pieces.push_back(PieceOf(recording, section, found.kind, result.pieces.size() + 1));
    DropHiddenPoints(result.pieces.back().recording, points);
  }
  return result;
}

void WritePiece(const TakePiece& piece, const std::string& file) {
  WriteFileAtomically(file,
                      fmt::format("# origin: {}\n{}", Printable(piece.origin, 1000), FormatRecording(piece.recording)));
}

SplitRecordings SplitForScene(const Scene& scene, const std::vector<Recording>& recordings, const Context& context) {
  const ContextScope scope(context, "split");
  SplitOptions options;
  const std::optional<Eigen::Vector3d> gravity = GravityOfScene(&scene);
  const bool driven =
      std::any_of(scene.joints.begin(), scene.joints.end(), [](const Joint& joint) { return joint.motor.has_value(); });
  if (!gravity || driven) return {recordings, {}};
  options.gravity = *gravity;
  options.belt = BodyOfScene(&scene, "").surface_velocity;
  SplitRecordings result;
  for (const Recording& recording : recordings) {
    SplitTake take;
    const std::vector<std::string> bodies = BodiesWithPoses(recording);
    const bool ball = bodies.empty() && PointsOfRecording(recording).size() == 1;
    if (recording.rows() >= kLeastRows && (bodies.size() == 1 || (bodies.empty() && !scene.joints.empty()) || ball))
      take = SplitRecording(recording, options, context);
    // A body on a belt stops and goes on by itself.
    if (take.kind == "slide" || take.pieces.size() < 2) {
      result.recordings.push_back(recording);
      continue;
    }
    result.notes.push_back(fmt::format("{}: {} {} are split into recordings of their own{}", recording.file,
                                       take.pieces.size(), take.kind == "toss" ? "tosses" : "swings",
                                       take.left_out.empty() ? "" : "; left out: " + JoinList(take.left_out)));
    for (TakePiece& piece : take.pieces) result.recordings.push_back(std::move(piece.recording));
  }
  return result;
}

}  // namespace ricochet
