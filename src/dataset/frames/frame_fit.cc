// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/frames/frame_fit.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/threads.h"
#include "dynamics/free_rotation.h"
#include "math/dense.h"
#include "math/manifold.h"
#include "math/nearest_rotation.h"
#include "math/so3.h"
#include "optimize/least_squares.h"

namespace ricochet {
namespace {

constexpr int kUnknowns = 9;            // turn of F, arm, height, lean of the normal
constexpr double kFaceAngle = 0.1;      // allowed between rests and faces at the start [rad]
constexpr int kTurns = 24;              // of a turn about a face that rests leave open
constexpr int kMostFlights = 24;        // that are fitted again for every rotation
constexpr double kSameRotation = 0.02;  // of results [rad]
constexpr double kHuber = 3;            // of touches, in standard deviations
constexpr double kModelError = 1e-4;    // of heights of corners: a body and a surface are not exact [m]
constexpr double kFaceError = 3e-4;     // of directions of faces [rad]

using Values = Eigen::Matrix<double, kUnknowns, 1>;

struct Place {
  Quaternion<double> q_BF;
  Eigen::Vector3d arm;
  double height;  // of the surface over the scene's point, along the scene's normal
  Eigen::Vector2d lean;

  Place Moved(const Values& step) const {
    return {BoxPlusRotation<double>(q_BF, Eigen::Vector3d(step.head<3>())), arm + step.segment<3>(3), height + step[6],
            lean + step.tail<2>()};
  }
};

class Problem {
 public:
  Problem(const FacedBody& body, const FrameEvidence& evidence, const FramePlane& surface)
      : body_(body), evidence_(evidence), surface_(surface) {
    arm_weight_ = Eigen::Matrix3d(evidence.arm_covariance.inverse()).llt().matrixU();
    // The longest flights of all tosses say most about the axes of inertia.
    for (std::size_t i = 0; i < evidence.tosses.size(); ++i)
      for (const FlightArc& arc : evidence.tosses[i].flights)
        if (arc.frames() >= 10) flights_.push_back({static_cast<int>(i), arc});
    std::stable_sort(flights_.begin(), flights_.end(),
                     [](const Flight& a, const Flight& b) { return a.arc.frames() > b.arc.frames(); });
    if (flights_.size() > kMostFlights) flights_.resize(kMostFlights);
    if (body.inertia.isZero(0)) flights_.clear();
  }

  Eigen::Vector3d Normal(const Eigen::Vector2d& lean) const {
    return Rotate<double>(ExpSO3(Eigen::Vector3d(lean[0], lean[1], 0)), surface_.normal);
  }

  /// Residuals; `turns` says whether those of rotations in flight are included.
  Eigen::VectorXd Residuals(const Place& place, bool turns) const {
    std::vector<double> out;
    const Eigen::Vector3d arm = arm_weight_ * (place.arm - evidence_.arm);
    out.insert(out.end(), arm.data(), arm.data() + 3);
    const Eigen::Vector3d n = Normal(place.lean);
    const double level = n.dot(surface_.point + place.height * surface_.normal);
    const Quaternion<double> q_FB = QuaternionConjugate<double>(place.q_BF);
    for (const FrameRest& rest : evidence_.rests) {
      const Quaternion<double> q_WB = QuaternionProduct<double>(rest.rotation, q_FB);
      const Eigen::Vector3d down_B = -Rotate<double>(QuaternionConjugate<double>(q_WB), n);
      const HullFace& face = *std::max_element(
          body_.faces.begin(), body_.faces.end(),
          [&](const HullFace& a, const HullFace& b) { return a.normal.dot(down_B) < b.normal.dot(down_B); });
      const Eigen::Vector3d center = rest.position - Rotate<double>(rest.rotation, place.arm);
      const Eigen::Vector3d f_W = Rotate<double>(q_WB, face.normal);
      const double distance = face.offset - face.normal.dot(body_.center_of_mass);
      out.push_back((n.dot(center + distance * f_W) - level) / std::hypot(rest.noise_position, kModelError));
      const Eigen::Vector3d across = f_W - n * n.dot(f_W);
      const Eigen::Vector3d x = std::abs(n.x()) < 0.9 ? Eigen::Vector3d::UnitX().cross(n).normalized()
                                                      : Eigen::Vector3d::UnitY().cross(n).normalized();
      const double weight = 1 / std::hypot(rest.noise_angle, kFaceError);
      out.push_back(weight * across.dot(x));
      out.push_back(weight * across.dot(n.cross(x)));
    }
    for (const FrameTouch& touch : evidence_.touches) {
      const Quaternion<double> q_WB = QuaternionProduct<double>(touch.rotation, q_FB);
      const Eigen::Vector3d n_B = Rotate<double>(QuaternionConjugate<double>(q_WB), n);
      double lowest = INFINITY;
      for (const Eigen::Vector3d& corner : body_.corners)
        lowest = std::min(lowest, n_B.dot(corner - body_.center_of_mass));
      const double gap = n.dot(touch.center) + lowest - level;
      // Huber's loss as a residual.
      const double r = gap / std::hypot(touch.noise, kModelError), size = std::abs(r);
      out.push_back(size <= kHuber ? r : std::copysign(std::sqrt(2 * kHuber * size - kHuber * kHuber), r));
    }
    if (turns)
      for (const Flight& flight : flights_) AddTurn(flight, q_FB, out);
    return Eigen::Map<const Eigen::VectorXd>(out.data(), static_cast<Eigen::Index>(out.size()));
  }

  Eigen::MatrixXd Jacobian(const Place& place, bool turns) const {
    constexpr double kStep[kUnknowns] = {1e-4, 1e-4, 1e-4, 1e-5, 1e-5, 1e-5, 1e-5, 1e-4, 1e-4};
    std::vector<Eigen::VectorXd> columns(kUnknowns);
    ParallelFor(kUnknowns, [&](int k) {
      Values step = Values::Zero();
      step[k] = kStep[k];
      // Only rotations change those of flights.
      const bool own = turns && k < 3;
      const Eigen::VectorXd high = Residuals(place.Moved(step), own), low = Residuals(place.Moved(-step), own);
      columns[static_cast<std::size_t>(k)] = (high - low) / (2 * kStep[k]);
    });
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(Residuals(place, turns).size(), kUnknowns);
    for (int k = 0; k < kUnknowns; ++k)
      J.col(k).head(columns[static_cast<std::size_t>(k)].size()) = columns[static_cast<std::size_t>(k)];
    return J;
  }

  /// Least squares from a start; returns the sum of squares.
  double Minimize(Place& place, bool turns) const {
    Place base = place;
    Eigen::VectorXd x = Eigen::VectorXd::Zero(kUnknowns);
    LeastSquaresOptions options;
    options.max_iterations = 25;
    options.cost_tolerance = 1e-7;
    options.scale = Eigen::VectorXd::Constant(kUnknowns, 1e-3);
    const LeastSquaresSummary summary = MinimizeLeastSquares(
        [&](const Eigen::VectorXd& at, Eigen::VectorXd& residuals, Eigen::MatrixXd* jacobian) {
          const Place here = base.Moved(at);
          residuals = Residuals(here, turns);
          if (jacobian != nullptr) *jacobian = Jacobian(here, turns);
          return residuals.allFinite();
        },
        options, x);
    place = base.Moved(x);
    return 2 * summary.cost;
  }

  const FacedBody& body() const { return body_; }
  const FrameEvidence& evidence() const { return evidence_; }
  const FramePlane& surface() const { return surface_; }
  bool has_turns() const { return !flights_.empty(); }

 private:
  struct Flight {
    int toss;
    FlightArc arc;
  };

  /// Residuals of the rotation of a flight, with its own start fitted.
  void AddTurn(const Flight& flight, const Quaternion<double>& q_FB, std::vector<double>& out) const {
    const SpatialTrack& track = evidence_.tosses[static_cast<std::size_t>(flight.toss)].track;
    const Eigen::Matrix3d R_FB = RotationMatrix<double>(q_FB);
    const Eigen::Matrix3d inertia = R_FB * body_.inertia * R_FB.transpose();
    const FlightArc arc = FitFlight(track, {-evidence_.arm, inertia}, flight.arc.first, flight.arc.last,
                                    {.acceleration = flight.arc.acceleration, .near = &flight.arc});
    for (int k = flight.arc.first; k < flight.arc.last; ++k) {
      if (track.outlier[k]) continue;
      Quaternion<double> rotation = arc.rotation;
      Eigen::Vector3d w = arc.angular_velocity;
      PropagateRotation(inertia, track.time[k] - arc.reference, rotation, w);
      const Eigen::Vector3d r = BoxMinusRotation<double>(track.rotation[k], rotation) / track.noise_angle;
      out.insert(out.end(), r.data(), r.data() + 3);
    }
  }

  const FacedBody& body_;
  const FrameEvidence& evidence_;
  FramePlane surface_;
  Eigen::Matrix3d arm_weight_;
  std::vector<Flight> flights_;
};

/// Rotations to start from: all that take the rests to faces.
std::vector<Quaternion<double>> Starts(const Problem& problem, const Quaternion<double>& scenes) {
  const Eigen::Vector3d n = problem.surface().normal;
  std::vector<Eigen::Vector3d> down;  // in the axes of F
  for (const FrameRest& rest : problem.evidence().rests)
    down.push_back(-Rotate<double>(QuaternionConjugate<double>(rest.rotation), n));
  const Eigen::Vector3d u = down.front();
  const Eigen::Vector3d v = *std::max_element(
      down.begin(), down.end(),
      [&](const Eigen::Vector3d& a, const Eigen::Vector3d& b) { return a.cross(u).norm() < b.cross(u).norm(); });
  std::vector<Quaternion<double>> starts;
  if (u.cross(v).norm() > 2 * kFaceAngle) {
    starts = RotationsToFaces(problem.body(), u, v, kFaceAngle);
  } else {
    for (const HullFace& face : problem.body().faces) {
      const Eigen::Matrix3d correlation = u * face.normal.transpose();
      // The rotation nearest to the scene's that takes u to the face, turned about it.
      const Quaternion<double> base = NearestRotation(correlation + 1e-3 * RotationMatrix<double>(scenes).transpose());
      for (int k = 0; k < kTurns; ++k)
        starts.push_back(
            BoxPlusRotation<double>(base, Eigen::Vector3d(2 * std::numbers::pi * k / kTurns * face.normal)));
    }
  }
  return starts;
}

double AngleBetween(const Quaternion<double>& a, const Quaternion<double>& b) {
  return BoxMinusRotation<double>(a, b).norm();
}

bool DifferBySymmetry(const Quaternion<double>& a, const Quaternion<double>& b,
                      const std::vector<Quaternion<double>>& symmetries, double tolerance) {
  return std::any_of(symmetries.begin(), symmetries.end(), [&](const Quaternion<double>& s) {
    return AngleBetween(QuaternionProduct<double>(s, a), b) < tolerance;
  });
}

FrameFit Result(const Problem& problem, const Place& place, double cost) {
  FrameFit fit;
  fit.rotation = place.q_BF;
  fit.arm = place.arm;
  const Eigen::Vector3d arm_B = Rotate<double>(place.q_BF, place.arm);
  fit.position = problem.body().center_of_mass + arm_B;
  fit.surface.point = problem.surface().point + place.height * problem.surface().normal;
  fit.surface.normal = problem.Normal(place.lean);
  fit.cost = cost;
  const bool turns = problem.has_turns();
  const Eigen::MatrixXd J = problem.Jacobian(place, turns);
  const int count = static_cast<int>(J.rows());
  fit.freedom = count - kUnknowns;
  fit.residual = fit.freedom > 0 ? std::sqrt(cost / fit.freedom) : 1;
  // Directions that nothing shows keep the size of what they could be: a turn of pi, a meter.
  const Eigen::MatrixXd information =
      J.transpose() * J + Eigen::MatrixXd::Identity(kUnknowns, kUnknowns) * (1 / (std::numbers::pi * std::numbers::pi));
  const Eigen::MatrixXd covariance = information.ldlt().solve(Eigen::MatrixXd::Identity(kUnknowns, kUnknowns)) *
                                     std::max(1.0, fit.residual * fit.residual);
  // p_BF = p_BBcm + R_BF b, with the turn of F in the axes of B.
  Eigen::Matrix<double, 9, 9> map = Eigen::Matrix<double, 9, 9>::Zero();
  map.block<3, 3>(0, 0) = -Skew(arm_B);
  map.block<3, 3>(0, 3) = RotationMatrix<double>(place.q_BF);
  map.block<3, 3>(3, 0).setIdentity();
  map.block<3, 3>(6, 6).setIdentity();
  fit.covariance = map * covariance * map.transpose();
  return fit;
}

}  // namespace

std::vector<FrameFit> FitFrame(const FacedBody& body, const FrameEvidence& evidence, const Quaternion<double>& start,
                               const FramePlane& surface) {
  const Problem problem(body, evidence, surface);
  double size = 0;
  for (const Eigen::Vector3d& corner : body.corners) size = std::max(size, (corner - body.center_of_mass).norm());
  const std::vector<Quaternion<double>> symmetries = SymmetriesOf(body, 1e-3 * size);
  // Of starts that look alike to every motion, the one nearest to the scene's.
  std::vector<Quaternion<double>> starts;
  for (Quaternion<double> q : Starts(problem, start)) {
    for (const Quaternion<double>& s : symmetries)
      if (const Quaternion<double> other = QuaternionProduct<double>(s, q);
          AngleBetween(other, start) < AngleBetween(q, start) - 1e-6)
        q = other;
    if (std::none_of(starts.begin(), starts.end(), [&](const Quaternion<double>& other) {
          return DifferBySymmetry(q, other, symmetries, kSameRotation);
        }))
      starts.push_back(q);
  }
  // Rests and touches first, rotations in flight for those that pass.
  struct Candidate {
    Place place;
    double cost;
  };
  std::vector<Candidate> candidates;
  for (const Quaternion<double>& q : starts) {
    Place place{q, evidence.arm, 0, Eigen::Vector2d::Zero()};
    // The height that the rests show on average.
    double height = 0;
    for (const FrameRest& rest : evidence.rests) {
      const Quaternion<double> q_BW = QuaternionProduct<double>(q, QuaternionConjugate<double>(rest.rotation));
      const Eigen::Vector3d n_B = Rotate<double>(q_BW, surface.normal);
      double lowest = INFINITY;
      for (const Eigen::Vector3d& corner : body.corners)
        lowest = std::min(lowest, n_B.dot(corner - body.center_of_mass));
      height +=
          (surface.normal.dot(rest.position - Rotate<double>(rest.rotation, evidence.arm) - surface.point) + lowest) /
          static_cast<double>(evidence.rests.size());
    }
    place.height = height;
    problem.Minimize(place, false);
    candidates.push_back({place, problem.Residuals(place, true).squaredNorm()});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
  constexpr std::size_t kFollowed = 6;
  if (candidates.size() > kFollowed) candidates.resize(kFollowed);
  std::vector<FrameFit> fits;
  for (Candidate& candidate : candidates) {
    // One that is worse by far does not become the best.
    if (!fits.empty() && candidate.cost > 4 * fits.front().cost + 1e3) continue;
    const double cost = problem.Minimize(candidate.place, problem.has_turns());
    fits.push_back(Result(problem, candidate.place, cost));
  }
  std::stable_sort(fits.begin(), fits.end(), [](const FrameFit& a, const FrameFit& b) { return a.cost < b.cost; });
  std::vector<FrameFit> kept;
  for (const FrameFit& fit : fits) {
    const double noise = std::max(1.0, fits.front().residual * fits.front().residual);
    if (fit.cost - fits.front().cost > kEqualCost * noise) break;
    if (std::none_of(kept.begin(), kept.end(), [&](const FrameFit& other) {
          return DifferBySymmetry(fit.rotation, other.rotation, symmetries, kSameRotation);
        }))
      kept.push_back(fit);
  }
  return kept;
}

}  // namespace ricochet
