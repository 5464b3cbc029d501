// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Box tosses of 1 s with `moreau`: microseconds of processor time per step, in flight, in contact and over the whole
// toss, at the steps of common recordings; then stacks of boxes at rest. Prints CSV; the hash is of the final states,
// so that a faster wrong answer shows. Then where the time of the tosses goes, by what their contacts do.
//
//   build-bench/bench/run_box_toss [repeats]
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/random.h"
#include "dynamics/kinematics.h"
#include "steppers/moreau/moreau.h"

namespace ricochet {
namespace {

double ProcessorTime() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Box006 of the paper on a standing conveyor.
Model BoxModel() {
  return CompileModel(ParseScene(
      "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n  box: {shape: {box: {size: [0.205, 0.155, "
      "0.1]}}, "
      "mass: 0.365, inertia: [1.040e-3, 1.590e-3, 2.020e-3]}\nsurfaces:\n  conveyor: {plane: {point: [0, 0, 0], "
      "normal: "
      "[0, 0, 1]}}\ncontact: {friction: 0.4, restitution: 0.25}\ninitial:\n  box: {position: [0, 0, 0.2], orientation: "
      "[1, 0, 0, 0], velocity: [0, 0, 0], angular_velocity: [0, 0, 0]}\nsimulation: {method: moreau}\n",
      "box"));
}

State RandomToss(const Model& model, std::uint64_t seed) {
  Random r(seed);
  State state = InitialState(model);
  Eigen::Vector4d q(1, r.Uniform(-0.3, 0.3), r.Uniform(-0.3, 0.3), r.Uniform(-1, 1));
  state.q << 0, 0, r.Uniform(0.15, 0.35), q.normalized();
  state.v << r.Uniform(0.5, 2.5), r.Uniform(-0.5, 0.5), r.Uniform(-0.5, 0.5), r.Uniform(-3, 3), r.Uniform(-3, 3),
      r.Uniform(-3, 3);
  return state;
}

std::uint64_t Hash(std::uint64_t hash, const Eigen::VectorXd& x) {
  for (double value : x) {
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 1099511628211ull;
  }
  return hash;
}

struct Cost {
  double seconds = 0;
  long steps = 0, contact_steps = 0, systems = 0;
  double residual = 0;
  std::uint64_t hash = 14695981039346656037ull;
};

/// Runs states of one model for `duration`; the least time of the repeats counts.
Cost Measure(const Model& model, const std::vector<State>& starts, double h, double duration, int repeats) {
  const Stepper& stepper = Moreau();
  const auto workspace = stepper.MakeWorkspace(model);
  const long steps = static_cast<long>(duration / h + 0.5);
  Cost best;
  StepResult result;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    Cost cost;
    const double start = ProcessorTime();
    for (const State& state : starts) {
      State x = state;
      for (long k = 0; k < steps; ++k) {
        stepper.Step(model, x, {}, h, *workspace, result);
        std::swap(x, result.end);
        if (!result.contacts.empty()) {
          ++cost.contact_steps;
          cost.systems += result.iterations;
          cost.residual = std::max(cost.residual, result.residual);
        }
      }
      cost.hash = Hash(Hash(cost.hash, x.q), x.v);
      cost.steps += steps;
    }
    cost.seconds = ProcessorTime() - start;
    if (repeat == 0 || cost.seconds < best.seconds) best = cost;
  }
  return best;
}

void Print(const char* what, double h, const Cost& c) {
  fmt::print("{},{:.6f},{},{:.4f},{:.3f},{:.2f},{:.1e},{:016x}\n", what, h, c.steps, 1e6 * c.seconds / c.steps,
             static_cast<double>(c.contact_steps) / c.steps,
             c.contact_steps > 0 ? double(c.systems) / c.contact_steps : 0.0, c.residual, c.hash);
}

/// Shares of steps and of time by what the contacts do; every step is repeated by itself.
void PrintKinds(const Model& model, const std::vector<State>& starts, double h) {
  constexpr int kRounds = 3, kTimes = 20;
  struct Share {
    long steps = 0;
    double seconds = 0;
  };
  std::map<std::string, Share> kinds;
  Share all;
  const auto workspace = Moreau().MakeWorkspace(model);
  StepResult result;
  for (const State& start : starts) {
    State x = start;
    for (long k = 0; k < static_cast<long>(1 / h + 0.5); ++k) {
      double least = 1e300;
      for (int round = 0; round < kRounds; ++round) {
        const double begin = ProcessorTime();
        for (int i = 0; i < kTimes; ++i) Moreau().Step(model, x, {}, h, *workspace, result);
        least = std::min(least, (ProcessorTime() - begin) / kTimes);
      }
      std::array<int, 3> count{};  // open, sticking, sliding
      for (const int mode : result.modes) ++count[static_cast<std::size_t>(mode)];
      const std::string kind = result.modes.empty() ? "no contact"
                               : result.iterations > 9
                                   ? "any, more than 9 linear systems"
                                   : fmt::format("{} open, {} stick, {} slide", count[0], count[1], count[2]);
      for (Share* share : {&kinds[kind], &all}) {
        ++share->steps;
        share->seconds += least;
      }
      std::swap(x, result.end);
    }
  }
  std::vector<std::pair<std::string, Share>> sorted(kinds.begin(), kinds.end());
  std::ranges::sort(sorted, [](const auto& a, const auto& b) { return a.second.seconds > b.second.seconds; });
  fmt::print("\ncontacts at h = {:.6f} s,percent_of_steps,percent_of_time,us_per_step\n", h);
  for (const auto& [kind, share] : sorted) {
    if (share.seconds < 0.01 * all.seconds) continue;
    fmt::print("\"{}\",{:.1f},{:.1f},{:.3f}\n", kind, 100.0 * share.steps / all.steps,
               100 * share.seconds / all.seconds, 1e6 * share.seconds / share.steps);
  }
}

/// `count` cubes of 0.1 m on one another.
std::string StackText(int count) {
  std::string bodies, initial;
  for (int i = 0; i < count; ++i) {
    bodies += fmt::format("  b{}: {{shape: {{box: {{size: [0.1, 0.1, 0.1]}}}}, mass: 1}}\n", i);
    initial += fmt::format(
        "  b{}: {{position: [0, 0, {}], orientation: [1, 0, 0, 0], velocity: [0, 0, 0], "
        "angular_velocity: [0, 0, 0]}}\n",
        i, 0.05 + 0.1 * i);
  }
  return "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n" + bodies +
         "surfaces:\n  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}\ncontact: {friction: 0.5}\ninitial:\n" +
         initial + "simulation: {method: moreau}\n";
}

}  // namespace
}  // namespace ricochet

int main(int argc, char** argv) {
  using namespace ricochet;
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 5;
  const Model model = BoxModel();
  std::vector<State> tosses, flights;
  for (int i = 0; i < 50; ++i) {
    tosses.push_back(RandomToss(model, i));
    flights.push_back(tosses.back());
    flights.back().q[2] += 100;
  }
  fmt::print("work,step_s,steps,us_per_step,contact_share,systems_per_contact_step,worst_residual,state_hash\n");
  for (const double h : {1.0 / 148, 1.0 / 360, 1e-3}) {
    const Cost flight = Measure(model, flights, h, 1, repeats), toss = Measure(model, tosses, h, 1, repeats);
    Print("flight", h, flight);
    Print("toss", h, toss);
    // What contact steps cost, flight steps at their own price.
    Cost contact = toss;
    contact.seconds -= flight.seconds / flight.steps * (toss.steps - toss.contact_steps);
    contact.steps = toss.contact_steps;
    Print("contact", h, contact);
  }
  for (const int count : {2, 5, 10}) {
    const Model stack = CompileModel(ParseScene(StackText(count), "stack"));
    const std::string name = fmt::format("stack{}", count);
    Print(name.c_str(), 1.0 / 360, Measure(stack, {InitialState(stack)}, 1.0 / 360, 10, 1));
  }
  for (const double h : {1.0 / 148, 1.0 / 360}) PrintKinds(model, tosses, h);
  return 0;
}
