// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The thrown plywood ellipse (Gabiccini sec. 6.1) identified blind: wrong inertia, friction 0.4, restitution 0.5 and no
// initial motion in the scene. Errors of J/m are judged in units of the Cramer-Rao bound of their cell.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "ricochet/identify.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

constexpr double kRatio = 756e-6;
constexpr char kPaths[] = "bodies.ellipse.inertia / bodies.ellipse.mass, contact.friction, contact.restitution";

Scene BlindScene() {
  return ParseScene(
      "ricochet: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n  ellipse:\n    shape: {ellipse: {semi_axes: [0.050, "
      "0.025]}}\n"
      "    mass: 0.064\n    inertia: 3.0e-5\nsurfaces:\n  bar: {line: {point: [0, 0], angle: 0}}\ncontact: {friction: "
      "0.4, restitution: 0.5}\n",
      "blind.yaml");
}

double Bound(const std::string& folder, double friction, int rate) {
  std::ifstream in(testing::SourcePath("tests/data/truth/plywood/bound_" + folder + ".csv"));
  std::string line, cell;
  std::getline(in, line);
  const int column = rate == 30 ? 1 : rate == 60 ? 2 : rate == 120 ? 3 : rate == 200 ? 4 : 5;
  while (std::getline(in, line)) {
    std::istringstream cells(line);
    std::getline(cells, cell, ',');
    if (std::abs(std::stod(cell) - friction) > 1e-9) continue;
    for (int i = 0; i < column; ++i) std::getline(cells, cell, ',');
    return std::stod(cell);
  }
  return NAN;
}

class Plywood : public ::testing::TestWithParam<std::string> {};

TEST_P(Plywood, ReachesTheBoundBlind) {
  const std::string folder = GetParam();
  double errors = 0, pulls = 0, friction_errors = 0;
  int count = 0, frictions = 0;
  for (const double friction : {0.2, 0.3, 0.5})
    for (const int rate : {120, 240}) {
      const std::string file = fmt::format("tests/data/truth/plywood/{}/mu{:.1f}_{}fps_0.csv", folder, friction, rate);
      const Estimate estimate = Identify(BlindScene(), {ReadRecording(testing::SourcePath(file))}, kPaths).estimate;
      ASSERT_TRUE(estimate.converged) << file;
      ASSERT_TRUE(estimate.parameters[0].value.has_value()) << file;
      const double error = 100 * (*estimate.parameters[0].value / kRatio - 1);
      errors += std::pow(error / Bound(folder, friction, rate), 2);
      pulls += std::pow((*estimate.parameters[0].value - kRatio) / *estimate.parameters[0].std, 2);
      ++count;
      if (friction <= 0.5) {
        ASSERT_TRUE(estimate.parameters[1].value.has_value()) << file;
        friction_errors += std::pow(*estimate.parameters[1].value - friction, 2);
        ++frictions;
      } else {
        // It sticks throughout: friction is told from below only.
        EXPECT_FALSE(estimate.parameters[1].identifiable) << file;
        ASSERT_TRUE(estimate.parameters[1].lower.has_value()) << file;
        EXPECT_NEAR(*estimate.parameters[1].lower, 0.57, 0.08) << file;
      }
    }
  // 6 recordings: an RMS of 1.2 in all 270 allows 1.2 (1 + 3 / sqrt(12)) at most here.
  EXPECT_LT(std::sqrt(errors / count), 1.75);
  // Normalised errors: chi^2 of 6 exceeds 22.5 once in a thousand.
  EXPECT_LT(std::sqrt(pulls / count), 1.94);
  EXPECT_LT(std::sqrt(friction_errors / frictions), 0.02);
}
INSTANTIATE_TEST_SUITE_P(Noise, Plywood, ::testing::Values("1mrad", "20mrad"));

}  // namespace
}  // namespace ricochet
