// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Residuals of some recordings for the solver of blocks (optimize/block_least_squares.h): one block each, its start
// local, the parameters common. While few rows are fitted, one block more holds weak priors about where the parameters
// began.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <utility>
#include <vector>

#include "estimators/spatial_trajectory/spatial_rollout.h"
#include "optimize/block_least_squares.h"

namespace ricochet {

class SpatialResiduals final : public BlockResiduals {
 public:
  /// Family and rollouts must outlive it. `prior`: center of the priors; none: no priors.
  SpatialResiduals(const SpatialFamily& family, std::vector<const SpatialRollout*> rollouts,
                   std::optional<Eigen::VectorXd> prior = std::nullopt)
      : family_(family), rollouts_(std::move(rollouts)), prior_(std::move(prior)) {}

  int blocks() const override { return static_cast<int>(rollouts_.size()) + (prior_ ? 1 : 0); }
  int local_size(int block) const override { return IsPrior(block) ? 0 : Of(block).local_size(); }
  int common_size() const override { return family_.size(); }
  Eigen::VectorXd MoveCommon(const Eigen::VectorXd& common, const Eigen::VectorXd& step) const override {
    return family_.parameters().Move(common, step);
  }
  bool SetCommon(const Eigen::VectorXd& common) override;
  bool Evaluate(int block, const Eigen::VectorXd& local, Eigen::VectorXd& residuals,
                Eigen::MatrixXd* jacobian) override;

 private:
  bool IsPrior(int block) const { return block >= static_cast<int>(rollouts_.size()); }
  const SpatialRollout& Of(int block) const { return *rollouts_[static_cast<std::size_t>(block)]; }

  const SpatialFamily& family_;
  std::vector<const SpatialRollout*> rollouts_;
  std::optional<Eigen::VectorXd> prior_;
  Eigen::VectorXd common_;
  std::optional<SpatialInstance> instance_;
};

}  // namespace ricochet
