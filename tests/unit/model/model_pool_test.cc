// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "model/model_pool.h"

#include <gtest/gtest.h>

#include "core/random.h"

namespace ricochet {
namespace {

constexpr char kScene[] = R"(ricochet: 1
space: spatial
gravity: {magnitude: 9.8, tilt: [0.1, -0.2]}
bodies:
  box: {shape: {box: {size: [0.1, 0.2, 0.3]}}, mass: 0.4, inertia: [4e-3, 3.5e-3, 1.8e-3]}
  ball: {shape: {sphere: {radius: 0.1}}, mass: 0.5}
surfaces:
  board: {plane: {point: [0, 0, -1], normal: [0, 0, 1]}}
contact: {friction: 0.3, restitution: 0.1}
simulation: {method: moreau, step: 1e-3}
)";

/// Whatever models were made before: one in use keeps its scene, and one that is gone leaves nothing behind.
TEST(ModelPool, ScenesOfModelsAreThoseThatTheMapApplies) {
  const Scene scene = ParseScene(kScene, "pool.yaml");
  const ParameterMap map(scene, ParsePathList(scene, "bodies.box.inertia[0] / bodies.box.mass, bodies.box.mass, "
                                                     "gravity.tilt, bodies.ball.mass, contact.friction"));
  const ModelPool pool;
  Random random(7);
  std::optional<Model> kept;
  Eigen::VectorXd kept_values;
  for (int k = 0; k < 30; ++k) {
    Eigen::VectorXd values = map.start();
    for (double& value : values) value *= random.Uniform(0.9, 1.1);
    if (k % 5 == 3) values[4] = -1;    // no mass is negative
    if (k % 5 == 4) values[0] *= 100;  // and no body has such a moment beside the other two
    const std::optional<Scene> applied = map.TryApply(values);
    const std::optional<Model> model = pool.Compile(map, values);
    EXPECT_EQ(applied.has_value(), k % 5 < 3);
    ASSERT_EQ(model.has_value(), applied.has_value()) << k;
    if (!model) continue;
    for (std::size_t i = 0; i < applied->numbers().size(); ++i) {
      EXPECT_EQ(model->scene->numbers()[i].value, applied->numbers()[i].value) << applied->numbers()[i].path;
      EXPECT_EQ(model->scene->numbers()[i].given, applied->numbers()[i].given) << applied->numbers()[i].path;
    }
    EXPECT_EQ(model->spatial.bodies[1].I_BBcm_B, CompileModel(*applied).spatial.bodies[1].I_BBcm_B);
    if (k == 2) kept = model, kept_values = values;
  }
  EXPECT_EQ(map.ValuesOf(*kept->scene), map.ValuesOf(map.Apply(kept_values)));
}

}  // namespace
}  // namespace ricochet
