// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "optimize/block_least_squares.h"

#include <algorithm>
#include <cmath>

#include "core/threads.h"
#include "math/dense.h"

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

class Minimizer {
 public:
  Minimizer(BlockResiduals& residuals, const BlockLeastSquaresOptions& options, BlockPoint& point)
      : residuals_(residuals), options_(options), point_(point), systems_(residuals.blocks()) {}

  LeastSquaresSummary Run() {
    const Eigen::Index p = residuals_.common_size();
    LeastSquaresSummary summary;
    Clip(point_.common);
    ++summary.evaluations;
    if (!Linearise()) {
      summary.message = "the residuals cannot be computed at the start";
      return summary;
    }
    summary.initial_cost = summary.cost = cost_;
    summary.trace.push_back({cost_, 0});
    double lambda = options_.initial_lambda, growth = 2;
    for (; summary.iterations < options_.max_iterations; ++summary.iterations) {
      // Common parameters that may move.
      Eigen::MatrixXd C = Eigen::MatrixXd::Zero(p, p);
      Eigen::VectorXd g = Eigen::VectorXd::Zero(p);
      for (const BlockSystem& system : systems_) {
        C += system.C;
        g += system.g_common;
      }
      std::vector<Eigen::Index> free;
      for (Eigen::Index i = 0; i < p; ++i) {
        const bool held = !options_.held.empty() && options_.held[static_cast<std::size_t>(i)];
        const bool low = options_.lower.size() == p && point_.common[i] <= options_.lower[i] && g[i] > 0;
        const bool high = options_.upper.size() == p && point_.common[i] >= options_.upper[i] && g[i] < 0;
        if (!held && !low && !high && C(i, i) > 0) free.push_back(i);
      }

      bool accepted = false, finished = false;
      for (int attempt = 0; attempt < 25 && !accepted && !finished; ++attempt) {
        const Eigen::VectorXd common = TryStep(C, g, free, lambda);
        const double predicted = Predicted(common - point_.common, C, g);
        if (std::abs(predicted) <= 0.1 * options_.cost_tolerance * cost_) {
          summary.end = attempt == 0 ? LeastSquaresEnd::kConverged : LeastSquaresEnd::kStalled;
          finished = true;
          break;
        }
        ++summary.evaluations;
        const double trial_cost = TrialCost(common);
        if (trial_cost < cost_) {
          const double gain = predicted > 0 ? (cost_ - trial_cost) / predicted : 1.0;
          lambda *= std::max(1.0 / 3.0, 1.0 - std::pow(2.0 * std::min(gain, 1.0) - 1.0, 3));
          lambda = std::max(lambda, 1e-12);
          growth = 2;
          accepted = true;
          finished =
              cost_ - trial_cost < options_.cost_tolerance * cost_ && predicted < options_.cost_tolerance * cost_;
          if (finished) summary.end = LeastSquaresEnd::kConverged;
          cost_ = trial_cost;
          summary.trace.push_back({cost_, StepLength(common - point_.common, C)});
          point_.common = common;
          for (std::size_t k = 0; k < systems_.size(); ++k) point_.local[k] = systems_[k].trial;
        } else {
          lambda *= growth;
          growth *= 2;
        }
      }
      summary.cost = cost_;
      if (finished) break;
      if (!accepted) {
        summary.end = LeastSquaresEnd::kStalled;
        summary.message = "no step decreases the cost";
        break;
      }
      ++summary.evaluations;
      if (!Linearise()) {
        summary.end = LeastSquaresEnd::kFailed;
        summary.message = "the derivatives cannot be computed";
        return summary;
      }
    }
    if (summary.iterations >= options_.max_iterations && summary.end == LeastSquaresEnd::kFailed) {
      summary.end = LeastSquaresEnd::kIterations;
      summary.message = "the limit of iterations is reached";
    }
    residuals_.SetCommon(point_.common);
    return summary;
  }

 private:
  void Clip(Eigen::VectorXd& common) const {
    if (options_.lower.size() == common.size()) common = common.cwiseMax(options_.lower);
    if (options_.upper.size() == common.size()) common = common.cwiseMin(options_.upper);
  }

  bool Linearise() {
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
    cost_ = 0;
    for (const BlockSystem& system : systems_) {
      if (!system.computed) return false;
      cost_ += system.cost;
    }
    return true;
  }

  /// Solves the damped system; leaves trial points in the blocks and returns the common one.
  Eigen::VectorXd TryStep(const Eigen::MatrixXd& C, const Eigen::VectorXd& g, const std::vector<Eigen::Index>& free,
                          double lambda) {
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
    const Eigen::Index m = static_cast<Eigen::Index>(free.size());
    Eigen::MatrixXd S = C;
    Eigen::VectorXd b = -g;
    for (const BlockSystem& s : systems_) {
      S.noalias() -= s.G.transpose() * s.solved_G;
      b.noalias() += s.G.transpose() * s.solved_g;
    }
    Eigen::VectorXd common = point_.common;
    if (m > 0) {
      Eigen::MatrixXd A(m, m);
      Eigen::VectorXd rhs(m);
      for (Eigen::Index i = 0; i < m; ++i) {
        const double unit = 1 / std::sqrt(C(free[i], free[i]));
        for (Eigen::Index j = 0; j < m; ++j) A(i, j) = S(free[i], free[j]) * unit / std::sqrt(C(free[j], free[j]));
        A(i, i) += lambda;
        rhs[i] = b[free[i]] * unit;
      }
      const Eigen::VectorXd scaled = SolveSymmetric(A, rhs);
      for (Eigen::Index i = 0; i < m; ++i) common[free[i]] += scaled[i] / std::sqrt(C(free[i], free[i]));
      Clip(common);
    }
    const Eigen::VectorXd change = common - point_.common;
    for (std::size_t k = 0; k < systems_.size(); ++k) {
      BlockSystem& s = systems_[k];
      s.step = -s.solved_g - s.solved_G * change;
      s.trial = point_.local[k] + s.step;
    }
    return common;
  }

  /// Decrease that the quadratic model promises for the step of the blocks and `change` of the common parameters.
  double Predicted(const Eigen::VectorXd& change, const Eigen::MatrixXd& C, const Eigen::VectorXd& g) const {
    double sum = -(g.dot(change) + 0.5 * change.dot(C * change));
    for (const BlockSystem& s : systems_)
      sum -= s.g.dot(s.step) + s.step.dot(s.G * change) + 0.5 * s.step.dot(s.H * s.step);
    return sum;
  }

  /// LeastSquaresStep::step of the step of the blocks and `change` of the common parameters.
  double StepLength(const Eigen::VectorXd& change, const Eigen::MatrixXd& C) const {
    double sum = change.cwiseAbs2().dot(C.diagonal());
    for (const BlockSystem& s : systems_) sum += s.step.cwiseAbs2().dot(s.damping);
    return std::sqrt(sum);
  }

  double TrialCost(const Eigen::VectorXd& common) {
    if (!common.allFinite() || !residuals_.SetCommon(common)) return INFINITY;
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

  BlockResiduals& residuals_;
  const BlockLeastSquaresOptions& options_;
  BlockPoint& point_;
  std::vector<BlockSystem> systems_;
  double cost_ = 0;
};

}  // namespace

LeastSquaresSummary MinimizeBlocks(BlockResiduals& residuals, const BlockLeastSquaresOptions& options,
                                   BlockPoint& point) {
  return Minimizer(residuals, options, point).Run();
}

Eigen::MatrixXd ReducedCommonJacobian(BlockResiduals& residuals, const BlockPoint& point) {
  const Eigen::Index p = residuals.common_size();
  const int blocks = residuals.blocks();
  if (!residuals.SetCommon(point.common)) return {};
  std::vector<Eigen::MatrixXd> parts(static_cast<std::size_t>(blocks));
  ParallelFor(blocks, [&](int k) {
    Eigen::VectorXd r;
    Eigen::MatrixXd jacobian;
    if (!residuals.Evaluate(k, point.local[static_cast<std::size_t>(k)], r, &jacobian)) return;
    const Eigen::Index m = jacobian.cols() - p, rows = jacobian.rows();
    Eigen::MatrixXd rest = jacobian.rightCols(p);
    if (m > 0 && rows > 0) {
      Eigen::MatrixXd local = jacobian.leftCols(m);
      for (Eigen::Index i = 0; i < m; ++i)
        if (const double norm = local.col(i).norm(); norm > 0) local.col(i) /= norm;
      rest = BehindColumns(local, rest, 1e-10);
    }
    parts[static_cast<std::size_t>(k)] = rest.rows() > p ? TriangularFactor(rest) : rest;
  });
  Eigen::Index rows = 0;
  for (const Eigen::MatrixXd& part : parts) rows += part.rows();
  Eigen::MatrixXd stacked(rows, p);
  rows = 0;
  for (const Eigen::MatrixXd& part : parts) {
    if (part.rows() > 0) stacked.middleRows(rows, part.rows()) = part;
    rows += part.rows();
  }
  return stacked;
}

}  // namespace ricochet
