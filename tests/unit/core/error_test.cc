// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/error.h"

#include <gtest/gtest.h>

namespace ricochet {
namespace {

TEST(InputError, TextHasEveryKnownPart) {
  const InputError error({"box.yaml", 9, 14}, "bodies.box.mass", "-1 kg cannot be.", "Give a positive mass.");
  EXPECT_STREQ(error.what(), "box.yaml:9:14: bodies.box.mass: -1 kg cannot be. Give a positive mass.");
  EXPECT_EQ(error.where().line, 9);
  EXPECT_EQ(error.path(), "bodies.box.mass");
  EXPECT_EQ(error.problem(), "-1 kg cannot be.");
  EXPECT_EQ(error.remedy(), "Give a positive mass.");
}

TEST(InputError, UnknownPartsAreLeftOut) {
  EXPECT_STREQ(InputError({"a.csv", 3, 0}, "", "Bad.", "").what(), "a.csv:3: Bad.");
  EXPECT_STREQ(InputError({"a.csv", 0, 7}, "x", "Bad.", "Fix it.").what(), "a.csv: x: Bad. Fix it.");
  EXPECT_STREQ(InputError({}, "--set", "Bad.", "").what(), "--set: Bad.");
  EXPECT_STREQ(InputError({"", 2, 5}, "", "Bad.", "").what(), "line 2:5: Bad.");
  EXPECT_STREQ(InputError({}, "", "Bad.", "Fix it.").what(), "Bad. Fix it.");
}

TEST(InputError, ProblemsCanBeAboutThePathOrTheFile) {
  EXPECT_STREQ(InputError({"a.yaml", 3, 1}, "space", "is missing.", "").what(), "a.yaml:3:1: `space` is missing.");
  EXPECT_STREQ(InputError({}, "--output", "is missing.", "Name it.").what(), "`--output` is missing. Name it.");
  EXPECT_STREQ(InputError({"a.csv", 0, 0}, "", "is empty.", "").what(), "a.csv is empty.");
  EXPECT_STREQ(InputError({"a.csv", 9, 0}, "", "has too many rows.", "").what(), "a.csv:9: has too many rows.");
  EXPECT_STREQ(InputError({}, "", "is empty.", "").what(), "is empty.");
}

}  // namespace
}  // namespace ricochet
