// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Work that simulators are given side by side: one rigid body on a plane z = 0 under gravity. Each engine is a program
// that implements `PeerWorld` and calls RunWorks; `bench/run peers` runs them one after the other.
//
//   slide      cube of 1 m and 1 kg set down at gap 0 with (4, 3, 0) m/s, friction 0.12, h = 0.01 s, 4 s. The answer is
//              v t - mu g t^2 / 2 along (4, 3): error of the distance and angle by which the path turned.
//   bounce     ball of 0.1 m radius dropped from 1 m, restitution 0.5, h = 1e-3 s: apexes 0.25 and 0.0625 m.
//   toss       50 tosses of 1 s of the box of Jongeneel (Box006), friction 0.4, restitution 0.25, at steps of
//              1/148 s, 1/360 s and 1e-3 s.
//   grid       the load of its identification: 21 x 21 values of friction and restitution times those 50 tosses at
//              1/360 s, one world reused.
//
// Slow engines may do every `stride`-th cell of the grid, and the slowest (stride 100 and more) every tenth toss; time
// is per step.
//
// Times are of the processor, not of the clock; each work is repeated and every repeat is printed.
#pragma once

#include <array>
#include <memory>
#include <string>

namespace ricochet::peers {

struct BodyState {
  std::array<double, 3> position{}, velocity{}, angular_velocity{};  // [m], [m/s], [rad/s], world axes
  std::array<double, 4> orientation{1, 0, 0, 0};                     // w, x, y, z
};

/// Box (`size` its edges) or ball (`size[0]` its radius).
struct BodyKind {
  bool ball = false;
  std::array<double, 3> size{};     // [m]
  double mass = 1;                  // [kg]
  std::array<double, 3> inertia{};  // principal moments [kg m^2]
};

/// One body over the plane z = 0, gravity 9.81 m/s^2, h [s] fixed when the world is made.
class PeerWorld {
 public:
  virtual ~PeerWorld() = default;
  virtual void SetLaw(double friction, double restitution) = 0;
  /// Restarts from this state: earlier contacts have no effect.
  virtual void Reset(const BodyState& state) = 0;
  virtual void Run(int steps) = 0;
  virtual BodyState Get() const = 0;
};

using MakeWorld = std::unique_ptr<PeerWorld> (*)(const BodyKind& kind, double h);

/// Runs all works and prints a line per repeat:
///   engine,work,step_s,steps,repeat,cpu_s,us_per_step,error,hash
/// `error`: slide, percent of the distance; bounce, largest error of the two apexes [m]; else 0. `hash`: of the final
/// states. `settings` says in a few words how the engine is used. argv: [repeats] [stride] [work]; without a
/// work all are run.
int RunWorks(const std::string& engine, const std::string& settings, MakeWorld make, int argc, char** argv);

}  // namespace ricochet::peers
