// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Microseconds per step of `ecp` in flight and in point, line and surface contact, of its derivatives and, beside them,
// of the same derivatives by differences. Columns: median and mean time per step, Newton iterations, largest residual,
// and a hash of the final state, so that a faster wrong answer shows.
//
//   cmake --preset bench && cmake --build build-bench --target run_ecp && build-bench/bench/run_ecp
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "core/hash.h"
#include "dynamics/kinematics.h"
#include "steppers/ecp/ecp.h"
#include "steppers/ecp/ecp_workspace.h"

namespace ricochet {
namespace {

using Clock = std::chrono::steady_clock;

std::string SceneText(const std::string& shape, const std::string& contact, const std::string& start) {
  return fmt::format(R"(ricochet: 1
space: spatial
gravity: [0, 0, -9.8]
bodies:
  body: {{shape: {}, mass: 1}}
surfaces:
  floor: {{plane: {{point: [0, 0, 0], normal: [0, 0, 1]}}}}
contact: {}
initial:
  body: {}
simulation: {{method: ecp, step: 0.001, duration: 1}}
)",
                     shape, contact, start);
}

struct Case {
  const char* name;
  std::string text;
};

std::vector<Case> Cases() {
  const std::string box = "{box: {size: [0.2, 0.3, 0.4]}}",
                    rod = "{cylinder: {radius: 0.1, length: 0.5, axis: [1, 0, 0]}}";
  const std::string law = "{friction: 0.3, patch: [1, 1, 0.1]}";
  return {
      {"flight",
       SceneText(
           box, law,
           "{position: [0, 0, 50], orientation: [1, 0, 0, 0], velocity: [1, 0, 0], angular_velocity: [3, 4, 5]}")},
      {"point (ball, rolling)",
       SceneText(
           "{sphere: {radius: 0.1}}", law,
           "{position: [0, 0, 0.1], orientation: [1, 0, 0, 0], velocity: [2, 0, 0], angular_velocity: [0, 5, 3]}")},
      {"point (corner, sliding)",
       SceneText("{box: {size: [0.3, 0.3, 0.3]}}", "{friction: 0.05, patch: [1, 1, 0.1]}",
                 "{position: [0, 0, 0.2598076211353316], orientation: [0.8880738339771153, 0.32505758367186816, "
                 "-0.32505758367186816, 0], velocity: [0, 0, 0], angular_velocity: [0, 0, 20]}")},
      {"line (rod, rolling and yawing)",
       SceneText(
           rod, law,
           "{position: [0, 0, 0.1], orientation: [1, 0, 0, 0], velocity: [0, -2, 0], angular_velocity: [5, 0, 6]}")},
      {"surface (box, sliding and spinning)",
       SceneText(
           box, law,
           "{position: [0, 0, 0.2], orientation: [1, 0, 0, 0], velocity: [3, 1, 0], angular_velocity: [0, 0, 8]}")},
      {"surface (box, at rest)",
       SceneText(
           box, law,
           "{position: [0, 0, 0.2], orientation: [1, 0, 0, 0], velocity: [0, 0, 0], angular_velocity: [0, 0, 0]}")},
  };
}

double Median(std::vector<double>& times) {
  std::nth_element(times.begin(), times.begin() + static_cast<long>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

void RunCase(const Case& c) {
  const Scene scene = ParseScene(c.text, c.name);
  const Model model = CompileModel(scene);
  const Stepper& stepper = Ecp();
  const auto workspace = stepper.MakeWorkspace(model);
  const auto& ecp = static_cast<const EcpWorkspace&>(*workspace);
  const std::vector<NumberId> parameters = {scene.Find("contact.friction"), scene.Find("contact.patch[2]")};
  std::vector<double> times, derivative_times, difference_times;
  StepResult result, other;
  StepDerivatives derivatives;
  double residual = 0, mean = 0;
  long iterations = 0, steps = 0;
  State state;
  for (int repeat = 0; repeat < 30; ++repeat) {
    state = InitialState(model);
    for (int k = 0; k < 200; ++k) {
      const auto begin = Clock::now();
      stepper.Step(model, state, {}, 1e-3, *workspace, result);
      const double us = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
      times.push_back(us);
      mean += us;
      iterations += ecp.solution.iterations;
      ++steps;
      residual = std::max(residual, result.residual);
      if (repeat == 0 && k % 20 == 0) {
        const auto middle = Clock::now();
        stepper.Differentiate(model, result, {}, parameters, *workspace, derivatives);
        const auto later = Clock::now();
        for (int i = 0; i < 2 * 14; ++i) stepper.Step(model, state, {}, 1e-3, *workspace, other);
        derivative_times.push_back(std::chrono::duration<double, std::micro>(later - middle).count());
        difference_times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - later).count());
      }
      state.q = result.end.q;
      state.v = result.end.v;
    }
  }
  const std::string_view bytes(reinterpret_cast<const char*>(state.q.data()), sizeof(double) * state.q.size());
  fmt::print("{},{:.2f},{:.2f},{:.2f},{:.1e},{:.1f},{:.1f},{}\n", c.name, Median(times),
             mean / static_cast<double>(steps), static_cast<double>(iterations) / static_cast<double>(steps), residual,
             Median(derivative_times), Median(difference_times), Sha256Hex(bytes).substr(0, 8));
}

}  // namespace
}  // namespace ricochet

int main() {
  fmt::print("case,median_us,mean_us,iterations_per_step,largest_residual,derivative_us,differences_us,hash\n");
  for (const ricochet::Case& c : ricochet::Cases()) ricochet::RunCase(c);
}
