// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
// Vicon CSV: every documented variant, and damaged files with what is said about them, word by word.
#include "recording/mocap/convert_take.h"
#include "recording/mocap/vicon_import.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/support/damaged_import.h"

namespace ricochet {
namespace {

using namespace std::string_literals;
using testing::Replaced;

const std::string kObjects =
    "Objects\n100\n,,Global Angle (Quaternion) Box:Box,,,,,,\nFrame,Sub Frame,RX,RY,RZ,RW,TX,TY,TZ\n"
    ",,,,,,mm,mm,mm\n1,0,0,0.6,0,0.8,100,200,300\n2,0,0,0.6,0,0.8,110,200,290\n3,0,,,,,,,\n";
const std::string kSegments =
    "Segments\n100\n,,Box:Box,,,,,\nFrame,Sub Frame,RX,RY,RZ,TX,TY,TZ\n,,deg,deg,deg,mm,mm,mm\n"
    "1,0,90,0,0,100,200,300\n2,0,90,0,0,110,200,290\n";
const std::string kMarkers =
    "Trajectories\n100\n,,Box:A,,,Box:B,,,Box:C,,\nFrame,Sub Frame,X,Y,Z,X,Y,Z,X,Y,Z\n,,mm,mm,mm,mm,mm,mm,mm,mm,mm\n"
    "1,0,0,0,0,100,0,0,0,50,0\n2,0,10,0,0,110,0,0,10,50,0\n3,0,10,0,0,,,,10,50,0\n";

Recording ImportViconText(const std::string& text, const ImportOptions& options = {}) {
  return ConvertTake(ParseVicon(text, "trial.csv", options), options).recording;
}

TEST(Vicon, ObjectsAreQuaternions) {
  const Recording r = ImportViconText(kObjects);
  EXPECT_NEAR(r.values[0][0], 0.1, 1e-12);
  EXPECT_NEAR(r.values[2][1], 0.29, 1e-12);
  EXPECT_NEAR(r.values[3][0], 0.8, 1e-12);
  EXPECT_NEAR(r.values[5][0], 0.6, 1e-12);
  EXPECT_TRUE(std::isnan(r.values[0][2]));
  EXPECT_NEAR(r.time[1], 0.01, 1e-12);
  EXPECT_EQ(ParseVicon(kObjects, "trial.csv").bodies[0].name, "Box");
}

TEST(Vicon, LabelsDecideNotPlaces) {
  const std::string moved =
      "Objects\n100\n,,Global Angle (Quaternion) Box:Box,,,,,,\nFrame,Sub Frame,TX,TY,TZ,RX,RY,RZ,RW\n"
      ",,mm,mm,mm,,,,\n1,0,100,200,300,0,0.6,0,0.8\n2,0,110,200,290,0,0.6,0,0.8\n";
  const Recording a = ImportViconText(kObjects), b = ImportViconText(moved);
  for (std::size_t c = 0; c < 7; ++c) EXPECT_EQ(a.values[c][0], b.values[c][0]);
}

TEST(Vicon, SegmentsNeedTheMeaningOfTheirAngles) {
  for (const char* angles : {"helical", "euler-xyz", "euler-zyx"}) {
    const Recording r = ImportViconText(kSegments, {.angles = angles});
    EXPECT_NEAR(r.values[3][0], std::sqrt(0.5), 1e-12) << angles;
    EXPECT_NEAR(r.values[4][0], std::sqrt(0.5), 1e-12) << angles;
  }
  const Recording stated = ImportViconText(Replaced(kSegments, "Box:Box", "Global Angle (Helical) Box:Box"));
  EXPECT_NEAR(stated.values[4][0], std::sqrt(0.5), 1e-12);
  const std::string radians =
      Replaced(Replaced(Replaced(kSegments, "deg,deg,deg", "rad,rad,rad"), ",90,", ",1.5707963267948966,"), ",90,",
               ",1.5707963267948966,");
  EXPECT_NEAR(ImportViconText(radians, {.angles = "helical"}).values[4][0], std::sqrt(0.5), 1e-12);
}

TEST(Vicon, MarkersMakeABody) {
  const Recording r = ImportViconText(kMarkers);
  EXPECT_NEAR(r.values[0][1] - r.values[0][0], 0.01, 1e-9);
  EXPECT_NEAR(r.values[3][0], 1, 1e-9);
  // Two markers do not fix a pose.
  EXPECT_TRUE(std::isnan(r.values[0][2]));
  EXPECT_EQ(ImportViconText(kMarkers, {.body = "tri=Box:A,Box:B,Box:C"}).rows(), 3);
}

TEST(Vicon, SectionsTogetherAndOthersLeftOut) {
  const std::string devices = "Devices\n1000\n,,Force,\nFrame,Sub Frame,Fx\n,,N\n1,0,5\n1,1,6\n";
  const MocapTake take = ParseVicon("\xEF\xBB\xBF" + devices + "\n" + kMarkers, "trial.csv");
  EXPECT_EQ(take.markers.size(), 3u);
  EXPECT_EQ(take.left_out, std::vector<std::string>{"section Devices"});
}

const testing::DamagedFile kDamagedVicon[] = {
    {"Empty", ""},
    {"Utf16", "\xFE\xFF\0O"s},
    {"Binary", "Objects\0\1"s},
    {"NoSection", "Frame,Sub Frame,X,Y,Z\n1,0,1,2,3\n"},
    {"UnknownSection", Replaced(kObjects, "Objects", "Things")},
    {"OnlyDevices", "Devices\n1000\n,,F\nFrame,Sub Frame,Fx\n,,N\n1,0,5\n"},
    {"EndsAfterName", "Objects\n"},
    {"EndsAfterRate", "Objects\n100\n"},
    {"EndsAfterNames", "Objects\n100\n,,Box\n"},
    {"EndsAfterLabels", "Objects\n100\n,,Box\nFrame,Sub Frame,RX,RY,RZ,RW,TX,TY,TZ\n"},
    {"NoFrames", kObjects.substr(0, kObjects.find("1,0,0"))},
    {"RateInWords", Replaced(kObjects, "100\n", "fast\n")},
    {"RateZero", Replaced(kObjects, "100\n", "0\n")},
    {"NoFrameLabel", Replaced(kObjects, "Frame,Sub", "Picture,Sub")},
    {"NoSubFrame", Replaced(kObjects, "Sub Frame", "Part")},
    {"NoUnits", Replaced(kObjects, ",,,,,,mm,mm,mm\n", "")},
    {"UnknownUnit", Replaced(kObjects, "mm,mm,mm", "mm,furlong,mm")},
    {"MixedUnits", Replaced(kObjects, "mm,mm,mm", "mm,m,mm")},
    {"UnknownAngleUnit", Replaced(kSegments, "deg,deg", "turns,deg")},
    {"NoName", Replaced(kObjects, ",,Global Angle (Quaternion) Box:Box,", ",,,")},
    {"UnknownLabel", Replaced(kObjects, "RW", "QW")},
    {"LabelTwice", Replaced(kObjects, "TY", "TX")},
    {"NoTZ", Replaced(kObjects, ",TX,TY,TZ", ",TX,TY,")},
    {"NoRX", Replaced(kObjects, "RX,RY", ",RY")},
    {"AnglesNotStated", kSegments},
    {"Word", Replaced(kObjects, "200", "wide")},
    {"Infinite", Replaced(kObjects, "200", "-inf")},
    {"FrameInWords", Replaced(kObjects, "\n2,0,", "\ntwo,0,")},
    {"FrameRepeated", Replaced(kObjects, "\n2,0,", "\n1,0,")},
    {"FrameHalf", Replaced(kObjects, "\n2,0,", "\n1.5,0,")},
    {"SubFrame", Replaced(kObjects, "\n2,0,", "\n2,1,")},
    {"TooManyCells", Replaced(kObjects, "110,200,290", "110,200,290,1")},
    {"NoUnitQuaternion", Replaced(kObjects, "0.6,0,0.8", "0.6,0,0.9")},
    {"OpenQuote", Replaced(kObjects, "100,200", "\"100,200")},
    {"TwoRates", kMarkers + "\n" + Replaced(kObjects, "100\n", "200\n")},
    {"OtherFrames", kMarkers + "\n" + kSegments.substr(0, 0) + Replaced(kObjects, "3,0,,,,,,,\n", "")},
    {"TwoMarkers",
     "Trajectories\n100\n,,A,,,B,,\nFrame,Sub "
     "Frame,X,Y,Z,X,Y,Z\n,,mm,mm,mm,mm,mm,mm\n1,0,0,0,0,1,0,0\n2,0,0,0,0,1,0,0\n"},
    {"MarkersInALine",
     "Trajectories\n100\n,,A,,,B,,,C,,\nFrame,Sub "
     "Frame,X,Y,Z,X,Y,Z,X,Y,Z\n,,mm,mm,mm,mm,mm,mm,mm,mm,mm\n1,0,0,0,0,1,0,0,2,0,0\n2,0,0,0,0,1,0,0,2,0,0\n"},
    {"NeverTogether",
     "Trajectories\n100\n,,A,,,B,,,C,,\nFrame,Sub "
     "Frame,X,Y,Z,X,Y,Z,X,Y,Z\n,,mm,mm,mm,mm,mm,mm,mm,mm,mm\n1,0,0,0,0,1,0,0,,,\n2,0,0,0,0,,,,2,1,0\n"},
};

TEST(Vicon, DamagedFilesAndWhatIsSaid) {
  testing::CheckDamaged("vicon", kDamagedVicon, [](const std::string& text) { ImportViconText(text); });
}

TEST(Vicon, WrongAngles) {
  EXPECT_EQ(testing::MessageOf([] { ImportViconText(kSegments, {.angles = "yaw"}); }),
            "angles: `yaw` is not known. Write helical, or euler- and an order such as euler-xyz.");
}

}  // namespace
}  // namespace ricochet
