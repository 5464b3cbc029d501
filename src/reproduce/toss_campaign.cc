// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "reproduce/toss_campaign.h"

#include <fmt/format.h>

#include <cmath>

#include "core/context.h"
#include "core/random.h"
#include "core/threads.h"
#include "math/so3.h"
#include "ricochet/simulate.h"

namespace ricochet {
namespace {

constexpr double kStep = 1.0 / 360;  // [s], and of the recordings
constexpr int kMostTrials = 50;      // until a toss stays on its side

/// Whether the last row has the side up that the first has.
bool StaysOnItsSide(const Recording& recording) {
  const auto up = [&](int row) {
    Quaternion<double> q;
    int k = 0;
    for (const char* name : {"qw", "qx", "qy", "qz"})
      q[k++] = recording.values[static_cast<std::size_t>(recording.Find(name))][static_cast<std::size_t>(row)];
    return RotationMatrix<double>(q)(2, 2);
  };
  return up(recording.rows() - 1) > 0.99;
}

std::string StartText(bool drop, const JongeneelBox& box, Random& random) {
  Eigen::Vector3d turn, v, w;
  double height = 0;
  if (drop) {
    // On a corner, nearly balanced over it, with 0.12 to 0.25 m to fall.
    turn << random.Uniform(0.35, 0.75), random.Uniform(-0.75, -0.35), random.Uniform(-3, 3);
    v << random.Uniform(-0.1, 0.1), random.Uniform(-0.1, 0.1), 0;
    w << random.Uniform(-1, 1), random.Uniform(-1, 1), random.Uniform(-0.5, 0.5);
    height = 0.5 * std::hypot(box.size[0], box.size[1], box.size[2]) + random.Uniform(0.12, 0.25);
  } else {
    turn << random.Uniform(-0.19, 0.19), random.Uniform(-0.19, 0.19), random.Uniform(-0.43, 0.43);
    v << random.Uniform(2.3, 2.9), random.Uniform(-0.28, 0.28), random.Uniform(-0.2, 0.1);
    w << random.Uniform(-1.2, 1.2), random.Uniform(-1.2, 1.2), random.Uniform(-1.4, 1.4);
    height = 0.5 * box.size[2] + random.Uniform(0.08, 0.14);
  }
  const Quaternion<double> q = ExpSO3(turn);
  return fmt::format(
      "initial:\n  box: {{position: [0, 0, {}], orientation: [{}, {}, {}, {}], velocity: [{}, {}, {}], "
      "angular_velocity: [{}, {}, {}]}}\n",
      height, q[0], q[1], q[2], q[3], v[0], v[1], v[2], w[0], w[1], w[2]);
}

Scene BoxScene(const JongeneelBox& box, double friction, double restitution, double belt, const std::string& initial) {
  return ParseScene(
      fmt::format("ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
                  "bodies:\n  box: {{shape: {{box: {{size: [{}, {}, {}]}}}}, mass: {}, inertia: [{}, {}, {}]}}\n"
                  "surfaces:\n  conveyor: {{plane: {{point: [0, 0, 0], normal: [0, 0, 1]}}, velocity: [{}, 0, 0]}}\n"
                  "contact: {{friction: {}, restitution: {}}}\n{}"
                  "simulation: {{method: moreau, step: {:.17g}, duration: 1}}\n",
                  box.size[0], box.size[1], box.size[2], box.mass, box.inertia[0], box.inertia[1], box.inertia[2], belt,
                  friction, restitution, initial, kStep),
      fmt::format("{}.yaml", box.name));
}

}  // namespace

const std::vector<JongeneelBox>& JongeneelBoxes() {
  static const std::vector<JongeneelBox> boxes = {
      {"Box004", {0.192, 0.085, 0.108}, 0.297, {468e-6, 1201e-6, 1091e-6}, 0.45, 0.05},
      {"Box005", {0.230, 0.129, 0.103}, 0.566, {1285e-6, 2995e-6, 3280e-6}, 0.45, 0.10},
      {"Box006", {0.205, 0.155, 0.100}, 0.365, {1040e-6, 1590e-6, 2020e-6}, 0.40, 0.25},
      {"Box007", {0.207, 0.158, 0.099}, 1.431, {4130e-6, 6300e-6, 8090e-6}, 0.35, 0.45},
  };
  return boxes;
}

Scene TossScene(const JongeneelBox& box, double friction, double restitution, double belt) {
  return BoxScene(box, friction, restitution, belt, "");
}

std::vector<Recording> MakeCampaign(const JongeneelBox& box, const CampaignOptions& options) {
  std::vector<Recording> recordings(static_cast<std::size_t>(options.tosses));
  ParallelFor(options.tosses, [&](int i) {
    for (int trial = 0; trial < kMostTrials; ++trial) {
      const std::uint64_t stream = static_cast<std::uint64_t>(1000 * i + trial);
      Random random = Random(options.seed, options.drops ? 0xd209 : 0x7055).Split(stream);
      const Scene scene =
          BoxScene(box, box.friction, box.restitution, options.belt, StartText(options.drops, box, random));
      SimulateOptions simulate;
      simulate.noise_position = options.noise_position;
      simulate.noise_angle = options.noise_angle;
      const std::uint64_t noise = random.Bits();
      Recording& recording = recordings[static_cast<std::size_t>(i)];
      recording = Simulate(scene, simulate, ContextWithSeed(noise)).recording;
      recording.file = fmt::format("{}_{:02}.csv", options.drops ? "drop" : "toss", i);
      if (options.drops || StaysOnItsSide(recording)) break;
    }
  });
  return recordings;
}

}  // namespace ricochet
