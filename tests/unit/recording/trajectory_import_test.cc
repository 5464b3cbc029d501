// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
// TRC and TUM: what is read, and damaged files with what is said about them.
#include "recording/mocap/convert_take.h"
#include "recording/mocap/trajectory_import.h"
#include "recording/mocap/trc_import.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

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
    const MocapTake take = ParseTrajectory(text, "a.tum");
    ASSERT_EQ(take.bodies.size(), 1u);
    ASSERT_EQ(take.time.size(), 2u);
    EXPECT_EQ(take.unit, "m");
    EXPECT_EQ(take.usual_up, 'z');
    EXPECT_EQ(take.bodies[0].position[1].x(), 1.5);
    EXPECT_NEAR(take.bodies[0].rotation[0][0], 0.8, 1e-15);
    EXPECT_NEAR(take.bodies[0].rotation[0][2], 0.6, 1e-15);
  }
}

const std::string kUtf16 = "\xFF\xFE";
const std::string kNul(1, '\0');
/// Three markers, of which a body is made.
const std::string kTrcBody =
    "PathFileType\t4\t(X/Y/Z)\tbox.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n100\t100\t2\t3\tmm\n"
    "Frame#\tTime\tA\t\t\tB\t\t\tC\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\tX3\tY3\tZ3\n\n"
    "1\t0.00\t100\t200\t300\t150\t200\t300\t100\t250\t300\n2\t0.01\t110\t200\t300\t160\t200\t300\t110\t250\t300\n";

const testing::DamagedFile kDamagedTrc[] = {
    {"Empty", ""},
    {"Utf16", kUtf16 + kTrcBody},
    {"Binary", kTrcBody + kNul},
    {"OtherFormat", Replaced(kTrcBody, "PathFileType", "Path")},
    {"OtherKind", Replaced(kTrcBody, "\t4\t", "\t3\t")},
    {"OtherAxes", Replaced(kTrcBody, "(X/Y/Z)", "(X/Z/Y)")},
    {"EndsAfterFirstLine", kTrcBody.substr(0, kTrcBody.find("DataRate"))},
    {"EndsAfterKeys", kTrcBody.substr(0, kTrcBody.find("100\t100"))},
    {"EndsAfterValues", kTrcBody.substr(0, kTrcBody.find("Frame#"))},
    {"EndsAfterNames", kTrcBody.substr(0, kTrcBody.find("\t\tX1"))},
    {"NoFrames", kTrcBody.substr(0, kTrcBody.find("1\t0.00"))},
    {"NoRate", Replaced(kTrcBody, "DataRate\t", "\t")},
    {"RateNegative", Replaced(kTrcBody, "\n100\t", "\n-5\t")},
    {"RateInWords", Replaced(kTrcBody, "\n100\t", "\nfast\t")},
    {"NoUnit", Replaced(kTrcBody, "\tmm\n", "\t\n")},
    {"UnknownUnit", Replaced(kTrcBody, "\tmm\n", "\tfurlong\n")},
    {"FramesInWords", Replaced(kTrcBody, "100\t2\t3", "100\ttwo\t3")},
    {"FramesHalf", Replaced(kTrcBody, "100\t2\t3", "100\t2.5\t3")},
    {"CutOff", kTrcBody.substr(0, kTrcBody.find("2\t0.01"))},
    {"MoreFrames", Replaced(kTrcBody, "100\t2\t3", "100\t1\t3")},
    {"MarkersZero", Replaced(kTrcBody, "100\t2\t3", "100\t2\t0")},
    {"MarkersMissing", Replaced(kTrcBody, "100\t2\t3", "100\t2\t4")},
    {"NoNames", Replaced(kTrcBody, "Frame#", "Frames")},
    {"NoTime", Replaced(kTrcBody, "Frame#\tTime", "Frame#\tA")},
    {"NoMarker", Replaced(kTrcBody, "\tA\t\t\tB\t\t\tC\t\t\n", "\n")},
    {"NamesTooClose", Replaced(kTrcBody, "A\t\t\tB", "A\t\tB")},
    {"NameLeftOut", Replaced(kTrcBody, "A\t\t\tB\t\t\tC", "A\t\t\t\t\t\tC")},
    {"NameTwice", Replaced(kTrcBody, "\tC\t", "\tA\t")},
    {"AxesSwapped", Replaced(kTrcBody, "Y2\tZ2", "Z2\tY2")},
    {"NoLineOfAxes", Replaced(kTrcBody, "\t\tX1\tY1\tZ1\tX2\tY2\tZ2\tX3\tY3\tZ3\n", "")},
    {"FrameInWords", Replaced(kTrcBody, "\n2\t0.01", "\ntwo\t0.01")},
    {"FrameRepeated", Replaced(kTrcBody, "\n2\t0.01", "\n1\t0.01")},
    {"TimeMissing", Replaced(kTrcBody, "2\t0.01", "2\t")},
    {"TimeRepeated", Replaced(kTrcBody, "2\t0.01", "2\t0.00")},
    {"TimeInMilliseconds", Replaced(kTrcBody, "2\t0.01", "2\t10")},
    {"Word", Replaced(kTrcBody, "160", "wide")},
    {"Infinite", Replaced(kTrcBody, "160", "-inf")},
    {"RowCutOff", kTrcBody.substr(0, kTrcBody.rfind("\t"))},
    {"TooManyCells", Replaced(kTrcBody, "110\t250\t300", "110\t250\t300\t1")},
    {"OpenQuote", Replaced(kTrcBody, "\t160", "\t\"160")},
    {"OneFrame", Replaced(kTrcBody.substr(0, kTrcBody.find("2\t0.01")), "100\t2\t3", "100\t1\t3")},
    {"TwoMarkers", kTrc},
    {"MarkersInALine",
     Replaced(Replaced(kTrcBody, "100\t250\t300", "200\t200\t300"), "110\t250\t300", "210\t200\t300")},
    {"NeverTogether", Replaced(Replaced(kTrcBody, "100\t200\t300\t150", "\t\t\t150"), "110\t250\t300", "0\t0\t0")},
};

TEST(Trc, DamagedFilesAndWhatIsSaid) {
  EXPECT_EQ(testing::MessageOf([] { ConvertTake(ParseTrc(kTrcBody, "box.trc"), {}); }), "accepted");
  testing::CheckDamaged("trc", kDamagedTrc,
                        [](const std::string& text) { ConvertTake(ParseTrc(text, "box.trc"), {}); });
}

const testing::DamagedFile kDamagedTum[] = {
    {"Empty", ""},
    {"Utf16", kUtf16 + kTum},
    {"Binary", kTum + kNul},
    {"OnlyComments", "# t x y z qx qy qz qw\n# nothing\n"},
    {"OneLine", kTum.substr(0, kTum.find("0.1 1.5"))},
    {"CutOff", kTum.substr(0, kTum.rfind(" 0.6"))},
    {"AnglesInPlaceOfQuaternion", Replaced(kTum, " 0 0.6 0 0.8", " 0 0.6 0")},
    {"ElevenNumbers", Replaced(kTum, "0 0.8\n", "0 0.8 0 0 0\n")},
    {"Semicolons", "0.0;1;2;3;0;0.6;0;0.8\n0.1;1;2;3;0;0.6;0;0.8\n"},
    {"CommasAfterBlanks", Replaced(kTum, "0.1 1.5 2 3 0 0.6 0 0.8", "0.1,1.5,2,3,0,0.6,0,0.8")},
    {"BlanksAfterCommas", "0.0,1,2,3,0,0.6,0,0.8\n0.1 1 2 3 0 0.6 0 0.8\n"},
    {"HeaderWithoutMark", Replaced(kTum, "# t x y z qx qy qz qw", "t x y z qx qy qz qw")},
    {"WordInTime", Replaced(kTum, "0.1 1.5", "later 1.5")},
    {"WordInTx", Replaced(kTum, "1.5", "left")},
    {"WordInTz", Replaced(kTum, "1.5 2 3", "1.5 2 up")},
    {"WordInQw", Replaced(kTum, "0 0.6 0 0.8\n0.1", "0 0.6 0 one\n0.1")},
    {"DecimalComma", Replaced(kTum, "1.5", "1,5")},
    {"Infinite", Replaced(kTum, "1.5", "inf")},
    {"Overflow", Replaced(kTum, "1.5", "1e999")},
    {"Hexadecimal", Replaced(kTum, "1.5", "0x1")},
    {"TwoPoints", Replaced(kTum, "1.5", "1.5.2")},
    {"OpenQuote", Replaced(kTum, "1.5", "\"1.5")},
    {"TextAfterQuote", Replaced(kTum, "1.5", "\"1\".5")},
    {"TimeMissing", Replaced(kTum, "0.1 1.5", "nan 1.5")},
    {"TimeRepeated", Replaced(kTum, "0.1 1.5", "0.0 1.5")},
    {"TimeBackwards", Replaced(kTum, "0.1 1.5", "-0.1 1.5")},
    {"Nanoseconds", Replaced(kTum, "0.1 1.5", "100000000 1.5")},
    {"PositionInPart", Replaced(kTum, "1.5 2 3", "1.5 nan 3")},
    {"QuaternionInPart", Replaced(kTum, "0 0.6 0 0.8\n0.1", "0 0.6 0 nan\n0.1")},
    {"QuaternionShort", Replaced(kTum, "0.6 0 0.8", "0.6 0 0.5")},
    {"QuaternionZero", Replaced(kTum, "0 0.6 0 0.8", "0 0 0 0")},
    {"NeverSeen", "0.0 nan nan nan nan nan nan nan\n0.1 nan nan nan nan nan nan nan\n"},
};

TEST(Tum, DamagedFilesAndWhatIsSaid) {
  EXPECT_EQ(testing::MessageOf([] { ConvertTake(ParseTrajectory(kTum, "a.tum"), {}); }), "accepted");
  testing::CheckDamaged("tum", kDamagedTum,
                        [](const std::string& text) { ConvertTake(ParseTrajectory(text, "a.tum"), {}); });
}

}  // namespace
}  // namespace ricochet
