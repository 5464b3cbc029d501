// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Which friction does a pendulum have? (Spook sec. 4.5.) Series made with viscous, dry and Stribeck friction, each N
// times with other numbers, starts and noise: which model `--compare-friction` recommends.
//
//   study_friction N [FIRST]    rows: model that made the series, seed, recommended, held-out costs of the three models
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "core/random.h"
#include "estimators/mechanism/friction_models.h"
#include "reproduce/mechanism_recordings.h"

namespace {

using namespace ricochet;

constexpr int kSeries = 3;

double Draw(Random& random, double value) { return value * std::exp(random.Uniform(-0.3, 0.3)); }

Scene MadeWith(const std::string& model, Random& random) {
  Scene scene = StribeckPendulum();
  for (const SelectedParameter& p :
       ParsePathList(scene, "bodies.rod.inertia[1], joints.hinge.viscous, joints.hinge.dry.friction"))
    scene.Set(p.numerator, Draw(random, scene[p.numerator]));
  const Joint& hinge = scene.joints[0];
  const double ratio = scene[hinge.stribeck->static_friction] / StribeckPendulum()[hinge.dry->friction];
  scene.Set(hinge.stribeck->static_friction, ratio * scene[hinge.dry->friction]);
  if (model == "viscous") scene.Set("joints.hinge.viscous", {Draw(random, 1.2e-3)});
  if (model == "viscous") scene.joints[0].dry.reset();
  if (model != "stribeck") scene.joints[0].stribeck.reset();
  return scene;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "study_friction N [FIRST]\n");
    return 2;
  }
  const int count = std::atoi(argv[1]), first = argc > 2 ? std::atoi(argv[2]) : 0;
  const Scene start = StribeckPendulum();
  fmt::print("made_with,seed,recommended,viscous,dry,stribeck\n");
  for (int seed = first; seed < first + count; ++seed)
    for (const char* model : {"viscous", "dry", "stribeck"}) {
      Random random(static_cast<std::uint64_t>(seed), 21);
      const Scene truth = MadeWith(model, random);
      std::vector<Recording> series;
      for (int i = 0; i < kSeries; ++i)
        series.push_back(RecordMechanism(truth,
                                         {.angle = {random.Uniform(2.3, 3.0)},
                                          .rate = {0.0},
                                          .duration = 9,
                                          .seed = static_cast<std::uint64_t>(1000 + kSeries * seed + i)},
                                         "series"));
      const FrictionComparison found = CompareFriction(start, series, ParsePathList(start, "bodies.rod.inertia[1]"));
      fmt::print("{},{},{}", model, seed, found.models[static_cast<std::size_t>(found.recommended)].model);
      for (const FrictionScore& score : found.models) fmt::print(",{:.5g}", score.held_out_cost);
      fmt::print("\n");
      std::fflush(stdout);
    }
}
