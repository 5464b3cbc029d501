// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dynamics/kinematics.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <string>
#include <vector>

#include "dynamics/joint_configuration.h"

namespace ricochet {
namespace {

const Initial* FindInitial(const Scene& scene, const std::string& name) {
  for (const Initial& initial : scene.initial)
    if (initial.name == name) return &initial;
  return nullptr;
}

/// Pose of a body's frame at t = 0, if the scene gives one; otherwise that of the world's frame.
std::vector<double> FirstPose(const Scene& scene, Space space, const Initial* initial) {
  std::vector<double> pose(PoseSize(space), 0.0);
  if (space == Space::kSpatial) pose[3] = 1;
  if (!initial || initial->position.empty()) return pose;
  std::size_t k = 0;
  for (const NumberId id : initial->position) pose[k++] = scene[id];
  for (const NumberId id : initial->orientation) pose[k++] = scene[id];
  return pose;
}

bool HangsOnJoint(const Scene& scene, const std::string& body) {
  for (const Joint& joint : scene.joints)
    if (joint.child == body || joint.parent == body) return true;
  return false;
}

}  // namespace

void BodyPose(const Model& model, const State& state, int body, std::span<double> pose) {
  if (model.space == Space::kPlanar) {
    const auto q = state.q.segment<3>(3 * body);
    const Eigen::Vector2d c = model.planar.bodies[body].p_BBcm;
    const double cosine = std::cos(q[2]), sine = std::sin(q[2]);
    pose[0] = q[0] - (cosine * c.x() - sine * c.y());
    pose[1] = q[1] - (sine * c.x() + cosine * c.y());
    pose[2] = q[2];
    return;
  }
  const auto q = state.q.segment<7>(7 * body);
  const Eigen::Vector3d p_WB =
      Eigen::Vector3d(q.head<3>()) - Eigen::Quaterniond(q[3], q[4], q[5], q[6]) * model.spatial.bodies[body].p_BBcm;
  for (int i = 0; i < 3; ++i) pose[i] = p_WB[i];
  for (int i = 3; i < 7; ++i) pose[i] = q[i];
}

void SetBodyPose(const Model& model, int body, std::span<const double> pose, State& state) {
  if (model.space == Space::kPlanar) {
    const Eigen::Vector2d c = model.planar.bodies[body].p_BBcm;
    const double cosine = std::cos(pose[2]), sine = std::sin(pose[2]);
    state.q.segment<3>(3 * body) << pose[0] + (cosine * c.x() - sine * c.y()),
        pose[1] + (sine * c.x() + cosine * c.y()), pose[2];
    return;
  }
  const Eigen::Quaterniond orientation = Eigen::Quaterniond(pose[3], pose[4], pose[5], pose[6]).normalized();
  const Eigen::Vector3d p_WBcm =
      Eigen::Vector3d(pose[0], pose[1], pose[2]) + orientation * model.spatial.bodies[body].p_BBcm;
  state.q.segment<7>(7 * body) << p_WBcm, orientation.w(), orientation.x(), orientation.y(), orientation.z();
}

State StateAtRest(const Model& model) {
  const Scene& scene = *model.scene;
  const int n = model.body_count();
  State state;
  state.q = Eigen::VectorXd::Zero(PoseSize(model.space) * n);
  state.v = Eigen::VectorXd::Zero(VelocitySize(model.space) * n);
  for (int i = 0; i < n; ++i)
    SetBodyPose(model, i, FirstPose(scene, model.space, FindInitial(scene, scene.bodies[i].name)), state);
  return state;
}

State InitialState(const Model& model) {
  const Scene& scene = *model.scene;
  const int nv = VelocitySize(model.space), n = model.body_count();
  State state = StateAtRest(model);
  std::vector<char> placed(n, 0);

  for (int i = 0; i < n; ++i) {
    const Body& body = scene.bodies[i];
    const Initial* initial = FindInitial(scene, body.name);
    const bool posed = initial && !initial->position.empty();
    if (!posed && !body.fixed && !HangsOnJoint(scene, body.name)) {
      const char* form = model.space == Space::kPlanar
                             ? "{pose: [x, y, angle], velocity: [vx, vy], angular_velocity: w}"
                             : "{position: [...], orientation: [w, x, y, z], ...}";
      throw InputError({scene.file, initial ? initial->where.line : body.where.line, 0}, "initial." + body.name,
                       fmt::format("the scene does not define where {} starts.", body.name),
                       fmt::format("Add initial.{}: {}", body.name, form));
    }
    if (posed) {
      for (size_t j = 0; j < initial->velocity.size(); ++j) state.v[nv * i + j] = scene[initial->velocity[j]];
      const int linear = model.space == Space::kPlanar ? 2 : 3;
      for (size_t j = 0; j < initial->angular_velocity.size(); ++j)
        state.v[nv * i + linear + j] = scene[initial->angular_velocity[j]];
    }
    placed[i] = posed || body.fixed;
  }
  if (model.space == Space::kSpatial && !scene.joints.empty()) PlaceMechanism(model, placed, state);
  return state;
}

}  // namespace ricochet
