// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dynamics/tree/reduced_dynamics.h"

#include <fmt/format.h>

#include "math/dense.h"
#include "model/cast_model.h"
#include "scene/optional_parts.h"

namespace ricochet {

namespace {

template <class T>
std::vector<T> Numbers(const Scene& scene) {
  std::vector<T> numbers;
  for (const SceneNumber& number : scene.numbers()) numbers.emplace_back(number.value);
  return numbers;
}

[[noreturn]] void Refuse(const Joint& joint, const std::string& what) {
  throw InputError(joint.where, "joints." + joint.name, fmt::format("minimal coordinates do not support {}.", what),
                   "Simulate the scene with spook.");
}

}  // namespace

ReducedDynamics::ReducedDynamics(const Model& model) : model_(&model) {
  const Scene& scene = *model.scene;
  std::vector<char> placed;
  for (const Body& body : scene.bodies) placed.push_back(body.fixed);
  plan_ = PlanPlacement(scene, placed);
  if (!plan_.unplaced.empty()) {
    const Body& body = scene.bodies[plan_.unplaced.front()];
    throw InputError(body.where, "bodies." + body.name, "minimal coordinates do not support free bodies.",
                     "Join it to the world.");
  }
  if (!plan_.loops.empty()) Refuse(scene.joints[plan_.loops.front()], "closed loops");
  for (size_t j = 0; j < scene.joints.size(); ++j) {
    const Joint& joint = scene.joints[j];
    if (joint.type == JointType::kFixed) continue;
    if (joint.type != JointType::kHinge && joint.type != JointType::kSlider)
      Refuse(joint, "joints other than hinge, slider and fixed");
    if (joint.limits) Refuse(joint, "limits");
    if (HasDrive(scene, joint)) Refuse(joint, "drives");
    if (scene[joint.coulomb] != 0) Refuse(joint, "Coulomb torques");
    if (joint.dry && scene[joint.dry->friction] != 0) Refuse(joint, "dry friction");
    NumberId angle, rate;
    for (const Initial& initial : scene.initial) {
      if (initial.name == joint.name) {
        angle = initial.angle;
        rate = initial.rate;
      }
    }
    if (!angle || !rate)
      throw InputError(joint.where, "initial." + joint.name, "the joint's start is not given.",
                       fmt::format("Add initial.{}: {{angle: 0, rate: 0}}.", joint.name));
    joints_.push_back(static_cast<int>(j));
    angle_.push_back(angle);
    rate_.push_back(rate);
  }
  for (const Body& body : scene.bodies)
    if (HasDrag(scene, body))
      throw InputError(body.where, "bodies." + body.name + ".drag", "minimal coordinates do not support it here.",
                       "Simulate the scene with spook.");
  if (!model.spatial.pairs.empty())
    throw InputError(scene.simulation.method_where, "bodies", "minimal coordinates do not support contacts.",
                     "Remove the shapes.");
  with_time_ = CastModel<Jet<1>>(model.spatial);
}

template <class T>
MechanismState<T> ReducedDynamics::Place(const SpatialModel<T>& model, const Eigen::Matrix<T, Eigen::Dynamic, 1>& x,
                                         const Eigen::Matrix<T, Eigen::Dynamic, 1>& r) const {
  std::vector<T> numbers = Numbers<T>(*model_->scene);
  for (int k = 0; k < dof(); ++k) {
    numbers[angle_[k].index] = x[k];
    numbers[rate_[k].index] = r[k];
  }
  MechanismState<T> state;
  Quaternion<T> upright;
  upright << T(1), T(0), T(0), T(0);
  state.p.assign(model.bodies.size(), Vector3<T>::Zero());
  state.orientation.assign(model.bodies.size(), upright);
  state.v.assign(model.bodies.size(), Vector6<T>::Zero());
  PlaceBodies<T>(*model_->scene, model, std::span<const T>(numbers), plan_, state);
  return state;
}

Eigen::VectorXd ReducedDynamics::InitialState() const {
  Eigen::VectorXd state(2 * dof());
  for (int k = 0; k < dof(); ++k) {
    state[k] = (*model_->scene)[angle_[k]];
    state[dof() + k] = (*model_->scene)[rate_[k]];
  }
  return state;
}

Eigen::VectorXd ReducedDynamics::Derivative(const Eigen::VectorXd& state, std::span<const double> u) const {
  const SpatialModel<double>& spatial = model_->spatial;
  const int n = dof();
  const Eigen::VectorXd x = state.head(n), r = state.tail(n);

  // Positions and bias accelerations: angles move with their rates, rates stand.
  using Time = Jet<1>;
  Eigen::Matrix<Time, Eigen::Dynamic, 1> x_t(n), r_t(n);
  for (int k = 0; k < n; ++k) {
    x_t[k] = Time(x[k], Eigen::Matrix<double, 1, 1>(r[k]));
    r_t[k] = Time(r[k]);
  }
  const MechanismState<Time> along = Place<Time>(with_time_, x_t, r_t);
  std::vector<MechanismState<double>> unit;
  for (int k = 0; k < n; ++k) unit.push_back(Place<double>(spatial, x, Eigen::VectorXd::Unit(n, k)));

  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n, n);
  Eigen::VectorXd force = Eigen::VectorXd::Zero(n);
  for (size_t b = 0; b < spatial.bodies.size(); ++b) {
    if (spatial.bodies[b].fixed) continue;
    Eigen::MatrixXd J(6, n);
    for (int k = 0; k < n; ++k) J.col(k) = unit[k].v[b];
    Vector6<double> bias;
    for (int i = 0; i < 6; ++i) bias[i] = along.v[b][i].v[0];
    const Vector6<double> v = ValueOf(along.v[b]);
    const Matrix3<double> R = RotationMatrix<double>(ValueOf(along.orientation[b]));
    Eigen::Matrix<double, 6, 6> mass = Eigen::Matrix<double, 6, 6>::Zero();
    mass.topLeftCorner<3, 3>().diagonal().setConstant(spatial.bodies[b].mass);
    mass.bottomRightCorner<3, 3>() = R * spatial.bodies[b].I_BBcm_B * R.transpose();
    Vector6<double> f = -mass * bias;
    f.head<3>() += spatial.bodies[b].mass * spatial.gravity;
    const Vector3<double> w = v.tail<3>();
    f.tail<3>() -= w.cross(mass.bottomRightCorner<3, 3>() * w);
    M += J.transpose() * mass * J;
    force += J.transpose() * f;
  }
  for (int k = 0; k < n; ++k) {
    const SpatialJoint<double>& joint = spatial.joints[joints_[k]];
    force[k] -= joint.viscous * r[k];
    if (!joint.has_motor) continue;
    M(k, k) += joint.motor_shaft_inertia;
    if (joint.motor_input < static_cast<int>(u.size())) force[k] += joint.motor_gain * u[joint.motor_input];
  }
  Eigen::VectorXd out(2 * n);
  out << r, SolveSymmetric(M, force);
  return out;
}

Eigen::VectorXd ReducedDynamics::Step(const Eigen::VectorXd& state, std::span<const double> u, double h) const {
  const Eigen::VectorXd k1 = Derivative(state, u);
  const Eigen::VectorXd k2 = Derivative(state + 0.5 * h * k1, u);
  const Eigen::VectorXd k3 = Derivative(state + 0.5 * h * k2, u);
  const Eigen::VectorXd k4 = Derivative(state + h * k3, u);
  return state + (h / 6) * (k1 + 2 * k2 + 2 * k3 + k4);
}

double ReducedDynamics::Energy(const Eigen::VectorXd& state) const {
  const SpatialModel<double>& spatial = model_->spatial;
  const MechanismState<double> at = Place<double>(spatial, state.head(dof()), state.tail(dof()));
  double energy = 0;
  for (size_t b = 0; b < spatial.bodies.size(); ++b) {
    if (spatial.bodies[b].fixed) continue;
    const Vector3<double> w = RotationMatrix<double>(at.orientation[b]).transpose() * at.v[b].tail<3>();
    energy += 0.5 * spatial.bodies[b].mass * at.v[b].head<3>().squaredNorm() +
              0.5 * w.dot(spatial.bodies[b].I_BBcm_B * w) - spatial.bodies[b].mass * spatial.gravity.dot(at.p[b]);
  }
  for (int k = 0; k < dof(); ++k) {
    const SpatialJoint<double>& joint = spatial.joints[joints_[k]];
    if (joint.has_motor) energy += 0.5 * joint.motor_shaft_inertia * state[dof() + k] * state[dof() + k];
  }
  return energy;
}

}  // namespace ricochet
