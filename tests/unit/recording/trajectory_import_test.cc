// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
// TRC and TUM: what is read, and damaged files with what is said about them.
#include "recording/trajectory_import.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "ricochet/error.h"
#include "tests/support/damaged_import.h"

namespace ricochet {
namespace {

using testing::Replaced;

const std::string kTrc =
    "PathFileType\t4\t(X/Y/Z)\twalk.trc\n"
    "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n100\t100\t2\t2\tmm\n"
    "Frame#\tTime\tA\t\t\tB\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n"
    "1\t0.00\t100\t200\t300\t0\t0\t0\n2\t0.01\t110\t200\t300\t50\t60\t70\n";
const std::string kTum = "# t x y z qx qy qz qw\n0.0 1 2 3 0 0.6 0 0.8\n0.1 1.5 2 3 0 0.6 0 0.8\n";

template <class Parse>
std::string MessageOf(Parse parse, const std::string& text) {
  try {
    parse(text, "file");
  } catch (const InputError& error) {
    return error.what();
  }
  return "(read)";
}

TEST(Trc, MarkersWithUnitRateAndGaps) {
  const MocapTake take = ParseTrc(kTrc, "walk.trc");
  ASSERT_EQ(take.markers.size(), 2u);
  EXPECT_EQ(take.markers[0].name, "A");
  EXPECT_EQ(take.unit, "mm");
  EXPECT_EQ(take.rate, 100);
  EXPECT_EQ(take.usual_up, 'y');
  ASSERT_EQ(take.time.size(), 2u);
  EXPECT_EQ(take.markers[0].position[1].x(), 110);
  EXPECT_TRUE(std::isnan(take.markers[1].position[0].x()));  // 0, 0, 0: not seen
  EXPECT_EQ(take.markers[1].position[1].z(), 70);
}

TEST(Tum, QuaternionsScalarLast) {
  for (const bool commas : {false, true}) {
    std::string text = kTum;
    if (commas)
      for (std::size_t i = text.find('\n'); i < text.size(); ++i)
        if (text[i] == ' ') text[i] = ',';
    const MocapTake take = ParseTum(text, "a.tum");
    ASSERT_EQ(take.bodies.size(), 1u);
    ASSERT_EQ(take.time.size(), 2u);
    EXPECT_EQ(take.unit, "m");
    EXPECT_EQ(take.usual_up, 'z');
    EXPECT_EQ(take.bodies[0].position[1].x(), 1.5);
    EXPECT_NEAR(take.bodies[0].rotation[0][0], 0.8, 1e-15);
    EXPECT_NEAR(take.bodies[0].rotation[0][2], 0.6, 1e-15);
  }
}

TEST(Trc, DamageIsNamed) {
  const auto message = [](const std::string& text) { return MessageOf(ParseTrc, text); };
  EXPECT_NE(message(Replaced(kTrc, "PathFileType", "Path")).find("the file begins with `Path`"), std::string::npos);
  EXPECT_NE(message(Replaced(kTrc, "\tmm\n", "\tfurlong\n")).find("`furlong` is no length unit"), std::string::npos);
  EXPECT_NE(message(Replaced(kTrc, "\n100\t", "\n-5\t")).find("`-5` is no rate in Hz"), std::string::npos);
  EXPECT_NE(message(Replaced(kTrc, "Frame#", "Frames")).find("the line of marker names is missing"), std::string::npos);
  EXPECT_NE(message(Replaced(kTrc, "2\t0.01", "2\t0.00")).find("is not later than"), std::string::npos);
  EXPECT_NE(message(Replaced(kTrc, "60\t70", "60\t70\t80")).find("more than 6 coordinates"), std::string::npos);
  EXPECT_NE(message(kTrc.substr(0, kTrc.find("1\t0.00"))).find("has a header but no frames"), std::string::npos);
}

TEST(Tum, DamageIsNamed) {
  const auto message = [](const std::string& text) { return MessageOf(ParseTum, text); };
  EXPECT_NE(message(Replaced(kTum, " 0.8\n0.1", "\n0.1")).find("the line has 7 numbers instead of 8"),
            std::string::npos);
  EXPECT_NE(message(Replaced(kTum, "0.6 0 0.8", "0.6 0 0.5")).find("the quaternion has the length 0.781, not 1"),
            std::string::npos);
  EXPECT_NE(message(Replaced(kTum, "0.1 1.5", "0.0 1.5")).find("is not later than"), std::string::npos);
  EXPECT_NE(message("# nothing\n").find("has no lines of numbers"), std::string::npos);
}

}  // namespace
}  // namespace ricochet
