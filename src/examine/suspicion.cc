// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "examine/suspicion.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "observation/poses_from_points.h"

namespace ricochet {
namespace {

constexpr int kMostRows = 1500;  // weighed; longer recordings are thinned

Recording Thinned(const Recording& recording) {
  const int step = (recording.rows() + kMostRows - 1) / kMostRows;
  if (step <= 1) return recording;
  Recording out = recording;
  const auto thin = [&](auto& values) {
    for (std::size_t i = 0; i * static_cast<std::size_t>(step) < values.size(); ++i)
      values[i] = values[i * static_cast<std::size_t>(step)];
    values.resize((values.size() + static_cast<std::size_t>(step) - 1) / static_cast<std::size_t>(step));
  };
  thin(out.time);
  thin(out.lines);
  for (std::vector<double>& column : out.values) thin(column);
  return out;
}

/// Rotation that takes a recorded axis (0..2, and its sign) to z.
Eigen::Matrix3d AxisUp(int axis, bool negative) {
  Eigen::Matrix3d turn;
  if (axis == 2) turn = Eigen::Vector3d(1, negative ? -1 : 1, negative ? -1 : 1).asDiagonal();
  if (axis == 1) turn << 1, 0, 0, 0, 0, negative ? 1 : -1, 0, negative ? -1 : 1, 0;
  if (axis == 0) {
    if (negative)
      turn << 0, 0, 1, 0, 1, 0, -1, 0, 0;
    else
      turn << 0, 1, 0, 0, 0, 1, 1, 0, 0;
  }
  return turn;
}

/// Changes that put an axis up: in the plane y may be reversed with the angle or alone.
std::vector<RecordingChange> AxisChanges(int axis, bool negative, bool planar) {
  RecordingChange change;
  change.axes = AxisUp(axis, negative);
  if (!planar) return {change};
  if (axis == 0) {  // a turn in the plane
    change.axes << 0, 0, negative ? 1 : -1, 0, 1, 0, negative ? -1 : 1, 0, 0;
    return {change};
  }
  change.axes = Eigen::Vector3d(1, 1, -1).asDiagonal();
  RecordingChange with_angle = change;
  with_angle.angle = -1;
  return {with_angle, change};
}

std::string AxisText(int axis, bool negative, bool planar) {
  if (planar && axis == 2) return "the y axis seems to point down";
  return fmt::format("{} is up, not {}", AxisName(axis, negative, planar), planar ? "y" : "z");
}

}  // namespace

RecordingChange Join(const RecordingChange& first, const RecordingChange& second) {
  RecordingChange out = first;
  out.time *= second.time;
  out.length *= second.length;
  out.angle *= second.angle;
  out.real_last = first.real_last || second.real_last;
  out.turn_signs = first.turn_signs.cwiseProduct(second.turn_signs);
  out.axes = second.axes * first.axes;
  return out;
}

std::vector<Subject> SubjectsOf(const Scene* scene, const Recording& given) {
  std::vector<Subject> out;
  const Recording recording = Thinned(scene != nullptr ? AddPosesFromPoints(*scene, given) : given);
  int shapes = 0;
  if (scene != nullptr)
    for (const Body& body : scene->bodies) shapes += body.shape ? 1 : 0;
  for (const std::string& prefix : BodiesWithPoses(recording)) {
    Subject subject;
    subject.scene = scene;
    subject.recording = recording;
    subject.prefix = prefix;
    subject.planar = recording.Find(subject.Column("theta")) >= 0;
    if (scene != nullptr && subject.planar != (scene->space == Space::kPlanar)) continue;
    subject.body = BodyOfScene(scene, prefix);
    if (scene != nullptr) {
      const std::optional<Eigen::Vector3d> gravity = GravityOfScene(scene);
      const bool jointed = std::any_of(scene->joints.begin(), scene->joints.end(), [&](const Joint& joint) {
        return joint.parent == subject.body.name || joint.child == subject.body.name;
      });
      subject.flies = gravity && scene->actions.empty() && !jointed && subject.body.has_scene;
      subject.gravity = gravity.value_or(Eigen::Vector3d::Zero());
      subject.touches = subject.flies && shapes == 1 && subject.body.shape && !subject.body.surfaces.empty();
    }
    out.push_back(std::move(subject));
  }
  if (out.size() == 1) out[0].alone = true;
  return out;
}

std::string AxisName(int axis, bool negative, bool planar) {
  return fmt::format("{}{}", negative ? "-" : "", planar ? (axis == 2 ? 'y' : 'x') : static_cast<char>('x' + axis));
}

std::vector<Suspicion> AxisSuspicions(const Subject& subject, int axis, bool negative) {
  std::vector<Suspicion> out;
  for (const RecordingChange& change : AxisChanges(axis, negative, subject.planar))
    out.push_back(
        {"axes", subject.Column(subject.planar ? "y" : "z"), AxisText(axis, negative, subject.planar), change});
  return out;
}

}  // namespace ricochet
