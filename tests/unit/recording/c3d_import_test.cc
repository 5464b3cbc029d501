// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
// C3D: files written to the documented layout, and damaged ones with what is said about them, word by word.
#include "recording/mocap/c3d_import.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include "recording/mocap/convert_take.h"
#include "tests/support/c3d_bytes.h"
#include "tests/support/damaged_import.h"

namespace ricochet {
namespace {

using namespace std::string_literals;
using testing::C3dBytes;
using testing::C3dSpec;

std::string Bytes(const C3dSpec& spec = {}) { return C3dBytes(spec).bytes(); }

std::string Patched(std::string bytes, std::size_t at, const std::string& with) {
  return bytes.replace(at, with.size(), with);
}

/// `with` written `after` bytes behind the first `marker`.
std::string PatchedAfter(std::string bytes, const std::string& marker, std::size_t after, const std::string& with) {
  const std::size_t at = bytes.find(marker);
  EXPECT_NE(at, std::string::npos) << marker;
  return bytes.replace(at + marker.size() + after, with.size(), with);
}

Recording ImportC3dText(const std::string& bytes, const ImportOptions& options = {}) {
  return ConvertTake(ParseC3d(bytes, "trial.c3d"), options).recording;
}

TEST(C3d, AllProcessorsAndForms) {
  for (const int processor : {84, 85, 86}) {
    for (const bool floats : {true, false}) {
      for (const int analog : {0, 5}) {
        const MocapTake take =
            ParseC3d(Bytes({.processor = processor, .floats = floats, .analog = analog}), "trial.c3d");
        ASSERT_EQ(take.markers.size(), 3u);
        EXPECT_EQ(take.markers[1].name, "Box:B");
        ASSERT_EQ(take.time.size(), 6u);
        EXPECT_NEAR(take.time[5], 0.05, 1e-9);
        EXPECT_EQ(take.markers[1].position[3], Eigen::Vector3d(130, 0, 200)) << processor << floats;
        EXPECT_TRUE(std::isnan(take.markers[0].position[2][0]));
        EXPECT_EQ(take.unit, "mm");
      }
    }
  }
}

TEST(C3d, MarkersMakeABody) {
  const Recording r = ImportC3dText(Bytes());
  ASSERT_EQ(r.rows(), 6);
  EXPECT_NEAR(r.values[0][4] - r.values[0][3], 0.01, 1e-9);
  EXPECT_NEAR(r.values[2][0], 0.2, 1e-9);
  EXPECT_NEAR(std::abs(r.values[3][5]), 1, 1e-9);
  EXPECT_TRUE(std::isnan(r.values[0][2]));
}

TEST(C3d, RotationsAreBodies) {
  const Recording r = ImportC3dText(Bytes({.rotation = true}));
  EXPECT_NEAR(r.values[0][3], 0.03, 1e-9);
  EXPECT_NEAR(r.values[1][3], 0.02, 1e-9);
  EXPECT_TRUE(std::isnan(r.values[0][2]));
}

TEST(C3d, HintsAndMissingParts) {
  EXPECT_EQ(ParseC3d(Bytes({.y_screen = "+Y"}), "t").usual_up, 'y');
  EXPECT_EQ(*ParseC3d(Bytes({.rate_parameter = false}), "t").rate, 100);
  const MocapTake padded = ParseC3d(std::string(700, '\0') + Bytes(), "t");
  EXPECT_EQ(padded.markers.size(), 3u);
  EXPECT_EQ(ImportC3dText(Bytes({.unit = "    "}), {.unit = "m"}).values[2][0], 200);
}

TEST(C3d, NamesAndNumbersOfFramesThatDoNotFit) {
  const MocapTake named = ParseC3d(Bytes({.more_labels = true}), "t");
  ASSERT_EQ(named.markers.size(), 3u);
  EXPECT_EQ(named.markers[2].name, "Box:C");
  for (const char* where : {"LONG_FRAMES", "ACTUAL_END_FIELD"}) {
    const MocapTake take = ParseC3d(Bytes({.header_frames = 3, .long_count = where}), "t");
    EXPECT_EQ(take.time.size(), 6u) << where;
  }
}

TEST(C3d, RotationsWithoutPoints) {
  const Recording r = ImportC3dText(Bytes({.rotation = true, .points = 0}));
  ASSERT_EQ(r.rows(), 6);
  EXPECT_NEAR(r.time[5], 0.05, 1e-12);
  EXPECT_NEAR(r.values[0][3], 0.03, 1e-9);
  EXPECT_TRUE(std::isnan(r.values[0][2]));
}

TEST(C3d, AnalogSamplesPerFrameDetermineTheStride) {
  const Recording expected = ImportC3dText(Bytes());
  const Recording r = ImportC3dText(Bytes({.analog = 35, .channels = 5, .ratio = 7}));
  for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(r.values[c][5], expected.values[c][5]);
}

TEST(C3d, FewerFramesThanStated) {
  const auto import = [](const C3dSpec& spec, std::size_t cut) {
    std::string bytes = Bytes(spec);
    return ConvertTake(ParseC3d(bytes.substr(0, bytes.size() - cut), "t"), {});
  };
  // The header is right, and POINT:FRAMES is one too many: 32 frames of 48 bytes fill the file.
  ImportedRecording imported = import({.frames = 32, .stated_frames = 33}, 0);
  EXPECT_EQ(imported.recording.rows(), 32);
  EXPECT_EQ(imported.warnings,
            std::vector<std::string>{"33 frames are stated, but the file holds 32, as its header says"});
  // Whole frames are missing at the end.
  imported = import({.frames = 32}, 48 * 22);
  EXPECT_EQ(imported.recording.rows(), 10);
  EXPECT_EQ(imported.warnings,
            std::vector<std::string>{"32 frames are stated, but the file holds 10: it may be truncated"});
  EXPECT_THROW(import({.frames = 32}, 48 * 22 + 5), InputError);
}

TEST(C3d, PointsThatAreNoPlacesAreLeftOut) {
  const ImportedRecording imported =
      ConvertTake(ParseC3d(Bytes({.labels = {"A", "B", "Knee"}, .angle = "Knee"}), "t"), {});
  EXPECT_EQ(imported.points, (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(imported.left_out, std::vector<std::string>{"1 points that are angles"});
}

TEST(C3d, UnitsOfFourLettersAndMarkersWithoutLabel) {
  EXPECT_NEAR(ImportC3dText(Bytes({.unit = "mete"})).values[2][0], 200, 1e-9);
  const ImportedRecording imported = ConvertTake(ParseC3d(Bytes({.labels = {"*1", "", "*3"}}), "t"), {});
  EXPECT_EQ(imported.points, (std::vector<std::string>{"_1", "point2", "_3"}));
}

// What a file of 1863 bytes states must not be allocated.
TEST(C3d, CountsThatNoFileCanHold) {
  std::string bytes = Bytes();
  const std::size_t used = bytes.find("USED") + 4;
  // POINT:USED as the float -6.6e35, two bytes longer than the integer that it was.
  const auto bits = std::bit_cast<std::uint32_t>(-6.6e35F);
  std::string record = {static_cast<char>(bytes[used] + 2), 0, 4, 0};
  for (int i = 0; i < 4; ++i) record += static_cast<char>(bits >> (8 * i));
  bytes.replace(used, 6, record);
  EXPECT_EQ(
      testing::MessageOf([&] { ParseC3d(bytes, "t"); }),
      "t: POINT:USED (byte 512): -6.6e+35 is not a count that the file can hold. It is truncated or damaged: copy "
      "or export it again.");
}

const testing::DamagedFile kDamagedC3d[] = {
    {"Empty", ""},
    {"Zeros", std::string(2000, '\0')},
    {"Text", "PathFileType\t4" + std::string(600, 'x')},
    {"Short", Bytes().substr(0, 100)},
    {"OnlyHeader", Bytes().substr(0, 512)},
    {"WrongMagic", Patched(Bytes(), 1, "\x51")},
    {"ParameterBlockOne", Patched(Bytes(), 0, "\x01")},
    {"ParameterBlockFar", Patched(Bytes(), 0, "\xFF")},
    {"WrongProcessor", Patched(Bytes(), 515, "\x57")},
    {"NoParameters", Patched(Bytes(), 516, "\0\0"s)},
    {"GroupWithoutParameters", Patched(Bytes(), 525, "\0\0"s)},
    {"NameBeyondEnd", Patched(Bytes().substr(0, 600), 516, "\x7F")},
    {"OffsetBack", Patched(Bytes(), 523, "\x01\x00"s)},
    {"UnknownType", PatchedAfter(Bytes(), "USED", 2, "\x03")},
    {"ManyDimensions", PatchedAfter(Bytes(), "USED", 3, "\x63")},
    {"HugeDimensions", PatchedAfter(Bytes(), "LABELS", 3, "\x07\xFF\xFF\xFF\xFF\xFF\xFF\xFF")},
    {"TextBeyondEnd", PatchedAfter(Bytes(), "LABELS", 4, "\xFF\xFF")},
    {"NoScale", PatchedAfter(Bytes(), "SCALE", 4, "\0\0\0\0"s)},
    {"ScaleNan", PatchedAfter(Bytes(), "SCALE", 4, "\xFF\xFF\xFF\x7F")},
    {"RateNan", PatchedAfter(Patched(Bytes(), 20, "\0\0\0\0"s), "RATE", 4, "\xFF\xFF\xFF\xFF")},
    {"RateInfinite", PatchedAfter(Bytes(), "RATE", 4, "\0\0\x80\x7F"s)},
    {"RateNegative", PatchedAfter(Patched(Bytes(), 20, "\0\0\0\0"s), "RATE", 4, "\0\0\x80\xBF"s)},
    {"DataBlockOne", Patched(PatchedAfter(Bytes(), "DATA_START", 4, "\x01\0"s), 16, "\x01\0"s)},
    {"DataBlockFar", PatchedAfter(Bytes(), "DATA_START", 4, "\xFF\xFF")},
    {"TooManyPoints", PatchedAfter(Bytes(), "USED", 4, "\xFF\xFF")},
    {"NoPoints", PatchedAfter(Bytes(), "USED", 4, "\0\0"s)},
    {"TooManyFrames", PatchedAfter(Patched(Bytes(), 8, "\xFF\x7F"), "FRAMES", 4, "\xFF\x7F")},
    {"FramesBackwards", PatchedAfter(Patched(Bytes(), 6, "\x09\x00\x02\x00"s), "FRAMES", 4, "\0\0"s)},
    {"CutShort", Bytes().substr(0, Bytes().size() - 512)},
    {"NoUnit", Bytes({.unit = "    "})},
    {"UnknownUnit", Bytes({.unit = "parc"})},
    {"OneFrame", Bytes({.frames = 1})},
    {"RotationsCutShort", Bytes({.rotation = true}).substr(0, 2048 + 100)},
};

TEST(C3d, DamagedFilesAndWhatIsSaid) {
  testing::CheckDamaged("c3d", kDamagedC3d, [](const std::string& bytes) { ImportC3dText(bytes); });
}

}  // namespace
}  // namespace ricochet
