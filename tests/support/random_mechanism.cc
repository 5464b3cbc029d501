// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/random_mechanism.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/random.h"
#include "ricochet/identify.h"

namespace ricochet::testing {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kStep = 5e-4;     // [s]
constexpr double kHold = 5e-3;     // [s], of random torques
constexpr double kGravity = 9.81;  // [m/s^2]

/// One link: a hinge at `from` (in the link before) about `axis`, the center of mass at `reach` from it.
struct Link {
  Vector3d from, axis, reach;
  double mass = 0;
  Vector3d moments;
  double viscous = 0, coulomb = 0, stiffness = 0;
  double drag_linear = 0, drag_quadratic = 0;
};

/// Which side of its Coulomb torque a joint is on: sign of sliding, or 0 where it sticks.
using Signs = std::vector<int>;

struct Chain {
  std::vector<Link> links;
  Vector3d gravity;
  double gain = 0;  // of the motor of the first joint

  int size() const { return static_cast<int>(links.size()); }

  /// Mass matrix and everything else on the other side, friction of sliding joints included.
  void Forces(const VectorXd& q, const VectorXd& v, double input, const VectorXd& torque, const Signs& signs,
              MatrixXd& M, VectorXd& f) const {
    const int n = size();
    M.setZero(n, n);
    f = torque;
    f[0] += gain * input;
    std::vector<Vector3d> axes, places;
    Matrix3d R = Matrix3d::Identity();
    // Velocities and accelerations of the last joint's place and link, for joint accelerations of 0.
    Vector3d place = Vector3d::Zero(), w = Vector3d::Zero(), alpha = Vector3d::Zero(), u = Vector3d::Zero(),
             a = Vector3d::Zero();
    for (int i = 0; i < n; ++i) {
      const Link& link = links[static_cast<std::size_t>(i)];
      const Vector3d arm = R * link.from, z = R * link.axis;
      a += alpha.cross(arm) + w.cross(w.cross(arm));
      u += w.cross(arm);
      place += arm;
      alpha += w.cross(z) * v[i];
      w += z * v[i];
      R = Eigen::AngleAxisd(q[i], z).toRotationMatrix() * R;
      axes.push_back(z);
      places.push_back(place);
      const Vector3d reach = R * link.reach, center = place + reach;
      const Vector3d velocity = u + w.cross(reach), acceleration = a + alpha.cross(reach) + w.cross(w.cross(reach));
      const Matrix3d I = R * link.moments.asDiagonal() * R.transpose();
      const Vector3d force =
          -link.mass * (acceleration - gravity) - (link.drag_linear + link.drag_quadratic * velocity.norm()) * velocity;
      const Vector3d moment = -(I * alpha + w.cross(I * w));
      for (int j = 0; j <= i; ++j) {
        const Vector3d Jj = axes[static_cast<std::size_t>(j)].cross(center - places[static_cast<std::size_t>(j)]);
        f[j] += Jj.dot(force) + axes[static_cast<std::size_t>(j)].dot(moment);
        for (int k = 0; k <= i; ++k) {
          const Vector3d Jk = axes[static_cast<std::size_t>(k)].cross(center - places[static_cast<std::size_t>(k)]);
          M(j, k) +=
              link.mass * Jj.dot(Jk) + axes[static_cast<std::size_t>(j)].dot(I * axes[static_cast<std::size_t>(k)]);
        }
      }
      f[i] -= link.viscous * v[i] + link.stiffness * q[i] + link.coulomb * signs[static_cast<std::size_t>(i)];
    }
  }

  /// Accelerations with the sticking joints held; `needed` gets the torques that hold them.
  VectorXd Accelerate(const VectorXd& q, const VectorXd& v, double input, const VectorXd& torque, const Signs& signs,
                      VectorXd* needed = nullptr) const {
    MatrixXd M;
    VectorXd f;
    Forces(q, v, input, torque, signs, M, f);
    std::vector<int> free;
    for (int i = 0; i < size(); ++i)
      if (links[static_cast<std::size_t>(i)].coulomb == 0 || signs[static_cast<std::size_t>(i)] != 0) free.push_back(i);
    VectorXd a = VectorXd::Zero(size());
    if (free.empty()) {
      if (needed) *needed = f;
      return a;
    }
    const MatrixXd held = M(free, free);
    const VectorXd torques = f(free), solved = held.ldlt().solve(torques);
    a(free) = solved;
    if (needed) *needed = f - M * a;
    return a;
  }
};

/// The motion of a chain from a state on, by RK4.
class Motion {
 public:
  Motion(const Chain& chain, VectorXd q, VectorXd v) : chain_(chain), q_(std::move(q)), v_(std::move(v)) {
    signs_.assign(static_cast<std::size_t>(chain.size()), 1);
    for (int i = 0; i < chain.size(); ++i) signs_[static_cast<std::size_t>(i)] = v_[i] > 0 ? 1 : v_[i] < 0 ? -1 : 0;
  }
  const VectorXd& q() const { return q_; }

  void Advance(double time, double input, const VectorXd& torque) {
    while (time > 1e-13) {
      Release(input, torque);
      double h = std::min(kStep, time);
      VectorXd q, v;
      Take(h, input, torque, q, v);
      // The first joint that would turn round ends the step.
      int first = -1;
      for (int i = 0; i < chain_.size(); ++i) {
        if (!HasFriction(i) || signs_[static_cast<std::size_t>(i)] * v[i] >= 0 || v_[i] * v[i] >= 0) continue;
        double low = 0, high = h;
        for (int k = 0; k < 50; ++k) {
          const double middle = 0.5 * (low + high);
          VectorXd qm, vm;
          Take(middle, input, torque, qm, vm);
          (signs_[static_cast<std::size_t>(i)] * vm[i] < 0 ? high : low) = middle;
        }
        first = i;
        h = high;
        Take(h, input, torque, q, v);
      }
      q_ = q;
      v_ = v;
      time -= h;
      if (first >= 0) {
        v_[first] = 0;
        signs_[static_cast<std::size_t>(first)] = 0;
      }
    }
  }

 private:
  bool HasFriction(int i) const { return chain_.links[static_cast<std::size_t>(i)].coulomb > 0; }

  /// Joints at rest whose torque is too large begin to slide.
  void Release(double input, const VectorXd& torque) {
    for (int round = 0; round < chain_.size(); ++round) {
      VectorXd needed;
      chain_.Accelerate(q_, v_, input, torque, signs_, &needed);
      bool changed = false;
      for (int i = 0; i < chain_.size() && !changed; ++i) {
        if (!HasFriction(i) || signs_[static_cast<std::size_t>(i)] != 0) continue;
        if (std::abs(needed[i]) <= chain_.links[static_cast<std::size_t>(i)].coulomb) continue;
        signs_[static_cast<std::size_t>(i)] = needed[i] > 0 ? 1 : -1;
        changed = true;
      }
      if (!changed) return;
    }
  }

  void Take(double h, double input, const VectorXd& torque, VectorXd& q, VectorXd& v) const {
    const auto at = [&](const VectorXd& x, const VectorXd& r) {
      return chain_.Accelerate(x, r, input, torque, signs_);
    };
    const VectorXd a1 = at(q_, v_), v2 = v_ + 0.5 * h * a1, a2 = at(q_ + 0.5 * h * v_, v2), v3 = v_ + 0.5 * h * a2,
                   a3 = at(q_ + 0.5 * h * v2, v3), v4 = v_ + h * a3, a4 = at(q_ + h * v3, v4);
    q = q_ + h / 6 * (v_ + 2 * v2 + 2 * v3 + v4);
    v = v_ + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }

  const Chain& chain_;
  VectorXd q_, v_;
  Signs signs_;
};

std::string Text(const Vector3d& v) { return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", v[0], v[1], v[2]); }

Vector3d Across(const Vector3d& axis) {
  return axis.cross(std::abs(axis[0]) < 0.5 ? Vector3d::UnitX() : Vector3d::UnitZ()).normalized();
}

double PowerOfTen(Random& random, double low, double high) { return std::pow(10, random.Uniform(low, high)); }

/// Links of a seed. Planar chains turn about y; spatial ones about an axis of their own each.
Chain MakeChain(Random& random, bool planar) {
  Chain chain;
  chain.gravity = {0, 0, -kGravity};
  const int n = 1 + static_cast<int>(random.Uniform(0, 4));
  double length = 0;
  for (int i = 0; i < n; ++i) {
    Link link;
    link.from = i == 0 ? Vector3d(0, 0, 0) : Vector3d(planar ? 0 : random.Uniform(-0.02, 0.02), 0, -length);
    link.axis = Vector3d::UnitY();
    if (!planar) link.axis = Vector3d(random.Uniform(-0.6, 0.6), 1, random.Uniform(-0.3, 0.3)).normalized();
    length = random.Uniform(0.12, 0.35);
    link.mass = random.Uniform(0.1, 0.8);
    link.reach = Vector3d(planar ? 0 : random.Uniform(-0.02, 0.02), 0, -length * random.Uniform(0.4, 0.9));
    const double across = link.mass * length * length / 12, along = across * random.Uniform(0.35, 0.7);
    link.moments = {across * random.Uniform(0.95, 1.1), across, along};
    chain.links.push_back(link);
  }
  // Torque of gravity on everything beyond a joint gives the size of its friction.
  double below = 0;
  for (int i = n - 1; i >= 0; --i) {
    Link& link = chain.links[static_cast<std::size_t>(i)];
    below += kGravity * link.mass * link.reach.norm();
    link.viscous = below * PowerOfTen(random, -3, -1.7);
  }
  return chain;
}

/// The scene of a chain, with the start values that a user might have.
std::string SceneText(const Chain& chain, bool motor, bool coulomb, const std::vector<double>& start_factors) {
  std::string text = "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n", joints = "joints:\n";
  std::size_t next = 0;
  for (int i = 0; i < chain.size(); ++i) {
    const Link& link = chain.links[static_cast<std::size_t>(i)];
    Vector3d moments = link.moments;
    moments[1] *= start_factors[next++];
    text += fmt::format("  b{}: {{mass: {:.17g}, inertia: {}}}\n", i, link.mass, Text(moments));
    const Vector3d near = i == 0 ? link.from : Vector3d(link.from - chain.links[static_cast<std::size_t>(i) - 1].reach);
    const Vector3d zero = Across(link.axis);
    joints += fmt::format(
        "  j{0}:\n    type: hinge\n    parent: {1}\n    child: b{0}\n    parent_frame: {{point: {2}, axis: {4}, zero: "
        "{5}}}\n"
        "    child_frame: {{point: {3}, axis: {4}, zero: {5}}}\n    viscous: {6:.17g}\n",
        i, i == 0 ? "world" : fmt::format("b{}", i - 1), Text(near), Text(-link.reach), Text(link.axis), Text(zero),
        link.viscous * start_factors[next++]);
    if (coulomb && i == 0) joints += fmt::format("    coulomb: {:.17g}\n", link.coulomb * start_factors[next++]);
    if (motor && i == 0) joints += fmt::format("    motor: {{gain: {:.17g}, input: u}}\n", chain.gain);
  }
  return text + joints;
}

}  // namespace

const char* NameOf(Nuisance nuisance) {
  constexpr const char* kNames[kNuisances] = {"none",   "coulomb",      "drag",    "quadratic_drag", "eccentricity",
                                              "scale",  "torque_noise", "offset",  "delay",          "tilt",
                                              "spring", "gain",         "degrees", "milliseconds"};
  return kNames[static_cast<int>(nuisance)];
}

MechanismCase MakeMechanismCase(std::uint64_t seed, Nuisance nuisance) {
  Random random(seed, 77);
  MechanismCase out;
  const bool planar = random.Uniform(0, 1) < 0.5;
  Chain chain = MakeChain(random, planar);
  const int n = chain.size();
  out.joints = n;
  // A delay and a gain need an input to show.
  const bool motor = random.Uniform(0, 1) < 0.5 || nuisance == Nuisance::kDelay || nuisance == Nuisance::kGain;
  const bool coulomb = random.Uniform(0, 1) < 0.3 && nuisance != Nuisance::kCoulomb;
  double weight = 0;
  for (const Link& link : chain.links) weight += kGravity * link.mass * link.reach.norm();
  chain.gain = motor ? 0.3 * weight : 0;
  if (coulomb) chain.links[0].coulomb = weight * PowerOfTen(random, -2.5, -1.5);
  std::vector<double> factors;
  for (int i = 0; i < 2 * n + 1; ++i) factors.push_back(std::exp(random.Uniform(-0.2, 0.2)));
  out.scene = ParseScene(SceneText(chain, motor, coulomb, factors), "case");
  for (int i = 0; i < n; ++i) {
    const Link& link = chain.links[static_cast<std::size_t>(i)];
    out.truth.emplace_back(fmt::format("bodies.b{}.inertia[1]", i), link.moments[1]);
    out.truth.emplace_back(fmt::format("joints.j{}.viscous", i), link.viscous);
  }
  if (coulomb) out.truth.emplace_back("joints.j0.coulomb", chain.links[0].coulomb);
  if (motor && nuisance != Nuisance::kGain && random.Uniform(0, 1) < 0.5) {
    out.truth.emplace_back("joints.j0.motor.gain", chain.gain);
    out.scene.Set("joints.j0.motor.gain", {chain.gain * std::exp(random.Uniform(-0.3, 0.3))});
  }
  for (const auto& [path, value] : out.truth) out.paths += (out.paths.empty() ? "" : ", ") + path;

  // The nuisance.
  Random chance(seed, 78 + static_cast<std::uint64_t>(nuisance));
  const int joint = static_cast<int>(chance.Uniform(0, n));
  Link& link = chain.links[static_cast<std::size_t>(joint)];
  const std::string column = fmt::format("j{}.angle", joint);
  double beyond = 0;
  for (int i = joint; i < n; ++i)
    beyond += kGravity * chain.links[static_cast<std::size_t>(i)].mass *
              chain.links[static_cast<std::size_t>(i)].reach.norm();
  const double sign = chance.Uniform(0, 1) < 0.5 ? -1 : 1, phase = chance.Uniform(-M_PI, M_PI);
  double sine = 0, cosine = 0, scale = 1, offset = 0, delay = 0, torque_noise = 0, time_unit = 1;
  switch (nuisance) {
    case Nuisance::kNone:
      break;
    case Nuisance::kCoulomb:
      link.coulomb = out.size = beyond * PowerOfTen(chance, -4, -1);
      out.explanation = fmt::format("joints.j{}.coulomb", joint);
      break;
    case Nuisance::kDrag:
      link.drag_linear = out.size = PowerOfTen(chance, -4, -1);
      out.explanation = fmt::format("bodies.b{}.drag.linear", joint);
      break;
    case Nuisance::kQuadraticDrag:
      link.drag_quadratic = out.size = PowerOfTen(chance, -4, -1);
      out.explanation = fmt::format("bodies.b{}.drag.quadratic", joint);
      break;
    case Nuisance::kEccentricity:
      out.size = PowerOfTen(chance, -4, -1.3);
      sine = out.size * std::sin(phase), cosine = out.size * std::cos(phase);
      out.explanation = "observe.eccentricity." + column;
      break;
    case Nuisance::kScale:
      out.size = sign * PowerOfTen(chance, -3, -2);
      scale += out.size;
      out.explanation = "observe.scale." + column;
      break;
    case Nuisance::kTorqueNoise:
      torque_noise = out.size = beyond * PowerOfTen(chance, -4, -1.5);
      break;
    case Nuisance::kOffset:
      offset = out.size = sign * PowerOfTen(chance, -4, -1);
      out.explanation = "observe.offset." + column;
      break;
    case Nuisance::kDelay:
      delay = out.size = PowerOfTen(chance, -4, -1.7);
      out.explanation = "observe.delay";
      break;
    case Nuisance::kTilt:
      out.size = PowerOfTen(chance, -4, -1.3);
      chain.gravity = kGravity * Vector3d(std::sin(sign * out.size), 0, -std::cos(out.size));
      out.explanation = "gravity.tilt";
      break;
    case Nuisance::kSpring:
      link.stiffness = out.size = beyond * PowerOfTen(chance, -4, -1);
      out.explanation = fmt::format("joints.j{}.drive.stiffness", joint);
      break;
    case Nuisance::kGain:
      out.size = sign * chain.gain * PowerOfTen(chance, -3, -0.7);
      chain.gain += out.size;
      out.explanation = "joints.j0.motor.gain";
      break;
    case Nuisance::kDegrees:
      scale = 180 / M_PI;
      break;
    case Nuisance::kMilliseconds:
      time_unit = 1000;
      break;
  }

  // The recordings.
  const int count = random.Uniform(0, 1) < 0.5 ? 1 : 2;
  const double rate = random.Uniform(60, 200), noise = PowerOfTen(random, -3.7, -2.7);
  const bool encoder = random.Uniform(0, 1) < 0.2;
  const double amplitude = n <= 2 ? 1.2 : 0.6;
  for (int k = 0; k < count; ++k) {
    const double duration = random.Uniform(4, 9);
    VectorXd q(n), v(n);
    for (int i = 0; i < n; ++i) q[i] = random.Uniform(-amplitude, amplitude), v[i] = random.Uniform(-1, 1);
    const double f0 = random.Uniform(0.3, 0.6), f1 = random.Uniform(1, 2.5), level = random.Uniform(0.3, 1);
    Motion motion(chain, q, v);
    Recording recording;
    recording.file = fmt::format("case_{}", k);
    for (int i = 0; i < n; ++i) recording.columns.push_back(fmt::format("j{}.angle", i));
    if (motor) recording.columns.emplace_back("u");
    recording.values.resize(recording.columns.size());
    const int rows = static_cast<int>(duration * rate);
    // The controller holds its output over whole rows, about 20 ms; before the first row it has that of the first.
    const double tick = std::max(1.0, std::round(0.02 * rate)) / rate;
    const auto input = [&](double t) {
      const double at = tick * std::floor(std::max(t, 0.0) / tick + 1e-6);
      return motor ? level * std::cos(2 * M_PI * at * (f0 + 0.5 * (f1 - f0) * at / duration)) : 0.0;
    };
    Random disturbance(seed, 200 + static_cast<std::uint64_t>(k));
    VectorXd torque = VectorXd::Zero(n);
    // Ends of pieces: rows (seen late), ticks of the controller, changes of random torques.
    double now = -delay, next_hold = now;
    const auto advance = [&](double to) {
      while (now < to - 1e-12) {
        double until = std::min(to, tick * (std::floor(now / tick + 1e-6) + 1));
        if (torque_noise > 0) {
          if (now >= next_hold - 1e-12) {
            for (int i = 0; i < n; ++i)
              torque[i] = torque_noise * std::sqrt(0.01 / kHold) * disturbance.Normal(0, 1) * (i == joint ? 1.0 : 0.0);
            next_hold = now + kHold;
          }
          until = std::min(until, next_hold);
        }
        motion.Advance(until - now, input(now), torque);
        now = until;
      }
    };
    for (int row = 0; row < rows; ++row) {
      const double t = row / rate;
      advance(t - delay);
      recording.time.push_back(time_unit * t);
      for (int i = 0; i < n; ++i) {
        const double x = motion.q()[i];
        const bool sick = i == joint || nuisance == Nuisance::kDegrees;
        double shown = sick ? scale * x + sine * std::sin(x) + cosine * std::cos(x) + offset : x;
        const double unit = nuisance == Nuisance::kDegrees ? scale : 1.0;
        if (encoder) {
          const double quantum = unit * 2 * M_PI / 4096;
          shown = quantum * std::round(shown / quantum);
        } else {
          shown += unit * random.Normal(0, noise);
        }
        recording.values[static_cast<std::size_t>(i)].push_back(shown);
      }
      if (motor) recording.values.back().push_back(input(t));
    }
    out.recordings.push_back(std::move(recording));
  }
  return out;
}

namespace {

/// Errors of an estimate of the case's parameters, in standard deviations.
void Compare(const MechanismCase& given, const Estimate& estimate, MechanismOutcome& out, double& worst) {
  for (const auto& [path, value] : given.truth)
    for (const EstimatedParameter& parameter : estimate.parameters) {
      if (parameter.path != path || !parameter.value || !parameter.std || !(*parameter.std > 0)) continue;
      const double pull = std::abs(*parameter.value - value) / *parameter.std;
      ++out.estimates;
      out.covered += pull < 1.959964;
      worst = std::max(worst, pull);
    }
}

}  // namespace

MechanismOutcome JudgeMechanismCase(const MechanismCase& given, bool free) {
  MechanismOutcome out;
  const auto began = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(); };
  IdentifyOptions options;
  options.method = "inverse-dynamics";
  try {
    const Estimate estimate = Identify(given.scene, given.recordings, given.paths, options).estimate;
    out.seconds = seconds();
    out.level = std::string(NameOf(estimate.verdict.level));
    out.over_noise = estimate.verdict.residual_over_noise.value_or(0);
    if (!estimate.verdict.reasons.empty()) out.first = estimate.verdict.reasons.front();
    const std::vector<Explanation>& explanations = estimate.verdict.explanations;
    if (!explanations.empty()) out.first = explanations.front().path;
    for (const Explanation& each : explanations)
      out.as_good = out.as_good || (each.path == given.explanation &&
                                    each.residual_over_noise.value_or(INFINITY) <=
                                        1.02 * explanations.front().residual_over_noise.value_or(0));
    Compare(given, estimate, out, out.worst);
  } catch (const InputError& error) {
    out.seconds = seconds();
    out.level = "refused";
    out.first = error.what();
    return out;
  }
  if (!free || given.explanation.empty()) return out;
  MechanismOutcome again;
  try {
    const Estimate freed =
        Identify(given.scene, given.recordings, given.paths + ", " + given.explanation, options).estimate;
    out.freed_worst = 0;
    Compare(given, freed, again, out.freed_worst);
  } catch (const InputError&) {
    out.freed_worst = -1;
  }
  return out;
}

}  // namespace ricochet::testing
