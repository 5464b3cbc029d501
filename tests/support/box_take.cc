// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/box_take.h"

#include <fmt/format.h>

#include <cmath>

#include "core/random.h"

namespace ricochet::testing {
namespace {

using Eigen::Quaterniond;
using Eigen::Vector3d;

Vector3d Direction(Random& draws) { return Vector3d(draws.Normal(), draws.Normal(), draws.Normal()).normalized(); }

Quaterniond Turn(const Vector3d& phi) {
  return phi.norm() > 0 ? Quaterniond(Eigen::AngleAxisd(phi.norm(), phi.normalized())) : Quaterniond::Identity();
}

/// Polynomial of fifth order with given ends; accelerations at the ends are 0.
struct Path {
  Vector3d p0, v0, p1, v1;
  double T;
  Vector3d At(double t) const {
    const double s = t / T, s2 = s * s, s3 = s2 * s, s4 = s3 * s, s5 = s4 * s;
    return p0 * (1 - 10 * s3 + 15 * s4 - 6 * s5) + p1 * (10 * s3 - 15 * s4 + 6 * s5) +
           T * v0 * (s - 6 * s3 + 8 * s4 - 3 * s5) + T * v1 * (-4 * s3 + 7 * s4 - 3 * s5);
  }
};

/// A hand takes the box from one state to another, with some tremor.
void Carry(const BoxState& from, const BoxState& to, double duration, double rate, Random& draws,
           std::vector<BoxState>& out) {
  const Eigen::AngleAxisd turn(from.rotation * to.rotation.conjugate());
  const Path place{from.position, from.velocity, to.position, to.velocity, duration};
  const Path angle{turn.angle() * turn.axis(), from.spin, Vector3d::Zero(), to.spin, duration};
  const Vector3d tremor = draws.Uniform(0.5e-3, 3e-3) * Direction(draws);
  const double frequency = draws.Uniform(3, 8), phase = draws.Uniform(0, 6);
  const int rows = static_cast<int>(duration * rate);
  for (int k = 1; k < rows; ++k) {
    const double t = k / rate, window = std::pow(std::sin(M_PI * t / duration), 2);
    BoxState s;
    s.position = place.At(t) + window * std::sin(2 * M_PI * frequency * t + phase) * tremor;
    s.rotation = Turn(angle.At(t)) * to.rotation;
    out.push_back(s);
  }
}

BoxState DrawRelease(const BoxWorld& world, Random& draws) {
  BoxState s;
  s.rotation = Turn(draws.Uniform(0, M_PI) * Direction(draws));
  s.position = world.surface + Vector3d(draws.Uniform(-0.3, 0.3), draws.Uniform(-0.3, 0.3),
                                        0.5 * world.size.norm() + draws.Uniform(0.15, 0.45));
  s.velocity = Vector3d(draws.Uniform(-1.5, 1.5), draws.Uniform(-1.5, 1.5), draws.Uniform(-0.3, 1.5));
  s.spin = draws.Uniform(2, 10) * Direction(draws);
  return s;
}

}  // namespace

BoxTake MakeBoxTake(std::uint64_t seed, const BoxTakeOptions& options) {
  Random draws(seed, 24);
  BoxTake take;
  BoxWorld& world = take.world;
  for (int i = 0; i < 3; ++i) world.size[i] = draws.Uniform(0.07, 0.16);
  world.inertia = UniformInertia(world.size);
  world.friction = draws.Uniform(0.2, 0.6);
  world.restitution = draws.Uniform(0.1, 0.5);
  world.surface.z() = options.surface_height;
  const double around = draws.Uniform(0, 2 * M_PI);
  world.normal = Turn(options.surface_tilt * Vector3d(std::cos(around), std::sin(around), 0)) * Vector3d::UnitZ();
  world.step = 2e-5;
  BoxCamera& camera = take.camera;
  camera.rate = draws.Below(2) == 0 ? 240 : 120;
  camera.noise_position = 5e-4;
  camera.noise_angle = 3e-3;
  if (options.off_center) {
    for (int i = 0; i < 3; ++i) camera.frame[i] = draws.Uniform(-0.5, 0.5) * world.size[i];
    camera.turned = draws.Uniform(0, M_PI) * Direction(draws);
  }

  // At rest on a face, where the first hand finds it.
  BoxState still;
  still.position = world.surface + Vector3d(0, 0, 0.5 * world.size.z());
  for (int k = 0; k < camera.rate; ++k) take.states.push_back(still);
  for (int i = 0, caught = 0; i < options.tosses;) {
    // Lifted, held, then swung and let go.
    BoxState held = still;
    held.position += Vector3d(draws.Uniform(-0.2, 0.2), draws.Uniform(-0.2, 0.2), draws.Uniform(0.3, 0.7));
    held.rotation = Turn(draws.Uniform(0, 2) * Direction(draws)) * still.rotation;
    held.velocity.setZero(), held.spin.setZero();
    BoxState rested = still;
    rested.velocity.setZero(), rested.spin.setZero();
    Carry(rested, held, draws.Uniform(0.6, 1.2), camera.rate, draws, take.states);
    const BoxState release = DrawRelease(world, draws);
    Carry(held, release, draws.Uniform(0.4, 0.8), camera.rate, draws, take.states);
    if (caught < options.catches) {
      // Up and into the hand again.
      BoxWorld high = world;
      high.surface.z() -= 10;
      BoxState up = release;
      up.velocity.z() = 2;
      const std::vector<BoxState> flight = SimulateBox(high, up, camera.rate, 0.35, 0);
      take.states.insert(take.states.end(), flight.begin(), flight.end());
      BoxState caught_at = flight.back(), end = caught_at;
      caught_at.velocity *= 0.3, caught_at.spin *= 0.1;
      end.velocity.setZero(), end.spin.setZero();
      end.position.z() = world.surface.z() + 0.5 * world.size.norm() + 0.5;
      Carry(caught_at, end, 0.7, camera.rate, draws, take.states);
      BoxState down = still;
      down.velocity.setZero(), down.spin.setZero();
      Carry(end, down, 0.8, camera.rate, draws, take.states);
      for (int k = 0; k < camera.rate / 2; ++k) take.states.push_back(down);
      ++caught;
      continue;
    }
    take.releases.push_back(static_cast<int>(take.states.size()));
    const double after_rest = draws.Uniform(0.4, 1.0);
    const std::vector<BoxState> toss = SimulateBox(world, release, camera.rate, 5, after_rest);
    take.states.insert(take.states.end(), toss.begin(), toss.end());
    take.rests.push_back(static_cast<int>(take.states.size()) - static_cast<int>(after_rest * camera.rate));
    still = toss.back();
    ++i;
  }
  take.recording = RecordBox(world, take.states, camera, seed + 7, "take.csv");
  return take;
}

std::string BoxSceneText(const BoxWorld& known, double friction, double restitution) {
  return fmt::format(
      "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
      "bodies:\n  box: {{shape: {{box: {{size: [{}, {}, {}]}}}}, mass: 1}}\n"
      "surfaces:\n  table: {{plane: {{point: [0, 0, 0], normal: [0, 0, 1]}}}}\n"
      "contact: {{friction: {}, restitution: {}}}\n"
      "simulation: {{method: moreau, step: 1e-3, duration: 1}}\n",
      known.size.x(), known.size.y(), known.size.z(), friction, restitution);
}

std::string MotiveText(const Recording& recording, const std::string& body) {
  const std::string header = "Format Version,1.23,Take Name,take,Capture Frame Rate,{0},Export Frame Rate,{0},"
      "Rotation Type,Quaternion,Length Units,Millimeters,Coordinate Space,Global\n\n";
  const double rate = 1 / (recording.time[1] - recording.time[0]);
  std::string text = fmt::format(fmt::runtime(header), rate);
  const auto line = [&](const char* first, const std::string& each) {
    text += fmt::format(",{}", first);
    for (int i = 0; i < 7; ++i) text += "," + each;
    text += "\n";
  };
  line("Type", "Rigid Body");
  line("Name", body);
  line("ID", "\"1\"");
  text += ",,Rotation,Rotation,Rotation,Rotation,Position,Position,Position\nFrame,Time (Seconds),X,Y,Z,W,X,Y,Z\n";
  for (int row = 0; row < recording.rows(); ++row) {
    const auto value = [&](const char* name) {
      return recording.values[static_cast<std::size_t>(recording.Find(name))][static_cast<std::size_t>(row)];
    };
    // (x, y, z) with z up is (x, z, -y) with y up.
    text += fmt::format("{},{:.6f},{:.8f},{:.8f},{:.8f},{:.8f},{:.5f},{:.5f},{:.5f}\n", row,
                        recording.time[static_cast<std::size_t>(row)], value("qx"), value("qz"), -value("qy"),
                        value("qw"), 1e3 * value("x"), 1e3 * value("z"), -1e3 * value("y"));
  }
  return text;
}

}  // namespace ricochet::testing
