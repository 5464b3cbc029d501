// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A simulator of a tossed box that shares no code with the steppers, for tests and gauntlets: flights by closed form
// and Runge-Kutta, contact by steps of 5 us with impulses at the corners from projected Gauss-Seidel sweeps. Coulomb's
// cone, Newton's restitution at every corner.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cstdint>
#include <string>
#include <vector>

#include "ricochet/recording.h"

namespace ricochet::testing {

struct BoxWorld {
  Eigen::Vector3d size = {0.1, 0.1, 0.1};      // [m]
  Eigen::Vector3d center_of_mass = {0, 0, 0};  // in the box's frame [m]
  Eigen::Vector3d inertia = {1, 1, 1};         // about the center of mass, over the mass [m^2]
  Eigen::Vector3d gravity = {0, 0, -9.81};     // [m/s^2]
  Eigen::Vector3d surface = {0, 0, 0};         // a point of it [m]
  Eigen::Vector3d normal = {0, 0, 1};          // of the surface
  Eigen::Vector3d belt = {0, 0, 0};            // velocity of the surface [m/s]
  double friction = 0.3, restitution = 0.2;
  double step = 5e-6;  // in contact [s]
};

/// Moments over the mass of a box of uniform density.
Eigen::Vector3d UniformInertia(const Eigen::Vector3d& size);

struct BoxState {
  Eigen::Vector3d position = {0, 0, 0};  // of the center of mass [m]
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();
  Eigen::Vector3d velocity = {0, 0, 0};
  Eigen::Vector3d spin = {0, 0, 0};  // angular velocity, world axes [rad/s]
};

/// States at times 0, 1 / rate, ... of a motion; ends `after_rest` [s] after the box has come to rest on a standing
/// surface, at `longest` [s] at the latest.
std::vector<BoxState> SimulateBox(const BoxWorld& world, const BoxState& start, double rate, double longest,
                                  double after_rest);

/// What a camera records of it: poses of the box's frame, moved and turned by a tracked frame in it.
struct BoxCamera {
  double rate = 360;                   // [1/s]
  double noise_position = 3e-4;        // [m]
  double noise_angle = 1.5e-3;         // [rad]
  Eigen::Vector3d frame = {0, 0, 0};   // position of the tracked frame [m]
  Eigen::Vector3d turned = {0, 0, 0};  // its rotation vector [rad]
};
Recording RecordBox(const BoxWorld& world, const std::vector<BoxState>& states, const BoxCamera& camera,
                    std::uint64_t seed, const std::string& name);

}  // namespace ricochet::testing
