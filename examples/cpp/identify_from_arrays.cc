// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Your program has arrays of a tracked motion and a guess of the scene: what are friction and restitution?
// Here the arrays come from a simulation with friction 0.2 and restitution 0.5, seen at 200 Hz with 1 mm of noise.
//
// Prints:
//     contact.friction     0.1997 +- 0.0003
//     contact.restitution  0.5005 +- 0.0004
#include <ricochet/identify.h>
#include <ricochet/scene_builder.h>
#include <ricochet/simulate.h>

#include <cstdio>

using namespace ricochet;

int main() {
  SceneBuilder builder(Space::kPlanar);
  builder.AddBody("plate", {.shape = shapes::Ellipse({0.05, 0.025}), .mass = 0.064})
      .AddSurface("table", {.point = {0, 0}, .angle = 0})
      .SetContact({.friction = 0.2, .restitution = 0.5})
      .SetInitial("plate", {.pose = {0, 0.3, 0.4}, .velocity = {1, -1}, .angular_velocity = 2})
      .SetSimulation({.method = "event", .step = 1e-3, .duration = 0.6});
  SimulateOptions camera;
  camera.rate = 200;
  camera.noise_position = 1e-3;
  camera.noise_angle = 5e-3;
  const Recording run = Simulate(builder.Build(), camera).recording;
  const std::vector<double>&t = run.time, &x = run.values[0], &y = run.values[1], &theta = run.values[2];

  // From here on as in your program: a guess, the arrays, the question.
  const Scene guess = builder.SetContact({.friction = 0.4, .restitution = 0.3}).Build();
  const Recording recording = Recording::FromColumns(t, {{"x", x}, {"y", y}, {"theta", theta}});
  const Estimate estimate = Identify(guess, {recording}, "contact.friction, contact.restitution").estimate;
  for (const EstimatedParameter& parameter : estimate.parameters)
    std::printf("%-20s %.4f +- %.4f\n", parameter.path.c_str(), parameter.value.value(), parameter.std.value());
  return estimate.converged ? 0 : 1;
}
