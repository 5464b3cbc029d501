// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Microseconds per step of `spook` on mechanisms, and of the same chains in other engines where they are installed:
// MuJoCo and Bullet (Featherstone multibody), both in minimal coordinates, and ODE (maximal coordinates, dWorldStep).
// Engines that were not found when this was built are named at the end. A chain hangs from the world by hinges along y,
// links of 0.1 m and 0.1 kg, started at 0.3 rad at the first hinge; h = 1e-3 s. The angle of the first hinge after 0.1
// s is shown beside the time: a faster wrong answer must show.
//
//   cmake --preset bench && cmake --build build-bench --target run_chain && build-bench/bench/run_chain
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "dynamics/joint_angle.h"
#include "dynamics/kinematics.h"
#include "steppers/spook/spook.h"
#include "tests/support/mechanisms.h"

#ifdef RICOCHET_BENCH_MUJOCO
#include <mujoco/mujoco.h>
#endif
#ifdef RICOCHET_BENCH_BULLET
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>
#endif
#ifdef RICOCHET_BENCH_ODE
#include <ode/ode.h>
#endif

namespace ricochet {
namespace {

constexpr double kStep = 1e-3, kLength = 0.1, kMass = 0.1, kStart = 0.3;
constexpr double kThin = 1e-5, kLong = kMass * kLength * kLength / 12;
constexpr int kStepsToShow = 100;

std::string ChainScene(int bodies, const std::string& extra = "", int order = 1) {
  std::string text = "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n", joints = "joints:\n",
              initial = "initial:\n";
  for (int i = 0; i < bodies; ++i) {
    text += fmt::format("  b{}: {{mass: {}, inertia: [{}, {}, {}]}}\n", i, kMass, kThin, kLong, kLong);
    joints += fmt::format(
        "  j{}:\n    type: hinge\n    parent: {}\n    child: b{}\n    parent_frame: {{point: [{}, 0, 0], {}}}\n"
        "    child_frame: {{point: [{}, 0, 0], axis: [0, 1, 0], zero: [1, 0, 0]}}\n    compliance: {{linear: 1.0e-8, "
        "angular: 1.0e-8}}\n"
        "    damping: 0.02\n{}",
        i, i == 0 ? "world" : fmt::format("b{}", i - 1), i, i == 0 ? 0.0 : 0.5 * kLength,
        i == 0 ? "axis: [0, -1, 0], zero: [0, 0, -1]" : "axis: [0, 1, 0], zero: [1, 0, 0]", -0.5 * kLength, extra);
    initial += fmt::format("  j{}: {{angle: {}, rate: 0}}\n", i, i == 0 ? kStart : 0.0);
  }
  return text + joints + initial +
         fmt::format("simulation: {{method: spook, step: {}, duration: 1, options: {{order: {}}}}}\n", kStep, order);
}

void StepSpook(benchmark::State& bench, const std::string& text) {
  const Scene scene = ParseScene(text, "bench");
  const Model model = CompileModel(scene);
  const auto workspace = Spook().MakeWorkspace(model);
  const State start = InitialState(model);
  const std::vector<double> u(model.spatial.inputs.size(), 0.0);
  const StepInputs inputs{.u = u, .u_end = u, .fired = {}};
  State state = start;
  StepResult result;
  double residual = 0;
  const double h = scene[scene.simulation.step];
  long steps = 0, rounds = 0;
  double shown = 0;
  for (auto _ : bench) {
    Spook().Step(model, state, inputs, h, *workspace, result);
    state.q = result.end.q;
    state.v = result.end.v;
    residual = std::max(residual, result.residual);
    rounds += result.iterations;
    if (++steps % kStepsToShow == 0) {
      shown = ReadJoint(model, state, 0).coordinate;
      state.q = start.q;
      state.v = start.v;
    }
  }
  bench.counters["angle"] = shown;
  bench.counters["residual"] = residual;
  bench.counters["rounds"] = static_cast<double>(rounds) / static_cast<double>(steps);
}

const char* kPendulum =
    "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.82]\nbodies:\n  rod: {mass: 0.428, inertia: [1.0e-4, 3.9e-3, "
    "3.9e-3]}\n"
    "joints:\n  hinge:\n    type: hinge\n    parent: world\n    child: rod\n"
    "    parent_frame: {point: [0, 0, 0], axis: [0, -1, 0], zero: [0, 0, -1]}\n"
    "    child_frame: {point: [-0.192, 0, 0], axis: [0, 1, 0], zero: [1, 0, 0]}\n"
    "    compliance: {linear: 1.0e-8, angular: 1.0e-8}\n    damping: 0.02\n    viscous: 0.0002\n"
    "    dry: {radius: 1, friction: 0.0018, norm: l1}\n"
    "initial:\n  hinge: {angle: 3.09, rate: 0}\nsimulation: {method: spook, step: 1.0e-3, duration: 1}\n";

const char* kFuruta =
    "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.82]\nbodies:\n  A: {mass: 0.238, inertia: [1.0e-4, 3.0e-3, "
    "3.0e-3]}\n"
    "  B: {mass: 0.428, inertia: [1.0e-4, 4.0e-3, 4.0e-3]}\njoints:\n  hinge1:\n    type: hinge\n    parent: world\n   "
    " child: A\n"
    "    parent_frame: {point: [0, 0, 0], axis: [0, 0, 1], zero: [1, 0, 0]}\n"
    "    child_frame: {point: [-0.128, 0, 0], axis: [0, 0, 1], zero: [1, 0, 0]}\n"
    "    compliance: {linear: 1.0e-8, angular: 1.0e-8}\n    damping: 0.02\n    viscous: 0.001\n"
    "    dry: {radius: 1.0, friction: 0.0006, norm: l1}\n    motor: {gain: 0.1, shaft_inertia: 0.0001, input: u}\n"
    "  hinge2:\n    type: hinge\n    parent: A\n    child: B\n    parent_frame: {point: [0.12, 0, 0], axis: [1, 0, 0], "
    "zero: [0, 0, -1]}\n"
    "    child_frame: {point: [-0.192, 0, 0], axis: [0, 1, 0], zero: [1, 0, 0]}\n"
    "    compliance: {linear: 1.0e-8, angular: 1.0e-8}\n    damping: 0.02\n    viscous: 0.0001\n"
    "    dry: {radius: 1.0, friction: 0.0002, norm: l1}\n"
    "initial:\n  hinge1: {angle: 0, rate: 0}\n  hinge2: {angle: 1, rate: 0}\nsimulation: {method: spook, step: 1.0e-3, "
    "duration: 1}\n";

BENCHMARK_CAPTURE(StepSpook, pendulum_dry, kPendulum);
BENCHMARK_CAPTURE(StepSpook, furuta_dry, kFuruta);
BENCHMARK_CAPTURE(StepSpook, four_bar, FormatScene(FourBar(1e-8)));
BENCHMARK_CAPTURE(StepSpook, chain_10, ChainScene(10));
BENCHMARK_CAPTURE(StepSpook, chain_100, ChainScene(100));
BENCHMARK_CAPTURE(StepSpook, chain_10_dry, ChainScene(10, "    dry: {radius: 0.01, friction: 0.1, norm: l1}\n"));
BENCHMARK_CAPTURE(StepSpook, chain_100_dry, ChainScene(100, "    dry: {radius: 0.01, friction: 0.1, norm: l1}\n"));
BENCHMARK_CAPTURE(StepSpook, chain_10_order_2, ChainScene(10, "", 2));

#ifdef RICOCHET_BENCH_MUJOCO
void StepMujoco(benchmark::State& bench) {
  const int n = static_cast<int>(bench.range(0));
  std::string open, close;
  for (int i = 0; i < n; ++i) {
    // Links along -z at angle 0; a turn about -y swings the rod toward +x.
    open += fmt::format(
        "<body pos='0 0 {}'><joint type='hinge' axis='0 -1 0'/><inertial pos='0 0 {}' mass='{}' diaginertia='{} {} "
        "{}'/>",
        i == 0 ? 0.0 : -kLength, -0.5 * kLength, kMass, kLong, kLong, kThin);
    close += "</body>";
  }
  const std::string file = fmt::format("{}/ricochet_chain_{}.xml", P_tmpdir, n);
  if (FILE* out = std::fopen(file.c_str(), "w")) {
    const std::string xml = fmt::format(
        "<mujoco><option timestep='{}' gravity='0 0 -9.81'/><worldbody>{}{}</worldbody></mujoco>", kStep, open, close);
    std::fwrite(xml.data(), 1, xml.size(), out);
    std::fclose(out);
  }
  char error[500] = "";
  mjModel* const model = mj_loadXML(file.c_str(), nullptr, error, sizeof error);
  std::remove(file.c_str());
  if (model == nullptr) {
    bench.SkipWithError(error);
    return;
  }
  mjData* const data = mj_makeData(model);
  data->qpos[0] = kStart;
  long steps = 0;
  double shown = 0;
  for (auto _ : bench) {
    mj_step(model, data);
    if (++steps % kStepsToShow == 0) {
      shown = data->qpos[0];
      mj_resetData(model, data);
      data->qpos[0] = kStart;
    }
  }
  bench.counters["angle"] = shown;
  mj_deleteData(data);
  mj_deleteModel(model);
}
// Its reader refuses bodies nested 100 deep.
BENCHMARK(StepMujoco)->Arg(10)->Arg(90);
#endif

#ifdef RICOCHET_BENCH_BULLET
void StepBullet(benchmark::State& bench) {
  const int n = static_cast<int>(bench.range(0));
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broadphase;
  btMultiBodyConstraintSolver solver;
  btMultiBodyDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
  world.setGravity({0, 0, -9.81});
  btMultiBody body(n, 0, {0, 0, 0}, true, false);
  for (int i = 0; i < n; ++i) {
    const btVector3 to_pivot(0, 0, i == 0 ? 0 : -0.5 * kLength), to_center(0, 0, -0.5 * kLength);
    body.setupRevolute(i, kMass, {kLong, kLong, kThin}, i - 1, btQuaternion::getIdentity(), {0, -1, 0}, to_pivot,
                       to_center, true);
  }
  body.finalizeMultiDof();
  body.setLinearDamping(0);
  body.setAngularDamping(0);
  body.setHasSelfCollision(false);
  world.addMultiBody(&body);
  const auto reset = [&] {
    for (int i = 0; i < n; ++i) {
      body.setJointPos(i, i == 0 ? kStart : 0);
      body.setJointVel(i, 0);
    }
  };
  reset();
  long steps = 0;
  double shown = 0;
  for (auto _ : bench) {
    world.stepSimulation(kStep, 0, kStep);
    if (++steps % kStepsToShow == 0) {
      shown = body.getJointPos(0);
      reset();
    }
  }
  bench.counters["angle"] = shown;
  world.removeMultiBody(&body);
}
BENCHMARK(StepBullet)->Arg(10)->Arg(100);
#endif

#ifdef RICOCHET_BENCH_ODE
void StepOde(benchmark::State& bench) {
  const int n = static_cast<int>(bench.range(0));
  dInitODE2(0);
  const dWorldID world = dWorldCreate();
  dWorldSetGravity(world, 0, 0, -9.81);
  std::vector<dBodyID> bodies;
  std::vector<dJointID> hinges;
  const double sine = std::sin(kStart), cosine = std::cos(kStart);
  const auto place = [&](int i) {
    const double along = (i + 0.5) * kLength;
    dBodySetPosition(bodies[i], along * sine, 0, -along * cosine);
    dMatrix3 R;
    dRFromAxisAndAngle(R, 0, -1, 0, kStart);
    dBodySetRotation(bodies[i], R);
    dBodySetLinearVel(bodies[i], 0, 0, 0);
    dBodySetAngularVel(bodies[i], 0, 0, 0);
  };
  for (int i = 0; i < n; ++i) {
    bodies.push_back(dBodyCreate(world));
    dMass mass;
    dMassSetParameters(&mass, kMass, 0, 0, 0, kLong, kLong, kThin, 0, 0, 0);
    dBodySetMass(bodies[i], &mass);
    place(i);
    hinges.push_back(dJointCreateHinge(world, nullptr));
    dJointAttach(hinges[i], bodies[i], i == 0 ? nullptr : bodies[i - 1]);
    dJointSetHingeAnchor(hinges[i], i * kLength * sine, 0, -i * kLength * cosine);
    dJointSetHingeAxis(hinges[i], 0, -1, 0);
  }
  long steps = 0;
  double shown = 0;
  for (auto _ : bench) {
    dWorldStep(world, kStep);
    if (++steps % kStepsToShow == 0) {
      shown = kStart + dJointGetHingeAngle(hinges[0]);
      for (int i = 0; i < n; ++i) place(i);
    }
  }
  bench.counters["angle"] = shown;
  dWorldDestroy(world);
  dCloseODE();
}
BENCHMARK(StepOde)->Arg(10)->Arg(100);
#endif

}  // namespace
}  // namespace ricochet

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
#ifndef RICOCHET_BENCH_MUJOCO
  fmt::print("MuJoCo was not found (libmujoco-dev).\n");
#endif
#ifndef RICOCHET_BENCH_BULLET
  fmt::print("Bullet was not found (libbullet-dev).\n");
#endif
#ifndef RICOCHET_BENCH_ODE
  fmt::print("ODE was not found (libode-dev).\n");
#endif
  return 0;
}
