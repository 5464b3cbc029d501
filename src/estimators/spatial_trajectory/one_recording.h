// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// One recording as a problem of its own, where the fit of all (spatial_fit.h) tries something.
#pragma once

#include <optional>

#include "estimators/spatial_trajectory/spatial_rollout.h"
#include "optimize/block_least_squares.h"

namespace ricochet {

/// The residuals of one recording alone.
class OneRecording final : public BlockResiduals {
 public:
  OneRecording(const SpatialFamily& family, const SpatialRollout& rollout) : family_(family), rollout_(rollout) {}
  int blocks() const override { return 1; }
  int local_size(int) const override { return rollout_.local_size(); }
  int common_size() const override { return family_.size(); }
  Eigen::VectorXd MoveCommon(const Eigen::VectorXd& common, const Eigen::VectorXd& step) const override {
    return family_.parameters().Move(common, step);
  }
  bool SetCommon(const Eigen::VectorXd& common) override {
    instance_ = family_.Compile(common);
    return instance_.has_value();
  }
  bool Evaluate(int, const Eigen::VectorXd& local, Eigen::VectorXd& residuals, Eigen::MatrixXd* jacobian) override {
    return rollout_.Evaluate(*instance_, local, residuals, jacobian);
  }

 private:
  const SpatialFamily& family_;
  const SpatialRollout& rollout_;
  std::optional<SpatialInstance> instance_;
};

}  // namespace ricochet
