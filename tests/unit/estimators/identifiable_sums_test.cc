// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/mechanism/identifiable_sums.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "reproduce/mechanism_recordings.h"
#include "ricochet/identify.h"

namespace ricochet {
namespace {

TEST(IdentifiableSums, AParameterThatMovesWithSeveralHeldOnesHasOneSum) {
  // a moves with c and d, b with d only.
  const std::vector<HeldNumber> held = {{2, {{0, -1.001}}}, {3, {{0, 0.5}, {1, 1}}}};
  const std::vector<std::string> paths = {"a", "b", "c", "d"};
  const std::vector<IdentifiableSum> sums = IdentifiableSums(held);
  ASSERT_EQ(sums.size(), 2u);
  EXPECT_EQ(sums[0].Text(paths), "a + c - 0.5 d");
  EXPECT_EQ(sums[1].Text(paths), "b - d");
  EXPECT_DOUBLE_EQ(sums[0].Value(Eigen::Vector4d(1, 2, 3, 4)), 1 + 1.001 * 3 - 2);
  const std::vector<EstimatedTerm> terms = sums[0].Terms(paths);
  ASSERT_EQ(terms.size(), 3u);
  EXPECT_EQ(terms[1].path, "c");
  EXPECT_EQ(terms[1].factor, 1.001);
  EXPECT_EQ(DescribeSums(sums, 2, paths), "only a + c - 0.5 d is identifiable");
  EXPECT_EQ(DescribeSums(sums, 3, paths), "only a + c - 0.5 d and b - d are identifiable");
  EXPECT_EQ(DescribeSums({}, 0, paths), "");
}

/// A table on a hinge with a spring of known stiffness, and two discs bolted to it: the motion shows the sum of their
/// moments about the hinge.
TEST(IdentifiableSums, ThreeMomentsOnOneAxisAreIdentifiableAsOneSum) {
  const auto scene = [](double table) {
    const auto body = [](const char* name, double moment) {
      return fmt::format("  {}: {{mass: 1, inertia: [0.02, 0.02, {}]}}\n", name, moment);
    };
    const auto joint = [](const char* name, const char* type, const char* parent, const char* child, const char* more) {
      return fmt::format(
          "  {}: {{type: {}, parent: {}, child: {}, parent_frame: {{point: [0, 0, 0]{}}}, "
          "child_frame: {{point: [0, 0, 0]{}}}{}}}\n",
          name, type, parent, child, *more ? ", axis: [0, 0, 1], zero: [1, 0, 0]" : "",
          *more ? ", axis: [0, 0, 1], zero: [1, 0, 0]" : "", more);
    };
    return ParseScene("ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n" + body("table", table) +
                          body("first", 0.02) + body("second", 0.03) + "joints:\n" +
                          joint("hinge", "hinge", "world", "table", ", viscous: 0.01, drive: {stiffness: 2}") +
                          joint("bolt", "fixed", "table", "first", "") + joint("nut", "fixed", "table", "second", "") +
                          "observe: [hinge.angle]\nsimulation: {method: spook, step: 1.0e-3, duration: 4}\n",
                      "table");
  };
  MechanismRun run;
  run.angle = {1.0};
  run.rate = {0.0};
  run.duration = 4;
  run.noise = 1e-3;
  run.seed = 3;
  const Recording recording = RecordMechanism(scene(0.01), run, "swing");
  const Scene start = scene(0.016);
  const Identification found = Identify(
      start, {recording}, "bodies.table.inertia[2], bodies.first.inertia[2], bodies.second.inertia[2]", {}, {});
  const std::vector<EstimatedParameter>& parameters = found.estimate.parameters;
  ASSERT_EQ(parameters.size(), 4u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_FALSE(parameters[i].value) << parameters[i].path;
    EXPECT_EQ(parameters[i].combination, "only " + parameters[3].path + " is identifiable");
  }
  ASSERT_EQ(parameters[3].terms.size(), 3u);
  for (const EstimatedTerm& term : parameters[3].terms) EXPECT_NEAR(term.factor, 1, 1e-3) << term.path;
  EXPECT_LT(*parameters[3].std, 1e-3 * 0.06);
  EXPECT_NEAR(*parameters[3].value, 0.06, 3 * *parameters[3].std);
  // Applied to the scene, the sum keeps its value.
  const Scene applied = Apply(start, found.estimate);
  double sum = 0;
  for (const EstimatedTerm& term : parameters[3].terms) sum += term.factor * applied[applied.Find(term.path)];
  EXPECT_NEAR(sum, *parameters[3].value, 1e-12);
}

}  // namespace
}  // namespace ricochet
