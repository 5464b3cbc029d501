// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "steppers/moreau/moreau.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "math/manifold.h"
#include "tests/support/allocation_count.h"
#include "tests/support/spatial_run.h"

namespace ricochet::testing {
namespace {

constexpr double kStep = 1.0 / 360;
constexpr double kDistance = 4e-6;  // of differences, relative

State Plus(const State& s, const Eigen::VectorXd& d) {
  State t = s;
  const int bodies = static_cast<int>(s.v.size()) / 6;
  for (int b = 0; b < bodies; ++b) {
    t.q.segment<7>(7 * b) =
        BoxPlus<double>(SpatialPose<double>(s.q.segment<7>(7 * b)), Vector6<double>(d.segment<6>(6 * b)));
  }
  t.v += d.tail(6 * bodies);
  return t;
}

Eigen::VectorXd Minus(const State& a, const State& b) {
  const int bodies = static_cast<int>(a.v.size()) / 6;
  Eigen::VectorXd d(12 * bodies);
  for (int k = 0; k < bodies; ++k) {
    d.segment<6>(6 * k) =
        BoxMinus<double>(SpatialPose<double>(a.q.segment<7>(7 * k)), SpatialPose<double>(b.q.segment<7>(7 * k)));
  }
  d.tail(6 * bodies) = a.v - b.v;
  return d;
}

/// Largest difference of a Jacobian's column from central differences, relative to the column's largest entry or 1.
double ColumnError(const Eigen::VectorXd& analytic, const Eigen::VectorXd& numerical) {
  return (analytic - numerical).cwiseAbs().maxCoeff() / std::max(1.0, numerical.cwiseAbs().maxCoeff());
}

/// Whether friction of some contact turns between two steps by more than differences can bear.
bool FrictionTurns(const StepResult& a, const StepResult& b) {
  for (std::size_t i = 0; i < a.contacts.size(); ++i)
    if ((a.contacts[i].tangential_impulse - b.contacts[i].tangential_impulse).norm() >
        0.02 * a.contacts[i].normal_impulse)
      return true;
  return false;
}

/// Compares Differentiate at the last step of a run with central differences, where the modes do not change nearby.
void CheckDerivatives(SpatialRun& run, const std::vector<std::string>& paths, double& worst, int& checked) {
  const StepResult base = run.last();
  std::vector<NumberId> parameters;
  for (const std::string& path : paths) {
    for (NumberId id : run.model().scene->Match(path)) parameters.push_back(id);
  }
  StepDerivatives derivatives;
  Moreau().Differentiate(run.model(), base, {}, parameters, run.workspace(), derivatives);
  StepResult forward, backward;
  // Central differences at three distances, extrapolated twice, and one much closer; where they disagree, or modes
  // change, the map is not smooth enough nearby for differences to be accurate (contacts that hardly slip turn their
  // friction within 1e-9 m/s).
  const auto check = [&](const Eigen::VectorXd& column, double distance, const auto& step) {
    Eigen::VectorXd difference[4];
    for (int k = 0; k < 4; ++k) {
      const double e = k < 3 ? distance / (1 << k) : distance / 64;
      step(e, forward);
      step(-e, backward);
      if (forward.modes != base.modes || backward.modes != base.modes) return;
      if (FrictionTurns(base, forward) || FrictionTurns(base, backward)) return;
      difference[k] = Minus(forward.end, backward.end) / (2 * e);
    }
    const Eigen::VectorXd coarse = (4 * difference[1] - difference[0]) / 3;
    const Eigen::VectorXd fine = (4 * difference[2] - difference[1]) / 3;
    if (ColumnError(coarse, fine) > 3e-7 || ColumnError(difference[3], fine) > 2e-6) return;
    worst = std::max(worst, ColumnError(column, fine));
    ++checked;
  };
  const int n = static_cast<int>(base.start.v.size()) * 2;
  for (int j = 0; j < n; ++j) {
    check(derivatives.end_by_start.col(j), kDistance, [&](double e, StepResult& out) {
      Moreau().Step(run.model(), Plus(base.start, e * Eigen::VectorXd::Unit(n, j)), {}, kStep, run.workspace(), out);
    });
  }
  for (std::size_t j = 0; j < parameters.size(); ++j) {
    const double value = (*run.model().scene)[parameters[j]];
    check(derivatives.end_by_parameters.col(j), kDistance * std::max(1e-2, std::abs(value)),
          [&](double e, StepResult& out) {
            Scene scene = *run.model().scene;
            scene.Set(parameters[j], value + e);
            const Model model = CompileModel(scene);
            const auto workspace = Moreau().MakeWorkspace(model);
            Moreau().Step(model, base.start, {}, kStep, *workspace, out);
          });
  }
}

TEST(Moreau, DerivativesOfTosses) {
  for (const char* options : {"{}", "{rotation: conserving}", "{penetration: recover}"}) {
    double worst = 0;
    int checked = 0;
    for (int seed = 0; seed < 12; ++seed) {
      SpatialRun run(RandomTossText(seed, {.options = options, .moving_surface = true}));
      for (int k = 0; k < 120; ++k) {
        run.Step(kStep);
        if (k % 12 != 0 && run.last().contacts.size() < 2) continue;
        if (k % 5 != 0) continue;
        CheckDerivatives(
            run,
            {"contact.friction", "contact.restitution", "contact.tangential_restitution", "bodies.box.mass",
             "bodies.box.inertia", "bodies.box.center_of_mass", "bodies.box.shape.box.size",
             "surfaces.floor.plane.point", "surfaces.floor.plane.normal", "surfaces.floor.velocity"},
            worst, checked);
      }
    }
    EXPECT_GT(checked, 2000) << options;
    EXPECT_LE(worst, 1e-6) << options;
  }
}

/// A box dropped on a box that slides on the floor, and a ball that hits both.
std::string BodiesText(const std::string& options, const std::string& floor_height, bool swapped = false) {
  const std::string lower = "  lower: {shape: {box: {size: [0.3, 0.25, 0.1]}}, mass: 1.5}\n";
  const std::string upper = "  upper: {shape: {box: {size: [0.12, 0.1, 0.08]}}, mass: 0.7}\n";
  const std::string ball = "  ball: {shape: {sphere: {radius: 0.04}}, mass: 0.3}\n";
  return "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n" +
         (swapped ? ball + upper + lower : lower + upper + ball) + "surfaces:\n  floor: {plane: {point: [0, 0, " +
         floor_height +
         "], normal: [0, 0, 1]}}\n"
         "contact: {friction: 0.3, restitution: 0.1}\ninitial:\n"
         "  lower: {position: [0, 0, 0.0499], orientation: [1, 0, 0, 0], velocity: [1.2, 0.3, 0], angular_velocity: "
         "[0, 0, "
         "0.4]}\n"
         "  upper: {position: [0.02, 0.01, 0.16], orientation: [0.99, 0.02, 0.03, 0.1], velocity: [0.2, 0, -0.5], "
         "angular_velocity: [0.3, -0.5, 1]}\n"
         "  ball: {position: [0.125, 0.02, 0.17], orientation: [1, 0, 0, 0], velocity: [-0.6, 0, -0.6], "
         "angular_velocity: "
         "[0, 2, 0]}\n"
         "simulation: {method: moreau, options: " +
         options + "}\n";
}

/// In the air and on the floor, four contacts of bodies with each other and of each with the floor at once.
TEST(Moreau, DerivativesOfBodiesInContact) {
  for (const char* floor : {"-10", "0"})
    for (const char* options : {"{}", "{rotation: conserving}"}) {
      double worst = 0;
      int checked = 0;
      std::size_t most = 0;
      SpatialRun run(BodiesText(options, floor));
      for (int k = 0; k < 60; ++k) {
        run.Step(kStep);
        const std::size_t contacts = run.last().contacts.size();
        if (contacts < 1 || (contacts > 4 && k % 5 != 0)) continue;
        most = std::max(most, contacts);
        CheckDerivatives(
            run, {"contact.friction", "contact.restitution", "bodies.upper.mass", "bodies.lower.shape.box.size"}, worst,
            checked);
      }
      EXPECT_GT(checked, 400) << options;
      EXPECT_GE(most, floor[0] == '0' ? 8u : 3u) << options;
      EXPECT_LE(worst, 1e-6) << options;
    }
}

/// Nothing from outside but gravity and the floor: momentum of the bodies together changes by their impulses alone.
TEST(Moreau, BodiesExchangeMomentumAndTheirOrderDoesNotMatter) {
  SpatialRun run(BodiesText("{rotation: conserving}", "0")), swapped(BodiesText("{rotation: conserving}", "0", true));
  const int image[3] = {2, 1, 0};
  double imbalance = 0, apart = 0;
  int between = 0;
  for (int k = 0; k < 120; ++k) {
    const StepResult& s = run.Step(kStep);
    swapped.Step(kStep);
    Eigen::Vector3d change = Eigen::Vector3d::Zero(), from_floor = Eigen::Vector3d::Zero();
    double mass = 0;
    for (int b = 0; b < 3; ++b) {
      const double m = run.model().spatial.bodies[b].mass;
      change += m * (s.end.v.segment<3>(6 * b) - s.start.v.segment<3>(6 * b));
      mass += m;
      apart = std::max(apart, (run.state().q.segment<7>(7 * b) - swapped.state().q.segment<7>(7 * image[b])).norm());
    }
    for (const ContactRecord& c : s.contacts) {
      if (run.model().spatial.pairs[c.pair].surface < 0) {
        ++between;
        continue;
      }
      from_floor += Eigen::Vector3d(c.tangential_impulse[0], c.tangential_impulse[1], c.normal_impulse);
    }
    const Eigen::Vector3d rest = change - from_floor - mass * run.model().spatial.gravity * kStep;
    imbalance = std::max(imbalance, rest.norm());
  }
  EXPECT_GT(between, 20);
  EXPECT_LE(imbalance, 1e-11);  // N s, of 0.07 per step
  EXPECT_LE(apart, 1e-7);
}

TEST(Moreau, NoAllocationInTheLongRun) {
  SpatialRun run(RandomTossText(3));
  for (int k = 0; k < 300; ++k) run.Step(kStep);
  // Steps of the same run again, everything warm. States are plain vectors, so only the step itself is watched.
  StepResult out;
  State state = InitialState(run.model());
  for (int k = 0; k < 100; ++k) {
    Moreau().Step(run.model(), state, {}, kStep, run.workspace(), out);
    std::swap(state, out.end);
  }
  state = InitialState(run.model());
  const AllocationCount count;
  for (int k = 0; k < 60; ++k) {
    Moreau().Step(run.model(), state, {}, kStep, run.workspace(), out);
    std::swap(state, out.end);
  }
  EXPECT_EQ(count.allocations(), 0);
}

TEST(Moreau, RecoversPenetrationOnRequest) {
  const auto depth_after = [](const std::string& options) {
    SpatialRun run(
        "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n  cube: {shape: {box: {size: [0.1, 0.1, 0.1]}}, "
        "mass: 1}\n"
        "surfaces:\n  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}\ncontact: {friction: 0.5}\ninitial:\n  "
        "cube: "
        "{position: [0, 0, 0.052], orientation: [1, 0, 0, 0], velocity: [0, 0, -1], angular_velocity: [0, 0, 0]}\n"
        "simulation: {method: moreau, options: " +
        options + "}\n");
    for (int k = 0; k < 100; ++k) run.Step(kStep);
    return 0.05 - run.state().q[2];
  };
  EXPECT_GT(depth_after("{}"), 1e-4);
  EXPECT_LE(depth_after("{penetration: recover}"), 1.1e-5);
}

TEST(Moreau, RefusesWhatItCannotDoByName) {
  EXPECT_THROW(SpatialRun(RandomTossText(1, {.options = "{rotation: magic}"})), InputError);
  EXPECT_THROW(SpatialRun(RandomTossText(1, {.options = "{rotatoin: explicit}"})), InputError);
}

}  // namespace
}  // namespace ricochet::testing
