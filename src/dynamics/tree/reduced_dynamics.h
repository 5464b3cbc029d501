// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Rigid mechanisms in minimal coordinates: the limit of zero compliance and zero step that `spook` approaches.
//
// For a tree of hinges and sliders with coordinates x and rates r the velocities of all bodies are v = J(x) r, and
//
//     (sum J^T M J + J_shaft) x'' = sum J^T (f + f_g - M J' r) + K u - b r,     f_g = -(0, w x I w).
//
// J's columns are the velocities for unit rates and J' r is the change of v along the motion at constant rates; both
// come from the placement of bodies by joints (joint_configuration.h), the second with a Jet. Dry friction, limits,
// drives and contacts are not part of it: Check() refuses a model that has them.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "dynamics/joint_configuration.h"
#include "math/jet.h"
#include "model/model.h"

namespace ricochet {

class ReducedDynamics {
 public:
  /// Throws InputError for loops, joints other than hinge, slider and fixed, bodies no joint places, and what is named
  /// above. Dry friction of coefficient 0 counts as none.
  explicit ReducedDynamics(const Model& model);

  /// Joints that move, in the scene's order.
  const std::vector<int>& joints() const { return joints_; }
  int dof() const { return static_cast<int>(joints_.size()); }

  /// The scene's initial coordinates and rates: (x, r).
  Eigen::VectorXd InitialState() const;

  /// d/dt (x, r) with motor inputs u (in the model's order; may be empty).
  Eigen::VectorXd Derivative(const Eigen::VectorXd& state, std::span<const double> u) const;

  /// One step of the classical Runge-Kutta method of order 4, inputs held.
  Eigen::VectorXd Step(const Eigen::VectorXd& state, std::span<const double> u, double h) const;

  /// Kinetic and potential energy, shafts included [J].
  double Energy(const Eigen::VectorXd& state) const;

 private:
  template <class T>
  MechanismState<T> Place(const SpatialModel<T>& model, const Eigen::Matrix<T, Eigen::Dynamic, 1>& x,
                          const Eigen::Matrix<T, Eigen::Dynamic, 1>& r) const;

  const Model* model_;
  PlacementPlan plan_;
  std::vector<int> joints_;
  std::vector<NumberId> angle_, rate_;
  SpatialModel<Jet<1>> with_time_;
};

}  // namespace ricochet
