// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "evaluate/run_output.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/context.h"
#include "dynamics/kinematics.h"
#include "observation/joint_sensor.h"
#include "recording/channels.h"
#include "rollout/rollout.h"

namespace ricochet {
namespace {

/// State a fraction s of the way from the start to the end of a step.
void Interpolate(Space space, const StepResult& step, double s, State& out) {
  out.time = step.start.time + s * step.h;
  out.v = step.end.v;
  if (space == Space::kPlanar) {
    out.q = (1 - s) * step.start.q + s * step.end.q;
    return;
  }
  const Eigen::MatrixXd none;
  const StateBetween between{step.start, step.end, s, none, none};
  out.q.resize(step.end.q.size());
  for (int body = 0; 7 * body < out.q.size(); ++body) out.q.segment<7>(7 * body) = between.Pose(body);
}

/// Joints among the observed channels, in their order; `rates` those observed as rates.
struct ObservedJoint {
  int joint;
  bool rate;
};
std::vector<ObservedJoint> ObservedJoints(const Scene& scene) {
  std::vector<ObservedJoint> joints;
  for (const std::string& channel : scene.observe.channels) {
    const size_t dot = channel.rfind('.');
    if (dot == std::string::npos) continue;
    const int joint = scene.JointIndex(channel.substr(0, dot));
    if (joint >= 0) joints.push_back({joint, channel.substr(dot + 1) == "rate"});
  }
  return joints;
}

/// Where joints alone are recorded, the inputs of their motors are too.
bool WritesInputs(const Scene& scene, const SimulateOptions& options) {
  return options.inputs != nullptr && BodySensors(scene).empty();
}

std::vector<std::string> MotorInputs(const Scene& scene) {
  std::vector<std::string> names;
  for (const Joint& joint : scene.joints) {
    if (joint.motor && std::find(names.begin(), names.end(), joint.motor->input) == names.end())
      names.push_back(joint.motor->input);
  }
  return names;
}

}  // namespace

bool WritesVelocities(const SimulateOptions& options) {
  return !(options.noise_position > 0 || options.noise_angle > 0);
}

RunSampler::RunSampler(const Model& model, const State& start, const SimulateOptions& options, bool velocities,
                       RowFunction row, ContactFunction contact)
    : model_(model),
      options_(options),
      velocities_(velocities),
      bodies_(BodySensors(*model.scene)),
      joints_(FindObservationNumbers(*model.scene).joints),
      delay_(model.scene->observe.delay ? (*model.scene)[model.scene->observe.delay] : 0.0),
      row_(std::move(row)),
      contact_(std::move(contact)),
      random_(CurrentContext().seed),
      start_time_(start.time),
      between_(start),
      turns_(model) {
  if (WritesInputs(*model.scene, options)) {
    inputs_ = InputSignal(*options.inputs, model, InputSignal::MissingColumn::kRefuse);
    u_.resize(inputs_.size());
  }
  Emit(start);
}

std::vector<std::string> RunSampler::Columns(const Scene& scene, const SimulateOptions& options, bool velocities) {
  std::vector<std::string> columns;
  const std::vector<ObservedJoint> joints = ObservedJoints(scene);
  for (const ObservedJoint& at : joints)
    columns.push_back(scene.joints[at.joint].name + (at.rate ? ".rate" : ".angle"));
  if (velocities) {
    for (const ObservedJoint& at : joints) {
      const std::string rate = scene.joints[at.joint].name + ".rate";
      if (std::find(columns.begin(), columns.end(), rate) == columns.end()) columns.push_back(rate);
    }
  }
  if (WritesInputs(scene, options)) {
    for (std::string& name : MotorInputs(scene)) columns.push_back(std::move(name));
  }
  const bool several =
      std::count_if(scene.bodies.begin(), scene.bodies.end(), [](const Body& body) { return !body.fixed; }) > 1;
  for (const BodySensor& sensor : BodySensors(scene)) {
    const std::string prefix = sensor.is_point || several ? sensor.name + "." : "";
    for (const std::string& column : sensor.Columns()) columns.push_back(prefix + column);
    if (!velocities || sensor.is_point) continue;
    for (const std::string& column : VelocityColumns(scene.space)) columns.push_back(prefix + column);
  }
  return columns;
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
    if (s > 1 + 1e-9) {
      // Turns are counted at every step, also where no row is due.
      for (const ObservedJoint& at : ObservedJoints(*model_.scene))
        turns_.Count(at.joint, ReadJoint(model_, step.end, at.joint).coordinate);
      return true;
    }
    Interpolate(model_.space, step, std::min(s, 1.0), between_);
    between_.time = time;
    Emit(between_);
  }
}

void RunSampler::Emit(const State& state) {
  values_.clear();
  AppendJoints(state);
  AppendBodies(state);
  row_(state.time + delay_, values_);
}

void RunSampler::AppendJoints(const State& state) {
  const std::vector<ObservedJoint> joints = ObservedJoints(*model_.scene);
  if (joints.empty()) return;
  // Every hinge and slider counts its turns at every row.
  const size_t count = model_.scene->joints.size();
  angles_.assign(count, 0);
  rates_.assign(count, 0);
  for (size_t j = 0; j < count; ++j) {
    const JointType type = model_.scene->joints[j].type;
    if (type != JointType::kHinge && type != JointType::kSlider) continue;
    const JointReading<double> reading = ReadJoint(model_, state, static_cast<int>(j));
    const JointSensor<double> sensor(joints_[j], *model_.scene);
    angles_[j] = sensor.Angle(turns_.Count(static_cast<int>(j), reading.coordinate));
    rates_[j] = sensor.Rate(reading.rate);
  }
  const bool noisy = !WritesVelocities(options_);
  for (const ObservedJoint& at : joints) {
    const bool slider = model_.scene->joints[at.joint].type == JointType::kSlider;
    const double noise = slider ? options_.noise_position : options_.noise_angle;
    values_.push_back(at.rate ? rates_[at.joint] : angles_[at.joint] + (noisy ? noise * random_.Normal() : 0.0));
  }
  if (velocities_) {
    std::vector<char> written(count, 0);
    for (const ObservedJoint& at : joints) written[at.joint] = written[at.joint] || at.rate;
    for (const ObservedJoint& at : joints) {
      if (!std::exchange(written[at.joint], 1)) values_.push_back(rates_[at.joint]);
    }
  }
  if (!u_.empty()) {
    inputs_.At(state.time + delay_, InputSignal::Side::kAfter, u_);
    values_.insert(values_.end(), u_.begin(), u_.end());
  }
}

void RunSampler::AppendBodies(const State& state) {
  const int nq = PoseSize(model_.space), nv = VelocitySize(model_.space);
  const std::size_t linear = model_.space == Space::kPlanar ? 2 : 3;
  for (const BodySensor& sensor : bodies_) {
    double pose[7];
    BodyPose(model_, state, sensor.body, std::span(pose, nq));
    const std::size_t first = values_.size();
    sensor.Record(std::span(pose, nq), values_);
    double* seen = values_.data() + first;
    if (!WritesVelocities(options_)) {
      for (std::size_t i = 0; i < linear; ++i) seen[i] += options_.noise_position * random_.Normal();
      if (!sensor.is_point) DisturbRotation(seen + linear);
    }
    if (velocities_ && !sensor.is_point)
      values_.insert(values_.end(), state.v.data() + nv * sensor.body, state.v.data() + nv * (sensor.body + 1));
  }
}

void RunSampler::DisturbRotation(double* rotation) {
  if (model_.space == Space::kPlanar) {
    rotation[0] += options_.noise_angle * random_.Normal();
    return;
  }
  const Eigen::Vector3d turn(random_.Normal(), random_.Normal(), random_.Normal());
  const double angle = options_.noise_angle * turn.norm();
  const Eigen::Quaterniond noise(Eigen::AngleAxisd(angle, turn.normalized()));
  const Eigen::Quaterniond turned = noise * Eigen::Quaterniond(rotation[0], rotation[1], rotation[2], rotation[3]);
  rotation[0] = turned.w(), rotation[1] = turned.x(), rotation[2] = turned.y(), rotation[3] = turned.z();
}

}  // namespace ricochet
