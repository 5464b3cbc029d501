// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Rectangles thrown at random, with `event`: tumbling, rattling from corner to corner, landing flat, sliding down a
// slope against a wall, coming to rest on an edge.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/random.h"
#include "model/planar_model.h"
#include "ricochet/scene.h"
#include "steppers/event/event_motion.h"

namespace ricochet {
namespace {

struct Throw {
  double friction, restitution, height;
  bool corner;  // a slope and a wall instead of a floor
  Eigen::Vector3d q, v;
};

Throw RandomThrow(int number) {
  Random random(11, static_cast<std::uint64_t>(number));
  Throw out{};
  out.friction = random.Uniform(0, 1);
  out.restitution = random.Uniform() < 0.2 ? 0 : random.Uniform(0, 0.9);
  out.corner = random.Uniform() < 0.3;
  out.height = random.Uniform() < 0.5 ? 0.03 : 0.06;
  const bool flat = random.Uniform() < 0.2;
  const double y = random.Uniform(0.1, 0.3) + (out.corner ? 0.1 : 0);
  const double angle = flat ? 0 : random.Uniform(-3, 3);
  out.q = {0, y, angle};
  const double vx = random.Uniform(-2, 2), vy = random.Uniform(-2, 1);
  out.v = {vx, vy, flat ? 0 : random.Uniform(-15, 15)};
  return out;
}

Scene SceneOf(const Throw& thrown) {
  return ParseScene(
      fmt::format("ricochet: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                  "  b: {{shape: {{rectangle: {{size: [0.06, {}]}}}}, mass: 0.1, inertia: 6.0e-5}}\nsurfaces:\n"
                  "  floor: {{line: {{point: [0, 0], angle: {}}}}}\n{}contact: {{friction: {}, restitution: {}}}\n",
                  thrown.height, thrown.corner ? 0.5 : 0.0,
                  thrown.corner ? "  wall: {line: {point: [0.3, 0], angle: 1.9}}\n" : "", thrown.friction,
                  thrown.restitution),
      "scene.yaml");
}

TEST(EventRectangles, ReachTheEndWithoutPenetrationOrNewEnergy) {
  int failed = 0;
  for (int number = 0; number < 400; ++number) {
    const Throw thrown = RandomThrow(number);
    const Scene scene = SceneOf(thrown);
    std::vector<double> numbers;
    for (const SceneNumber& n : scene.numbers()) numbers.push_back(n.value);
    EventMotion<double> motion(MakeEventBody(CompilePlanar<double>(scene, numbers), 0));
    const auto energy = [&] {
      return 0.5 * 0.1 * (motion.v()[0] * motion.v()[0] + motion.v()[1] * motion.v()[1]) +
             0.5 * 6e-5 * motion.v()[2] * motion.v()[2] + 0.1 * 9.81 * motion.q()[1];
    };
    motion.Start(0, thrown.q, thrown.v);
    double before = energy();
    const double scale = std::abs(before) + 0.1;
    for (int i = 1; i <= 200 && !motion.summary().failed; ++i) {
      motion.AdvanceTo(0.01 * i);
      // Newton's restitution with friction may create energy; without restitution nothing does.
      if (thrown.restitution == 0) {
        EXPECT_LE(energy(), before + 1e-8 * scale) << "throw " << number << " at " << 0.01 * i;
      }
      before = energy();
      for (int c = 0; c < motion.body().candidate_count; ++c)
        EXPECT_GE(motion.body().Gap(c, motion.q()).phi, -1e-9) << "throw " << number << " at " << 0.01 * i;
    }
    if (motion.summary().failed) {
      ++failed;
      ADD_FAILURE() << "throw " << number << " stops at " << motion.time() << " s after "
                    << motion.summary().transitions << " transitions";
    }
  }
  EXPECT_EQ(failed, 0);
}

}  // namespace
}  // namespace ricochet
