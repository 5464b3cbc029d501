// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/simulator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <thread>

#include "model/parameter_map.h"
#include "ricochet/parameter.h"
#include "ricochet/scene_builder.h"
#include "steppers/stepper.h"
#include "tests/support/allocation_count.h"
#include "tests/support/derivative_check.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

Scene Example(const std::string& name) { return ReadScene(testing::SourcePath("examples/" + name)); }

/// An ellipse whose center of mass is off its frame, in touch with a slope that moves or about to be.
Scene PlanarScene(const std::string& method, double height, double restitution) {
  return SceneBuilder(Space::kPlanar)
      .SetGravity({0.1, -9.81})
      .AddBody("e", {.shape = shapes::Ellipse({0.05, 0.025}),
                     .mass = 0.064,
                     .inertia = 4.8384e-5,
                     .center_of_mass = {0.004, -0.003}})
      .AddSurface("slope", {.point = {0, 0}, .angle = 0.1, .velocity = {0.2 * std::cos(0.1), 0.2 * std::sin(0.1)}})
      .SetContact({.friction = 0.2, .restitution = restitution})
      .SetInitial("e", {.pose = {0.01, height, 0.3}, .velocity = {1, -2}, .angular_velocity = 3})
      .SetSimulation({.method = method, .step = 1e-3, .duration = 0.1})
      .Build();
}

/// Height of the frame at which that ellipse touches the slope: its support at the angle 0.3 - 0.1 against the normal.
double TouchingHeightOfEllipse() {
  const double support = std::hypot(0.05 * std::sin(0.2), 0.025 * std::cos(0.2));
  return (support + 0.01 * std::sin(0.1)) / std::cos(0.1);
}

/// A tilted box about to touch, or just touching, with one corner.
Scene SpatialScene(const std::string& method, double height) {
  SceneBuilder builder(Space::kSpatial);
  builder.SetGravity({0.1, 0, -9.81})
      .AddBody("box", {.shape = shapes::Box({0.2, 0.15, 0.1}),
                       .mass = 0.4,
                       .inertia = {1.1e-3, 1.6e-3, 2.0e-3},
                       .center_of_mass = {0.01, -0.005, 0.008}})
      .AddSurface("belt", {.point = {0, 0, 0}, .normal = {0, 0, 1}, .velocity = {0.3, 0, 0}})
      .SetInitial("box", {.position = {0, 0, height},
                          .orientation = {0.9, 0.3, 0.25, 0.15},
                          .velocity = {1.4, 0.2, -1},
                          .angular_velocity = {0.5, -1.0, 0.8}})
      .SetSimulation({.method = method, .step = 2e-3, .duration = 0.1});
  if (method == "ecp") {
    builder.SetContact({.friction = 0.4, .patch = {1, 1, 0.1}});
  } else {
    builder.SetContact({.friction = 0.4, .restitution = 0.2});
  }
  return builder.Build();
}

/// Height of the frame at which the lowest corner of that box is at 0.
double TouchingHeight() {
  const Eigen::Quaterniond q = Eigen::Quaterniond(0.9, 0.3, 0.25, 0.15).normalized();
  double lowest = 0;
  for (const double x : {-0.1, 0.1})
    for (const double y : {-0.075, 0.075})
      for (const double z : {-0.05, 0.05}) lowest = std::min(lowest, (q * Eigen::Vector3d(x, y, z)).z());
  return -lowest;
}

Scene FurutaScene(int order) {
  Scene scene = Example("furuta.yaml");
  const std::string text = scene.text;
  const std::string from = "simulation: {method: spook,";
  std::string changed = text;
  changed.replace(changed.find(from), from.size(),
                  "simulation: {method: spook, options: {order: " + std::to_string(order) + "},");
  // The l1 norm of the load has kinks where a part of it is 0, as it is here.
  for (std::size_t at; (at = changed.find("norm: l1")) != std::string::npos;) changed.replace(at, 8, "norm: euclidean");
  // Joints so soft that small changes of the poses leave the loads as they are.
  Scene out = ParseScene(changed, "furuta.yaml");
  out.Set("joints.*.compliance.*", {1e-3});
  return out;
}

/// Central differences of `steps` steps, through the public interface alone.
struct Differences {
  Scene scene;
  int steps = 1;
  std::vector<double> inputs;
  Eigen::VectorXd start;
  double time = 0;

  Eigen::VectorXd End(const Scene& with, const Eigen::VectorXd& from, const std::vector<double>& u) const {
    Simulator simulator(with);
    simulator.SetState(from, time);
    for (int k = 0; k < steps; ++k) EXPECT_TRUE(simulator.Step(u));
    return simulator.state();
  }

  void Check(const MotionDerivatives& analytic, const std::string& paths, double tolerance) const {
    const Simulator at(scene);
    const auto minus = [&](const Eigen::VectorXd& a, const Eigen::VectorXd& b) { return at.Minus(a, b); };
    EXPECT_TRUE(IsJacobian(
        analytic.by_start, [&](const Eigen::VectorXd& x) { return End(scene, x, inputs); }, start,
        [&](const Eigen::VectorXd& x, const Eigen::VectorXd& d) { return at.Plus(x, d); }, at.tangent_size(), minus,
        {.step = 1e-6, .tolerance = tolerance}));
    ASSERT_EQ(analytic.by_inputs.cols(), static_cast<Eigen::Index>(inputs.size()));
    if (!inputs.empty()) {
      const Eigen::VectorXd u =
          Eigen::Map<const Eigen::VectorXd>(inputs.data(), static_cast<Eigen::Index>(inputs.size()));
      EXPECT_TRUE(IsJacobian(
          analytic.by_inputs,
          [&](const Eigen::VectorXd& v) {
            return End(scene, start, {v.data(), v.data() + v.size()});
          },
          u, [](const Eigen::VectorXd& a, const Eigen::VectorXd& d) { return Eigen::VectorXd(a + d); },
          static_cast<int>(u.size()), minus, {.step = 1e-3, .tolerance = tolerance}));
    }
    const ParameterMap map(scene, ParsePathList(scene, paths));
    ASSERT_EQ(analytic.by_parameters.cols(), map.size());
    for (int k = 0; k < map.size(); ++k) {
      const double d = 1e-4 * std::max(std::abs(map.start()[k]), 1e-2 * map.scale()[k]);
      const auto end = [&](double change) {
        Eigen::VectorXd values = map.start();
        values[k] += change;
        return End(map.Apply(values), start, inputs);
      };
      const Eigen::VectorXd numeric = (8 * at.Minus(end(d), end(-d)) - at.Minus(end(2 * d), end(-2 * d))) / (12 * d);
      const double scale = std::max(1.0, numeric.cwiseAbs().maxCoeff());
      EXPECT_LE((analytic.by_parameters.col(k) - numeric).cwiseAbs().maxCoeff(), 100 * tolerance * scale)
          << map.selected(k).path << "\n"
          << analytic.by_parameters.col(k).transpose() << "\n"
          << numeric.transpose();
    }
  }
};

/// One step and several steps from the scene's start, after `before` steps.
void CheckDerivatives(const Scene& scene, const std::string& paths, const std::vector<double>& u, int before, int steps,
                      bool contact, double tolerance = 1e-7) {
  SCOPED_TRACE(scene.simulation.method);
  Simulator simulator(scene);
  for (int k = 0; k < before; ++k) ASSERT_TRUE(simulator.Step(u));
  Differences differences{scene, 1, u, simulator.state(), simulator.time()};
  simulator.TrackDerivatives(paths);
  ASSERT_TRUE(simulator.Step(u));
  EXPECT_EQ(!simulator.contacts().empty(), contact);
  differences.Check(simulator.DifferentiateStep(paths), paths, tolerance);
  for (int k = 1; k < steps; ++k) ASSERT_TRUE(simulator.Step(u));
  differences.steps = steps;
  differences.Check(simulator.tracked_derivatives(), paths, tolerance);
}

TEST(SimulatorDerivatives, OfPlanarMethodsAreThoseOfDifferences) {
  const std::string paths =
      "bodies.e.inertia / bodies.e.mass, bodies.e.center_of_mass, bodies.e.shape.ellipse.semi_axes, contact.friction, "
      "gravity, surfaces.slope.line.point";
  const std::string with_surface = paths + ", surfaces.slope.velocity, surfaces.slope.line.angle";
  // In the slope by a little, so that no small change opens the contact, or falling on it within the step.
  const double touching = TouchingHeightOfEllipse();
  for (const char* method : {"irc", "lcp"})
    CheckDerivatives(PlanarScene(method, touching - 3e-5, 0.3), with_surface, {}, 0, 3, true);
  CheckDerivatives(PlanarScene("igc", touching + 1e-3, 0), with_surface, {}, 0, 3, true);
  CheckDerivatives(PlanarScene("event", touching + 1e-3, 0.3), paths, {}, 0, 4, true);
  for (const char* method : {"irc", "lcp", "igc", "event"})
    CheckDerivatives(PlanarScene(method, 1, 0), "bodies.e.center_of_mass, gravity", {}, 0, 3, false);
}

constexpr const char* kSpatialPaths =
    "bodies.box.inertia / bodies.box.mass, bodies.box.mass, bodies.box.center_of_mass, bodies.box.shape.box.size, "
    "contact.friction, gravity, surfaces.belt.velocity";

TEST(SimulatorDerivatives, OfSpatialMethodsAreThoseOfDifferences) {
  const double touching = TouchingHeight();
  CheckDerivatives(SpatialScene("moreau", touching - 1e-4), kSpatialPaths, {}, 0, 3, true);
  CheckDerivatives(SpatialScene("ecp", touching + 5e-4), kSpatialPaths, {}, 0, 3, true, 1e-6);
  CheckDerivatives(SpatialScene("spook", touching - 1e-4), kSpatialPaths, {}, 0, 2, true, 1e-6);
  for (const char* method : {"moreau", "ecp", "spook"})
    CheckDerivatives(SpatialScene(method, 1), "bodies.box.inertia, bodies.box.center_of_mass", {}, 0, 3, false);
}

TEST(SimulatorDerivatives, OfAMechanismAreThoseOfDifferences) {
  const std::string paths =
      "joints.hinge1.motor.gain, joints.*.viscous, bodies.A.mass, joints.hinge2.dry.radius * "
      "joints.hinge2.dry.friction, "
      "joints.hinge2.child_frame.point";
  for (const int order : {1, 2}) {
    SCOPED_TRACE(order);
    // With and without input: the derivative by the input is not that by the gain over u.
    CheckDerivatives(FurutaScene(order), paths, {0.3}, 20, 3, false, 1e-6);
    CheckDerivatives(FurutaScene(order), paths, {0.0}, 20, 3, false, 1e-6);
  }
}

TEST(SimulatorDerivatives, EveryMethodIsTested) {
  std::set<std::string> tested = {"irc", "lcp", "igc", "event", "moreau", "ecp", "spook"};
  for (const Stepper* stepper : AllSteppers()) EXPECT_TRUE(tested.contains(std::string(stepper->info().name)));
}

TEST(SimulatorDerivatives, OfADerivedInertiaAreByItselfOrFollowTheMass) {
  // Uniform density: by the mass alone, the inertia follows and free motion does not change.
  const Scene scene = SceneBuilder(Space::kPlanar)
                          .AddBody("disk", {.shape = shapes::Circle(0.1), .mass = 2})
                          .SetInitial("disk", {.pose = {0, 1, 0}, .velocity = {1, 0}, .angular_velocity = 3})
                          .AddAction({.body = "disk", .torque = 0.5})
                          .SetSimulation({.method = "irc", .step = 0.01})
                          .Build();
  Simulator simulator(scene);
  simulator.Step();
  const double inertia = 0.5 * 2 * 0.1 * 0.1, change = 0.5 * 0.01 / inertia;
  EXPECT_NEAR(simulator.DifferentiateStep("bodies.disk.mass").by_parameters(5, 0), -change / 2, 1e-12);
  EXPECT_NEAR(simulator.DifferentiateStep("bodies.disk.inertia").by_parameters(5, 0), -change / inertia, 1e-9);
}

TEST(Simulator, TakesTheStepsOfSimulate) {
  for (const char* name : {"block.yaml", "plywood_ellipse.yaml", "ellipse_throw.yaml", "box006_toss.yaml",
                           "cylinder_roll.yaml", "parcels_two_belts.yaml"}) {
    SCOPED_TRACE(name);
    const Scene scene = Example(name);
    const double duration = 0.3;
    SimulateOptions options;
    options.duration = duration;
    const SimulationResult run = Simulate(scene, options);
    Simulator simulator(scene);
    EXPECT_TRUE(simulator.AdvanceTo(duration));
    const std::string prefix = scene.bodies.size() > 1 ? scene.bodies.front().name + "." : "";
    const BodyState body = simulator.body(scene.bodies.front().name);
    const int x = run.recording.Find(prefix + "x");
    for (Eigen::Index i = 0; i < body.pose.size(); ++i)
      EXPECT_EQ(body.pose[i], run.recording.values[static_cast<std::size_t>(x + i)].back());
    EXPECT_EQ(simulator.time(), run.recording.time.back());
  }
}

TEST(Simulator, CopiesGoOnAlikeInThreads) {
  Simulator simulator(Example("parcels_two_belts.yaml"));
  simulator.AdvanceTo(0.1);
  std::vector<Simulator> copies(3, simulator);
  std::vector<std::thread> threads;
  for (Simulator& copy : copies) threads.emplace_back([&copy] { copy.AdvanceTo(0.2); });
  for (std::thread& thread : threads) thread.join();
  simulator.AdvanceTo(0.2);
  for (const Simulator& copy : copies) {
    EXPECT_EQ(copy.state(), simulator.state());
    EXPECT_EQ(copy.contacts().size(), simulator.contacts().size());
  }
  // A copy differentiates the step that its original took.
  Simulator copy = simulator;
  EXPECT_EQ(copy.DifferentiateStep("contact.friction").by_parameters,
            simulator.DifferentiateStep("contact.friction").by_parameters);
}

TEST(Simulator, StatesGoInAndOut) {
  const Scene scene = SpatialScene("moreau", 1);
  Simulator simulator(scene);
  const BodyState start = simulator.body("box");
  EXPECT_DOUBLE_EQ(start.pose[2], 1);
  EXPECT_DOUBLE_EQ(start.velocity[0], 1.4);
  simulator.AdvanceTo(0.05);
  const Eigen::VectorXd later = simulator.state();
  BodyState moved = start;
  moved.pose << 1, 2, 3, 2, 0, 0, 0;
  simulator.SetBody("box", moved);
  EXPECT_NEAR((simulator.body("box").pose - Eigen::Matrix<double, 7, 1>{1, 2, 3, 1, 0, 0, 0}).norm(), 0, 1e-15);
  EXPECT_DOUBLE_EQ(simulator.time(), 0.05);
  simulator.SetState(later, 0.5);
  EXPECT_LT((simulator.state() - later).norm(), 1e-15);
  EXPECT_DOUBLE_EQ(simulator.time(), 0.5);
  EXPECT_TRUE(simulator.contacts().empty());
  simulator.Reset();
  EXPECT_EQ(simulator.body("box").pose, start.pose);
  EXPECT_EQ(simulator.time(), 0);

  const Eigen::VectorXd increment = Eigen::VectorXd::LinSpaced(12, -0.3, 0.4);
  EXPECT_LT((simulator.Minus(simulator.Plus(later, increment), later) - increment).norm(), 1e-12);
}

TEST(Simulator, FlightKeepsItsEnergyAndContactsTakeIt) {
  Simulator simulator(Example("ellipse_drop.yaml"));
  const double energy = simulator.kinetic_energy() + simulator.potential_energy();
  EXPECT_DOUBLE_EQ(energy, 10 * 9.81 * 10);
  double dissipated = 0;
  while (simulator.time() < 1.9) {
    simulator.Step();
    dissipated += simulator.last_step().dissipated;
  }
  EXPECT_FALSE(simulator.contacts().empty());
  EXPECT_EQ(simulator.contacts().front().pair, "ellipse/ground");
  EXPECT_GT(dissipated, 0.8 * energy);
}

TEST(Simulator, JointsAndInputs) {
  const Scene scene = Example("furuta.yaml");
  Simulator simulator(scene);
  EXPECT_EQ(simulator.inputs(), std::vector<std::string>{"u"});
  EXPECT_NEAR(simulator.joint("hinge2").coordinate, 1, 1e-12);
  simulator.SetJoint("hinge2", {.coordinate = -0.4, .rate = 2});
  EXPECT_NEAR(simulator.joint("hinge2").coordinate, -0.4, 1e-12);
  EXPECT_NEAR(simulator.joint("hinge2").rate, 2, 1e-12);
  EXPECT_NEAR(simulator.joint("hinge1").coordinate, 0, 1e-12);

  // Inputs by hand are those of a recording that holds them.
  const std::vector<double> t = {0, 0.01}, u = {0.5, -0.2};
  const Recording recording = Recording::FromColumns(t, {{"u", u}});
  Simulator recorded(scene, {.inputs = &recording}), by_hand(scene);
  for (int k = 0; k < 20; ++k) {
    recorded.Step();
    by_hand.Step(std::span(u).subspan(k < 10 ? 0 : 1, 1));
  }
  EXPECT_EQ(recorded.state(), by_hand.state());
  // Without a recording inputs are 0, whatever was given before.
  Simulator none(scene);
  none.SetState(by_hand.state(), by_hand.time());
  by_hand.SetState(by_hand.state());
  none.Step();
  by_hand.Step();
  EXPECT_EQ(none.state(), by_hand.state());
}

TEST(Simulator, StepsAllocateNothing) {
  for (const char* name : {"block.yaml", "box006_toss.yaml", "furuta.yaml", "cube_slide.yaml"}) {
    Simulator simulator(Example(name));
    for (int k = 0; k < 200; ++k) simulator.Step();
    const testing::AllocationCount count;
    for (int k = 0; k < 100; ++k) simulator.Step();
    EXPECT_EQ(count.allocations(), 0) << name;
  }
}

TEST(Simulator, ErrorsSayWhatIsWrong) {
  const auto refusal = [](const auto& action) {
    try {
      action();
    } catch (const InputError& error) {
      return error.path();
    }
    return std::string("accepted");
  };
  Simulator simulator(Example("furuta.yaml"));
  EXPECT_EQ(refusal([&] { simulator.body("C"); }), "C");
  EXPECT_EQ(refusal([&] { simulator.joint("hinge3"); }), "hinge3");
  EXPECT_EQ(refusal([&] { simulator.Step(std::vector<double>{1, 2}); }), "inputs");
  EXPECT_EQ(refusal([&] { simulator.SetState(Eigen::VectorXd::Zero(3)); }), "state");
  EXPECT_EQ(refusal([&] { simulator.SetState(Eigen::VectorXd::Constant(26, NAN)); }), "state");
  EXPECT_EQ(
      refusal([&] { simulator.SetBody("A", {.pose = Eigen::Vector3d::Zero(), .velocity = Eigen::Vector3d::Zero()}); }),
      "pose");
  EXPECT_EQ(refusal([&] { simulator.DifferentiateStep(); }), "DifferentiateStep");
  EXPECT_EQ(refusal([&] { simulator.tracked_derivatives(); }), "tracked_derivatives");
  simulator.Step();
  EXPECT_EQ(refusal([&] { simulator.DifferentiateStep("initial.hinge1.angle"); }), "initial.hinge1.angle");
  EXPECT_EQ(refusal([&] { simulator.DifferentiateStep("simulation.step"); }), "simulation.step");
  EXPECT_EQ(refusal([&] { simulator.DifferentiateStep("bodies.C.mass"); }), "bodies.C.mass");
  EXPECT_EQ(refusal([&] { Simulator(Example("furuta.yaml"), {.method = "moreau"}); }), "joints.hinge1");
  EXPECT_EQ(refusal([&] { Simulator(Example("furuta.yaml"), {.step = -1}); }), "simulation.step");
  EXPECT_EQ(refusal([&] { Simulator{Example("cube_toss.yaml")}; }), "initial.cube");
}

}  // namespace
}  // namespace ricochet
