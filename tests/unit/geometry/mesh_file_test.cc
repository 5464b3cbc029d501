// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "geometry/mesh_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "core/random.h"
#include "geometry/hull_points.h"
#include "tests/support/damaged_import.h"

namespace ricochet {
namespace {

using Points = std::vector<Eigen::Vector3d>;
using testing::MessageOf;

/// Four triangles of the corner of a cube.
const float kCorner[4][3][3] = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                                {{0, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}},
                                {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

std::string BinaryStl(std::uint32_t stated = 4) {
  std::string text(80, '\0');
  text.append(reinterpret_cast<const char*>(&stated), 4);
  for (const auto& triangle : kCorner) {
    text.append(12, '\0');
    text.append(reinterpret_cast<const char*>(triangle), sizeof(triangle));
    text.append(2, '\0');
  }
  return text;
}

std::string TextStl() {
  std::string text = "solid corner\n";
  for (const auto& triangle : kCorner) {
    text += "facet normal 0 0 0\n outer loop\r\n";
    for (const auto& p : triangle) text += fmt::format("  vertex {} {} {:e}\n", p[0], p[1], p[2]);
    text += " endloop\nendfacet\n";
  }
  return text + "endsolid\n";
}

TEST(MeshFile, EveryKindHasTheSameCorners) {
  const Points expected = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  EXPECT_EQ(ParseMeshCorners(BinaryStl(), "a.stl"), expected);
  EXPECT_EQ(ParseMeshCorners(TextStl(), "a.stl"), expected);
  EXPECT_EQ(ParseMeshCorners("v 0 0 0\nv 1 0 0 1.0\nvn 0 0 1\nv 0 1 0\nv 0 0 +1\nf 1 2 3\n", "a.obj"), expected);
}

TEST(MeshFile, DamagedFilesAreNamed) {
  EXPECT_EQ(
      MessageOf([] { ParseMeshCorners(BinaryStl(4000000000u), "a.stl"); }),
      "a.stl: triangles (byte 80): its size exceeds the file. It is truncated or damaged: copy or export it again.");
  EXPECT_EQ(
      MessageOf([] { ParseMeshCorners(BinaryStl().substr(0, 200), "a.stl"); }),
      "a.stl: triangles (byte 84): the file ends at byte 200. It is truncated or damaged: copy or export it again.");
  EXPECT_EQ(MessageOf([] { ParseMeshCorners("v 0 0 0\nv 1 nan 0\n", "a.obj"); }),
            "a.obj:2: v: `nan` is not a finite number. Give a triangle mesh as STL or OBJ.");
  EXPECT_EQ(MessageOf([] { ParseMeshCorners("a text", "a.obj"); }),
            "a.obj has 0 corners of triangles. Give a triangle mesh as STL or OBJ.");
}

TEST(HullPoints, ManyPointsOfABoxBecomeItsCorners) {
  Random random(3);
  Points points;
  for (int i = 0; i < 8; ++i) points.emplace_back(i & 1 ? 1 : -1, i & 2 ? 2 : -2, i & 4 ? 3 : -3);
  for (int i = 0; i < 5000; ++i)
    points.emplace_back(2 * random.Uniform() - 1, 4 * random.Uniform() - 2, 6 * random.Uniform() - 3);
  const HullPoints hull = ChooseHullPoints(points);
  EXPECT_EQ(hull.points.size(), 8u);
  EXPECT_LT(hull.outside, 1e-9);
}

TEST(HullPoints, ABallIsWithinTheStatedDistance) {
  Random random(4);
  Points points;
  for (int i = 0; i < 3000; ++i) {
    const Eigen::Vector3d p(random.Normal(), random.Normal(), random.Normal());
    points.push_back(p.normalized());
  }
  const HullPoints hull = ChooseHullPoints(points);
  EXPECT_LE(hull.points.size(), 64u);
  EXPECT_LT(hull.outside, 0.12);
  EXPECT_GT(hull.outside, 0);
}

TEST(HullPoints, PointsInAPlaneHaveNone) {
  EXPECT_TRUE(ChooseHullPoints(Points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.5, 0.5, 0}}).points.empty());
}

}  // namespace
}  // namespace ricochet
