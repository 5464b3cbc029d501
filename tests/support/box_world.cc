// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/box_world.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace ricochet::testing {
namespace {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

constexpr double kFlightStep = 2e-4;  // [s]
constexpr double kConverged = 1e-10;  // change of velocity of a sweep [m/s]
constexpr int kMostSweeps = 400;
constexpr double kStill = 1e-5;     // [m/s], [rad/s]
constexpr double kStillFor = 0.01;  // [s]

Vector3d SpinRate(const BoxWorld& world, const Quaterniond& q, const Vector3d& w) {
  const Vector3d b = q.conjugate() * w;
  const Vector3d torque = -b.cross(Vector3d(world.inertia.cwiseProduct(b)));
  return q * Vector3d(torque.cwiseQuotient(world.inertia));
}

Quaterniond Turned(const Quaterniond& q, const Vector3d& by) {
  const double angle = by.norm();
  if (angle == 0) return q;
  return (Quaterniond(Eigen::AngleAxisd(angle, by / angle)) * q).normalized();
}

/// Rotation over a short time: the mean spin of the fourth-order Magnus expansion.
void TurnFreely(const BoxWorld& world, double h, BoxState& s) {
  const Vector3d L = s.rotation * Vector3d(world.inertia.cwiseProduct(Vector3d(s.rotation.conjugate() * s.spin)));
  const auto spin_at = [&](const Quaterniond& q) {
    return Vector3d(q * Vector3d((q.conjugate() * L).cwiseQuotient(world.inertia)));
  };
  const Vector3d w1 = s.spin;
  const Vector3d w2 = spin_at(Turned(s.rotation, 0.5 * h * w1));
  const Vector3d w3 = spin_at(Turned(s.rotation, 0.5 * h * w2));
  const Vector3d w4 = spin_at(Turned(s.rotation, h * w3));
  const Vector3d mean = (w1 + 2 * w2 + 2 * w3 + w4) / 6;
  s.rotation = Turned(s.rotation, h * mean + h * h / 12 * (w4.cross(w1)));
  s.spin = spin_at(s.rotation);
}

std::array<Vector3d, 8> Corners(const BoxWorld& world) {
  std::array<Vector3d, 8> out;
  for (int i = 0; i < 8; ++i)
    out[static_cast<std::size_t>(i)] =
        0.5 * Vector3d((i & 1 ? 1 : -1) * world.size.x(), (i & 2 ? 1 : -1) * world.size.y(),
                       (i & 4 ? 1 : -1) * world.size.z()) -
        world.center_of_mass;
  return out;
}

/// Velocity jump at the corners that are below the surface.
class Contact {
 public:
  explicit Contact(const BoxWorld& world) : world_(world), corners_(Corners(world)) {
    n_ = world.normal.normalized();
    a_ = n_.unitOrthogonal();
    b_ = n_.cross(a_);
  }

  double Lowest(const BoxState& s) const {
    double lowest = INFINITY;
    for (const Vector3d& c : corners_) lowest = std::min(lowest, n_.dot(s.position + s.rotation * c - world_.surface));
    return lowest;
  }

  /// `before`: the state whose velocities are those before gravity acted in this step.
  void Solve(const BoxState& before, BoxState& s) {
    const Matrix3d R = s.rotation.toRotationMatrix();
    const Matrix3d inverse = R * world_.inertia.cwiseInverse().asDiagonal() * R.transpose();
    int count = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      const Vector3d arm = R * corners_[i];
      if (n_.dot(s.position + arm - world_.surface) >= 0) {
        impulse_[i].setZero();
        continue;
      }
      Point& p = points_[static_cast<std::size_t>(count++)];
      p.corner = i;
      p.arm = arm;
      const Matrix3d skew = (Matrix3d() << 0, -arm.z(), arm.y(), arm.z(), 0, -arm.x(), -arm.y(), arm.x(), 0).finished();
      p.delassus = Matrix3d::Identity() - skew * inverse * skew;
      p.normal_mass = 1 / n_.dot(p.delassus * n_);
      p.tangent_mass = 1 / std::max(a_.dot(p.delassus * a_) + std::abs(a_.dot(p.delassus * b_)),
                                    b_.dot(p.delassus * b_) + std::abs(a_.dot(p.delassus * b_)));
      p.approach = n_.dot(before.velocity + before.spin.cross(arm) - world_.belt);
      p.turn = inverse * skew;
    }
    if (count == 0) return;
    for (int k = 0; k < count; ++k)
      Apply(points_[static_cast<std::size_t>(k)], impulse_[points_[static_cast<std::size_t>(k)].corner], s);
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
      double change = 0;
      for (int k = 0; k < count; ++k) {
        Point& p = points_[static_cast<std::size_t>(k)];
        Vector3d& j = impulse_[p.corner];
        Vector3d v = s.velocity + s.spin.cross(p.arm) - world_.belt;
        const double normal = n_.dot(j);
        const double next = std::max(0.0, normal - p.normal_mass * (n_.dot(v) + world_.restitution * p.approach));
        Vector3d by = (next - normal) * n_;
        Apply(p, by, s);
        j += by;
        change = std::max(change, by.norm());
        v = s.velocity + s.spin.cross(p.arm) - world_.belt;
        Vector3d tangent = j - next * n_ - p.tangent_mass * (v - n_.dot(v) * n_);
        const double most = world_.friction * next, length = tangent.norm();
        if (length > most) tangent *= most / length;
        by = next * n_ + tangent - j;
        Apply(p, by, s);
        j += by;
        change = std::max(change, by.norm());
      }
      if (change < kConverged) break;
    }
  }

 private:
  struct Point {
    std::size_t corner = 0;
    Vector3d arm;
    Matrix3d delassus, turn;
    double normal_mass = 0, tangent_mass = 0, approach = 0;
  };
  /// Impulses are over the mass.
  static void Apply(const Point& p, const Vector3d& impulse, BoxState& s) {
    s.velocity += impulse;
    s.spin += p.turn * impulse;
  }

  const BoxWorld& world_;
  std::array<Vector3d, 8> corners_;
  Vector3d n_, a_, b_;
  std::array<Point, 8> points_;
  std::array<Vector3d, 8> impulse_ = {Vector3d::Zero(), Vector3d::Zero(), Vector3d::Zero(), Vector3d::Zero(),
                                      Vector3d::Zero(), Vector3d::Zero(), Vector3d::Zero(), Vector3d::Zero()};
};

}  // namespace

Vector3d UniformInertia(const Vector3d& size) {
  const Vector3d s = size.cwiseAbs2();
  return Vector3d(s.y() + s.z(), s.x() + s.z(), s.x() + s.y()) / 12;
}

std::vector<BoxState> SimulateBox(const BoxWorld& world, const BoxState& start, double rate, double longest,
                                  double after_rest) {
  Contact contact(world);
  std::vector<BoxState> out;
  BoxState s = start;
  double t = 0, still = 0, rests_at = INFINITY;
  const double reach = 0.5 * world.size.norm() + world.center_of_mass.norm();
  for (long row = 0; static_cast<double>(row) / rate < std::min(longest, rests_at + after_rest); ++row) {
    const double until = static_cast<double>(row) / rate;
    while (t < until - 1e-12 && std::isinf(rests_at)) {
      const double lowest = contact.Lowest(s);
      const double fastest = s.velocity.norm() + world.belt.norm() + s.spin.norm() * reach + 10 * kFlightStep;
      if (lowest > fastest * kFlightStep) {
        const double h = std::min(kFlightStep, until - t);
        s.position += h * s.velocity + 0.5 * h * h * world.gravity;
        s.velocity += h * world.gravity;
        TurnFreely(world, h, s);
        t += h;
        continue;
      }
      const double h = std::min(world.step, until - t);
      // Half of the motion, the velocities there, the other half.
      BoxState before = s;
      s.position += 0.5 * h * s.velocity;
      s.rotation = Turned(s.rotation, 0.5 * h * s.spin);
      s.velocity += h * world.gravity;
      s.spin += h * SpinRate(world, s.rotation, s.spin);
      contact.Solve(before, s);
      s.position += 0.5 * h * s.velocity;
      s.rotation = Turned(s.rotation, 0.5 * h * s.spin);
      t += h;
      still = (s.velocity - world.belt).norm() < kStill && s.spin.norm() < kStill ? still + h : 0;
      if (still > kStillFor && world.belt.isZero()) rests_at = t;
    }
    t = until;
    out.push_back(s);
  }
  return out;
}

Recording RecordBox(const BoxWorld& world, const std::vector<BoxState>& states, const BoxCamera& camera,
                    std::uint64_t seed, const std::string& name) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> time;
  std::vector<std::vector<double>> columns(7);
  const Quaterniond turned = Turned(Quaterniond::Identity(), camera.turned);
  for (std::size_t k = 0; k < states.size(); ++k) {
    time.push_back(static_cast<double>(k) / camera.rate);
    const BoxState& s = states[k];
    const Vector3d p = s.position + s.rotation * (camera.frame - world.center_of_mass);
    Vector3d shake;
    for (int i = 0; i < 3; ++i) {
      columns[static_cast<std::size_t>(i)].push_back(p[i] + camera.noise_position * normal(random));
      shake[i] = camera.noise_angle * normal(random);
    }
    Quaterniond q = Turned(s.rotation, shake) * turned;
    if (q.w() < 0) q.coeffs() *= -1;
    columns[3].push_back(q.w());
    columns[4].push_back(q.x());
    columns[5].push_back(q.y());
    columns[6].push_back(q.z());
  }
  std::vector<RecordingColumn> named;
  const char* names[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
  for (std::size_t i = 0; i < 7; ++i) named.push_back({names[i], columns[i]});
  Recording recording = Recording::FromColumns(time, named);
  recording.file = name;
  return recording;
}

}  // namespace ricochet::testing
