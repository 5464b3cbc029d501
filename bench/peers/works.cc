// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "works.h"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "core/random.h"

namespace ricochet::peers {
namespace {

constexpr double kGravity = 9.81;
constexpr int kTosses = 50, kGrid = 21;
constexpr int kTossRounds = 20;
constexpr int kSlowStride = 100;  // from here on an engine does every tenth of the work `toss`

double ProcessorTime() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

const BodyKind kCube{.size = {1, 1, 1}, .mass = 1, .inertia = {1. / 6, 1. / 6, 1. / 6}};
const BodyKind kBall{.ball = true, .size = {0.1, 0.1, 0.1}, .mass = 1, .inertia = {4e-3, 4e-3, 4e-3}};
const BodyKind kBox006{.size = {0.205, 0.155, 0.1}, .mass = 0.365, .inertia = {1.040e-3, 1.590e-3, 2.020e-3}};

BodyState RandomToss(std::uint64_t seed) {
  Random r(seed);
  BodyState s;
  s.orientation = {1, r.Uniform(-0.3, 0.3), r.Uniform(-0.3, 0.3), r.Uniform(-1, 1)};
  double length = 0;
  for (const double c : s.orientation) length += c * c;
  for (double& c : s.orientation) c /= std::sqrt(length);
  s.position = {0, 0, r.Uniform(0.15, 0.35)};
  s.velocity = {r.Uniform(0.5, 2.5), r.Uniform(-0.5, 0.5), r.Uniform(-0.5, 0.5)};
  s.angular_velocity = {r.Uniform(-3, 3), r.Uniform(-3, 3), r.Uniform(-3, 3)};
  return s;
}

std::uint64_t Hash(std::uint64_t hash, const BodyState& s) {
  const auto add = [&](double value) {
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 1099511628211ull;
  };
  for (const double x : s.position) add(x);
  for (const double x : s.orientation) add(x);
  for (const double x : s.velocity) add(x);
  for (const double x : s.angular_velocity) add(x);
  return hash;
}

struct Outcome {
  long steps = 0;
  double error = 0;
  std::uint64_t hash = 14695981039346656037ull;
};

Outcome Slide(PeerWorld& world, double h) {
  Outcome out;
  const double mu = 0.12, time = 4;
  world.SetLaw(mu, 0);
  world.Reset({.position = {0, 0, 0.5}, .velocity = {4, 3, 0}});
  out.steps = std::lround(time / h);
  world.Run(static_cast<int>(out.steps));
  const BodyState end = world.Get();
  const double distance = std::hypot(end.position[0], end.position[1]);
  out.error = 100 * std::abs(distance / (5 * time - 0.5 * mu * kGravity * time * time) - 1);
  out.hash = Hash(out.hash, end);
  return out;
}

Outcome Bounce(PeerWorld& world, double h) {
  Outcome out;
  world.SetLaw(0.3, 0.5);
  world.Reset({.position = {0, 0, 1.1}});
  double last = 0;
  std::vector<double> apexes;
  for (out.steps = 0; out.steps < std::lround(1.5 / h) && apexes.size() < 2; ++out.steps) {
    world.Run(1);
    const BodyState s = world.Get();
    if (last > 0 && s.velocity[2] <= 0) apexes.push_back(s.position[2] - 0.1);
    last = s.velocity[2];
    out.hash = Hash(out.hash, s);
  }
  apexes.resize(2, 0.0);
  out.error = std::max(std::abs(apexes[0] - 0.25), std::abs(apexes[1] - 0.0625));
  return out;
}

Outcome Toss(PeerWorld& world, double h, int stride) {
  Outcome out;
  for (int i = 0; i < kTosses; i += stride) {
    world.Reset(RandomToss(i));
    world.Run(static_cast<int>(std::lround(1 / h)));
    out.hash = Hash(out.hash, world.Get());
    out.steps += std::lround(1 / h);
  }
  return out;
}

Outcome Grid(PeerWorld& world, double h, int stride) {
  Outcome out;
  for (int cell = 0; cell < kGrid * kGrid; cell += stride) {
    world.SetLaw(0.1 + 0.04 * (cell % kGrid), 0.03 * (cell / kGrid));
    const Outcome tosses = Toss(world, h, 1);
    out.steps += tosses.steps;
    out.hash = (out.hash ^ tosses.hash) * 1099511628211ull;
  }
  return out;
}

}  // namespace

int RunWorks(const std::string& engine, const std::string& settings, MakeWorld make, int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 3, stride = argc > 2 ? std::atoi(argv[2]) : 1;
  const std::string only = argc > 3 ? argv[3] : "";
  std::printf("# %s: %s\n", engine.c_str(), settings.c_str());
  const auto repeat = [&](const char* work, const BodyKind& kind, double h,
                          const std::function<Outcome(PeerWorld&)>& run) {
    if (!only.empty() && only != work) return;
    const std::unique_ptr<PeerWorld> world = make(kind, h);
    for (int k = 0; k < repeats; ++k) {
      const double start = ProcessorTime();
      const Outcome out = run(*world);
      const double seconds = ProcessorTime() - start;
      std::printf("%s,%s,%.6f,%ld,%d,%.4f,%.4f,%.6g,%016llx\n", engine.c_str(), work, h, out.steps, k, seconds,
                  1e6 * seconds / static_cast<double>(out.steps), out.error, static_cast<unsigned long long>(out.hash));
      std::fflush(stdout);
    }
  };
  repeat("slide", kCube, 0.01, [](PeerWorld& w) { return Slide(w, 0.01); });
  repeat("bounce", kBall, 1e-3, [](PeerWorld& w) { return Bounce(w, 1e-3); });
  for (const double h : {1.0 / 148, 1.0 / 360, 1e-3})
    repeat("toss", kBox006, h, [h, stride](PeerWorld& w) {
      w.SetLaw(0.4, 0.25);
      // Fast engines do them several times: a few milliseconds are too short to time.
      Outcome out;
      for (int round = 0; round < std::max(1, kTossRounds / stride); ++round) {
        const Outcome tosses = Toss(w, h, stride < kSlowStride ? 1 : 10);
        out.steps += tosses.steps;
        out.hash = tosses.hash;
      }
      return out;
    });
  repeat("grid", kBox006, 1.0 / 360, [stride](PeerWorld& w) { return Grid(w, 1.0 / 360, stride); });
  return 0;
}

}  // namespace ricochet::peers
