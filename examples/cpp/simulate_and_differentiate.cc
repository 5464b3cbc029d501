// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Where is a disk that hops along a table after half a second, and how does that depend on friction and on its speed
// at the start? One run gives the answer and its derivatives; two more runs check one of them.
//
// Prints:
//     x(0.5 s) = 0.4040 m
//     dx/dfriction = -0.5760 m (difference quotient -0.5760 m)
//     dx/dvx       =  0.4616 s
#include <ricochet/scene_builder.h>
#include <ricochet/simulator.h>

#include <cstdio>

using namespace ricochet;

int main() {
  Scene scene = SceneBuilder(Space::kPlanar)
                    .AddBody("disk", {.shape = shapes::Circle(0.05), .mass = 0.1})
                    .AddSurface("table", {.point = {0, 0}, .angle = 0})
                    .SetContact({.friction = 0.1, .restitution = 0.6})
                    .SetInitial("disk", {.pose = {0, 0.2, 0}, .velocity = {1, 0}})
                    .SetSimulation({.method = "event", .step = 1e-3})
                    .Build();
  Simulator simulator(scene);
  simulator.TrackDerivatives("contact.friction");
  simulator.AdvanceTo(0.5);
  const MotionDerivatives d = simulator.tracked_derivatives();  // rows and columns: dx, dy, dangle, dvx, dvy, dw

  const auto x_at = [&scene](double friction) {
    scene.Set("contact.friction", {friction});
    Simulator other(scene);
    other.AdvanceTo(0.5);
    return other.body("disk").pose[0];
  };
  std::printf("x(0.5 s) = %.4f m\n", simulator.body("disk").pose[0]);
  std::printf("dx/dfriction = %7.4f m (difference quotient %7.4f m)\n", d.by_parameters(0, 0),
              (x_at(0.1 + 1e-5) - x_at(0.1 - 1e-5)) / 2e-5);
  std::printf("dx/dvx       = %7.4f s\n", d.by_start(0, 3));
}
