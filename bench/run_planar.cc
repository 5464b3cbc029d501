// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Planar steps per second: a bouncing and sliding ellipse in each stepper, and the cost of a step with 1 to 16
// contacts. Columns: time per step, steps per second, largest residual of the contact problems, and a hash of the final
// state, so that a faster wrong answer shows.
//
//   cmake --preset bench && cmake --build build-bench --target run_planar && build-bench/bench/run_planar
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>

#include "core/hash.h"
#include "dynamics/kinematics.h"
#include "ricochet/simulate.h"
#include "rollout/run.h"

namespace ricochet {
namespace {

/// The last bits of the state as a number a benchmark counter can carry.
double StateHash(const State& state) {
  const std::string_view bytes(reinterpret_cast<const char*>(state.q.data()), sizeof(double) * state.q.size());
  return static_cast<double>(std::stoul(Sha256Hex(bytes).substr(0, 8), nullptr, 16));
}

/// Steps from the scene's start, over and over, `steps` at a time.
void StepScene(benchmark::State& bench, const Scene& scene, const char* method, int steps) {
  const Stepper& stepper = FindStepper(method);
  const Model model = CompileModel(scene);
  stepper.Check(model);
  const auto workspace = stepper.MakeWorkspace(model);
  const State start = InitialState(model);
  const double h = scene[scene.simulation.step];
  StepResult result;
  State state = start;
  double residual = 0, contacts = 0;
  for (auto _ : bench) {
    state = start;
    contacts = 0;
    for (int k = 0; k < steps; ++k) {
      stepper.Step(model, state, {}, h, *workspace, result);
      state.q = result.end.q;
      state.v = result.end.v;
      residual = std::max(residual, result.residual);
      contacts += static_cast<double>(result.contacts.size());
    }
  }
  bench.counters["steps/s"] =
      benchmark::Counter(static_cast<double>(steps), benchmark::Counter::kIsIterationInvariantRate);
  bench.counters["contacts/step"] = contacts / steps;
  bench.counters["residual"] = residual;
  bench.counters["hash"] = StateHash(state);
}

Scene ThrownEllipse() {
  return ParseScene(R"(ricochet: 1
space: planar
gravity: [0, -9.81]
bodies:
  ellipse: {shape: {ellipse: {semi_axes: [1.5, 1.0]}}, mass: 10, inertia: 2}
surfaces:
  ground: {line: {point: [0, 0], angle: 0}}
contact: {friction: 0.3, restitution: 0}
initial:
  ellipse: {pose: [0, 5, 0], velocity: [10, -3], angular_velocity: -8}
simulation: {method: irc, step: 1e-3, duration: 4}
)",
                    "ellipse.yaml");
}

/// A disc resting in a cradle of `count` lines, all of which it touches.
Scene Cradle(int count) {
  std::string surfaces;
  for (int i = 0; i < count; ++i) {
    const double angle = count == 1 ? 0 : -1.2 + 2.4 * i / (count - 1);
    surfaces += fmt::format("  line{}: {{line: {{point: [{}, {}], angle: {}}}}}\n", i, std::sin(angle),
                            -std::cos(angle), angle);
  }
  return ParseScene(fmt::format(R"(ricochet: 1
space: planar
gravity: [0, -9.81]
bodies:
  disc: {{shape: {{circle: {{radius: 1}}}}, mass: 1}}
surfaces:
{}contact: {{friction: 0.3, restitution: 0}}
initial:
  disc: {{pose: [0, 0, 0], velocity: [0, 0], angular_velocity: -3}}
simulation: {{method: irc, step: 1e-3, duration: 1}}
)",
                                surfaces),
                    "cradle.yaml");
}

void BM_Ellipse(benchmark::State& bench, const char* method) { StepScene(bench, ThrownEllipse(), method, 4000); }
BENCHMARK_CAPTURE(BM_Ellipse, irc, "irc");
BENCHMARK_CAPTURE(BM_Ellipse, lcp, "lcp");
BENCHMARK_CAPTURE(BM_Ellipse, igc, "igc");

void BM_Contacts(benchmark::State& bench) { StepScene(bench, Cradle(static_cast<int>(bench.range(0))), "irc", 200); }
BENCHMARK(BM_Contacts)->Arg(1)->Arg(2)->Arg(3)->Arg(4)->Arg(6)->Arg(8)->Arg(12)->Arg(16);

/// A step and its derivatives with respect to the state and four numbers, beside central differences of the same.
void BM_Derivatives(benchmark::State& bench, bool differences) {
  const Scene scene = ThrownEllipse();
  const Model model = CompileModel(scene);
  const Stepper& stepper = FindStepper("irc");
  const auto workspace = stepper.MakeWorkspace(model);
  const std::vector<NumberId> parameters = {scene.Find("bodies.ellipse.inertia"), scene.Find("bodies.ellipse.mass"),
                                            scene.Find("contact.friction"), scene.Find("contact.restitution")};
  State state = InitialState(model);
  state.q << 0, 0.999, 0;
  StepResult result;
  StepDerivatives derivatives;
  stepper.Step(model, state, {}, 1e-3, *workspace, result);
  if (!differences) {
    for (auto _ : bench) stepper.Differentiate(model, result, {}, parameters, *workspace, derivatives);
    return;
  }
  std::vector<Model> moved;
  for (NumberId id : parameters)
    for (double sign : {-1.0, 1.0}) {
      Scene other = scene;
      other.Set(id, std::max(0.0, scene[id] + sign * 1e-6));
      moved.push_back(CompileModel(other));
    }
  for (auto _ : bench) {
    for (int k = 0; k < 12; ++k) {
      State other = state;
      (k % 6 < 3 ? other.q[k % 3] : other.v[k % 3]) += k < 6 ? 1e-6 : -1e-6;
      stepper.Step(model, other, {}, 1e-3, *workspace, result);
    }
    for (const Model& other : moved) stepper.Step(other, state, {}, 1e-3, *workspace, result);
  }
}
BENCHMARK_CAPTURE(BM_Derivatives, exact, false);
BENCHMARK_CAPTURE(BM_Derivatives, differences, true);

}  // namespace
}  // namespace ricochet

BENCHMARK_MAIN();
