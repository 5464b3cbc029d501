// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Time of `joint` for a 240 fps recording of the plywood ellipse on one core, whole and by part. Run from the root of
// the repository.
#include <benchmark/benchmark.h>

#include "estimators/program/joint_fit.h"
#include "estimators/program/joint_start.h"
#include "ricochet/identify.h"
#include "ricochet/parameter.h"

namespace {

using namespace ricochet;
constexpr char kPaths[] = "bodies.ellipse.inertia / bodies.ellipse.mass, contact.friction, contact.restitution";

struct Case {
  Scene scene = ReadScene("examples/plywood_blind.yaml");
  Recording recording = ReadRecording("tests/data/truth/plywood/20mrad/mu0.2_240fps_0.csv");
  PlanarFamily family{scene, ParsePathList(scene, kPaths), 0};
  PlanarTrack track = MakePlanarTrack(scene, recording, 0);
};

void Whole(benchmark::State& state) {
  const Case c;
  for (auto _ : state) benchmark::DoNotOptimize(Identify(c.scene, {c.recording}, kPaths, {.method = "joint"}));
}
void Soft(benchmark::State& state) {
  const Case c;
  for (auto _ : state) benchmark::DoNotOptimize(FitJoint(c.family, c.track, {.rollout = false}));
}
void Rollout(benchmark::State& state) {
  const Case c;
  for (auto _ : state) benchmark::DoNotOptimize(FitJoint(c.family, c.track, {.soft = false}));
}
void Linearize(benchmark::State& state) {
  const Case c;
  const JointFit fit = FitJoint(c.family, c.track);
  BorderedBand system;
  for (auto _ : state) fit.program->Linearize(system);
}
void Factor(benchmark::State& state) {
  const Case c;
  const JointFit fit = FitJoint(c.family, c.track);
  BorderedBand system;
  fit.program->Linearize(system);
  for (auto _ : state) benchmark::DoNotOptimize(system.Factor());
}
BENCHMARK(Whole)->Unit(benchmark::kMillisecond);
BENCHMARK(Soft)->Unit(benchmark::kMillisecond);
BENCHMARK(Rollout)->Unit(benchmark::kMillisecond);
BENCHMARK(Linearize)->Unit(benchmark::kMicrosecond);
BENCHMARK(Factor)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
