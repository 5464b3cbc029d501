// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/tosses/toss_secants.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "math/dense.h"

namespace ricochet {
namespace {

using Matrix12 = Eigen::Matrix<double, 12, 12>;

constexpr int kRounds = 3;
constexpr double kNarrowest = 0.3;    // by which a round narrows, at most
constexpr double kFirstWidth = 0.02;  // of a parameter's size
constexpr double kLeastWidth = 1e-4;
constexpr double kPrior = 1e-4;  // weight of the flight's fit: its frames are compared too

bool Roll(TossRoller& roller, const PreparedToss& toss, const TossStart& moved, int frames,
          Eigen::VectorXd& residuals) {
  RollRows(roller, toss, moved, frames, residuals);
  return residuals.size() == 6 * std::min(frames, toss.end - toss.start + 1) && residuals.allFinite();
}

bool RollAt(const SpatialFamily& family, const TossSet& set, int toss, const Eigen::VectorXd& values,
            const TossStart& moved, int frames, Eigen::VectorXd& residuals) {
  const std::optional<SpatialInstance> instance = family.Compile(values);
  if (!instance) return false;
  PreparedToss own;
  const PreparedToss& refitted = RefittedToss(set, *instance, toss, own);
  TossRoller roller = set.RollerOf(instance->model);
  return Roll(roller, refitted, moved, frames, residuals);
}

/// What both sides of a secant leave unexplained, per frame and kind, never less than in the frames before.
Eigen::VectorXd Unexplained(const Eigen::VectorXd& squares) {
  Eigen::VectorXd out(squares.size());
  double position = 0, angle = 0;
  for (Eigen::Index i = 0; i < squares.size(); i += 6) {
    position = std::max(position, squares.segment<3>(i).mean());
    angle = std::max(angle, squares.segment<3>(i + 3).mean());
    out.segment<3>(i).setConstant(position);
    out.segment<3>(i + 3).setConstant(angle);
  }
  return out;
}

}  // namespace

const PreparedToss& RefittedToss(const TossSet& set, const SpatialInstance& instance, int toss, PreparedToss& own) {
  const PreparedToss& given = set.tosses()[static_cast<std::size_t>(toss)];
  if (!set.moves_start()) return given;
  own = given;
  RefitStart(instance.model, own);
  return own;
}

void RollRows(TossRoller& roller, const PreparedToss& toss, const TossStart& moved, int frames,
              Eigen::VectorXd& residuals) {
  std::vector<SpatialPose<double>> poses;
  frames = std::min(frames, toss.end - toss.start + 1);
  poses.reserve(static_cast<std::size_t>(frames));
  roller.RollFrom(toss, moved, poses, [&](int i, const SpatialPose<double>&) { return i + 1 < frames; });
  residuals.setZero(6 * static_cast<Eigen::Index>(poses.size()));
  for (int i = 0; i < static_cast<int>(poses.size()); ++i)
    if (!toss.toss.track.outlier[static_cast<std::size_t>(toss.start + i)])
      residuals.segment<6>(6 * i) = PoseResidual(toss, i, poses[static_cast<std::size_t>(i)]);
}

bool ResidualsOf(const SpatialFamily& family, const TossSet& set, const TossPoint& at, Eigen::VectorXd& residuals) {
  return RollAt(family, set, at.toss, at.values, at.moved, at.frames, residuals);
}

bool SecantsOf(const SpatialFamily& family, const TossSet& fine, const TossPoint& at, int tosses,
               Eigen::VectorXd& residuals, Eigen::MatrixXd& jacobian) {
  const int p = family.size();
  // Secants need no short steps.
  const TossSet set = fine.Located();
  const std::optional<SpatialInstance> here = family.Compile(at.values);
  if (!here) return false;
  PreparedToss own;
  const PreparedToss& toss = RefittedToss(set, *here, at.toss, own);
  TossRoller roller = set.RollerOf(here->model);
  Eigen::VectorXd center;
  if (!ResidualsOf(family, fine, at, residuals) || !Roll(roller, toss, at.moved, at.frames, center)) return false;

  Matrix12 axes = EigenOfSymmetric(toss.covariance).Root();
  Eigen::VectorXd widths = kFirstWidth * family.scale();
  Eigen::MatrixXd follow = Eigen::MatrixXd::Zero(12, p);
  Eigen::VectorXd up, down;
  for (int round = 0; round < kRounds; ++round) {
    jacobian.setZero(residuals.size(), 12 + p);
    Eigen::VectorXd squares = Eigen::VectorXd::Zero(residuals.size());
    for (int j = 0; j < 12; ++j) {
      if (!Roll(roller, toss, at.moved + axes.col(j), at.frames, up) ||
          !Roll(roller, toss, at.moved - axes.col(j), at.frames, down))
        return false;
      jacobian.col(j) = 0.5 * (up - down);
      squares += (0.5 * (up + down) - center).cwiseAbs2();
    }
    for (int j = 0; j < p; ++j) {
      Eigen::VectorXd above = at.values, below = at.values;
      above[j] = std::min(at.values[j] + widths[j], family.upper()[j]);
      below[j] = std::max(at.values[j] - widths[j], family.lower()[j]);
      const double rise = above[j] - at.values[j], fall = at.values[j] - below[j];
      if (!(rise + fall > 0)) continue;
      if (!RollAt(family, set, at.toss, above, at.moved + rise * follow.col(j), at.frames, up) ||
          !RollAt(family, set, at.toss, below, at.moved - fall * follow.col(j), at.frames, down))
        return false;
      jacobian.col(12 + j) = (up - down) / (rise + fall);
      if (rise == fall) squares += (0.5 * (up + down) - center).cwiseAbs2();
    }
    const Eigen::VectorXd weight = (1 + Unexplained(squares).array()).rsqrt();
    jacobian = weight.asDiagonal() * jacobian;
    if (round + 1 == kRounds) break;

    const auto by_start = jacobian.leftCols<12>();
    const auto by_values = jacobian.rightCols(p);
    Matrix12 information = by_start.transpose() * by_start;
    information.diagonal().array() += kPrior;
    const Eigen::MatrixXd response = SolveSymmetric(information, by_start.transpose() * by_values);
    follow -= axes * response;
    for (int j = 0; j < p; ++j) {
      const double left = (by_values.col(j) - by_start * response.col(j)).squaredNorm() * tosses;
      const double deviation = left > 0 ? 1 / std::sqrt(left) : widths[j];
      widths[j] = std::max(std::clamp(deviation, kNarrowest * widths[j], widths[j]), kLeastWidth * family.scale()[j]);
    }
    const SymmetricEigen eigen = EigenOfSymmetric(information);
    Eigen::VectorXd size(12);
    for (int j = 0; j < 12; ++j) size[j] = std::clamp(1 / std::sqrt(eigen.values[j]), kNarrowest, 1.0);
    axes = axes * eigen.vectors * size.asDiagonal();
  }
  return jacobian.allFinite();
}

}  // namespace ricochet
