// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/penetration.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "dynamics/kinematics.h"
#include "dynamics/planar_contacts.h"
#include "rollout/run.h"
#include "tests/support/random_planar.h"

namespace ricochet::testing {
namespace {

double BodySize(const PlanarShape<double>& shape) {
  if (shape.smooth) return std::max(shape.a, shape.b);
  double size = 0;
  for (const auto& vertex : shape.vertices) size = std::max(size, vertex.norm());
  return size;
}

/// Least gap over all pairs and candidates, and the largest closing speed among candidates that became negative.
class PenetrationSink final : public StepSink {
 public:
  explicit PenetrationSink(const Model& model) : model_(model) {}

  bool OnStep(const StepResult& step) override {
    const auto& body = model_.planar.bodies[0];
    const double size = BodySize(body.shape), h = step.h;
    const PlanarRotation<double> before(step.start.q[2]), after(step.end.q[2]);
    for (const auto& pair : model_.planar.pairs) {
      const auto& surface = model_.planar.surfaces[pair.surface];
      for (int i = 0; i < body.shape.contact_count(); ++i) {
        const auto from = ComputePlanarContact<double>(body, surface, i, step.start.q.head<2>(), before);
        const auto to = ComputePlanarContact<double>(body, surface, i, step.end.q.head<2>(), after);
        deepest = std::max(deepest, -to.gap / size);
        if (from.gap < 0 || to.gap >= 0) continue;
        const double omega = step.end.v[2];
        const double drift = h * h * (model_.planar.gravity.norm() + omega * omega * size);
        const double speed = std::abs(from.normal.dot(step.end.v.head<3>()));
        excess = std::max(excess, (-to.gap - h * speed) / drift);
      }
    }
    return true;
  }

  double deepest = 0, excess = 0;

 private:
  const Model& model_;
};

}  // namespace

PenetrationSummary MeasurePenetration(const char* method, int count, double fraction) {
  PenetrationSummary summary;
  for (int seed = 0; seed < count; ++seed) {
    const Scene scene = RandomPlanarScene(seed, {.restitution = false});
    const Model model = CompileModel(scene);
    PenetrationSink sink(model);
    RunOptions options;
    options.step = scene[scene.simulation.step] * fraction;
    options.steps = std::lround(250 / fraction);
    Run(FindStepper(method), model, InitialState(model), options, sink);
    ++summary.scenes;
    summary.mean += sink.deepest / count;
    summary.largest = std::max(summary.largest, sink.deepest);
    summary.largest_excess = std::max(summary.largest_excess, sink.excess);
  }
  return summary;
}

}  // namespace ricochet::testing
