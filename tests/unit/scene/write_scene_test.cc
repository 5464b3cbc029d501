// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <random>

#include "ricochet/parameter.h"
#include "ricochet/scene.h"
#include "scene/text/number_text.h"
#include "tests/support/test_paths.h"
#include "tests/unit/scene/wrong_scene.h"

namespace ricochet {
namespace {

// The text after some assignments.
std::string After(const std::string& text, const std::vector<const char*>& assignments) {
  Scene scene = ParseScene(text, "scene.yaml");
  for (const char* assignment : assignments) SetFromText(scene, assignment);
  return FormatScene(scene);
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

constexpr const char* kCommented = R"(# A block.
ricochet: 1
space: planar
bodies:
  block:                       # the only one
    shape: {circle: {radius: 0.5}}
    mass: 2     # weighed

surfaces:
  ground: {line: {point: [0, 0], angle: 30 deg}, }   # a slope
contact:
  friction: 0.5
  # restitution is not known yet
simulation: {method: irc}   # the end
)";

TEST(WriteScene, UnchangedTextStaysAsItIs) {
  for (const char* text : {kPlanarScene, kSpatialScene, kMechanism, kCommented}) EXPECT_EQ(After(text, {}), text);
}

TEST(WriteScene, ChangesNumbersInTheirPlaces) {
  EXPECT_EQ(After(kCommented, {"bodies.block.mass=2.125", "contact.friction=1e-8"}),
            Replaced(Replaced(kCommented, "mass: 2 ", "mass: 2.125 "), "friction: 0.5", "friction: 1.0e-08"));
  EXPECT_EQ(After(kSpatialScene, {"bodies.box.inertia[1]=1.7e-3", "surfaces.floor.extent[1][0]=-3"}),
            Replaced(Replaced(kSpatialScene, "1.6e-3", "0.0017"), "[-1, 1]", "[-3, 1]"));
}

TEST(WriteScene, KeepsDegreesWhereTheyAreExact) {
  EXPECT_EQ(After(kCommented, {"surfaces.ground.line.angle=45 deg"}), Replaced(kCommented, "30 deg", "45 deg"));
  EXPECT_EQ(After(kCommented, {"surfaces.ground.line.angle=0.3"}), Replaced(kCommented, "30 deg", "0.3"));
}

TEST(WriteScene, AddsMissingKeysAfterTheirSiblings) {
  // Block style: after the line of the last sibling.
  EXPECT_EQ(After(kCommented, {"contact.restitution=0.25"}),
            Replaced(kCommented, "  friction: 0.5\n", "  friction: 0.5\n  restitution: 0.25\n"));
  EXPECT_EQ(After(kCommented, {"bodies.block.center_of_mass=[0.125, 0]", "bodies.block.inertia=0.5"}),
            Replaced(kCommented, "# weighed\n", "# weighed\n    inertia: 0.5\n    center_of_mass: [0.125, 0]\n"));
  // Flow style: before the closing brace, also when a comma stands there.
  EXPECT_EQ(After(kCommented, {"surfaces.ground.velocity[0]=1.5"}),
            Replaced(kCommented, "30 deg}, }", "30 deg}, velocity: [1.5, 0], }"));
  EXPECT_EQ(After(kCommented, {"simulation.step=0.5"}),
            Replaced(kCommented, "{method: irc}", "{method: irc, step: 0.5}"));
  // Parents that are not there.
  EXPECT_EQ(After(kCommented, {"observe.noise.position=0.5", "observe.noise.angle=1 deg", "observe.delay=0.25"}),
            std::string(kCommented) + "observe: {noise: {position: 0.5, angle: 0.017453292519943295}, delay: 0.25}\n");
  EXPECT_EQ(After(kPlanarScene, {"gravity.tilt=0.5"}), Replaced(kPlanarScene, "[0, -9.81]",
                                                                "[" + FormatSceneNumber(9.81 * std::sin(0.5)) + ", " +
                                                                    FormatSceneNumber(-9.81 * std::cos(0.5)) + "]"));
}

TEST(WriteScene, TrackedFramesAndPoints) {
  EXPECT_EQ(After(kCommented, {"observe.frame.position[1]=0.5", "observe.frame.rotation=0.25"}),
            std::string(kCommented) + "observe: {frame: {position: [0, 0.5], rotation: 0.25}}\n");
  EXPECT_EQ(After(kMechanism, {"observe.frames.B.rotation=[0, 0, 1]"}),
            Replaced(kMechanism, "observe: [shoulder.angle]",
                     "observe: {channels: [shoulder.angle], frames: {B: {rotation: [0, 0, 1]}}}"));
  const std::string points =
      Replaced(kMechanism, "observe: [shoulder.angle]", "observe: {points: {tip: {body: B, at: [0.25, 0, 0]}}}");
  EXPECT_EQ(After(points, {"observe.points.tip[1]=0.5"}), Replaced(points, "[0.25, 0, 0]", "[0.25, 0.5, 0]"));
  const std::string short_form = std::string(kCommented) + "observe: {points: {tip: [0.25, 0]}}\n";
  EXPECT_EQ(After(short_form, {"observe.points.tip[0]=0.5"}), Replaced(short_form, "[0.25, 0]", "[0.5, 0]"));
}

TEST(WriteScene, CoulombTorqueDragAndErrorsOfEncoders) {
  EXPECT_EQ(After(kMechanism, {"joints.shoulder.coulomb=0.5", "bodies.A.drag.quadratic=0.25"}),
            Replaced(Replaced(kMechanism, "    limits: {lower: -90 deg, upper: 90 deg}\n",
                              "    limits: {lower: -90 deg, upper: 90 deg}\n    coulomb: 0.5\n"),
                     "[0.001, 0.003, 0.003]}", "[0.001, 0.003, 0.003], drag: {quadratic: 0.25}}"));
  EXPECT_EQ(After(kMechanism, {"joints.shoulder.drive.stiffness=2"}),
            Replaced(kMechanism, "    limits: {lower: -90 deg, upper: 90 deg}\n",
                     "    limits: {lower: -90 deg, upper: 90 deg}\n    drive: {stiffness: 2}\n"));
  const std::string added = Replaced(
      kMechanism, "observe: [shoulder.angle]",
      "observe: {channels: [shoulder.angle], scale: {shoulder.angle: 1.5}, eccentricity: {shoulder.angle: [0, 0.25]}}");
  EXPECT_EQ(After(kMechanism, {"observe.scale.shoulder.angle=1.5", "observe.eccentricity.shoulder.angle[1]=0.25"}),
            added);
  EXPECT_EQ(After(added, {"observe.eccentricity.shoulder.angle[0]=0.5"}), Replaced(added, "[0, 0.25]", "[0.5, 0.25]"));
}

TEST(WriteScene, InnerAdditionsComeBeforeOuterOnesAtTheEndOfTheText) {
  const std::string text = "ricochet: 1\nspace: planar\nbodies:\n  b:\n    mass: 1\n    inertia: 1";
  EXPECT_EQ(After(text, {"bodies.b.center_of_mass[0]=0.5", "contact.friction=0.5", "gravity=[1, 2]"}),
            text + "\n    center_of_mass: [0.5, 0]\ngravity: [1, 2]\ncontact: {friction: 0.5}");
}

TEST(WriteScene, GravityIsWrittenInTheFormTheTextHas) {
  EXPECT_EQ(After(kSpatialScene, {"gravity.tilt=[0.25, 0.5]"}),
            Replaced(kSpatialScene, "tilt: [0, 0]", "tilt: [0.25, 0.5]"));
  const Scene scene = ParseScene(After(kSpatialScene, {"gravity=[1, 2, -3]"}), "scene.yaml");
  EXPECT_TRUE(scene.gravity.polar);
  EXPECT_NEAR(scene[scene.gravity.vector[0]], 1, 1e-15);
  EXPECT_NEAR(scene[scene.gravity.vector[1]], 2, 1e-15);
  EXPECT_NEAR(scene[scene.gravity.vector[2]], -3, 1e-15);
  // Not in the text: the form that was set.
  EXPECT_EQ(After(kCommented, {"gravity.tilt=0.5"}), std::string(kCommented) + "gravity: {tilt: 0.5}\n");
  EXPECT_EQ(After(kCommented, {"gravity[1]=-1"}), std::string(kCommented) + "gravity: [0, -1]\n");
}

TEST(WriteScene, ObserveBecomesAMapWhenNumbersJoinIt) {
  EXPECT_EQ(After(kMechanism, {"observe.offset.shoulder.angle=0.5", "observe.length_scale=2"}),
            Replaced(kMechanism, "observe: [shoulder.angle]",
                     "observe: {channels: [shoulder.angle], length_scale: 2, offset: {shoulder.angle: 0.5}}"));
  const std::string indented = Replaced(kMechanism, "observe: [shoulder.angle]",
                                        "observe:   # encoders\n  - shoulder.angle  # 1\n  - shoulder.rate");
  EXPECT_EQ(After(indented, {"observe.delay=0.5"}),
            Replaced(indented, "  - shoulder.angle  # 1\n  - shoulder.rate",
                     "  channels:\n  - shoulder.angle  # 1\n  - shoulder.rate\n  delay: 0.5"));
  const std::string flush =
      Replaced(kMechanism, "observe: [shoulder.angle]", "observe:\n- shoulder.angle\n- shoulder.rate");
  EXPECT_EQ(After(flush, {"observe.delay=0.5"}),
            Replaced(flush, "- shoulder.angle\n- shoulder.rate",
                     "  channels:\n  - shoulder.angle\n  - shoulder.rate\n  delay: 0.5"));
}

TEST(WriteScene, KeepsLineEndsAndByteOrderMark) {
  std::string text = "\xEF\xBB\xBF";
  for (const char c : std::string(kCommented)) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(After(text, {"contact.friction=0.75", "contact.restitution=0.25"}),
            Replaced(text, "friction: 0.5\r\n", "friction: 0.75\r\n  restitution: 0.25\r\n"));
}

TEST(WriteScene, JsonStaysJson) {
  const std::string text = R"({"ricochet": 1, "space": "planar", "bodies": {"b": {"mass": 1, "inertia": 1}}})";
  EXPECT_EQ(
      After(text, {"bodies.b.center_of_mass[1]=2", "contact.friction=0.5"}),
      R"({"ricochet": 1, "space": "planar", "bodies": {"b": {"mass": 1, "inertia": 1, "center_of_mass": [0, 2]}}, "contact": {"friction": 0.5}})");
}

TEST(WriteScene, ActionsInAListArePatched) {
  const std::string text = Replaced(kSpatialScene, "  - {body: box, impulse: [0, 0, 1], at: 0.5}\n",
                                    "  - body: box\n    impulse: [0, 0, 1]\n    at: 0.5\n");
  EXPECT_EQ(After(text, {"actions[0].at=0.75", "actions[1].force[0]=7"}),
            Replaced(Replaced(text, "at: 0.5", "at: 0.75"), "force: [1, 0", "force: [7, 0"));
}

TEST(WriteScene, DerivedNumbersAreNotWritten) {
  const std::string text = Replaced(kPlanarScene, "    inertia: 0.2\n", "");
  EXPECT_EQ(After(text, {"bodies.block.mass=4"}), Replaced(text, "mass: 2", "mass: 4"));
}

TEST(WriteScene, SceneThatCannotBeIsNotWritten) {
  Scene scene = ParseScene(kPlanarScene, "scene.yaml");
  scene.Set("initial.block.pose[1]", {-5});
  EXPECT_THROW(FormatScene(scene), InputError);
  Scene made;
  EXPECT_THROW(FormatScene(made), InputError);
}

// A text with gravity as a vector has no tilt: gravity that points sideways and up is the same vector again.
TEST(WriteScene, GravityTiltedBeyondAQuarterTurn) {
  for (const double tilt : {2.0, -2.5, 4.0}) {
    Scene scene = ReadScene(testing::SourcePath("examples/box006_toss.yaml"));
    scene.Set("gravity.tilt", {tilt, 0.4});
    const Scene again = ParseScene(FormatScene(scene), "scene.yaml");
    for (const NumberId id : scene.gravity.vector) EXPECT_NEAR(again[id], scene[id], 1e-12) << tilt;
  }
}

// Whatever is set, the written text means exactly the scene in memory, and writing that again changes nothing.
TEST(WriteScene, RoundTripsRandomEdits) {
  std::vector<std::string> texts = {kPlanarScene, kSpatialScene, kMechanism, kCommented};
  for (const auto& entry : std::filesystem::directory_iterator(testing::SourcePath("examples"))) {
    if (entry.path().extension() == ".yaml") texts.push_back(ReadScene(entry.path().string()).text);
  }
  std::mt19937 random(42);
  std::uniform_real_distribution<double> factor(0.5, 1.0), sign(-1.0, 1.0);
  int written = 0;
  for (int round = 0; round < 400; ++round) {
    Scene scene = ParseScene(texts[random() % texts.size()], "scene.yaml");
    const int edits = 1 + static_cast<int>(random() % 6);
    for (int i = 0; i < edits; ++i) {
      const NumberId id{static_cast<int>(random() % scene.numbers().size())};
      const SceneNumber& number = scene.number(id);
      const double value = number.value == 0 ? factor(random) : number.value * factor(random);
      const bool negative = IsAllowed(number.quantity, -value) && sign(random) < 0;
      scene.Set(id, negative ? -value : value);
    }
    try {
      CheckScene(scene);
    } catch (const InputError&) {
      continue;  // an inertia or an overlap that cannot be
    }
    const std::string text = FormatScene(scene);
    ++written;
    const Scene again = ParseScene(text, "scene.yaml");
    EXPECT_EQ(FormatScene(again), text);
    ASSERT_EQ(again.numbers().size(), scene.numbers().size());
    for (const SceneNumber& number : scene.numbers()) {
      const bool gravity = number.path.starts_with("gravity");
      EXPECT_NEAR(again[again.Find(number.path)], number.value, gravity ? 1e-13 : 0) << number.path << "\n" << text;
    }
  }
  EXPECT_GE(written, 200);
}

}  // namespace
}  // namespace ricochet
