// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Bodies that follow from joint angles and rates: the scene's `initial` for mechanisms.
//
// Bodies with a pose of their own, fixed bodies and the world are placed first. Then joints place the body on their
// other side, joints with an `initial` before those without (coordinate and rate 0):
//
//     hinge, slider, fixed    child frame = parent frame, turned by the angle about, or moved along, the axis
//     ball, distance          frames parallel; the child's point `length` along the parent's axis
//     universal               the child's axis along the parent's `zero`
//     velocities              w_C = w_P + rate axis,   v_C = v_P + w_P x (p_C - p_P) + ...
//
// A joint both of whose bodies are placed by other joints closes a loop. Then the bodies without a pose of their own
// are moved, by the smallest change (Gauss-Newton, least norm), until all rows of all joints vanish and all given
// coordinates have their values, and velocities are projected likewise. A loop that cannot be closed is an InputError.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "dynamics/joints/joint.h"
#include "dynamics/state.h"
#include "math/so3.h"
#include "model/model.h"

namespace ricochet {

/// Poses and velocities of all bodies on any scalar.
template <class T>
struct MechanismState {
  std::vector<Vector3<T>> p;               // p_WBcm
  std::vector<Quaternion<T>> orientation;  // R_WB
  std::vector<Vector6<T>> v;               // v_WBcm, w_WB
};

/// Joints in the order in which they place bodies, and the body each places; the others close loops.
struct PlacementPlan {
  struct Step {
    int joint;
    bool forward;  // places the child; false: the parent
  };
  std::vector<Step> steps;
  std::vector<int> loops;
  std::vector<int> unplaced;  // bodies that no joint reaches
};

/// `placed`: bodies that have their pose already.
PlacementPlan PlanPlacement(const Scene& scene, const std::vector<char>& placed);

/// Runs the plan's steps (not the loops). `numbers` is the table of the scene's values on T.
template <class T>
void PlaceBodies(const Scene& scene, const SpatialModel<T>& model, std::span<const T> numbers,
                 const PlacementPlan& plan, MechanismState<T>& state);

/// Moves bodies for which `movable` is true until all joints' rows vanish and the coordinates given in the scene hold;
/// then projects velocities. Returns the largest violation left [m, rad].
double CloseLoops(const Model& model, const std::vector<char>& movable, State& state);

/// Places every body of a jointed spatial scene; bodies with `placed` set have their pose in the state. Throws
/// InputError for a body that nothing places or a loop that does not close.
void PlaceMechanism(const Model& model, const std::vector<char>& placed, State& state);

// --- Implementation of the template.

namespace internal {

/// Coordinate and rate that the scene gives a joint; zero where it does not.
template <class T>
std::pair<T, T> GivenMotion(const Scene& scene, int joint, std::span<const T> numbers) {
  std::pair<T, T> out{T(0), T(0)};
  for (const Initial& initial : scene.initial) {
    if (initial.name != scene.joints[joint].name) continue;
    if (initial.angle) out.first = numbers[initial.angle.index];
    if (initial.rate) out.second = numbers[initial.rate.index];
  }
  return out;
}

/// Orientation of the frame with columns zero, third, axis.
template <class T>
Matrix3<T> FrameRotation(const SpatialJointFrame<T>& frame) {
  Matrix3<T> R;
  R << frame.zero, frame.axis.cross(frame.zero), frame.axis;
  return R;
}

}  // namespace internal

template <class T>
void PlaceBodies(const Scene& scene, const SpatialModel<T>& model, std::span<const T> numbers,
                 const PlacementPlan& plan, MechanismState<T>& state) {
  using std::cos;
  using std::sin;
  for (const PlacementPlan::Step& step : plan.steps) {
    const SpatialJoint<T>& joint = model.joints[step.joint];
    const auto [x, rate] = internal::GivenMotion<T>(scene, step.joint, numbers);

    // Relative placement of the child's frame in the parent's, both with columns zero, third, axis.
    Matrix3<T> R_PC = Matrix3<T>::Identity();
    Vector3<T> p_PC = Vector3<T>::Zero(), w_PC = Vector3<T>::Zero(), v_PC = Vector3<T>::Zero();
    switch (joint.type) {
      case JointType::kHinge:
        R_PC << cos(x), -sin(x), T(0), sin(x), cos(x), T(0), T(0), T(0), T(1);
        w_PC[2] = rate;
        break;
      case JointType::kSlider:
        p_PC[2] = x;
        v_PC[2] = rate;
        break;
      case JointType::kUniversal:
        // axis of the child along zero of the parent, zero of the child along minus axis of the parent
        R_PC << T(0), T(0), T(1), T(0), T(1), T(0), T(-1), T(0), T(0);
        break;
      case JointType::kDistance:
        p_PC[2] = joint.length;
        break;
      case JointType::kBall:
      case JointType::kFixed:
        break;
    }

    // Both frames in their bodies; the world is a body at rest.
    const Matrix3<T> F_P = internal::FrameRotation<T>(joint.parent_frame);
    const Matrix3<T> F_C = internal::FrameRotation<T>(joint.child_frame);
    const Vector3<T> origin = Vector3<T>::Zero();
    const Vector3<T> a_P = joint.parent_frame.point - (joint.parent < 0 ? origin : model.bodies[joint.parent].p_BBcm);
    const Vector3<T> a_C = joint.child_frame.point - model.bodies[joint.child].p_BBcm;
    const int known = step.forward ? joint.parent : joint.child;
    const int target = step.forward ? joint.child : joint.parent;
    Matrix3<T> R_known = Matrix3<T>::Identity();
    Vector3<T> p_known = origin;
    Vector6<T> v_known = Vector6<T>::Zero();
    if (known >= 0) {
      R_known = RotationMatrix<T>(state.orientation[known]);
      p_known = state.p[known];
      v_known = state.v[known];
    }
    const Matrix3<T> R_relative = F_P * R_PC * F_C.transpose();  // R of the child in the parent's body
    const Matrix3<T> R_P = step.forward ? R_known : Matrix3<T>(R_known * R_relative.transpose());
    const Matrix3<T> R_C = step.forward ? Matrix3<T>(R_known * R_relative) : R_known;
    const Vector3<T> arm_P = R_P * a_P, arm_C = R_C * a_C, along = R_P * (F_P * p_PC);
    const Vector3<T> w = R_P * (F_P * w_PC), slide = R_P * (F_P * v_PC);

    Vector3<T> p;
    Vector6<T> v;
    if (step.forward) {
      p = p_known + arm_P + along - arm_C;
      const Vector3<T> w_P = v_known.template tail<3>(), w_C = w_P + w;
      v << v_known.template head<3>() + w_P.cross(arm_P + along) + slide - w_C.cross(arm_C), w_C;
      state.orientation[target] = QuaternionFromMatrix<T>(R_C);
    } else {
      p = p_known + arm_C - along - arm_P;
      const Vector3<T> w_C = v_known.template tail<3>(), w_P = w_C - w;
      v << v_known.template head<3>() + w_C.cross(arm_C) - slide - w_P.cross(arm_P + along), w_P;
      state.orientation[target] = QuaternionFromMatrix<T>(R_P);
    }
    state.p[target] = p;
    state.v[target] = v;
  }
}

}  // namespace ricochet
