// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "optimize/block_least_squares.h"

#include <algorithm>
#include <cmath>

#include "core/threads.h"
#include "optimize/chain_least_squares.h"
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
  Eigen::VectorXd damping;  // diagonal, squared; 0: the parameter has no effect or is at its bound, and stays
  double cost = 0;
  bool computed = false;
  // Of the damped system.
  Eigen::VectorXd unit;           // of each parameter, 0 for those that stay
  std::vector<ChainBlock> chain;  // one state, eliminated
  ChainBorder share;              // what it takes from the border
  bool solved = false;
  Eigen::VectorXd trial, step;
  double trial_cost = 0;
};

class BlockProblem final : public MarquardtProblem {
 public:
  BlockProblem(BlockResiduals& residuals, const BlockLeastSquaresOptions& options, BlockPoint& point)
      : residuals_(residuals), options_(options), point_(point), systems_(residuals.blocks()) {
    ClipTo(options_.lower, options_.upper, point_.common);
    for (std::size_t k = 0; k < systems_.size(); ++k) ClipLocal(k, point_.local[k]);
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
      const std::size_t at = static_cast<std::size_t>(k);
      for (Eigen::Index i = 0; i < m && !options_.local_lower.empty(); ++i)
        if (IsHeldByBound(options_.local_lower[at], options_.local_upper[at], point_.local[at], s.g, i))
          s.damping[i] = 0;
    });
    cost = 0;
    for (const BlockSystem& system : systems_) {
      if (!system.computed) return false;
      cost += system.cost;
    }
    return true;
  }

  /// Sums over the blocks, and the common parameters that may move.
  bool Prepare() override {
    const Eigen::Index p = residuals_.common_size();
    C_ = Eigen::MatrixXd::Zero(p, p);
    g_ = Eigen::VectorXd::Zero(p);
    for (const BlockSystem& system : systems_) {
      C_ += system.C;
      g_ += system.g_common;
    }
    stays_.assign(static_cast<std::size_t>(p), 0);
    for (Eigen::Index i = 0; i < p; ++i) {
      const std::size_t at = static_cast<std::size_t>(i);
      const bool held = !options_.held.empty() && options_.held[at];
      stays_[at] =
          held || !(C_(i, i) > 0) || IsHeldByBound(options_.lower, options_.upper, point_.common, g_, i) ? 1 : 0;
    }
    return true;
  }

  MarquardtStep Propose(double lambda) override {
    if (!SolveDamped(lambda)) return {.solved = false};
    MarquardtStep out{.predicted = -(g_.dot(change_) + 0.5 * change_.dot(C_ * change_)),
                      .negligible = IsNegligible(options_.scale, change_)};
    for (const BlockSystem& s : systems_) {
      out.predicted -= s.g.dot(s.step) + s.step.dot(s.G * change_) + 0.5 * s.step.dot(s.H * s.step);
      out.negligible = out.negligible && IsNegligible({}, s.step);
    }
    return out;
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
    before_.common = trial_common_;
    before_.local.resize(systems_.size());
    for (std::size_t k = 0; k < systems_.size(); ++k) before_.local[k] = systems_[k].trial;
    std::swap(before_, point_);
    return std::sqrt(sum);
  }

  bool Undo() override {
    point_ = before_;
    return true;
  }

 private:
  void ClipLocal(std::size_t block, Eigen::VectorXd& local) const {
    if (!options_.local_lower.empty()) ClipTo(options_.local_lower[block], options_.local_upper[block], local);
  }

  bool IsNegligible(const Eigen::VectorXd& scale, const Eigen::VectorXd& step) const {
    for (Eigen::Index i = 0; i < step.size(); ++i)
      if (!(std::abs(step[i]) < options_.step_tolerance * (scale.size() > 0 ? scale[i] : 1.0))) return false;
    return true;
  }

  /// Eliminates the block's own parameters, in units of the columns' norms, which keeps positions, rates and rotations
  /// alike.
  void Eliminate(double lambda, BlockSystem& s) const {
    s.unit = s.damping.unaryExpr([](double d) { return d > 0 ? 1 / std::sqrt(d) : 0.0; });
    s.chain.resize(1);
    ChainBlock& block = s.chain.front();
    block.D = s.unit.asDiagonal() * s.H * s.unit.asDiagonal();
    for (Eigen::Index i = 0; i < block.D.rows(); ++i)
      block.D(i, i) = s.damping[i] > 0 ? 1 + std::max(lambda, kLeastDamping) : 1.0;
    block.B = s.unit.asDiagonal() * s.G;
    block.g = s.unit.cwiseProduct(s.g);
    s.share.C.setZero(C_.rows(), C_.cols());
    s.share.h.setZero(g_.size());
    s.solved = EliminateChain(s.chain, s.share);
  }

  /// Trial points of the blocks and of the common parameters. False when a block's system has no solution.
  bool SolveDamped(double lambda) {
    ParallelFor(static_cast<int>(systems_.size()),
                [&](int k) { Eliminate(lambda, systems_[static_cast<std::size_t>(k)]); });
    ChainBorder border{C_, g_};
    border.C.diagonal() += lambda * C_.diagonal();
    for (const BlockSystem& s : systems_) {
      if (!s.solved) return false;
      border.C += s.share.C;
      border.h += s.share.h;
    }
    change_ = SolveBorder(border, {}, {}, stays_);
    // Charts of several parameters move all of them; those that are held or at their bounds stay.
    const Eigen::VectorXd moved = residuals_.MoveCommon(point_.common, change_);
    trial_common_ = point_.common;
    for (Eigen::Index i = 0; i < moved.size(); ++i)
      if (!stays_[static_cast<std::size_t>(i)]) trial_common_[i] = moved[i];
    ClipTo(options_.lower, options_.upper, trial_common_);
    for (Eigen::Index i = 0; i < moved.size(); ++i)
      if (!stays_[static_cast<std::size_t>(i)] && trial_common_[i] != moved[i])
        change_[i] = trial_common_[i] - point_.common[i];
    std::vector<Eigen::VectorXd> steps;
    for (std::size_t k = 0; k < systems_.size(); ++k) {
      BlockSystem& s = systems_[k];
      SubstituteChain(s.chain, change_, steps);
      s.step = s.unit.cwiseProduct(steps.front());
      const Eigen::VectorXd straight = point_.local[k] + s.step;
      s.trial = straight;
      ClipLocal(k, s.trial);
      if (s.trial != straight) s.step = s.trial - point_.local[k];
    }
    return true;
  }

  BlockResiduals& residuals_;
  const BlockLeastSquaresOptions& options_;
  BlockPoint& point_;
  BlockPoint before_;  // where the last step began
  std::vector<BlockSystem> systems_;
  Eigen::MatrixXd C_;        // J_c'J_c and
  Eigen::VectorXd g_;        // J_c'r, of all blocks
  std::vector<char> stays_;  // common parameters that do not move from here
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
