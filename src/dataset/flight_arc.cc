// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/flight_arc.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "dynamics/free_rotation.h"
#include "math/dense.h"
#include "math/manifold.h"
#include "math/so3.h"
#include "optimize/marquardt.h"

namespace ricochet {
namespace {

using Matrix36 = Eigen::Matrix<double, 3, 6>;

constexpr int kRotationSteps = 8;
constexpr double kRotationRounding = 1e-9;  // by which a step may raise the squares

Eigen::Vector3d CenterOfMass(const SpatialTrack& track, const FlightBody& body, int k) {
  return track.position[k] + Rotate<double>(track.rotation[k], body.p_BBcm);
}

std::vector<int> ShownFrames(const SpatialTrack& track, int first, int last) {
  std::vector<int> frames;
  for (int k = first; k < last; ++k)
    if (!track.outlier[k]) frames.push_back(k);
  return frames;
}

/// Linear least squares of one polynomial per coordinate about the reference; `orders` is 2 (line) or 3 (parabola).
/// Returns coefficients (columns: value, slope, acceleration) and the common covariance.
struct PolynomialFit {
  Eigen::Matrix3d coefficients = Eigen::Matrix3d::Zero();  // coefficients.col(j) of s^j / j!
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();    // in units of noise^2
  double squares = 0;                                      // sum of squared residuals
};

PolynomialFit FitPolynomial(const std::vector<double>& s, const std::vector<Eigen::Vector3d>& z, int orders) {
  PolynomialFit fit;
  // Scaled time keeps the normal matrix well conditioned.
  double scale = 1e-12;
  for (const double x : s) scale = std::max(scale, std::abs(x));
  const auto basis = [&](double x) {
    const double u = x / scale;
    return Eigen::Vector3d(1, u, orders > 2 ? 0.5 * u * u : 0);
  };
  Eigen::Matrix3d normal = Eigen::Matrix3d::Zero(), right = Eigen::Matrix3d::Zero();
  for (std::size_t i = 0; i < s.size(); ++i) {
    const Eigen::Vector3d b = basis(s[i]);
    normal += b * b.transpose();
    right += z[i] * b.transpose();
  }
  for (int j = orders; j < 3; ++j) normal(j, j) = 1;
  Eigen::Matrix3d inverse = normal.inverse();
  for (int j = orders; j < 3; ++j) inverse(j, j) = 0;
  const Eigen::Matrix3d scaled = right * inverse;
  for (std::size_t i = 0; i < s.size(); ++i) fit.squares += (z[i] - scaled * basis(s[i])).squaredNorm();
  const Eigen::Vector3d unit(1, 1 / scale, 1 / (scale * scale));
  fit.coefficients = scaled * unit.asDiagonal();
  fit.covariance = unit.asDiagonal() * inverse * unit.asDiagonal();
  return fit;
}

/// Predicted rotations at the frames for a start (q, w) at the reference.
std::vector<Quaternion<double>> PredictRotations(const SpatialTrack& track, const std::vector<int>& frames,
                                                 const Eigen::Matrix3d& inertia, double reference,
                                                 const Quaternion<double>& q, const Eigen::Vector3d& w) {
  std::vector<Quaternion<double>> result(frames.size());
  std::size_t middle = 0;
  while (middle < frames.size() && track.time[frames[middle]] < reference) ++middle;
  const FreeRotation motion(inertia, q, w);
  const auto run = [&](std::size_t from, int step) {
    Quaternion<double> rotation = q;
    double now = reference;
    for (std::size_t i = from; i < frames.size(); i += static_cast<std::size_t>(step)) {
      motion.Turn(track.time[frames[i]] - now, rotation);
      now = track.time[frames[i]];
      result[i] = rotation;
    }
  };
  run(middle, 1);
  if (middle > 0) run(middle - 1, -1);  // stepping down, the index wraps past 0 and ends the loop
  return result;
}

/// Least squares for the increment of the rotation at the reference and the angular velocity. The slopes hardly change
/// near the solution and are kept there. A step too short to matter ends the search and is taken without another look.
class RotationFit final : public MarquardtProblem, public StoppingRule {
 public:
  RotationFit(const SpatialTrack& track, const std::vector<int>& frames, const Eigen::Matrix3d& inertia,
              const FlightArc& start)
      : track_(track),
        frames_(frames),
        inertia_(inertia),
        reference_(start.reference),
        rotation_(start.rotation),
        angular_velocity_(start.angular_velocity),
        trial_rotation_(start.rotation),
        trial_velocity_(start.angular_velocity),
        slopes_(frames.size()) {}

  bool Linearize() override {
    if (predicted_.empty()) predicted_ = Predict(rotation_, angular_velocity_);
    if (last_change_ > kNear) TakeSlopes();
    normal_.setZero();
    right_.setZero();
    squares_ = 0;
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      const Eigen::Vector3d residual = BoxMinusRotation<double>(track_.rotation[frames_[i]], predicted_[i]);
      normal_ += slopes_[i].transpose() * slopes_[i];
      right_ += slopes_[i].transpose() * residual;
      squares_ += residual.squaredNorm();
    }
    cost = 0.5 * squares_;
    return true;
  }

  MarquardtStep Propose(double lambda) override {
    Matrix6<double> damped = normal_;
    damped.diagonal() *= 1 + lambda;
    change_ = SolveSymmetric(damped, right_);
    return {.predicted = change_.dot(right_ - 0.5 * normal_ * change_),
            .negligible = change_.norm() < kNegligible,
            .solved = change_.allFinite()};
  }

  double TrialCost() override {
    Move();
    trial_predicted_ = Predict(trial_rotation_, trial_velocity_);
    double squares = 0;
    for (std::size_t i = 0; i < frames_.size(); ++i)
      squares += BoxMinusRotation<double>(track_.rotation[frames_[i]], trial_predicted_[i]).squaredNorm();
    return 0.5 * squares;
  }

  double Take() override {
    std::swap(predicted_, trial_predicted_);
    rotation_ = trial_rotation_;
    angular_velocity_ = trial_velocity_;
    return last_change_ = change_.norm();
  }

  std::optional<LeastSquaresEnd> BeforeTrial(const MarquardtStep& step, const MarquardtProgress& /*at*/) override {
    if (!step.negligible) return std::nullopt;
    return LeastSquaresEnd::kConverged;
  }

  /// The step that was too short to be tried.
  void TakeLast() {
    Move();
    rotation_ = trial_rotation_;
    angular_velocity_ = trial_velocity_;
  }

  const Quaternion<double>& rotation() const { return rotation_; }
  const Eigen::Vector3d& angular_velocity() const { return angular_velocity_; }
  /// Of the last point that was looked at.
  const Matrix6<double>& normal() const { return normal_; }
  double squares() const { return squares_; }

 private:
  static constexpr double kNear = 1e-3;        // [rad], of a step after which slopes are kept
  static constexpr double kNegligible = 1e-9;  // of a step
  static constexpr double kDifference = 1e-5;  // [rad], of slopes at the end of the flight

  std::vector<Quaternion<double>> Predict(const Quaternion<double>& rotation, const Eigen::Vector3d& velocity) const {
    return PredictRotations(track_, frames_, inertia_, reference_, rotation, velocity);
  }

  void Move() {
    trial_rotation_ = BoxPlusRotation<double>(rotation_, Eigen::Vector3d(change_.head<3>()));
    trial_velocity_ = angular_velocity_ + change_.tail<3>();
  }

  void TakeSlopes() {
    const double span =
        std::abs((track_.time[frames_.back()] - reference_) - (track_.time[frames_.front()] - reference_));
    const double step = kDifference / std::max(1e-3, span);
    for (int axis = 0; axis < 3; ++axis) {
      const auto moved = Predict(rotation_, angular_velocity_ + Eigen::Vector3d::Unit(axis) * step);
      for (std::size_t i = 0; i < frames_.size(); ++i)
        slopes_[i].col(3 + axis) = BoxMinusRotation<double>(moved[i], predicted_[i]) / step;
    }
    // Turned in the world together with its angular velocity, the motion turns as it is: what is left is the change
    // of the angular velocity against that.
    const Eigen::Matrix3d kept = Skew(angular_velocity_);
    for (Matrix36& slope : slopes_) slope.leftCols<3>() = Eigen::Matrix3d::Identity() + slope.rightCols<3>() * kept;
  }

  const SpatialTrack& track_;
  const std::vector<int>& frames_;
  const Eigen::Matrix3d& inertia_;
  double reference_;
  Quaternion<double> rotation_;
  Eigen::Vector3d angular_velocity_;
  Quaternion<double> trial_rotation_;
  Eigen::Vector3d trial_velocity_;
  std::vector<Quaternion<double>> predicted_, trial_predicted_;
  std::vector<Matrix36> slopes_;
  Matrix6<double> normal_;
  Vector6<double> right_, change_;
  double squares_ = 0, last_change_ = std::numeric_limits<double>::infinity();
};

void FitRotation(const SpatialTrack& track, const FlightBody& body, const std::vector<int>& frames,
                 const FlightArc* near, FlightArc& arc) {
  // Start: a line or parabola through the unwrapped rotation vector.
  std::vector<double> s;
  std::vector<Eigen::Vector3d> angle;
  const std::vector<Eigen::Vector3d> turned = UnwrappedRotation(track, arc.first, arc.last);
  for (const int k : frames) {
    s.push_back(track.time[k] - arc.reference);
    angle.push_back(turned[static_cast<std::size_t>(k - arc.first)]);
  }
  const int count = static_cast<int>(frames.size());
  const bool free_form = !body.inertia;
  const int orders = count < 3 || (!free_form && count < 8) ? 2 : 3;
  const PolynomialFit start = FitPolynomial(s, angle, orders);
  arc.rotation = BoxPlusRotation<double>(track.rotation[arc.first], start.coefficients.col(0));
  arc.angular_velocity = start.coefficients.col(1);
  const double variance = track.noise_angle * track.noise_angle;
  const int axes = track.planar ? 1 : 3;
  if (free_form) {
    arc.angular_acceleration = start.coefficients.col(2);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        arc.rotation_covariance.block<3, 3>(3 * i, 3 * j) =
            Eigen::Matrix3d::Identity() * (start.covariance(i, j) * variance);
    arc.chi2_rotation = start.squares / variance;
    arc.dof_rotation = axes * (count - orders);
    return;
  }

  if (near) {
    arc.rotation = near->rotation;
    arc.angular_velocity = near->angular_velocity;
    PropagateRotation(*body.inertia, arc.reference - near->reference, arc.rotation, arc.angular_velocity);
  }

  RotationFit fit(track, frames, *body.inertia, arc);
  NielsenDamping damping(0, 1.0 / 3.0, 0);
  const LeastSquaresSummary summary =
      RunMarquardt(fit, damping, fit, {.max_iterations = kRotationSteps, .rounding = kRotationRounding});
  if (summary.converged()) fit.TakeLast();
  arc.rotation = fit.rotation();
  arc.angular_velocity = fit.angular_velocity();
  arc.chi2_rotation = fit.squares() / variance;
  arc.rotation_covariance = SolveSymmetric(fit.normal(), Matrix6<double>::Identity()) * variance;
  arc.dof_rotation = axes * (count - 2);
}

/// Running sums of parabolas through frames first..k, about the first frame.
struct ParabolaSums {
  std::array<double, 5> t{};  // sums of u^j
  Eigen::Matrix3d zt = Eigen::Matrix3d::Zero();
  double zz = 0;

  void Add(double u, const Eigen::Vector3d& z) {
    const double u2 = u * u;
    t[0] += 1, t[1] += u, t[2] += u2, t[3] += u2 * u, t[4] += u2 * u2;
    for (int axis = 0; axis < 3; ++axis) {
      zt(axis, 0) += z[axis];
      zt(axis, 1) += z[axis] * u;
      zt(axis, 2) += z[axis] * u2;
    }
    zz += z[0] * z[0] + z[1] * z[1] + z[2] * z[2];
  }
  /// Sum of squares about the best parabola.
  double Squares(int count) const {
    if (count < 4) return 0;
    // Normal matrix (t_j+k) = L D L^T; the parabola explains the sum of (L^-1 z)^2 / D.
    const double over0 = 1 / t[0], l10 = t[1] * over0, l20 = t[2] * over0, over1 = 1 / (t[2] - l10 * t[1]);
    const double e21 = t[3] - l20 * t[1], l21 = e21 * over1, over2 = 1 / (t[4] - l20 * t[2] - l21 * e21);
    double explained = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const double y0 = zt(axis, 0), y1 = zt(axis, 1) - l10 * y0, y2 = zt(axis, 2) - l20 * y0 - l21 * y1;
      explained += y0 * y0 * over0 + y1 * y1 * over1 + y2 * y2 * over2;
    }
    return std::max(0.0, zz - explained);
  }
};

/// A frame after a long stretch that departs from it while the one after returns, or departs the other way, which no
/// impulse does: the stretch goes on past it.
void MarkOutliersBehind(SpatialTrack& track, const FlightBody& body, std::vector<FrameRange>& cuts) {
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    const int bad = cuts[i].last, next = bad + 1;
    if (cuts[i].frames() < 8 || next >= track.size() || !track.Adjacent(bad, next)) continue;
    const FlightArc arc = FitFlight(track, FlightBody{body.p_BBcm, {}}, cuts[i].first, bad);
    const auto away = [&](int k) {
      return Eigen::Vector3d(CenterOfMass(track, body, k) - arc.PositionAt(track.time[k]));
    };
    const auto departure = [&](int k) {
      const double s = track.time[k] - arc.reference;
      const Eigen::Vector3d basis(1, s, 0.5 * s * s);
      const double noise = track.noise_position * std::max(1.0, arc.ScaleOfPosition());
      const double variance = noise * noise + basis.dot(arc.position_covariance * basis);
      return away(k).norm() / std::sqrt(variance);
    };
    const bool returns = departure(next) < 3.5 && departure(next) < 0.5 * departure(bad);
    const bool swings = departure(next) > 6 && away(bad).dot(away(next)) < -0.5 * away(bad).norm() * away(next).norm();
    if (departure(bad) < 6 || !(returns || swings)) continue;
    track.outlier[bad] = 1;
    if (swings) track.outlier[next] = 1;
    // The frames that return belong to the stretch.
    int last = swings ? next + 1 : next;
    while (last < track.size() && departure(last) < 3.5) ++last;
    cuts[i].last = last;
    while (i + 1 < cuts.size() && cuts[i + 1].last <= last)
      cuts.erase(cuts.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    if (i + 1 < cuts.size()) cuts[i + 1].first = last;
  }
}

}  // namespace

FlightArc FitFlight(const SpatialTrack& track, const FlightBody& body, int first, int last,
                    const FlightFitOptions& options) {
  FlightArc arc;
  arc.first = first;
  arc.last = last;
  const std::vector<int> frames = ShownFrames(track, first, last);
  arc.used = static_cast<int>(frames.size());
  for (const int k : frames) arc.reference += track.time[k] / arc.used;
  if (options.reference) arc.reference = *options.reference;

  std::vector<double> s;
  std::vector<Eigen::Vector3d> z;
  for (const int k : frames) {
    s.push_back(track.time[k] - arc.reference);
    z.push_back(CenterOfMass(track, body, k));
    if (options.acceleration) z.back() -= *options.acceleration * (0.5 * s.back() * s.back());
  }
  const int orders = options.acceleration ? 2 : 3;
  const PolynomialFit fit = FitPolynomial(s, z, std::min(orders, std::max(1, arc.used)));
  const double variance = track.noise_position * track.noise_position;
  arc.position = fit.coefficients.col(0);
  arc.velocity = fit.coefficients.col(1);
  arc.acceleration = options.acceleration ? *options.acceleration : Eigen::Vector3d(fit.coefficients.col(2));
  arc.position_covariance = fit.covariance * variance;
  arc.chi2_position = fit.squares / variance;
  arc.dof_position = (track.planar ? 2 : 3) * (arc.used - orders);
  FitRotation(track, body, frames, options.near, arc);
  return arc;
}

Eigen::Matrix<double, 12, 12> StateCovariance(const FlightArc& arc) {
  Eigen::Matrix<double, 12, 12> covariance = Eigen::Matrix<double, 12, 12>::Zero();
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      covariance.block<3, 3>(6 * i, 6 * j) = Eigen::Matrix3d::Identity() * arc.position_covariance(i, j);
      covariance.block<3, 3>(6 * i + 3, 6 * j + 3) = arc.rotation_covariance.block<3, 3>(3 * i, 3 * j);
    }
  }
  return covariance;
}

std::vector<FrameRange> CutIntoParabolas(SpatialTrack& track, const FlightBody& body, const CutOptions& options) {
  const int n = track.size();
  const double penalty = 15 + 9 * std::log(std::max(2, n));
  const double weight = 1 / (track.noise_position * track.noise_position);
  std::vector<Eigen::Vector3d> center;
  for (int k = 0; k < n; ++k) center.push_back(CenterOfMass(track, body, k));
  std::vector<FrameRange> cuts = CutFrames(n, penalty, 10, [&](int first) {
    return [&, first, sums = ParabolaSums()](int last) mutable -> std::optional<double> {
      const double span = track.time[last - 1] - track.time[first];
      if (span > options.longest) return std::nullopt;
      // Time in units of the interval and lengths about the first frame: nothing cancels.
      sums.Add(span / track.interval, center[last - 1] - center[first]);
      return weight * sums.Squares(last - first);
    };
  });

  // Join across one or two frames that no motion explains.
  constexpr int kLong = 5;
  for (std::size_t i = 0; i + 1 < cuts.size();) {
    std::size_t j = i + 1;
    while (j < cuts.size() && cuts[j].frames() < kLong && cuts[j].last - cuts[i].last <= 3) ++j;
    bool joined = false;
    if (j < cuts.size() && j > i && cuts[i].frames() >= kLong && cuts[j].frames() >= kLong) {
      const int begin = cuts[i].last, end = cuts[j].first;
      // The bad frames may also have been drawn into the ends of the stretches.
      for (int width = 1; width <= 2 && !joined; ++width) {
        const auto mark = [&](int at, char value) {
          for (int k = at; k < at + width; ++k) track.outlier[k] = value;
        };
        const auto chi2 = [&](int first, int last) {
          return FitFlight(track, FlightBody{body.p_BBcm, {}}, first, last).chi2_position;
        };
        int best_at = -1;
        double least = INFINITY;
        for (int at = std::max(begin - 1, cuts[i].first + 3); at + width <= std::min(end + 1, cuts[j].last - 3); ++at) {
          mark(at, 1);
          const double whole = chi2(cuts[i].first, cuts[j].last);
          mark(at, 0);
          if (whole >= least) continue;
          least = whole;
          best_at = at;
        }
        if (best_at < 0) continue;
        joined = least < chi2(cuts[i].first, best_at) + chi2(best_at + width, cuts[j].last) + 30;
        if (joined) mark(best_at, 1);
      }
    }
    if (joined) {
      cuts[i].last = cuts[j].last;
      cuts.erase(cuts.begin() + static_cast<std::ptrdiff_t>(i) + 1, cuts.begin() + static_cast<std::ptrdiff_t>(j) + 1);
    } else {
      ++i;
    }
  }
  MarkOutliersBehind(track, body, cuts);
  return cuts;
}

}  // namespace ricochet
