// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "optimize/block_least_squares.h"

#include <algorithm>
#include <cmath>

#include "core/threads.h"
#include "math/dense.h"
#include "optimize/marquardt.h"

namespace ricochet {
namespace {

constexpr double kLeastDamping = 1e-7;  // of local parameters: directions without effect must not run away

/// Normal equations of one block, and what it takes part with in the common ones.
struct BlockSystem {
  Eigen::VectorXd residuals;
  Eigen::MatrixXd jacobian;
  Eigen::MatrixXd H, G, C;  // J_l'J_l, J_l'J_c, J_c'J_c
  Eigen::VectorXd g, g_common;
  Eigen::VectorXd damping;  // diagonal, squared; 0: the parameter has no effect and stays
  double cost = 0;
  bool computed = false;
  // Of the damped system.
  Eigen::MatrixXd solved_G;  // H^-1 G
  Eigen::VectorXd solved_g;  // H^-1 g
  Eigen::VectorXd trial, step;
  double trial_cost = 0;
};

class BlockProblem final : public MarquardtProblem {
 public:
  BlockProblem(BlockResiduals& residuals, const BlockLeastSquaresOptions& options, BlockPoint& point)
      : residuals_(residuals), options_(options), point_(point), systems_(residuals.blocks()) {
    Clip(point_.common);
  }

  bool Linearize() override {
    if (!residuals_.SetCommon(point_.common)) return false;
    const Eigen::Index p = residuals_.common_size();
    ParallelFor(static_cast<int>(systems_.size()), [&](int k) {
      BlockSystem& s = systems_[static_cast<std::size_t>(k)];
      s.computed = residuals_.Evaluate(k, point_.local[static_cast<std::size_t>(k)], s.residuals, &s.jacobian) &&
                   s.residuals.allFinite() && s.jacobian.allFinite();
      if (!s.computed) return;
      s.cost = LeastSquaresCost(s.residuals, options_.huber);
      ApplyLoss(options_.huber, s.residuals, s.jacobian);
      const Eigen::Index m = s.jacobian.cols() - p;
      const auto local = s.jacobian.leftCols(m);
      const auto common = s.jacobian.rightCols(p);
      s.H.noalias() = local.transpose() * local;
      s.G.noalias() = local.transpose() * common;
      s.C.noalias() = common.transpose() * common;
      s.g.noalias() = local.transpose() * s.residuals;
      s.g_common.noalias() = common.transpose() * s.residuals;
      s.damping = s.H.diagonal();
    });
    cost = 0;
    for (const BlockSystem& system : systems_) {
      if (!system.computed) return false;
      cost += system.cost;
    }
    return true;
  }

  /// Sums over the blocks, and the common parameters that may move. The blocks' own always can.
  bool Prepare() override {
    const Eigen::Index p = residuals_.common_size();
    C_ = Eigen::MatrixXd::Zero(p, p);
    g_ = Eigen::VectorXd::Zero(p);
    for (const BlockSystem& system : systems_) {
      C_ += system.C;
      g_ += system.g_common;
    }
    free_.clear();
    for (Eigen::Index i = 0; i < p; ++i) {
      const bool held = !options_.held.empty() && options_.held[static_cast<std::size_t>(i)];
      const bool low = options_.lower.size() == p && point_.common[i] <= options_.lower[i] && g_[i] > 0;
      const bool high = options_.upper.size() == p && point_.common[i] >= options_.upper[i] && g_[i] < 0;
      if (!held && !low && !high && C_(i, i) > 0) free_.push_back(i);
    }
    return true;
  }

  MarquardtStep Propose(double lambda) override {
    SolveDamped(lambda);
    double predicted = -(g_.dot(change_) + 0.5 * change_.dot(C_ * change_));
    for (const BlockSystem& s : systems_)
      predicted -= s.g.dot(s.step) + s.step.dot(s.G * change_) + 0.5 * s.step.dot(s.H * s.step);
    return {.predicted = predicted};
  }

  double TrialCost() override {
    if (!trial_common_.allFinite() || !residuals_.SetCommon(trial_common_)) return INFINITY;
    ParallelFor(static_cast<int>(systems_.size()), [&](int k) {
      BlockSystem& s = systems_[static_cast<std::size_t>(k)];
      s.trial_cost = INFINITY;
      if (!s.trial.allFinite()) return;
      if (residuals_.Evaluate(k, s.trial, s.residuals, nullptr) && s.residuals.allFinite())
        s.trial_cost = LeastSquaresCost(s.residuals, options_.huber);
    });
    double sum = 0;
    for (const BlockSystem& system : systems_) sum += system.trial_cost;
    return sum;
  }

  double Take() override {
    double sum = change_.cwiseAbs2().dot(C_.diagonal());
    for (const BlockSystem& s : systems_) sum += s.step.cwiseAbs2().dot(s.damping);
    point_.common = trial_common_;
    for (std::size_t k = 0; k < systems_.size(); ++k) point_.local[k] = systems_[k].trial;
    return std::sqrt(sum);
  }

 private:
  void Clip(Eigen::VectorXd& common) const {
    if (options_.lower.size() == common.size()) common = common.cwiseMax(options_.lower);
    if (options_.upper.size() == common.size()) common = common.cwiseMin(options_.upper);
  }

  /// Trial points of the blocks and of the common parameters.
  void SolveDamped(double lambda) {
    ParallelFor(static_cast<int>(systems_.size()), [&](int k) {
      BlockSystem& s = systems_[static_cast<std::size_t>(k)];
      // In units of the columns' norms, which keeps positions, rates and rotations alike.
      const Eigen::VectorXd unit = s.damping.unaryExpr([](double d) { return d > 0 ? 1 / std::sqrt(d) : 0.0; });
      Eigen::MatrixXd H = unit.asDiagonal() * s.H * unit.asDiagonal();
      for (Eigen::Index i = 0; i < H.rows(); ++i)
        H(i, i) = s.damping[i] > 0 ? 1 + std::max(lambda, kLeastDamping) : 1.0;
      Eigen::MatrixXd right(H.rows(), s.G.cols() + 1);
      right << unit.asDiagonal() * s.G, unit.cwiseProduct(s.g);
      right = unit.asDiagonal() * SolveSymmetric(H, right);
      s.solved_G = right.leftCols(s.G.cols());
      s.solved_g = right.rightCols<1>();
    });
    const Eigen::Index m = static_cast<Eigen::Index>(free_.size());
    Eigen::MatrixXd S = C_;
    Eigen::VectorXd b = -g_;
    for (const BlockSystem& s : systems_) {
      S.noalias() -= s.G.transpose() * s.solved_G;
      b.noalias() += s.G.transpose() * s.solved_g;
    }
    change_.setZero(point_.common.size());
    if (m > 0) {
      Eigen::MatrixXd A(m, m);
      Eigen::VectorXd rhs(m);
      for (Eigen::Index i = 0; i < m; ++i) {
        const double unit = 1 / std::sqrt(C_(free_[i], free_[i]));
        for (Eigen::Index j = 0; j < m; ++j) A(i, j) = S(free_[i], free_[j]) * unit / std::sqrt(C_(free_[j], free_[j]));
        A(i, i) += lambda;
        rhs[i] = b[free_[i]] * unit;
      }
      const Eigen::VectorXd scaled = SolveSymmetric(A, rhs);
      for (Eigen::Index i = 0; i < m; ++i) change_[free_[i]] = scaled[i] / std::sqrt(C_(free_[i], free_[i]));
    }
    // Charts of several parameters move all of them; those that are held or at their bounds stay.
    const Eigen::VectorXd moved = residuals_.MoveCommon(point_.common, change_);
    trial_common_ = point_.common;
    for (const Eigen::Index i : free_) trial_common_[i] = moved[i];
    Clip(trial_common_);
    for (const Eigen::Index i : free_)
      if (trial_common_[i] != moved[i]) change_[i] = trial_common_[i] - point_.common[i];
    for (std::size_t k = 0; k < systems_.size(); ++k) {
      BlockSystem& s = systems_[k];
      s.step = -s.solved_g - s.solved_G * change_;
      s.trial = point_.local[k] + s.step;
    }
  }

  BlockResiduals& residuals_;
  const BlockLeastSquaresOptions& options_;
  BlockPoint& point_;
  std::vector<BlockSystem> systems_;
  Eigen::MatrixXd C_;  // J_c'J_c and
  Eigen::VectorXd g_;  // J_c'r, of all blocks
  std::vector<Eigen::Index> free_;
  Eigen::VectorXd trial_common_, change_;
};

}  // namespace

LeastSquaresSummary MinimizeBlocks(BlockResiduals& residuals, const BlockLeastSquaresOptions& options,
                                   BlockPoint& point) {
  BlockProblem problem(residuals, options, point);
  NielsenDamping damping(options.initial_lambda);
  RelativeDecrease rule(options.cost_tolerance);
  const LeastSquaresSummary summary = RunMarquardt(problem, damping, rule, {.max_iterations = options.max_iterations});
  residuals.SetCommon(point.common);
  return summary;
}

}  // namespace ricochet
