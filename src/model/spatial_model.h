// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A spatial scene compiled to constants; the spatial twin of planar_model.h.
#pragma once

#include <Eigen/Core>
#include <array>
#include <span>
#include <vector>

#include "geometry/spatial_shape.h"
#include "model/load.h"
#include "ricochet/scene.h"

namespace ricochet {

template <class T>
struct SpatialBody {
  T mass;                           // [kg]
  Eigen::Matrix<T, 3, 3> I_BBcm_B;  // [kg m^2]
  Eigen::Matrix<T, 3, 1> p_BBcm;    // [m]
  SpatialShape<T> shape;            // in the body frame B (`present` false without shape)
  bool fixed = false;
  bool has_drag = false;
  T drag_linear = T(0), drag_quadratic = T(0);  // [N s/m], [N s^2/m^2]
};

template <class T>
struct SpatialSurface {
  Eigen::Matrix<T, 3, 1> point;
  Eigen::Matrix<T, 3, 3> R_WS;      // columns x, y, z; z is the normal (frame rule of the scene format)
  Eigen::Matrix<T, 3, 1> velocity;  // of the material, world axes
  bool bounded = false;
  T x0, x1, y0, y1;  // extent in S
};

template <class T>
struct SpatialLaw {
  T friction, restitution, tangential_restitution;
  bool has_patch = false;
  Eigen::Matrix<T, 3, 1> patch;  // e_t, e_o, e_r
  bool has_restitution_speed = false, has_compliance = false, has_rounding = false;
  T restitution_low, restitution_speed;  // [-], [m/s]
  T compliance, damping;                 // [m/N], [s]
  T rounding;                            // [m]
};

/// A pair that may touch: body against surface (`surface` >= 0) or body against body (`other` >= 0).
template <class T>
struct SpatialPair {
  int body = 0, surface = -1, other = -1;
  SpatialLaw<T> law;
};

template <class T>
struct SpatialJointFrame {
  Eigen::Matrix<T, 3, 1> point, axis, zero;  // axis and zero are unit and orthogonal; in the frame of their body
};

template <class T>
struct SpatialJoint {
  JointType type{};
  int parent = -1;  // body index, -1 is the world
  int child = 0;
  SpatialJointFrame<T> parent_frame, child_frame;
  T compliance_linear, compliance_angular, damping, viscous;
  bool has_coulomb = false;
  T coulomb;  // [N m], [N]
  bool has_dry = false;
  DryNorm dry_norm = DryNorm::kL1;
  T dry_radius, dry_friction;
  bool has_stribeck = false;
  T stribeck_static, stribeck_rate;
  bool has_motor = false;
  T motor_gain, motor_shaft_inertia;
  int motor_input = -1;  // index into SpatialModel::inputs
  InputInterpolation motor_interpolation = InputInterpolation::kHold;
  bool has_drive = false;
  T drive_stiffness, drive_damping;
  std::array<T, 2> drive_target, drive_rate;  // per coordinate
  bool has_limits = false;
  std::array<bool, 2> has_lower{}, has_upper{};
  std::array<T, 2> lower, upper;  // per coordinate; ball: swing (upper alone) and twist
  bool has_length = false;        // kDistance: the distance is kept
  T length;                       // kDistance: kept, or where bodies are placed
};

template <class T>
struct SpatialModel {
  Eigen::Matrix<T, 3, 1> gravity;
  std::vector<SpatialBody<T>> bodies;
  std::vector<SpatialSurface<T>> surfaces;
  std::vector<SpatialPair<T>> pairs;  // moving bodies with shapes against surfaces, then against other bodies
  std::vector<SpatialJoint<T>> joints;
  std::vector<Load<T>> loads;
  std::vector<std::string> inputs;  // names of motor inputs
};

/// `numbers` has one value per entry of scene.numbers(). Compiled for the scalars at the end of spatial_model.cc.
template <class T>
SpatialModel<T> CompileSpatial(const Scene& scene, std::span<const T> numbers);

}  // namespace ricochet
