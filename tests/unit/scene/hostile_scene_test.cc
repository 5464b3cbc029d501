// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Texts that nobody would write by hand: reading ends in a scene or an InputError, soon.
#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <filesystem>
#include <random>

#include "ricochet/scene.h"
#include "scene/text/yaml_tree.h"
#include "tests/support/test_paths.h"
#include "tests/unit/scene/wrong_scene.h"

namespace ricochet {
namespace {

std::string Repeated(const std::string& part, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += part;
  return text;
}

// True for an InputError. Anything else that is thrown fails the test.
bool IsRefused(const std::string& text) {
  try {
    const Scene scene = ParseScene(text, "scene.yaml");
    EXPECT_EQ(FormatScene(scene), text);
    return false;
  } catch (const InputError& error) {
    EXPECT_FALSE(error.problem().empty());
    EXPECT_FALSE(error.remedy().empty());
    return true;
  }
}

void ExpectRefusedSoon(const std::string& text) {
  const std::clock_t start = std::clock();
  EXPECT_TRUE(IsRefused(text));
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 10.0) << text.substr(0, 40);
}

TEST(HostileScene, DeepNesting) {
  const std::size_t limit = YamlLimits{}.bytes;
  for (const char* part : {"[", "{", "- ", "[{a: ", "{a: ", "? ", "a: [", "[[],"}) {
    ExpectRefusedSoon(Repeated(part, limit / std::string(part).size()));
    ExpectRefusedSoon(Repeated(part, 100));
  }
  std::string block;
  for (std::size_t depth = 0; depth < 1500; ++depth) block += std::string(depth, ' ') + "a:\n";
  ExpectRefusedSoon(block);
}

TEST(HostileScene, TenMegabytesOfBrackets) {
  ExpectRefusedSoon(Repeated("[", 10u << 20));
  EXPECT_EQ(SceneMessageOf(Repeated("[", 10u << 20)),
            "scene.yaml: the text has 10485760 bytes, more than the 1048576 a scene may have. Check that this is the "
            "scene and not a recording.");
}

TEST(HostileScene, LongFlatTexts) {
  const std::size_t count = 80000;
  ExpectRefusedSoon("ricochet: 1\nspace: planar\nbodies: [" + Repeated("0, ", 4 * count) + "]\n");
  ExpectRefusedSoon(Repeated("#", (1u << 20) - 8));
  ExpectRefusedSoon(Repeated("\n", (1u << 20) - 8));
  ExpectRefusedSoon(Repeated("a", (1u << 20) - 8));
  ExpectRefusedSoon("\"" + Repeated("\\x41", 1u << 17));
  ExpectRefusedSoon("a: '" + Repeated("''", 1u << 18) + "'");
  std::string keys;
  for (std::size_t i = 0; i < count; ++i) keys += "k" + std::to_string(i) + ": 1\n";
  ExpectRefusedSoon(keys);
}

TEST(HostileScene, ManyCorners) {
  std::string vertices;
  for (std::size_t i = 0; i < 1000; ++i) {
    const double angle = 6.283185307179586 * static_cast<double>(i) / 1000;
    vertices += "[" + std::to_string(std::cos(angle)) + ", " + std::to_string(std::sin(angle)) + "], ";
  }
  const auto with = [&](const std::string& corners) {
    return Changed(
        {"", kPlanarScene, "{rectangle: {size: [1, 0.5]}}", ("{polygon: {vertices: [" + corners + "]}}").c_str(), ""});
  };
  EXPECT_FALSE(IsRefused(with(vertices)));
  EXPECT_EQ(SceneMessageOf(with(vertices + "[1, 0]")),
            "scene.yaml:6:33: bodies.block.shape.polygon.vertices: 1001 points exceed the limit of 1000. "
            "Leave out those that are not corners, or simplify the shape.");
}

TEST(HostileScene, BillionLaughs) {
  std::string text = "a0: &a0 [lol, lol]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string before = std::to_string(i - 1), name = std::to_string(i);
    text += "a" + name + ": &a" + name + " [*a" + before + ", *a" + before + "]\n";
  }
  EXPECT_EQ(SceneMessageOf(text),
            "scene.yaml:1:5: the anchor `&a0` is not part of the scene format. Write the value out in each place.");
}

TEST(HostileScene, BytesThatAreNoText) {
  for (int byte = 0; byte < 256; ++byte) {
    IsRefused(std::string(1, static_cast<char>(byte)));
    IsRefused(std::string(kPlanarScene) + static_cast<char>(byte));
    IsRefused(static_cast<char>(byte) + std::string(kPlanarScene));
  }
  EXPECT_TRUE(IsRefused(std::string(kPlanarScene) + std::string(1, '\0')));
}

// Every number of a scene at the ends of what a double holds.
TEST(HostileScene, ExtremeNumbers) {
  const Scene good = ParseScene(kSpatialScene, "scene.yaml");
  for (const double value : {1e308, -1e308, 1e200, 1e-200, 1e-308, 5e-324, 0.0, -0.0}) {
    for (const SceneNumber& number : good.numbers()) {
      Scene scene = good;
      try {
        scene.Set(number.path, {value});
        FormatScene(scene);
      } catch (const InputError& error) {
        EXPECT_FALSE(error.problem().empty());
      }
    }
  }
}

// Changes of good scenes: bytes replaced, removed, repeated and moved.
TEST(HostileScene, RandomMutations) {
  std::vector<std::string> texts = {kPlanarScene, kSpatialScene, kMechanism};
  for (const auto& entry : std::filesystem::directory_iterator(testing::SourcePath("examples"))) {
    if (entry.path().extension() == ".yaml") texts.push_back(ReadScene(entry.path().string()).text);
  }
  const std::string alphabet = "{}[]:,-#&*!|>'\"%@`? \n\t\r0123456789.eE+abcxyz_/~<\\\x80\xC3";
  std::mt19937 random(1);
  int refused = 0;
  const int rounds = 4000;
  for (int round = 0; round < rounds; ++round) {
    std::string text = texts[random() % texts.size()];
    for (int i = 0, changes = 1 + static_cast<int>(random() % 4); i < changes && !text.empty(); ++i) {
      const std::size_t at = random() % text.size(), length = 1 + random() % 12, other = random() % text.size();
      switch (random() % 5) {
        case 0:
          text[at] = alphabet[random() % alphabet.size()];
          break;
        case 1:
          text.erase(at, length);
          break;
        case 2:
          text.insert(at, 1, alphabet[random() % alphabet.size()]);
          break;
        case 3:
          text.insert(at, text.substr(other, length));
          break;
        default:
          text.resize(at);
      }
    }
    refused += IsRefused(text) ? 1 : 0;
  }
  EXPECT_GT(refused, rounds / 2);
  EXPECT_LT(refused, rounds);
}

}  // namespace
}  // namespace ricochet
