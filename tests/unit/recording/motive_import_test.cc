// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
// Motive CSV: every documented variant, and damaged files with what is said about them, word by word.
#include "recording/mocap/convert_take.h"
#include "recording/mocap/motive_import.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/support/damaged_import.h"

namespace ricochet {
namespace {

using namespace std::string_literals;
using testing::Replaced;

const std::string kFirst =
    "Format Version,1.23,Take Name,toss,Take Notes,,Capture Frame Rate,100.000000,Export Frame Rate,100.000000,Capture "
    "Start Time,2019-09-18 04.30.02.695 PM,Total Exported Frames,3,Rotation Type,Quaternion,Length Units,Meters,"
    "Coordinate Space,Global\n";
const std::string kColumns =
    ",Type,Rigid Body,Rigid Body,Rigid Body,Rigid Body,Rigid Body,Rigid Body,Rigid Body,Rigid Body\n"
    ",Name,box,box,box,box,box,box,box,box\n"
    ",ID,\"9E20\",\"9E20\",\"9E20\",\"9E20\",\"9E20\",\"9E20\",\"9E20\",\"9E20\"\n"
    ",,Rotation,Rotation,Rotation,Rotation,Position,Position,Position,Mean Marker Error\n"
    "Frame,Time (Seconds),X,Y,Z,W,X,Y,Z,\n";
const std::string kRows =
    "72210,722.1,0,0.6,0,0.8,0.1,1.5,-0.2,0.000113\n"
    "72211,722.11,0,-0.6,0,-0.8,0.11,1.49,-0.2,0.0001\n"
    "72212,722.12,,,,,,,,\n";
const std::string kGood = kFirst + "\n" + kColumns + kRows;

Recording ImportMotiveText(const std::string& text, const ImportOptions& options = {}) {
  return ConvertTake(ParseMotive(text, "take.csv", options), options).recording;
}

std::string NotesOf(const std::string& text, const ImportOptions& options = {}) {
  std::string all;
  const ImportedRecording imported = ConvertTake(ParseMotive(text, "take.csv", options), options);
  for (const auto& list : {std::vector{imported.format}, imported.notes, imported.left_out, imported.warnings})
    for (const std::string& note : list) all += note + "\n";
  return all;
}

TEST(Motive, PosesInMetersWithZUp) {
  const Recording r = ImportMotiveText(kGood);
  ASSERT_EQ(r.columns, (std::vector<std::string>{"x", "y", "z", "qw", "qx", "qy", "qz"}));
  ASSERT_EQ(r.rows(), 3);
  EXPECT_DOUBLE_EQ(r.time[0], 0);
  EXPECT_NEAR(r.time[1], 0.01, 1e-9);
  // y up to z up: (x, y, z) becomes (x, -z, y).
  EXPECT_NEAR(r.values[0][0], 0.1, 1e-12);
  EXPECT_NEAR(r.values[1][0], 0.2, 1e-12);
  EXPECT_NEAR(r.values[2][0], 1.5, 1e-12);
  // The turn about the vertical stays one about the vertical, on top of the turn of the axes.
  const double h = std::sqrt(0.5);
  EXPECT_NEAR(r.values[3][0], h * 0.8, 1e-12);
  EXPECT_NEAR(r.values[4][0], h * 0.8, 1e-12);
  EXPECT_NEAR(r.values[5][0], h * 0.6, 1e-12);
  EXPECT_NEAR(r.values[6][0], h * 0.6, 1e-12);
  // The sign change is removed, the lost frame stays missing.
  EXPECT_NEAR(r.values[3][1], h * 0.8, 1e-12);
  EXPECT_TRUE(std::isnan(r.values[0][2]));
}

TEST(Motive, ReportsWhatItFound) {
  const std::string notes = NotesOf(kGood);
  for (const char* part : {"Motive CSV 1.23", "unit: Meters (from the file)", "up axis: y, the convention of Motive",
                           "rate: 100 Hz", "starts at 722.1 s", "1 of 3 frames are missing", "1 sign changes",
                           "pivot point", "marker error 0.000113 Meters"})
    EXPECT_NE(notes.find(part), std::string::npos) << part << "\n" << notes;
  EXPECT_NE(NotesOf(Replaced(kGood, "Export Frame Rate,100.0", "Export Frame Rate,50.0")).find("resampled"),
            std::string::npos);
  EXPECT_NE(NotesOf(Replaced(kGood, "Exported Frames,3", "Exported Frames,900")).find("may be truncated"),
            std::string::npos);
  EXPECT_NE(NotesOf(kGood, {.up = 'z'}).find("up axis: z (as stated)"), std::string::npos);
}

TEST(Motive, VariantsGiveTheSame) {
  const Recording expected = ImportMotiveText(kGood);
  std::string crlf;
  for (const char c : kGood) crlf += c == '\n' ? "\r\n"s : std::string(1, c);
  const std::string with_parent = Replaced(kGood, ",,Rotation", ",Parent,,,,,,,,\n,,Rotation");
  std::string time_code = Replaced(kGood, "Frame,Time (Seconds),X", "Frame,Time (Seconds),TimeCode,X");
  for (const char* row : {",Type,", ",Name,", ",ID,", ",,Rotation"})
    time_code = Replaced(time_code, "\n"s + row, row == ",,Rotation"s ? "\n,,,Rotation" : "\n"s + row + ",");
  for (const char* frame : {"722.1,0", "722.11,0", "722.12,"})
    time_code = Replaced(time_code, frame,
                         std::string(frame).substr(0, std::string(frame).find(',')) + ",00:01,"s +
                             std::string(frame).substr(std::string(frame).find(',') + 1));
  const std::string millimeters =
      kFirst + kColumns +
      "72210,722.1,0,0.6,0,0.8,100,1500,-200,0.1\n72211,722.11,0,-0.6,0,-0.8,110,1490,-200,0.1\n72212,722.12\n";
  const std::vector<std::string> variants = {"\xEF\xBB\xBF" + kGood,
                                             crlf,
                                             kFirst + kColumns + kRows,
                                             with_parent,
                                             time_code,
                                             Replaced(millimeters, "Units,Meters", "Units,Millimeters"),
                                             Replaced(Replaced(kGood, "1.23", "1.25"), "Meters,Coord", "Meters,Coord")};
  for (const std::string& text : variants) {
    const Recording r = ImportMotiveText(text);
    ASSERT_EQ(r.rows(), expected.rows()) << text;
    for (std::size_t c = 0; c < 7; ++c)
      for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(r.values[c][k], expected.values[c][k], 1e-12) << text;
  }
}

TEST(Motive, EveryFormatVersionAndLengthUnit) {
  const Recording expected = ImportMotiveText(kGood);
  for (const char* version : {"1.2", "1.20", "1.21", "1.22", "1.24", "1.25"})
    EXPECT_EQ(ImportMotiveText(Replaced(kGood, "1.23", version)).values[0][0], expected.values[0][0]) << version;
  const std::string centimeters =
      Replaced(kFirst, "Meters", "Centimeters") + kColumns +
      "72210,722.1,0,0.6,0,0.8,10,150,-20,0.01\n72211,722.11,0,-0.6,0,-0.8,11,149,-20,0.01\n";
  const Recording r = ImportMotiveText(centimeters);
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(r.values[c][1], expected.values[c][1], 1e-12);
}

// Expected positions of a body's markers are no measurements, nameless markers are counted and left out; a bone has a
// pose like a rigid body.
TEST(Motive, MarkersOfBodiesAndBones) {
  std::string text =
      kFirst +
      ",Type,Bone,Bone,Bone,Bone,Bone,Bone,Bone,Rigid Body Marker,Rigid Body Marker,Rigid Body Marker,Marker,Marker,"
      "Marker\n"
      ",Name,hand,hand,hand,hand,hand,hand,hand,a:Marker 001,a:Marker 001,a:Marker 001,Unlabeled 1189,Unlabeled 1189,"
      "Unlabeled 1189\n"
      ",,Rotation,Rotation,Rotation,Rotation,Position,Position,Position,Position,Position,Position,Position,Position,"
      "Position\n"
      "Frame,Time (Seconds),X,Y,Z,W,X,Y,Z,X,Y,Z,X,Y,Z\n"
      "0,0,0,0,0,1,1,2,3,9,9,9,4,5,6\n1,0.01,0,0,0,1,1,2,4,9,9,9,4,5,7\n";
  const MocapTake take = ParseMotive(text, "take.csv");
  ASSERT_EQ(take.bodies.size(), 1u);
  EXPECT_EQ(take.bodies[0].name, "hand");
  ASSERT_EQ(take.markers.size(), 1u);
  EXPECT_FALSE(take.markers[0].labeled);
  const ImportedRecording imported = ConvertTake(take, {});
  EXPECT_EQ(imported.bodies, std::vector<std::string>{"hand"});
  EXPECT_TRUE(imported.points.empty());
  EXPECT_EQ(imported.left_out, std::vector<std::string>{"1 unlabeled marker; choose them with option `body`"});
}

TEST(Motive, EulerAnglesOfEveryOrder) {
  for (const std::string order : {"XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"}) {
    std::string text = Replaced(kFirst, "Quaternion", order) +
                       ",Type,Rigid Body,Rigid Body,Rigid Body,Rigid Body,Rigid Body,Rigid Body\n,Name,b,b,b,b,b,b\n"
                       ",,Rotation,Rotation,Rotation,Position,Position,Position\nFrame,Time,X,Y,Z,X,Y,Z\n"
                       "0,0,10,20,30,0,0,0\n1,0.01,10,20,30,1,0,0\n";
    const Recording r = ImportMotiveText(text, {.up = 'z'});
    const double d = std::acos(-1.0) / 180;
    Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
    for (const char axis : order)
      R = R * Eigen::AngleAxisd((axis - 'X' + 1) * 10 * d, Eigen::Vector3d::Unit(axis - 'X')).toRotationMatrix();
    const Quaternion<double> q(r.values[3][0], r.values[4][0], r.values[5][0], r.values[6][0]);
    EXPECT_LT((RotationMatrix<double>(q) - R).norm(), 1e-12) << order;
  }
}

TEST(Motive, SeveralBodiesAndMarkers) {
  const std::string text =
      kFirst +
      ",Type,Rigid Body,Rigid Body,Rigid Body,Rigid Body,Rigid Body,Rigid Body,Rigid Body,Marker,Marker,Marker\n"
      ",Name,a b,a b,a b,a b,a b,a b,a b,a b:Marker 001,a b:Marker 001,a b:Marker 001\n"
      ",,Position,Position,Position,Rotation,Rotation,Rotation,Rotation,Position,Position,Position\n"
      "Frame,Time (Seconds),X,Y,Z,W,X,Y,Z,X,Y,Z\n"
      "0,0,1,2,3,1,0,0,0,1,2,3\n1,0.01,1,2,4,1,0,0,0,1,2,4\n";
  const MocapTake take = ParseMotive(text, "take.csv");
  ASSERT_EQ(take.bodies.size(), 1u);
  ASSERT_EQ(take.markers.size(), 1u);
  EXPECT_EQ(take.bodies[0].position[1], Eigen::Vector3d(1, 2, 4));
  const std::string two =
      kFirst +
      ",Type,Rigid Body,Rigid Body,Rigid Body,Rigid Body,Rigid Body,Rigid Body,Rigid Body,Rigid Body,Rigid Body,Rigid "
      "Body,Rigid Body,Rigid Body,Rigid Body,Rigid Body\n"
      ",Name,a,a,a,a,a,a,a,b,b,b,b,b,b,b\n,,Rotation,Rotation,Rotation,Rotation,Position,Position,Position,Rotation,"
      "Rotation,Rotation,Rotation,Position,Position,Position\n"
      "Frame,Time,X,Y,Z,W,X,Y,Z,X,Y,Z,W,X,Y,Z\n0,0,0,0,0,1,1,2,3,0,0,0,1,4,5,6\n1,1,0,0,0,1,1,2,3,0,0,0,1,4,5,6\n";
  EXPECT_EQ(ImportMotiveText(two).columns[7], "b.x");
  EXPECT_EQ(ImportMotiveText(two, {.body = "b"}).columns[0], "x");
}

TEST(Motive, FrozenFramesBecomeMissing) {
  std::string text = kFirst + kColumns;
  for (int k = 0; k < 20; ++k) {
    const int shown = k >= 8 && k < 11 ? 7 : k;
    text += fmt::format("{},{},0,0,0,1,{:.4f},1,0,\n", k, k * 0.01, 0.01 * shown);
  }
  const Recording r = ImportMotiveText(text, {.up = 'z'});
  int missing = 0;
  for (const double x : r.values[0]) missing += std::isnan(x) ? 1 : 0;
  EXPECT_EQ(missing, 3);
  EXPECT_TRUE(std::isnan(r.values[0][8]));
  EXPECT_NE(NotesOf(text).find("3 frozen frames"), std::string::npos);
}

TEST(Motive, PivotMovesTheFrame) {
  const Recording at = ImportMotiveText(kGood), moved = ImportMotiveText(kGood, {.pivot = {0.1, 0, 0, 1, 0, 0, 0}});
  const Quaternion<double> q(at.values[3][0], at.values[4][0], at.values[5][0], at.values[6][0]);
  const Eigen::Vector3d shift = Rotate<double>(q, Eigen::Vector3d(0.1, 0, 0));
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(moved.values[i][0] - at.values[i][0], shift[static_cast<int>(i)], 1e-12);
}

TEST(Motive, WithoutHeader) {
  const Recording r = ImportMotiveText(kRows, {.unit = "m", .columns = "qx,qy,qz,qw,x,y,z,-"});
  EXPECT_NEAR(r.values[2][0], 1.5, 1e-12);
}

const testing::DamagedFile kDamagedMotive[] = {
    {"Empty", ""},
    {"Blank", " \r\n\n"},
    {"Utf16", "\xFF\xFE\x46\0"s},
    {"Tak", "TAKE\x01\0\0\0"s},
    {"OtherCsv", "t,x,y\n0,1,2\n"},
    {"WithoutHeader", kRows},
    {"NoVersion", Replaced(kGood, "1.23", "")},
    {"VersionInWords", Replaced(kGood, "1.23", "new")},
    {"OldVersion", Replaced(kGood, "1.23", "1.1")},
    {"NoRate", Replaced(kGood, "Export Frame Rate,100.000000", "Export Frame Rate,fast")},
    {"NegativeRate", Replaced(kGood, "Capture Frame Rate,100.000000", "Capture Frame Rate,-1")},
    {"UnknownUnit", Replaced(kGood, "Meters", "Furlongs")},
    {"NoUnit", Replaced(kGood, "Length Units,Meters,", "")},
    {"NoRotationType", Replaced(kGood, "Rotation Type,Quaternion,", "")},
    {"UnknownRotationType", Replaced(kGood, "Quaternion", "XXY")},
    {"NoAxisRow", Replaced(kGood, "Frame,Time (Seconds)", "Frames,Time (Seconds)")},
    {"NoTime", Replaced(kGood, "Frame,Time (Seconds)", "Frame,Clock")},
    {"NoTypeRow", Replaced(kGood, ",Type,", ",Kind,")},
    {"NoNameRow", Replaced(kGood, ",Name,", ",Called,")},
    {"NoComponentRow",
     Replaced(kGood, ",,Rotation,Rotation,Rotation,Rotation,Position,Position,Position,Mean Marker Error\n", "")},
    {"ShortTypeRow", Replaced(kGood, ",Rigid Body,Rigid Body\n", "\n")},
    {"UnknownComponent", Replaced(kGood, "Position,Mean", "Velocity,Mean")},
    {"UnknownAxis", Replaced(kGood, "W,X,Y,Z,", "V,X,Y,Z,")},
    {"TwiceTheSameColumn", Replaced(kGood, "X,Y,Z,W,X,Y,Z,", "X,Y,Z,W,X,Y,Y,")},
    {"NoW", Replaced(Replaced(kGood, "X,Y,Z,W,X,Y,Z,", "X,Y,Z,,X,Y,Z,"), "Rotation,Position", ",Position")},
    {"NoZ", Replaced(kGood, "Position,Mean Marker Error\nFrame,Time (Seconds),X,Y,Z,W,X,Y,Z,",
                     "Error,Mean Marker Error\nFrame,Time (Seconds),X,Y,Z,W,X,Y,,")},
    {"EulerWithW", Replaced(kGood, "Quaternion", "XYZ")},
    {"NoFrames", kFirst + kColumns},
    {"Word", Replaced(kGood, "1.5", "high")},
    {"DecimalComma", Replaced(kGood, "0.1,1.5,-0.2,0.000113", "0,1,1,5,-0,2,0")},
    {"Infinite", Replaced(kGood, "1.5", "inf")},
    {"TooLarge", Replaced(kGood, "1.5", "1e999")},
    {"FrameNotWhole", Replaced(kGood, "72211", "72210.5")},
    {"FrameRepeated", Replaced(kGood, "72211", "72210")},
    {"TimeMissing", Replaced(kGood, "722.11", "")},
    {"TimeBackwards", Replaced(kGood, "722.12", "1")},
    {"NoUnitQuaternion", Replaced(kGood, "0,0.6,0,0.8", "0,0.6,0,0.6")},
    {"OpenQuote", Replaced(kGood, "\"9E20\"", "\"9E20")},
    {"AllMissing", kFirst + kColumns + "0,0,,,,,,,,\n1,0.01,,,,,,,,\n"},
    {"OneFrame", kFirst + kColumns + "0,0,0,0,0,1,1,1,1,\n"},
    {"NoBody", kFirst + ",Type,Force Plate\n,Name,f\n,,Error\nFrame,Time,\n0,0,1\n"},
};

TEST(Motive, DamagedFilesAndWhatIsSaid) {
  testing::CheckDamaged("motive", kDamagedMotive, [](const std::string& text) { ImportMotiveText(text); });
}

TEST(Motive, WrongOptions) {
  EXPECT_EQ(testing::MessageOf([] { ImportMotiveText(kGood, {.body = "bix"}); }),
            "take.csv: body: there is no body `bix` in the file. Did you mean `box`?");
  EXPECT_EQ(testing::MessageOf([] { ImportMotiveText(kRows, {.unit = "m", .columns = "qx,qy"}); }),
            "columns: `qz` is missing. A pose needs qx, qy, qz, qw, x, y, z.");
}

}  // namespace
}  // namespace ricochet
