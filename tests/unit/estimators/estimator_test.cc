// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What the list of estimators says, how one is chosen, and what is refused before any fit.
#include "estimators/estimator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "estimators/mass_observability.h"

namespace ricochet {
namespace {

const char kPostAndDisk[] =
    "ricochet: 1\nspace: planar\ngravity: [0, -9.81]\n"
    "bodies:\n  post: {shape: {ellipse: {semi_axes: [1, 1]}}, mass: 3, fixed: true}\n"
    "  disk: {shape: {ellipse: {semi_axes: [1, 1]}}, mass: 1}\n"
    "surfaces:\n  floor: {line: {point: [0, 0], angle: 0}}\ncontact: {friction: 0.3, restitution: 0.5}\n";

std::string RequestProblem(const std::string& paths, const IdentifyOptions& options, int recordings = 1) {
  std::vector<Recording> given(static_cast<std::size_t>(recordings));
  try {
    Identify(ParseScene(kPostAndDisk, "scene.yaml"), given, paths, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "(accepted)";
}

TEST(Estimators, DeclareThemselvesCompletely) {
  std::set<std::pair<std::string_view, bool>> names;
  for (const Estimator* estimator : AllEstimators()) {
    const EstimatorInfo info = estimator->info();
    EXPECT_TRUE(names.insert({info.name, info.planar}).second) << info.name << " twice for the same scenes";
    EXPECT_FALSE(info.summary.empty()) << info.name;
    EXPECT_FALSE(info.paper.empty()) << info.name;
    EXPECT_NE(info.planar, info.spatial) << info.name;
    for (const OptionInfo& option : info.options) {
      EXPECT_FALSE(option.help.empty()) << option.name;
      if (option.kind == OptionKind::kNumber) {
        if (!std::isnan(option.number)) {
          EXPECT_NO_THROW(CheckOptionNumber(option, option.number, {}, "")) << option.name;
        }
      } else if (option.kind != OptionKind::kFlag) {
        EXPECT_GE(option.words.size(), 2u) << option.name;
      }
    }
  }
}

TEST(Estimators, OptionsOfAnotherMethodAreRefusedByName) {
  EXPECT_EQ(RequestProblem("contact.friction", {.method_options = {{"residual", "paper"}}}),
            "residual: trajectory does not support it in planar scenes. Leave it out.");
  EXPECT_EQ(RequestProblem("contact.friction", {.method = "joint", .method_options = {{"impact_restitutions", "2"}}}),
            "impact_restitutions: joint does not support it in planar scenes. Omit it; it is an option of trajectory.");
  EXPECT_EQ(RequestProblem("contact.friction", {.method_options = {{"impact_restitutions", "-1"}}}),
            "impact_restitutions: -1 is not one of its values. Give a whole number >= 0.");
}

TEST(Estimators, CombinationsOfContactLawsAreRefusedBeforeAnyFit) {
  EXPECT_EQ(RequestProblem("contact.friction * contact.restitution", {}),
            "contact.friction * contact.restitution: the motion depends on each of the two, and their product alone "
            "leaves both open. Name both by themselves: contact.friction, contact.restitution.");
  EXPECT_EQ(RequestProblem("contact.friction / contact.restitution", {}).find("contact.friction/contact.restitution: "),
            0u);
  // With one of them named the other follows.
  EXPECT_EQ(RequestProblem("contact.friction * contact.restitution, contact.restitution", {.bootstrap = 1})
                .find("bootstrap: "),
            0u);
}

TEST(Estimators, CommonOptionsAreCheckedBeforeAnyFit) {
  EXPECT_EQ(RequestProblem("contact.friction", {.bootstrap = 1}).find("bootstrap: one repetition has no scatter."), 0u);
  EXPECT_EQ(
      RequestProblem("contact.friction", {.folds = 3}, 2).find("folds: 2 recordings cannot be split into 3 folds."),
      0u);
  EXPECT_EQ(
      RequestProblem("contact.friction", {.folds = 1}, 2).find("folds: 2 recordings cannot be split into 1 folds."),
      0u);
  EXPECT_EQ(RequestProblem("contact.friction", {.method = "trjectory"}),
            "method: there is no estimator `trjectory`. Did you mean `trajectory`?");
}

// A fixed body in front has no part in it: the mass of the one that moves is refused, the ratio is kept.
TEST(MassObservability, FindsTheBodyThatMoves) {
  const Scene scene = ParseScene(kPostAndDisk, "scene.yaml");
  const std::vector<Recording> recordings(1);
  const auto refuse = [&](const std::string& paths) {
    return RefuseMass(IdentifyRequest{scene, recordings, ParsePathList(scene, paths), {}});
  };
  const MassRefusal both = refuse("bodies.disk.mass, bodies.disk.inertia, contact.friction");
  EXPECT_TRUE(both.refused);
  ASSERT_EQ(both.parameters.size(), 2u);
  EXPECT_EQ(both.parameters[0].path, "bodies.disk.inertia/bodies.disk.mass");
  EXPECT_EQ(both.index, (std::vector<int>{-1, -1, 1}));
  EXPECT_EQ(both.combination, "bodies.disk.inertia/bodies.disk.mass");
  const MassRefusal inertia = refuse("bodies.disk.inertia, contact.friction");
  EXPECT_FALSE(inertia.refused);
  EXPECT_EQ(inertia.index, (std::vector<int>{0, 1}));
}

TEST(MassObservability, AKnownForceIdentifiesTheMass) {
  const Scene scene = ParseScene(
      std::string(kPostAndDisk) + "actions:\n  - {body: disk, force: [1, 0], from: 0, until: 1}\n", "scene.yaml");
  const std::vector<Recording> recordings(1);
  const MassRefusal refusal =
      RefuseMass(IdentifyRequest{scene, recordings, ParsePathList(scene, "bodies.disk.mass, bodies.disk.inertia"), {}});
  EXPECT_FALSE(refusal.refused);
  EXPECT_EQ(refusal.parameters.size(), 2u);
}

}  // namespace
}  // namespace ricochet
