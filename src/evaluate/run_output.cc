// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "evaluate/run_output.h"

#include <Eigen/Geometry>
#include <cmath>

#include "dynamics/kinematics.h"
#include "recording/channels.h"

namespace ricochet {
namespace {

bool HasNoise(const SimulateOptions& options) { return options.noise_position > 0 || options.noise_angle > 0; }

Eigen::Quaterniond QuaternionAt(const Eigen::VectorXd& q, int at) { return {q[at], q[at + 1], q[at + 2], q[at + 3]}; }

/// State a fraction s of the way from the start to the end of a step.
void Interpolate(Space space, const StepResult& step, double s, State& out) {
  out.time = step.start.time + s * step.h;
  out.q = (1 - s) * step.start.q + s * step.end.q;
  out.v = step.end.v;
  if (space == Space::kPlanar) return;
  for (int at = 3; at < out.q.size(); at += 7) {
    const Eigen::Quaterniond turned = QuaternionAt(step.start.q, at).slerp(s, QuaternionAt(step.end.q, at));
    out.q.segment<4>(at) << turned.w(), turned.x(), turned.y(), turned.z();
  }
}

}  // namespace

RunSampler::RunSampler(const Model& model, const State& start, const SimulateOptions& options, RowFunction row,
                       ContactFunction contact)
    : model_(model),
      options_(options),
      row_(std::move(row)),
      contact_(std::move(contact)),
      random_(options.seed),
      start_time_(start.time),
      between_(start) {
  Emit(start);
}

std::vector<std::string> RunSampler::Columns(const Scene& scene, const SimulateOptions& options) {
  return BodyColumns(scene, !HasNoise(options));
}

bool RunSampler::OnStep(const StepResult& step) {
  for (const ContactRecord& contact : step.contacts) contact_(step.end.time, contact);
  if (!options_.rate) {
    Emit(step.end);
    return true;
  }
  for (;; ++next_sample_) {
    const double time = start_time_ + static_cast<double>(next_sample_) / *options_.rate;
    const double s = (time - step.start.time) / step.h;
    if (s > 1 + 1e-9) return true;
    Interpolate(model_.space, step, std::min(s, 1.0), between_);
    between_.time = time;
    Emit(between_);
  }
}

void RunSampler::Emit(const State& state) {
  values_.clear();
  const int nq = PoseSize(model_.space), nv = VelocitySize(model_.space);
  const bool noisy = HasNoise(options_);
  for (int body = 0; body < model_.body_count(); ++body) {
    if (model_.scene->bodies[body].fixed) continue;
    double pose[7];
    BodyPose(model_, state, body, std::span(pose, nq));
    if (noisy) {
      const int linear = model_.space == Space::kPlanar ? 2 : 3;
      for (int i = 0; i < linear; ++i) pose[i] += options_.noise_position * random_.Normal();
      if (model_.space == Space::kPlanar) {
        pose[2] += options_.noise_angle * random_.Normal();
      } else {
        const Eigen::Vector3d turn(random_.Normal(), random_.Normal(), random_.Normal());
        const double angle = options_.noise_angle * turn.norm();
        const Eigen::Quaterniond noise(Eigen::AngleAxisd(angle, turn.normalized()));
        const Eigen::Quaterniond turned = noise * Eigen::Quaterniond(pose[3], pose[4], pose[5], pose[6]);
        pose[3] = turned.w(), pose[4] = turned.x(), pose[5] = turned.y(), pose[6] = turned.z();
      }
    }
    values_.insert(values_.end(), pose, pose + nq);
    if (!noisy) values_.insert(values_.end(), state.v.data() + nv * body, state.v.data() + nv * (body + 1));
  }
  row_(state.time, values_);
}

}  // namespace ricochet
