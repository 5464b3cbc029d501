// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A jointed scene as a family of mechanisms over the parameters of a fit.
//
// The scene at some values is that of model/parameter_map.h: ratios and products in any order. Effects of parameters
// are derivatives by the values, numbers that follow from several of them included.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "dynamics/tree/tree_mechanism.h"
#include "model/parameter_map.h"
#include "observation/joint_sensor.h"
#include "optimize/chain_least_squares.h"

namespace ricochet {

/// Derivatives of the numbers of a joint's sensor by the parameters.
struct JointSensorBy {
  Eigen::RowVectorXd scale, sine, cosine, offset, rate_scale, rate_offset;
  bool of_angle = false, of_rate = false;  // some of them are not 0
};

/// The mechanism and its sensors at some values of the parameters.
struct JointedInstance {
  TreeConstants<double> constants;
  std::vector<TreeParameter> parameters;  // the effect of each value on the motion
  double delay = 0;                       // [s]: a row shows the motion this much earlier
  Eigen::RowVectorXd delay_by;            // its derivatives by the values
  /// Per coordinate: what its columns show, and the derivatives of the numbers of the sensor by the values.
  std::vector<JointSensor<double>> sensors;
  std::vector<JointSensorBy> sensors_by;

  /// Adds `weight` times the derivatives by the values of what the angle column shows of a coordinate, and the rate
  /// column of a rate, that stay as they are.
  void AddAngleBy(int dof, double x, double weight, Eigen::Ref<Eigen::RowVectorXd> row) const;
  void AddRateBy(int dof, double r, double weight, Eigen::Ref<Eigen::RowVectorXd> row) const;

  /// Whether a parameter changes what sensors show of a motion.
  bool IsOfSensors(int index) const;
};

class JointedFamily {
 public:
  /// Throws InputError for scenes without minimal coordinates and for numbers that are no parameters of a fit.
  JointedFamily(const Scene& scene, std::vector<SelectedParameter> selected);

  const ParameterMap& parameters() const { return parameters_; }
  int size() const { return parameters_.size(); }
  int dof() const { return mechanism_->dof(); }
  const Scene& scene() const { return parameters_.scene(); }
  const Model& model() const { return model_; }
  const TreeMechanism& mechanism() const { return *mechanism_; }

  const Eigen::VectorXd& start() const { return parameters_.start(); }
  const Eigen::VectorXd& lower() const { return parameters_.lower(); }
  const Eigen::VectorXd& upper() const { return parameters_.upper(); }
  const Eigen::VectorXd& scale() const { return scale_; }  // typical size, from the start values
  /// The size of a parameter whose value is known better: its value, or for angles, offsets and delays a fixed one.
  double ScaleAt(int index, double value) const;

  /// Standard deviation of what is known of a parameter beforehand: so far the start value holds what no data
  /// determine.
  double PriorDeviation(int index) const;

  /// Per coordinate: friction that can hold it is there, or a number of it is a parameter.
  const std::vector<char>& slides() const { return slides_; }
  /// Parameters that set friction that can hold a joint.
  std::vector<int> DryFriction() const;

  /// Values after a step, within their bounds (model/parameter_map.h). Moments that the data do not identify give way.
  Eigen::VectorXd Moved(const Eigen::VectorXd& values, const Eigen::VectorXd& step) const;

  /// The step of the values that solves the border of a chain, to values that bodies can have: where a moment of
  /// inertia would exceed the sum of the other two, the likeliest step that ends at equality.
  Eigen::VectorXd BoundedStep(const ChainBorder& border, const Eigen::VectorXd& values, const std::vector<char>& held,
                              double ridge = 0) const;

  JointedInstance Compile(const Eigen::VectorXd& values) const;

 private:
  ParameterMap parameters_;
  Model model_;
  std::unique_ptr<TreeMechanism> mechanism_;
  Eigen::VectorXd scale_;
  std::vector<JointSensorNumbers> sensors_;  // per coordinate
  std::vector<char> slides_;
};

}  // namespace ricochet
