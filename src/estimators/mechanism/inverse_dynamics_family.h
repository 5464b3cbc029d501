// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A jointed scene as a family of mechanisms over the numbers that are to be estimated.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dynamics/tree_mechanism.h"
#include "ricochet/parameter.h"
#include "ricochet/scene.h"

namespace ricochet {

/// The mechanism and the observation at some values of the wanted numbers.
struct JointedInstance {
  TreeConstants<double> constants;
  std::vector<TreeParameter> parameters;  // one per wanted number
  double delay = 0;                       // [s]: a row shows the motion this much earlier
  std::vector<double> offset;             // per coordinate: recorded = coordinate + offset
};

class JointedFamily {
 public:
  /// Throws InputError for scenes without minimal coordinates and for numbers that are no parameters of a fit.
  JointedFamily(const Scene& scene, std::vector<SelectedParameter> wanted);

  int size() const { return static_cast<int>(wanted_.size()); }
  int dof() const { return mechanism_->dof(); }
  const Scene& scene() const { return scene_; }
  const Model& model() const { return model_; }
  const TreeMechanism& mechanism() const { return *mechanism_; }
  const std::vector<SelectedParameter>& wanted() const { return wanted_; }
  std::vector<std::string> names() const;

  const Eigen::VectorXd& start() const { return start_; }
  const Eigen::VectorXd& lower() const { return lower_; }
  const Eigen::VectorXd& upper() const { return upper_; }
  const Eigen::VectorXd& scale() const { return scale_; }  // typical size, from the start values
  /// The size of a number whose value is known better: its value, or for angles, offsets and delays a fixed one.
  double ScaleAt(int index, double value) const;

  int delay_index() const { return delay_at_; }                                          // -1: not wanted
  int offset_index(int dof) const { return offset_at_[static_cast<std::size_t>(dof)]; }  // -1: not wanted
  /// Per coordinate: dry friction is there, or its coefficient is wanted.
  const std::vector<char>& slides() const { return slides_; }

  /// Values after a step. What Stribeck's curve adds at rest and the rate at which it fades trade against each other as
  /// powers, so both move by factors: valleys of the cost are straight then. Other numbers are added to.
  Eigen::VectorXd Moved(const Eigen::VectorXd& params, const Eigen::VectorXd& step) const;

  JointedInstance Compile(const Eigen::VectorXd& params) const;
  /// The scene with these values; not checked.
  Scene SceneAt(const Eigen::VectorXd& params) const;

 private:
  Scene scene_;
  std::vector<SelectedParameter> wanted_;
  Model model_;
  std::unique_ptr<TreeMechanism> mechanism_;
  Eigen::VectorXd start_, lower_, upper_, scale_;
  int delay_at_ = -1;
  std::vector<int> offset_at_;
  std::vector<NumberId> offset_number_;
  std::vector<char> slides_;
};

}  // namespace ricochet
