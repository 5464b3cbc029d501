// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A spatial scene as a family of models over the parameters that are to be estimated (model/parameter_map.h), for any
// stepper; the spatial twin of planar_family.h. Setting a parameter moves the numbers that the scene derives from it;
// models compiled in Jets derive them again, so that derivatives by the map's pivots include that.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/model.h"
#include "model/model_pool.h"
#include "model/parameter_map.h"
#include "observation/sensor.h"
#include "ricochet/parameter.h"
#include "ricochet/scene.h"
#include "steppers/stepper.h"

namespace ricochet {

/// The model at some values of the parameters.
struct SpatialInstance {
  Model model;
  std::vector<NumberId> numbers;                       // of the scene, that the parameters set: one each
  Eigen::MatrixXd number_by_params;                    // their derivatives, one column per parameter
  std::vector<SpatialSensor<double>> frames;           // what is recorded of each body of the scene
  std::vector<std::vector<SensorDependence>> depends;  // on which of `numbers` it depends beside the state
  std::vector<SpatialSensor<double>> points;           // and of each observed point of the scene
  std::vector<std::vector<SensorDependence>> point_depends;
  double delay = 0;             // [s]: a row shows the state this much earlier
  Eigen::RowVectorXd delay_by;  // its derivatives by the parameters
};

class SpatialFamily {
 public:
  /// Throws InputError for scenes that the scene's stepper cannot run, or without a body that moves.
  SpatialFamily(const Scene& scene, std::vector<SelectedParameter> selected);

  const ParameterMap& parameters() const { return parameters_; }
  int size() const { return parameters_.size(); }
  const Scene& scene() const { return parameters_.scene(); }
  const Stepper& stepper() const { return *stepper_; }
  double step() const { return step_; }                                              // [s]
  const std::vector<int>& moving() const { return moving_; }                         // bodies that are not fixed
  double size_of(int body) const { return sizes_[static_cast<std::size_t>(body)]; }  // [m], by index of the scene
  const std::vector<SelectedParameter>& selected() const { return parameters_.selected(); }
  Quantity quantity(int index) const { return parameters_.quantity(index); }

  const Eigen::VectorXd& start() const { return parameters_.start(); }  // the scene's own values
  const Eigen::VectorXd& lower() const { return parameters_.lower(); }
  const Eigen::VectorXd& upper() const { return parameters_.upper(); }
  const Eigen::VectorXd& scale() const { return parameters_.scale(); }

  /// None where no rigid body has these values.
  std::optional<SpatialInstance> Compile(const Eigen::VectorXd& values) const;

  /// The scene with these values, for `--scene-out`.
  Scene Calibrated(const Eigen::VectorXd& values) const;

 private:
  ParameterMap parameters_;
  ModelPool models_;
  ObservationNumbers observation_;
  const Stepper* stepper_ = nullptr;
  double step_ = 0;
  std::vector<int> moving_;
  std::vector<double> sizes_;
};

}  // namespace ricochet
