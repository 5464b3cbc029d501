// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What the list of steppers says, and that scenes are refused by capabilities.
#include "steppers/stepper.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "model/options.h"

namespace ricochet {
namespace {

std::string StepperProblem(const std::string& text) {
  try {
    const Model model = CompileModel(ParseScene(text, "scene.yaml"));
    const Simulation& simulation = model.scene->simulation;
    FindStepper(simulation.method, simulation.method_where).Check(model);
  } catch (const InputError& error) {
    return error.what();
  }
  return "(accepted)";
}

std::string PlanarDisk(std::string_view method, std::string_view bodies = "", std::string_view simulation = "") {
  return fmt::format(
      "ricochet: 1\nspace: planar\nbodies:\n  disk: {{shape: {{ellipse: {{semi_axes: [1, 1]}}}}, mass: 1}}\n{}"
      "surfaces:\n  floor: {{line: {{point: [0, 0], angle: 0}}}}\n"
      "contact: {{friction: 0.3, restitution: 0}}\nsimulation: {{method: {}{}}}\n",
      bodies, method, simulation);
}

std::string TwoBoxes(std::string_view method, std::string_view more = "", std::string_view simulation = "") {
  return fmt::format(
      "ricochet: 1\nspace: spatial\nbodies:\n  a: {{shape: {{box: {{size: [1, 1, 1]}}}}, mass: 1}}\n"
      "  b: {{shape: {{box: {{size: [1, 1, 1]}}}}, mass: 1}}\n"
      "contact: {{friction: 0, restitution: 0}}\n{}simulation: {{method: {}{}}}\n",
      more, method, simulation);
}

TEST(Steppers, DeclareThemselvesCompletely) {
  std::set<std::string_view> names;
  for (const Stepper* stepper : AllSteppers()) {
    const StepperInfo info = stepper->info();
    EXPECT_TRUE(names.insert(info.name).second) << info.name << " twice";
    EXPECT_FALSE(info.summary.empty()) << info.name;
    EXPECT_FALSE(info.paper.empty()) << info.name;
    EXPECT_NE(info.planar, info.spatial) << info.name;
    EXPECT_FALSE(CapabilitiesOf(info).empty()) << info.name;
    std::set<std::string_view> options;
    for (const OptionInfo& option : info.options) {
      EXPECT_TRUE(options.insert(option.name).second) << option.name << " twice";
      EXPECT_FALSE(option.help.empty()) << option.name;
      if (option.kind == OptionKind::kNumber) {
        EXPECT_NO_THROW(CheckOptionNumber(option, option.number, {}, "")) << option.name;
      } else {
        EXPECT_GE(option.words.size(), 2u) << option.name;
      }
    }
  }
}

TEST(Steppers, AnUnknownOneIsRefusedWhereTheSceneNamesIt) {
  EXPECT_EQ(StepperProblem(PlanarDisk("lpc")),
            "scene.yaml:8:22: simulation.method: there is no method `lpc`. Did you mean `lcp`?");
}

TEST(Steppers, ScenesAreRefusedByCapabilities) {
  for (const Stepper* stepper : AllSteppers()) {
    const StepperInfo info = stepper->info();
    SCOPED_TRACE(std::string(info.name));
    EXPECT_EQ(StepperProblem(PlanarDisk(info.name)) == "(accepted)", info.planar);
    EXPECT_EQ(StepperProblem(TwoBoxes(info.name)) == "(accepted)", info.spatial && info.body_contacts);
    if (info.planar) {
      EXPECT_EQ(StepperProblem(PlanarDisk(info.name, "  two: {shape: {ellipse: {semi_axes: [1, 1]}}, mass: 1}\n")) ==
                    "(accepted)",
                info.body_contacts);
    }
    if (info.spatial) {
      EXPECT_EQ(
          StepperProblem(TwoBoxes(info.name,
                                  "joints:\n  h: {type: hinge, parent: a, child: b, parent_frame: {point: [0, 0, 0], "
                                  "axis: [0, 0, 1], zero: [1, 0, 0]}, child_frame: {point: [0, 0, 0], axis: [0, 0, "
                                  "1], zero: [1, 0, 0]}}\n")) == "(accepted)",
          info.joints);
    }
  }
  const std::string drag =
      StepperProblem(PlanarDisk("event", "  two: {shape: {circle: {radius: 1}}, mass: 1, drag: {linear: 0.1}}\n"));
  EXPECT_NE(drag.find("bodies.two.drag: event does not have it. Use method spook"), std::string::npos) << drag;
  EXPECT_EQ(StepperProblem(TwoBoxes("irc")),
            fmt::format("scene.yaml:7:22: simulation.method: irc steps planar scenes, and this one is spatial. Use {}.",
                        NamesOfSteppers([](const StepperInfo& i) { return i.spatial; })));
}

TEST(Steppers, OptionsAreRefusedFromTheirDeclarations) {
  for (const Stepper* stepper : AllSteppers()) {
    const StepperInfo info = stepper->info();
    const auto refusal = [&](const std::string& option) {
      const std::string simulation = fmt::format(", options: {{{}}}", option);
      return StepperProblem(info.planar ? PlanarDisk(info.name, "", simulation) : TwoBoxes(info.name, "", simulation));
    };
    EXPECT_NE(refusal("no_such_thing: 1").find(fmt::format("{} has no such option", info.name)), std::string::npos);
    for (const OptionInfo& option : info.options) {
      const std::string at = fmt::format("simulation.options.{}: ", option.name);
      const std::string word = refusal(fmt::format("{}: nonsense", option.name));
      EXPECT_NE(word.find(at + "`nonsense`"), std::string::npos) << word;
      if (option.kind != OptionKind::kNumber) continue;
      const std::string below = refusal(fmt::format("{}: {}", option.name, option.lower - 1));
      EXPECT_NE(below.find(at), std::string::npos) << below;
      EXPECT_NE(below.find(ValuesText(option)), std::string::npos) << below;
    }
  }
}

}  // namespace
}  // namespace ricochet
