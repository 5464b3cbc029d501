// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/impacts/impact_jump.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "dynamics/free_rotation.h"
#include "math/dense.h"
#include "math/manifold.h"
#include "math/so3.h"
#include "optimize/least_squares.h"

namespace ricochet {
namespace {

constexpr int kUnknowns = 19, kIterations = 10;
constexpr double kConverged = 1e-6;                                 // relative decrease of the squares
constexpr double kDamping = 1e-9;                                   // at first: next to none
constexpr int kRotation = 3, kBefore = 6, kAfter = 12, kTime = 18;  // where they begin; position first

struct Motion {
  Eigen::Vector3d p;
  Quaternion<double> q;
  Vector6<double> before, after;
  double time = 0;

  Motion Moved(const Eigen::VectorXd& by) const {
    Motion moved = *this;
    moved.p += by.head<3>();
    moved.q = BoxPlusRotation<double>(q, Eigen::Vector3d(by.segment<3>(kRotation)));
    moved.before += by.segment<6>(kBefore);
    moved.after += by.segment<6>(kAfter);
    moved.time += by[kTime];
    return moved;
  }
};

class JumpFit {
 public:
  JumpFit(const SpatialTrack& track, const FlightBody& body, const Eigen::Vector3d& gravity, int first, int end,
          int begin, int last)
      : track_(track), body_(body), gravity_(gravity), inertia_(body.inertia.value_or(Eigen::Matrix3d::Identity())) {
    for (int k = first; k < end; ++k)
      if (!track.outlier[static_cast<std::size_t>(k)]) frames_.push_back(k);
    count_before_ = frames_.size();
    for (int k = begin; k < last; ++k)
      if (!track.outlier[static_cast<std::size_t>(k)]) frames_.push_back(k);
  }

  /// Residuals over the noise, 6 per frame.
  Eigen::VectorXd Residuals(const Motion& motion) const {
    Eigen::VectorXd out(6 * static_cast<Eigen::Index>(frames_.size()));
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      const std::size_t k = static_cast<std::size_t>(frames_[i]);
      const Vector6<double>& velocity = i < count_before_ ? motion.before : motion.after;
      const double s = track_.time[k] - motion.time;
      Quaternion<double> q = motion.q;
      Eigen::Vector3d w = velocity.tail<3>();
      PropagateRotation(inertia_, s, q, w);
      const Eigen::Vector3d p = motion.p + velocity.head<3>() * s + gravity_ * (0.5 * s * s);
      const Eigen::Vector3d center = track_.position[k] + Rotate<double>(track_.rotation[k], body_.p_BBcm);
      const Eigen::Index row = 6 * static_cast<Eigen::Index>(i);
      out.segment<3>(row) = (p - center) / track_.noise_position;
      out.segment<3>(row + 3) = BoxMinusRotation<double>(q, track_.rotation[k]) / track_.noise_angle;
    }
    return out;
  }

  /// By the changes of a motion; `residuals` are those of the motion so changed.
  Eigen::MatrixXd Slopes(const Motion& motion, const Eigen::VectorXd& change, const Eigen::VectorXd& residuals) const {
    Eigen::MatrixXd slopes(residuals.size(), kUnknowns);
    for (int j = 0; j < kUnknowns; ++j) {
      // Steps whose effect over the flights is some micrometers or microradians.
      const double step = j == kTime ? 1e-6 : j < kBefore ? 1e-5 : 1e-4;
      Eigen::VectorXd by = change;
      by[j] += step;
      slopes.col(j) = (Residuals(motion.Moved(by)) - residuals) / step;
    }
    return slopes;
  }

  std::size_t frames() const { return frames_.size(); }

 private:
  const SpatialTrack& track_;
  const FlightBody& body_;
  Eigen::Vector3d gravity_;
  Eigen::Matrix3d inertia_;
  std::vector<int> frames_;
  std::size_t count_before_ = 0;
};

}  // namespace

ImpactJump FitImpactJump(const SpatialTrack& track, const FlightBody& body, const Eigen::Vector3d& gravity, int first,
                         int end, int begin, int last) {
  ImpactJump out;
  const JumpFit fit(track, body, gravity, first, end, begin, last);
  const FlightArc before = FitFlight(track, body, first, end, {.acceleration = gravity});
  const FlightArc after = FitFlight(track, body, begin, last, {.acceleration = gravity});
  if (before.used < 3 || after.used < 3) return out;

  // The instant at which two parabolas of the same acceleration come nearest.
  const double earliest = track.time[static_cast<std::size_t>(end - 1)],
               latest = track.time[static_cast<std::size_t>(begin)], middle = 0.5 * (earliest + latest);
  const Eigen::Vector3d apart = after.PositionAt(middle) - before.PositionAt(middle);
  const Eigen::Vector3d jump = after.VelocityAt(middle) - before.VelocityAt(middle);
  Motion motion;
  motion.time = std::clamp(middle - apart.dot(jump) / std::max(jump.squaredNorm(), 1e-12), earliest, latest);
  motion.p = before.PositionAt(motion.time);
  const auto state = [&](const FlightArc& arc, Vector6<double>& velocity) {
    Quaternion<double> q = arc.rotation;
    Eigen::Vector3d w = arc.angular_velocity;
    PropagateRotation(body.inertia.value_or(Eigen::Matrix3d::Identity()), motion.time - arc.reference, q, w);
    velocity << arc.VelocityAt(motion.time), w;
    return q;
  };
  const Quaternion<double> ends = state(before, motion.before), begins = state(after, motion.after);
  motion.q = BoxPlusRotation<double>(ends, Eigen::Vector3d(0.5 * BoxMinusRotation<double>(begins, ends)));

  // Unknowns are the changes of that motion.
  const double infinite = std::numeric_limits<double>::infinity();
  Eigen::VectorXd lower = Eigen::VectorXd::Constant(kUnknowns, -infinite), upper = -lower;
  lower[kTime] = earliest - track.interval - motion.time;
  upper[kTime] = latest + track.interval - motion.time;
  Eigen::VectorXd change = Eigen::VectorXd::Zero(kUnknowns);
  Eigen::MatrixXd slopes;
  const LeastSquaresSummary summary = MinimizeLeastSquares(
      [&](const Eigen::VectorXd& by, Eigen::VectorXd& residual, Eigen::MatrixXd* jacobian) {
        residual = fit.Residuals(motion.Moved(by));
        if (jacobian) *jacobian = slopes = fit.Slopes(motion, by, residual);
        return true;
      },
      {.max_iterations = kIterations,
       .cost_tolerance = kConverged,
       .initial_lambda = kDamping,
       .lower = lower,
       .upper = upper},
      change);
  if (summary.end == LeastSquaresEnd::kFailed) return out;
  // No step makes it better: at the minimum up to rounding.
  out.found = summary.converged() || summary.end == LeastSquaresEnd::kStalled;
  motion = motion.Moved(change);
  // Derivatives by a rotation of the motion found.
  slopes.middleCols<3>(kRotation) *= LeftJacobianInverseSO3(Vector3<double>(change.segment<3>(kRotation)));
  const Eigen::MatrixXd covariance =
      SolveSymmetric(slopes.transpose() * slopes, Eigen::MatrixXd::Identity(kUnknowns, kUnknowns));
  out.time = motion.time;
  out.position = motion.p;
  out.rotation = motion.q;
  out.before = motion.before;
  out.after = motion.after;
  out.chi2 = 2 * summary.cost;
  out.dof = static_cast<int>(6 * fit.frames()) - kUnknowns;
  // Flights that scatter more than the noise that was assumed are known less.
  const double scatter = std::max(1.0, out.chi2 / std::max(1, out.dof));
  out.covariance = covariance.block<15, 15>(kRotation, kRotation) * scatter;
  out.root = EigenOfSymmetric(out.covariance).Root();
  out.found = out.found && out.dof > 0 && out.covariance.allFinite();
  return out;
}

}  // namespace ricochet
