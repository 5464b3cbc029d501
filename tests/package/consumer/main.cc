// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A stranger's program: reads a scene, throws the ellipse harder, and says how far it went.
#include <ricochet/ricochet.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  ricochet::Scene scene = ricochet::ReadScene(argv[1]);
  scene.Set("initial.ellipse.velocity[0]", {12.0});
  const ricochet::SimulationResult run = ricochet::Simulate(scene, {}, {.threads = 1});
  std::printf("%.3f m\n", run.recording.values[0].back());
  return run.summary.failed_steps == 0 && run.recording.values[0].back() > 10 ? 0 : 1;
}
