// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "report/evaluation_report.h"

#include <gtest/gtest.h>

#include <cmath>

#include "report/outline.h"
#include "ricochet/error.h"
#include "ricochet/report.h"
#include "ricochet/validate.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

TEST(EvaluationReport, ReadsACostMap) {
  const std::vector<CostMap> maps = CostMapsOfSweep("mu,e,cost\n0.1,0,5\n0.1,0.5,4\n0.2,0,2\n0.2,0.5,nan\n", "map.csv");
  ASSERT_EQ(maps.size(), 1u);
  EXPECT_EQ(maps[0].axes[0].path, "mu");
  EXPECT_EQ(maps[0].axes[1].values, (std::vector<double>{0, 0.5}));
  EXPECT_EQ(maps[0].cost[2], 2);
  EXPECT_TRUE(std::isnan(maps[0].cost[3]));
  EXPECT_EQ(*maps[0].axes[0].minimum, 0.2);
  EXPECT_EQ(*maps[0].axes[1].minimum, 0);
}

TEST(EvaluationReport, ShowsPlanesThroughTheBestCellOfThreeNumbers) {
  std::string text = "a,b,c,cost\n";
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 3; ++b)
      for (int c = 0; c < 2; ++c)
        text += std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(c) + "," +
                std::to_string(100 * a + 10 * std::abs(b - 1) + (1 - c)) + "\n";
  const std::vector<CostMap> maps = CostMapsOfSweep(text, "map.csv");
  ASSERT_EQ(maps.size(), 3u);
  EXPECT_EQ(maps[1].axes[0].path, "a");
  EXPECT_EQ(maps[1].axes[1].path, "c");
  EXPECT_EQ(maps[1].cost, (std::vector<double>{1, 0, 101, 100}));  // b at its best, 1
  EXPECT_EQ(maps[2].cost, (std::vector<double>{11, 10, 1, 0, 11, 10}));
}

TEST(EvaluationReport, RefusesMapsThatAreNone) {
  EXPECT_THROW(CostMapsOfSweep("mu,e,cost\n0.1,0,5\n0.1,1,4\n0.2,0,2\n", "map.csv"), InputError);
  EXPECT_THROW(CostMapsOfSweep("mu,cost\n0.1,x\n", "map.csv"), InputError);
  EXPECT_THROW(CostMapsOfSweep("mu,price\n0.1,1\n", "map.csv"), InputError);
}

TEST(EvaluationReport, ReadsAValidation) {
  const std::string text = R"({"name": "box.yaml", "recordings": [
    {"file": "a.csv", "used": true, "trajectory_position_error": 0.002, "rest_yaw_error": null},
    {"file": "b.csv", "used": false, "trajectory_position_error": null}], "summary": {},
    "sensitivity": {"contact.friction": [{"value": 0.3, "trajectory_position_error": {"mean": 0.001}},
                                         {"value": 0.4, "trajectory_position_error": {"mean": 0.003}}]}})";
  const Scene scene = ReadScene(testing::SourcePath("examples/box006_toss.yaml"));
  const Evaluation e = MakeValidationReport(scene, {}, ParseValidations(text, "v.json")).evaluation;
  ASSERT_EQ(e.errors.models.size(), 1u);
  EXPECT_EQ(e.errors.metrics[0].unit, "mm");
  EXPECT_NEAR(e.errors.models[0].values[0][0], 2, 1e-12);
  EXPECT_TRUE(std::isnan(e.errors.models[0].values[0][1]));
  EXPECT_TRUE(std::isnan(e.errors.models[0].values[6][0]));
  ASSERT_EQ(e.cost_maps.size(), 1u);
  EXPECT_EQ(e.cost_maps[0].axes[0].values, (std::vector<double>{0.3, 0.4}));
  EXPECT_NEAR(e.cost_maps[0].cost[1], 3, 1e-12);
  EXPECT_THROW(ParseValidations("{\"recordings\": 3}", "v.json"), InputError);
}

TEST(Outline, OfABoxOnItsSide) {
  const SpatialShape<double> box = MakeSpatialShape<double>(ShapeType::kBox, std::vector<double>{0.2, 0.1, 0.06});
  SpatialSurface<double> surface;
  surface.point = Eigen::Vector3d(1, 0, 0);
  surface.R_WS.setIdentity();
  surface.velocity.setZero();
  // Turned by a quarter about x: z lies along -y.
  const std::array<double, 7> pose = {1.5, 0.5, 0.05, std::sqrt(0.5), std::sqrt(0.5), 0, 0};
  const auto outline = OutlineFromAbove(box, surface, pose);
  ASSERT_EQ(outline.size(), 4u);
  double area = 0, x = 0, y = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto &a = outline[i], &b = outline[(i + 1) % 4];
    area += 0.5 * (a[0] * b[1] - a[1] * b[0]);
    x += a[0] / 4;
    y += a[1] / 4;
  }
  EXPECT_NEAR(area, 0.2 * 0.06, 1e-12);
  EXPECT_NEAR(x, 0.5, 1e-12);
  EXPECT_NEAR(y, 0.5, 1e-12);
  EXPECT_NEAR(Heading(surface, pose), 0, 1e-12);
  EXPECT_NEAR((FarthestPoint(box, {0, 0, -1}) - Eigen::Vector3d(0, 0, -0.03)).norm(), 0, 1e-12) << "middle of a face";
}

}  // namespace
}  // namespace ricochet
