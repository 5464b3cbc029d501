// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A box is tossed on a floor. Friction is known to 10 %, the release to 5 mm and 0.1 m/s: where will the box be after
// 1.5 s? 200 simulations, each with its own draw. (They are independent: give each thread its own Simulator.)
//
// Prints:
//     200 of 200 simulations solved
//     x = 0.40 m; 90 % of them within 0.33 and 0.46 m
#include <ricochet/scene_builder.h>
#include <ricochet/simulator.h>

#include <algorithm>
#include <cstdio>
#include <random>

using namespace ricochet;

int main() {
  const Scene scene = SceneBuilder(Space::kSpatial)
                          .AddBody("box", {.shape = shapes::Box({0.2, 0.15, 0.1}), .mass = 0.4})
                          .AddSurface("floor", {.point = {0, 0, 0}, .normal = {0, 0, 1}})
                          .SetContact({.friction = 0.4, .restitution = 0.2})
                          .SetInitial("box", {.position = {0, 0, 0.3}, .velocity = {1.5, 0, 0}})
                          .SetSimulation({.method = "moreau", .step = 2e-3})
                          .Build();
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> x;
  for (int toss = 0; toss < 200; ++toss) {
    Scene drawn = scene;
    drawn.Set("contact.friction", {0.4 * (1 + 0.1 * normal(random))});
    Simulator simulator(drawn);
    BodyState box = simulator.body("box");
    for (int i = 0; i < 3; ++i) box.pose[i] += 0.005 * normal(random), box.velocity[i] += 0.1 * normal(random);
    simulator.SetBody("box", box);
    if (simulator.AdvanceTo(1.5)) x.push_back(simulator.body("box").pose[0]);  // every step was solved
  }
  std::sort(x.begin(), x.end());
  const auto quantile = [&x](double p) { return x[static_cast<std::size_t>(p * (x.size() - 1))]; };
  std::printf("%zu of 200 simulations solved\n", x.size());
  std::printf("x = %.2f m; 90 %% of them within %.2f and %.2f m\n", quantile(0.5), quantile(0.05), quantile(0.95));
}
