// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>

#include "tests/unit/scene/wrong_scene.h"

namespace ricochet {
namespace {

std::string Planar(const std::string& shape, const std::string& pose, const std::string& surface) {
  return fmt::format(
      "ricochet: 1\nspace: planar\nbodies:\n  b: {{shape: {}, mass: 1}}\nsurfaces:\n  s: {}\ninitial:\n  b: {{pose: "
      "{}}}\n",
      shape, surface, pose);
}

std::string Spatial(const std::string& shape, const std::string& start, const std::string& surface) {
  return fmt::format(
      "ricochet: 1\nspace: spatial\nbodies:\n  b: {{shape: {}, mass: 1}}\nsurfaces:\n  s: {}\ninitial:\n  b: {{{}}}\n",
      shape, surface, start);
}

// The scene at a height just above and just below what touches by 1e-3 of the size.
template <class MakeScene>
void ExpectLimit(const MakeScene& scene_at, double touching, double size) {
  EXPECT_EQ(SceneMessageOf(scene_at(touching)), "(the scene was read)");
  EXPECT_EQ(SceneMessageOf(scene_at(touching - 0.999e-3 * size)), "(the scene was read)");
  const std::string message = SceneMessageOf(scene_at(touching - 1.001e-3 * size));
  EXPECT_NE(message.find("the body starts"), std::string::npos) << message;
}

TEST(CheckOverlap, PlanarShapesOnALine) {
  const std::string ground = "{line: {point: [0, 0], angle: 0}}";
  ExpectLimit([&](double y) { return Planar("{circle: {radius: 0.5}}", fmt::format("[3, {}, 1]", y), ground); }, 0.5,
              1);
  // An ellipse turned by t reaches sqrt(a^2 sin^2 t + b^2 cos^2 t) below its center.
  const double t = 0.7;
  ExpectLimit(
      [&](double y) { return Planar("{ellipse: {semi_axes: [2, 1]}}", fmt::format("[0, {}, {}]", y, t), ground); },
      std::hypot(2 * std::sin(t), std::cos(t)), 4);
  ExpectLimit([&](double y) { return Planar("{rectangle: {size: [2, 1]}}", fmt::format("[0, {}, {}]", y, t), ground); },
              std::sin(t) + 0.5 * std::cos(t), 2);
  ExpectLimit(
      [&](double y) {
        return Planar("{polygon: {vertices: [[0, 0], [1, 0], [0, 3]]}}", fmt::format("[0, {}, 0]", y), ground);
      },
      0, 3);
  // A slope of 30 degrees: the normal is (-1/2, sqrt(3)/2).
  ExpectLimit(
      [&](double y) {
        return Planar("{circle: {radius: 0.5}}", fmt::format("[0, {}, 0]", y / std::cos(M_PI / 6)),
                      "{line: {point: [0, 0], angle: 30 deg}}");
      },
      0.5, 1);
}

TEST(CheckOverlap, SpatialShapesOnAPlane) {
  const std::string floor = "{plane: {point: [0, 0, 0], normal: [0, 0, 2]}}";
  const auto at = [](const std::string& rotation) {
    return [rotation](double z) { return fmt::format("position: [0, 0, {}], orientation: {}", z, rotation); };
  };
  const auto limit = [&](const std::string& shape, const std::string& rotation, double touching, double size) {
    ExpectLimit([&](double z) { return Spatial(shape, at(rotation)(z), floor); }, touching, size);
  };
  const std::string turned = fmt::format("[{}, {}, 0, 0]", std::cos(0.35), std::sin(0.35));  // 0.7 rad about x
  limit("{sphere: {radius: 0.5}}", turned, 0.5, 1);
  limit("{box: {size: [1, 2, 3]}}", turned, std::sin(0.7) + 1.5 * std::cos(0.7), 3);
  limit("{ellipsoid: {semi_axes: [1, 2, 3]}}", turned, std::hypot(2 * std::sin(0.7), 3 * std::cos(0.7)), 6);
  limit("{cylinder: {radius: 0.5, length: 2}}", turned, 0.5 * std::sin(0.7) + std::cos(0.7), 2);
  limit("{cylinder: {radius: 0.5, length: 2}}", "[1, 0, 0, 0]", 1, 2);
  limit("{cylinder: {radius: 0.5, length: 2, axis: [5, 0, 0]}}", turned, 0.5, 2);
  limit("{polytope: {vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 4]]}}", "[1, 0, 0, 0]", 0, 4);
}

TEST(CheckOverlap, NothingBesideABoundedSurface) {
  const std::string table = "{line: {point: [0, 0], angle: 0}, extent: [-1, 1]}";
  EXPECT_EQ(SceneMessageOf(Planar("{circle: {radius: 0.5}}", "[1.1, -3, 0]", table)), "(the scene was read)");
  EXPECT_NE(SceneMessageOf(Planar("{circle: {radius: 0.5}}", "[0.9, -3, 0]", table)), "(the scene was read)");
  // Frame of a plane with normal x: its x is world y, its y world z.
  const std::string wall = "{plane: {point: [0, 0, 0], normal: [1, 0, 0]}, extent: [[-1, 1], [-2, 2]]}";
  EXPECT_EQ(SceneMessageOf(Spatial("{sphere: {radius: 0.1}}", "position: [-1, 1.5, 0]", wall)), "(the scene was read)");
  EXPECT_NE(SceneMessageOf(Spatial("{sphere: {radius: 0.1}}", "position: [-1, 0, 1.5]", wall)), "(the scene was read)");
}

std::string TwoBodies(const std::string& space, const std::string& a, const std::string& b, const std::string& start_a,
                      const std::string& start_b, const std::string& more = "") {
  return fmt::format(
      "ricochet: 1\nspace: {}\nbodies:\n  a: {{shape: {}, mass: 1}}\n  b: {{shape: {}, mass: 1}}\n"
      "initial:\n  a: {{{}}}\n  b: {{{}}}\n{}",
      space, a, b, start_a, start_b, more);
}

TEST(CheckOverlap, BodiesAgainstEachOther) {
  // Two boxes, one turned by 45 degrees about z beside the other: they touch at a distance of (1 + sqrt(2)) / 2.
  const std::string box = "{box: {size: [1, 1, 1]}}";
  ExpectLimit(
      [&](double x) {
        return TwoBodies("spatial", box, box, "position: [0, 0, 0]",
                         fmt::format("position: [{}, 0.2, 0.3], orientation: [{}, 0, 0, {}]", x, std::cos(M_PI / 8),
                                     std::sin(M_PI / 8)));
      },
      (1 + std::sqrt(2)) / 2, 1);
  // Spheres along the diagonal, and ellipses tip to tip.
  ExpectLimit(
      [&](double d) {
        const double c = d / std::sqrt(3);
        return TwoBodies("spatial", "{sphere: {radius: 0.5}}", "{sphere: {radius: 0.25}}", "position: [0, 0, 0]",
                         fmt::format("position: [{0}, {0}, {0}]", c));
      },
      0.75, 0.5);
  ExpectLimit(
      [&](double x) {
        return TwoBodies("planar", "{ellipse: {semi_axes: [2, 1]}}", "{ellipse: {semi_axes: [2, 1]}}",
                         "pose: [0, 0, 0]", fmt::format("pose: [{}, 0, 90 deg]", x));
      },
      3, 4);
}

TEST(CheckOverlap, BlamesTheBodyThatCanMove) {
  const std::string text =
      "ricochet: 1\nspace: planar\nbodies:\n  a: {shape: {circle: {radius: 1}}, mass: 1}\n"
      "  post: {shape: {circle: {radius: 1}}, fixed: true}\ninitial:\n  a: {pose: [0, 1.5, 0]}\n";
  EXPECT_EQ(
      SceneMessageOf(text),
      "scene.yaml:7:14: initial.a.pose: the body starts 0.5 m deep in body `post`. Move it along (0, 1), or correct "
      "the shapes.");
}

TEST(CheckOverlap, JoinedBodiesMayOverlap) {
  const std::string box = "{box: {size: [1, 1, 1]}}";
  const std::string joint =
      "joints:\n  j: {type: ball, parent: a, child: b, parent_frame: {point: [0, 0, 0]}, child_frame: {point: [0, 0, "
      "0]}}\n";
  const std::string start = "position: [0, 0, 0]";
  EXPECT_NE(SceneMessageOf(TwoBodies("spatial", box, box, start, start)), "(the scene was read)");
  EXPECT_EQ(SceneMessageOf(TwoBodies("spatial", box, box, start, start, joint)), "(the scene was read)");
}

}  // namespace
}  // namespace ricochet
