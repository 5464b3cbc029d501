// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/spatial_run.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include "core/random.h"

namespace ricochet::testing {

SpatialRun::SpatialRun(const std::string& scene_text)
    : model_(CompileModel(ParseScene(scene_text, "test.yaml"))), state_(InitialState(model_)) {
  Moreau().Check(model_);
  workspace_ = Moreau().MakeWorkspace(model_);
}

const StepResult& SpatialRun::Step(double h) {
  Moreau().Step(model_, state_, {}, h, *workspace_, step_);
  state_ = step_.end;
  return step_;
}

std::string RandomTossText(std::uint64_t seed, const RandomTossOptions& options) {
  Random r(seed, 17);
  const auto u = [&](double lo, double hi) { return r.Uniform(lo, hi); };
  const double x = u(0.06, 0.3), y = u(0.06, 0.3), z = u(0.06, 0.3), m = u(0.1, 2);
  // Moments of a box of this size, scaled a little and turned: a full tensor that a rigid body can have.
  Eigen::Vector3d moments(y * y + z * z, x * x + z * z, x * x + y * y);
  moments *= m / 12 * u(0.8, 1.1);
  const Eigen::Vector3d turn(u(-0.2, 0.2), u(-0.2, 0.2), u(-0.2, 0.2));
  const Eigen::Matrix3d R =
      Eigen::AngleAxisd(turn.norm() + 1e-9, (turn + Eigen::Vector3d(1e-9, 0, 0)).normalized()).toRotationMatrix();
  const Eigen::Matrix3d I = R * moments.asDiagonal() * R.transpose();
  const Eigen::Quaterniond q = Eigen::Quaterniond(u(-1, 1), u(-1, 1), u(-1, 1), u(-1, 1)).normalized();
  const double size = std::sqrt(x * x + y * y + z * z);
  return fmt::format(
      "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n  box:\n    shape: {{box: {{size: [{}, {}, "
      "{}]}}}}\n"
      "    mass: {}\n    inertia: [{}, {}, {}, {}, {}, {}]\n    center_of_mass: [{}, {}, {}]\n"
      "surfaces:\n  floor: {{plane: {{point: [0, 0, 0], normal: [0, 0, 1]}}, velocity: [{}, {}, 0]}}\n"
      "contact: {{friction: {}, restitution: {}, tangential_restitution: {}}}\n"
      "initial:\n  box:\n    position: [0, 0, {}]\n    orientation: [{}, {}, {}, {}]\n    velocity: [{}, {}, {}]\n"
      "    angular_velocity: [{}, {}, {}]\n"
      "simulation: {{method: moreau, step: 0.0027777777777777778, duration: 1.0, options: {}}}\n",
      x, y, z, m, I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2), u(-0.1, 0.1) * x, u(-0.1, 0.1) * y,
      u(-0.1, 0.1) * z, options.moving_surface ? u(-1, 1) : 0.0, options.moving_surface ? u(-1, 1) : 0.0, u(0.05, 0.7),
      options.restitution ? u(0, 0.6) : 0.0, options.restitution ? u(0, 0.3) : 0.0, 0.6 * size + u(0, 0.1), q.w(),
      q.x(), q.y(), q.z(), u(-2, 2), u(-2, 2), u(-1.5, 0.5), u(-8, 8), u(-8, 8), u(-8, 8), options.options);
}

std::string PileText(const Pile& pile) {
  Random r(pile.seed);
  std::string bodies, initial;
  for (int i = 0; i < pile.boxes; ++i) {
    bodies += fmt::format("  b{}: {{shape: {{box: {{size: [{}, {}, {}]}}}}, mass: 1}}\n", i, r.Uniform(0.08, 0.2),
                          r.Uniform(0.08, 0.2), r.Uniform(0.08, 0.2));
    const Eigen::Vector4d q =
        Eigen::Vector4d(1, r.Uniform(-0.2, 0.2), r.Uniform(-0.2, 0.2), r.Uniform(-1, 1)).normalized();
    initial += fmt::format(
        "  b{}: {{position: [{}, {}, {}], orientation: [{}, {}, {}, {}], velocity: [0, 0, 0], angular_velocity: [0, 0, "
        "0]}}\n",
        i, r.Uniform(-0.05, 0.05), r.Uniform(-0.05, 0.05), 0.2 + 0.35 * i, q[0], q[1], q[2], q[3]);
  }
  return fmt::format(
      "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n{}surfaces:\n  floor: {{plane: {{point: [0, 0, "
      "0], normal: [0, 0, 1]}}}}\ncontact: {{friction: {}, restitution: {}}}\ninitial:\n{}simulation: {{method: "
      "moreau}}\n",
      bodies, pile.friction, pile.restitution, initial);
}

void RunPile(const Pile& pile, PileCount& count) {
  SpatialRun run(PileText(pile));
  for (int k = 0; k < 300; ++k) {
    const StepResult& s = run.Step(0.004);
    if (s.contacts.empty()) continue;
    ++count.steps;
    count.failed += s.status != StepStatus::kSolved;
    count.above += s.residual > 1e-10;
    count.residual = std::max(count.residual, s.residual);
    double largest = 1e-300;
    for (const ContactRecord& c : s.contacts) largest = std::max(largest, c.normal_impulse);
    for (const ContactRecord& c : s.contacts) {
      count.between += run.model().spatial.pairs[c.pair].surface < 0;
      count.cone = std::max(count.cone, (c.tangential_impulse.norm() - pile.friction * c.normal_impulse) / largest);
    }
  }
}

}  // namespace ricochet::testing
