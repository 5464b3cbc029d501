// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/text.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "core/random.h"

namespace ricochet {
namespace {

TEST(FormatDouble, IsShortest) {
  EXPECT_EQ(FormatDouble(0.1), "0.1");
  EXPECT_EQ(FormatDouble(-0.0), "-0");
  EXPECT_EQ(FormatDouble(1.0), "1");
  EXPECT_EQ(FormatDouble(1e-5), "1e-05");
  EXPECT_EQ(FormatDouble(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(FormatDouble(std::nan("")), "nan");
  EXPECT_EQ(FormatDouble(-std::nan("")), "nan");
  EXPECT_EQ(FormatDouble(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(FormatDouble, ReadsBackToTheSameBits) {
  Random random(1);
  for (int i = 0; i < 100000; ++i) {
    const double x = std::bit_cast<double>(random.Bits());
    if (!std::isfinite(x)) continue;
    const std::string text = FormatDouble(x);
    ASSERT_LT(text.size(), static_cast<std::size_t>(kDoubleTextSize));
    ASSERT_EQ(std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr)), std::bit_cast<std::uint64_t>(x))
        << text;
  }
}

TEST(JoinList, PutsTheWordBeforeTheLast) {
  EXPECT_EQ(JoinList({}), "");
  EXPECT_EQ(JoinList(std::vector<std::string>{"a"}), "a");
  EXPECT_EQ(JoinList(std::vector<std::string>{"a", "b"}, "or"), "a or b");
  EXPECT_EQ(JoinList(std::vector<std::string>{"a", "b", "c"}), "a, b and c");
}

TEST(EditDistance, CountsSlips) {
  EXPECT_EQ(EditDistance("", ""), 0);
  EXPECT_EQ(EditDistance("", "abc"), 3);
  EXPECT_EQ(EditDistance("friction", "fricton"), 1);
  EXPECT_EQ(EditDistance("friction", "frictoin"), 1);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3);
  EXPECT_EQ(EditDistance("sitting", "kitten"), 3);
}

TEST(NearestName, FindsWhatWasMeant) {
  const std::vector<std::string> known = {"mass", "inertia", "center_of_mass", "shape", "x", "y"};
  EXPECT_EQ(NearestName("mas", known), "mass");
  EXPECT_EQ(NearestName("Center-of-Mass", known), "center_of_mass");
  EXPECT_EQ(NearestName("intertia", known), "inertia");
  EXPECT_EQ(NearestName("X", known), "x");
  EXPECT_EQ(NearestName("z", known), "");
  EXPECT_EQ(NearestName("color", known), "");
  EXPECT_EQ(NearestName("", known), "");
  EXPECT_EQ(NearestName(std::string(100000, 'a'), known), "");
}

TEST(SuggestName, FallsBackToTheList) {
  const std::vector<std::string> known = {"irc", "igc", "lcp"};
  EXPECT_EQ(SuggestName("icr", known), "Did you mean `irc`?");
  EXPECT_EQ(SuggestName("euler", known), "Available: irc, igc and lcp.");
  EXPECT_EQ(SuggestName("euler", std::vector<std::string>{"irc"}), "Available: irc.");
  EXPECT_EQ(SuggestName("euler", {}), "");
  EXPECT_EQ(SuggestName("zz", std::vector<std::string>(20, "aaaaa")),
            "Available: aaaaa, aaaaa, aaaaa, aaaaa, aaaaa, aaaaa, aaaaa, aaaaa, aaaaa, aaaaa, aaaaa, aaaaa and 8 "
            "more.");
}

TEST(Printable, HidesWhatATerminalWouldObey) {
  EXPECT_EQ(Printable("a\033[2Jb\n\xC3\xA9"), "a?[2Jb???");
  EXPECT_EQ(Printable("abcdef", 3), "abc...");
}

TEST(IsName, FollowsTheRule) {
  for (const char* name : {"a", "_", "box_2", "X9"}) EXPECT_TRUE(IsName(name)) << name;
  for (const char* name : {"", "2box", "a.b", "a b", "a-b", "\xC3\xA9"}) EXPECT_FALSE(IsName(name)) << name;
}

}  // namespace
}  // namespace ricochet
