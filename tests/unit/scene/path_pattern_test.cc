// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "scene/path_pattern.h"

#include <gtest/gtest.h>

namespace ricochet {
namespace {

bool Matches(std::string_view pattern, std::string_view path) {
  const auto pattern_steps = SplitPath(pattern), path_steps = SplitPath(path);
  EXPECT_TRUE(pattern_steps && path_steps) << pattern << " " << path;
  return MatchesPath(*pattern_steps, *path_steps);
}

TEST(PathPattern, MatchesNamesIndicesAndSlices) {
  EXPECT_TRUE(Matches("bodies.box.mass", "bodies.box.mass"));
  EXPECT_FALSE(Matches("bodies.box.mass", "bodies.boxes.mass"));
  EXPECT_TRUE(Matches("bodies.*.mass", "bodies.box.mass"));
  EXPECT_FALSE(Matches("bodies.*", "bodies.box.mass"));
  EXPECT_TRUE(Matches("joints.hinge*.damping", "joints.hinge12.damping"));
  EXPECT_TRUE(Matches("joints.*e*2.damping", "joints.hinge12.damping"));
  EXPECT_FALSE(Matches("joints.*e*3.damping", "joints.hinge12.damping"));
  EXPECT_TRUE(Matches("a.b", "a.b[2]"));
  EXPECT_TRUE(Matches("a.b", "a.b[2][1]"));
  EXPECT_FALSE(Matches("a", "a.b[2]"));
  EXPECT_TRUE(Matches("a.b[2]", "a.b[2]"));
  EXPECT_FALSE(Matches("a.b[1]", "a.b[2]"));
  EXPECT_TRUE(Matches("a.b[0:2]", "a.b[1]"));
  EXPECT_FALSE(Matches("a.b[0:2]", "a.b[2]"));
  EXPECT_TRUE(Matches("a.b[1:]", "a.b[7]"));
  EXPECT_TRUE(Matches("a.b[:1]", "a.b[0]"));
  EXPECT_TRUE(Matches("a.b[*][1]", "a.b[5][1]"));
  EXPECT_TRUE(Matches("actions[0].impulse[2]", "actions[0].impulse[2]"));
  EXPECT_TRUE(Matches("contact.pairs.*.friction", "contact.pairs.box/floor.friction"));
}

TEST(PathPattern, RefusesWhatIsNoPath) {
  for (const char* text : {"", ".", "a.", ".a", "a..b", "a[", "a[]", "a[x]", "a[1", "a[1]b", "a[-1]", "a[1:2:3]", "[0]",
                           "a[99999999999999]", "a[1:x]"}) {
    EXPECT_FALSE(SplitPath(text)) << text;
  }
}

TEST(PathPattern, ListPathDropsIndicesAtTheEnd) {
  EXPECT_EQ(ListPath("a.b[1][2]"), "a.b");
  EXPECT_EQ(ListPath("a[1].b"), "a[1].b");
}

}  // namespace
}  // namespace ricochet
