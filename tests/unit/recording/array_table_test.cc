// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
// Arrays of NumPy and variables of MATLAB as tables.
#include "recording/tables/array_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "recording/tables/matlab_table.h"
#include "recording/tables/numpy_table.h"
#include "recording/tables/table_import.h"
#include "tests/support/array_files.h"
#include "tests/support/damaged_import.h"

namespace ricochet {
namespace {

using testing::DamagedFile;
using testing::DoubleBytes;
using testing::MatArray;
using testing::MatBytes;
using testing::MatCompressed;
using testing::MatFile;
using testing::MatStruct;
using testing::MatText;
using testing::NpyFile;
using testing::ZipFile;
using Names = std::vector<std::string>;

TEST(Numpy, ArraysOfEveryOrderAndType) {
  for (const bool fortran : {false, true}) {
    const std::string data =
        DoubleBytes(fortran ? std::vector<double>{0, 1, 10, 11, 20, 21} : std::vector<double>{0, 10, 20, 1, 11, 21});
    const NumberTable table = ParseNumpyTable(NpyFile("<f8", "(2, 3)", data, fortran), "a.npy");
    EXPECT_EQ(table.names, (Names{"1", "2", "3"}));
    EXPECT_EQ(table.values[1], (std::vector<double>{10, 11}));
  }
  const auto values = [](const char* type, const std::string& data) {
    return ParseNumpyTable(NpyFile(type, "(2,)", data), "a.npy").values[0];
  };
  using Values = std::vector<double>;
  EXPECT_EQ(values(">i2", std::string("\xFF\xFE\x00\x03", 4)), (Values{-2, 3}));
  EXPECT_EQ(values("<u4", std::string("\xFF\xFF\xFF\xFF\x01\x00\x00\x00", 8)), (Values{4294967295.0, 1}));
  EXPECT_EQ(values("|b1", std::string("\x00\x01", 2)), (Values{0, 1}));
  EXPECT_EQ(values("<f2", std::string("\x00\x3C\x00\xC1", 4)), (Values{1, -2.5}));
  EXPECT_EQ(values(">f4", std::string("\x3F\x80\x00\x00\xC0\x20\x00\x00", 8)), (Values{1, -2.5}));
  EXPECT_EQ(values("<M8[ns]", std::string("\x02\0\0\0\0\0\0\0\x05\0\0\0\0\0\0\0", 16)), (Values{2, 5}));
}

TEST(Numpy, AnArchiveIsATable) {
  for (const bool compressed : {false, true}) {
    const std::string bytes = ZipFile({{"time.npy", NpyFile("<f8", "(2,)", DoubleBytes({5, 5.5}))},
                                       {"pos.npy", NpyFile("<f8", "(2, 2)", DoubleBytes({1000, 2000, 1100, 2100}))},
                                       {"rate.npy", NpyFile("<f8", "()", DoubleBytes({240}))},
                                       {"three.npy", NpyFile("<f8", "(3,)", DoubleBytes({7, 8, 9}))},
                                       {"who.npy", NpyFile("<U3", "(2,)", std::string(24, 'a'))},
                                       {"notes.txt", "a text"}},
                                      compressed);
    const ImportedRecording imported =
        ConvertTable(ParseNumpyTable(bytes, "a.npz"), {.columns = "t=time,tip.x=pos_1*mm,tip.y=pos_2*mm"});
    EXPECT_EQ(imported.recording.time, (std::vector<double>{0, 0.5}));
    EXPECT_NEAR(imported.recording.values[1][1], 2.1, 1e-12);
    EXPECT_EQ(imported.left_out, (Names{"who: it has the type '<U3'", "notes.txt: it is no array",
                                        "rate, a single number: 240", "three: its size is 3, others have 2 rows"}));
  }
}

TEST(Numpy, FieldsOfAStructuredArrayAreColumns) {
  const std::string data =
      DoubleBytes({0}) + std::string("\x07\x00", 2) + DoubleBytes({1}) + std::string("\x08\x00", 2);
  const NumberTable table = ParseNumpyTable(NpyFile("[('t', '<f8'), ('x', '<i2')]", "(2,)", data), "a.npy");
  EXPECT_EQ(table.names, (Names{"t", "x"}));
  EXPECT_EQ(table.values[1], (std::vector<double>{7, 8}));
}

TEST(ArrayTable, RowsAreTheFirstAxisOrTheLast) {
  const NamedArray time{"t", {1, 4}, {0, 1, 2, 3}};
  NamedArray wide{"p", {2, 4}, {0, 10, 1, 11, 2, 12, 3, 13}}, matrices{"R", {2, 2, 4}, {}}, turned{"S", {4, 2, 2}, {}};
  for (int k = 0; k < 4; ++k)
    for (const double entry : {11, 21, 12, 22}) matrices.values.push_back(entry + 100 * k);
  for (const double entry : {11, 21, 12, 22})
    for (int k = 0; k < 4; ++k) turned.values.push_back(entry + 100 * k);
  const NumberTable table = TableOfArrays("a", "f", {time, wide, matrices, turned}, {}, "", "");
  EXPECT_EQ(table.names,
            (Names{"t", "p_1", "p_2", "R_1_1", "R_1_2", "R_2_1", "R_2_2", "S_1_1", "S_1_2", "S_2_1", "S_2_2"}));
  EXPECT_EQ(table.values[2], (std::vector<double>{10, 11, 12, 13}));
  for (const std::size_t first : {3u, 7u}) {
    EXPECT_EQ(table.values[first + 1], (std::vector<double>{12, 112, 212, 312}));
    EXPECT_EQ(table.values[first + 2], (std::vector<double>{21, 121, 221, 321}));
  }
  EXPECT_EQ(table.notes, Names{"arrays: t (1 x 4), p (2 x 4), R (2 x 2 x 4) and S (4 x 2 x 2)"});
}

TEST(Matlab, VariablesOfEveryKind) {
  const auto elements = [](bool big) {
    return std::vector<std::string>{MatArray({"t", {3, 1}, {0, 0.5, 1}}, big),
                                    MatArray({"pos", {3, 2}, {1, 2, 3, 4, 5, 6}}, big)};
  };
  for (const bool big : {false, true}) {
    const NumberTable table = ParseMatlabTable(MatFile(elements(big), big), "a.mat");
    EXPECT_EQ(table.names, (Names{"t", "pos_1", "pos_2"}));
    EXPECT_EQ(table.values[2], (std::vector<double>{4, 5, 6}));
  }
  std::vector<std::string> more = elements(false);
  more.push_back(MatText("who", "me"));
  more.push_back(MatArray({"rate", {1, 1}, {240}}));
  more.push_back(MatBytes("count", std::string("\x01\x02\xFF", 3)));
  for (std::string& element : more) element = MatCompressed(element);
  const NumberTable table = ParseMatlabTable(MatFile(more), "a.mat");
  EXPECT_EQ(table.names, (Names{"t", "pos_1", "pos_2", "count"}));
  EXPECT_EQ(table.values[3], (std::vector<double>{1, 2, 255}));
  EXPECT_EQ(table.left_out, (Names{"who: it is a text", "rate, a single number: 240"}));
}

TEST(Matlab, FieldsOfAStructureAreColumns) {
  const std::vector<testing::MatVariable> fields = {{"time", {1, 3}, {0, 1, 2}}, {"theta_deg", {1, 3}, {0, 90, 180}}};
  const ImportedRecording imported = ConvertTable(ParseMatlabTable(MatFile({MatStruct("run", fields)}), "a.mat"), {});
  EXPECT_EQ(imported.recording.columns, Names{"theta"});
  EXPECT_NEAR(imported.recording.values[0][1], M_PI / 2, 1e-12);
  // Beside other variables fields keep the name of their structure.
  EXPECT_EQ(ParseMatlabTable(MatFile({MatStruct("run", fields), MatArray({"u", {3, 1}, {1, 2, 3}})}), "a.mat").names,
            (Names{"run.time", "run.theta_deg", "u"}));
}

TEST(Matlab, CellsAndArraysOfStructuresHaveNumbers) {
  const NumberTable table =
      ParseMatlabTable(MatFile({testing::MatCells("time", {{"", {2, 1}, {0, 1}}, {"", {3, 1}, {0, 1, 2}}}),
                                testing::MatCells("y", {{"", {2, 1}, {5, 6}}, {"", {3, 1}, {7, 8, 9}}})}),
                       "a.mat", "t=time{1},x=y{1}");
  // The rows are those of the times that the terms name.
  EXPECT_EQ(table.names, (Names{"time{1}", "y{1}"}));
  EXPECT_EQ(table.left_out,
            (Names{"time{2}: its size is 3 x 1, others have 2 rows", "y{2}: its size is 3 x 1, others have 2 rows"}));
  EXPECT_EQ(ConvertTable(table, {.columns = "t=time{1},x=y{1}"}).recording.values[0], (std::vector<double>{5, 6}));
}

TEST(Matlab, OtherVersionsAreRefused) {
  std::string newer = MatFile({});
  newer[125] = 2;
  EXPECT_EQ(testing::MessageOf([&] { ParseMatlabTable(newer, "a.mat"); }),
            "a.mat is a MATLAB file of version 7.3. Save it as version 7: load it in MATLAB, then save('FILE.mat', "
            "'-v7').");
}

TEST(Inflate, WhatAFileMayBecomeIsBounded) {
  const std::string bomb = MatFile({MatCompressed(MatBytes("zeros", std::string(std::size_t{70} << 20, '\0')))});
  ASSERT_LT(bomb.size(), 100'000u);
  EXPECT_EQ(testing::MessageOf([&] { ParseMatlabTable(bomb, "a.mat"); }),
            "a.mat: variable (byte 136): decompresses to more than 64 times the size of the file. Save it without "
            "compression.");
}

/// `text` with a byte replaced.
std::string WithByte(std::string text, std::size_t at, int value) {
  text.at(at) = static_cast<char>(value);
  return text;
}

TEST(Numpy, DamagedFiles) {
  const std::string good = NpyFile("<f8", "(3,)", DoubleBytes({0, 1, 2}));
  const std::string zip = ZipFile({{"t.npy", good}}), packed = ZipFile({{"t.npy", good}}, true);
  const std::size_t directory = zip.find("PK\x01\x02"), end = zip.find("PK\x05\x06");
  const auto npy = [](const char* type, const char* shape, std::size_t numbers = 3) {
    return NpyFile(type, shape, DoubleBytes(std::vector<double>(numbers)));
  };
  const DamagedFile files[] = {{"good", good},
                               {"good_archive", zip},
                               {"good_compressed", packed},
                               {"empty", ""},
                               {"magic_only", good.substr(0, 6)},
                               {"no_header", good.substr(0, 10)},
                               {"header_cut", good.substr(0, 30)},
                               {"data_cut", good.substr(0, good.size() - 1)},
                               {"other_magic", WithByte(good, 1, 'X')},
                               {"huge_header", WithByte(good, 9, 0xFF)},
                               {"complex", npy("<c16", "(1,)")},
                               {"object", npy("|O", "(1,)")},
                               {"text", npy("<U4", "(1,)")},
                               {"long_double", npy("<f16", "(1,)")},
                               {"odd_size", npy("<f3", "(1,)")},
                               {"no_type", npy("", "(1,)")},
                               {"negative_length", npy("<f8", "(-1,)")},
                               {"length_not_whole", npy("<f8", "(1.5,)")},
                               {"huge_length", npy("<f8", "(99999999999999999999, 9)")},
                               {"product_exceeds", npy("<f8", "(100, 100)")},
                               {"product_wraps", npy("<f8", "(16, 16, 16, 16, 16, 16, 16, 16)")},
                               {"many_axes", npy("<f8", "(1, 1, 1, 1, 1, 1, 1, 1, 1)", 1)},
                               {"no_rows", npy("<f8", "(0,)")},
                               {"no_columns", npy("<f8", "(3, 0)")},
                               {"fields_of_arrays", NpyFile("[('t', '<f8', (2,))]", "(1,)", DoubleBytes({1, 2}))},
                               {"fields_of_text", NpyFile("[('t', '<U2')]", "(1,)", DoubleBytes({1}))},
                               {"archive_cut", zip.substr(0, zip.size() - 5)},
                               {"archive_without_directory", zip.substr(0, directory)},
                               {"directory_elsewhere", WithByte(zip, end + 17, 0x7F)},
                               {"directory_damaged", WithByte(zip, directory, 'Q')},
                               {"size_exceeds", WithByte(zip, directory + 23, 0x7F)},
                               {"place_exceeds", WithByte(zip, directory + 45, 0x7F)},
                               {"file_elsewhere", WithByte(zip, directory + 42, 1)},
                               {"checksum", WithByte(zip, directory + 16, 0)},
                               {"encrypted", WithByte(zip, directory + 8, 1)},
                               {"other_method", WithByte(zip, directory + 10, 12)},
                               {"compressed_data", WithByte(packed, 36, 0xFF)},
                               {"no_array", ZipFile({{"a.txt", "x"}})},
                               {"array_of_nothing", ZipFile({{"t.npy", ""}})}};
  testing::CheckDamaged("numpy", files, [](const std::string& bytes) { ParseNumpyTable(bytes, "a.npz"); });
}

TEST(Matlab, DamagedFiles) {
  const std::string array = MatArray({"t", {3, 1}, {0, 1, 2}}), good = MatFile({array});
  // Places in the file: the array's tag, its flags, axes, name and numbers.
  constexpr std::size_t kTag = 128, kFlags = 136, kAxes = 152, kName = 168, kNumbers = 184;
  const std::string structure = MatFile({MatStruct("s", {{"t", {2, 1}, {0, 1}}})});
  const std::string packed = MatFile({MatCompressed(array)});
  const DamagedFile files[] = {{"good", good},
                               {"good_structure", structure},
                               {"good_compressed", packed},
                               {"empty", ""},
                               {"short_header", good.substr(0, 100)},
                               {"no_variable", MatFile({})},
                               {"tag_cut", good.substr(0, kTag + 4)},
                               {"data_cut", good.substr(0, good.size() - 8)},
                               {"size_exceeds", WithByte(good, kTag + 7, 0x7F)},
                               {"size_too_small", WithByte(good, kTag + 4, 8)},
                               {"size_zero", WithByte(good, kTag + 4, 0)},
                               {"unknown_element", WithByte(good, kTag, 99)},
                               {"flags_cut", WithByte(good, kFlags + 4, 4)},
                               {"class_cell", WithByte(good, kFlags + 8, 1)},
                               {"class_sparse", WithByte(good, kFlags + 8, 5)},
                               {"class_opaque", WithByte(good, kFlags + 8, 17)},
                               {"class_unknown", WithByte(good, kFlags + 8, 200)},
                               {"class_text", WithByte(good, kFlags + 8, 4)},
                               {"complex", WithByte(good, kFlags + 9, 8)},
                               {"axes_exceed", WithByte(good, kAxes + 7, 0x7F)},
                               {"axes_many", WithByte(good, kAxes + 4, 40)},
                               {"axes_none", WithByte(good, kAxes + 4, 0)},
                               {"axis_huge", WithByte(good, kAxes + 11, 0x7F)},
                               {"axis_other", WithByte(good, kAxes + 8, 4)},
                               {"axis_zero", WithByte(good, kAxes + 8, 0)},
                               {"name_exceeds", WithByte(good, kName + 7, 0x7F)},
                               {"name_empty", WithByte(good, kName + 4, 0)},
                               {"small_element_too_large", WithByte(good, kName + 2, 9)},
                               {"numbers_exceed", WithByte(good, kNumbers + 7, 0x7F)},
                               {"numbers_of_unknown_type", WithByte(good, kNumbers, 8)},
                               {"numbers_of_bytes", WithByte(good, kNumbers, 2)},
                               {"numbers_fewer", WithByte(good, kNumbers + 4, 16)},
                               {"fields_without_names", WithByte(structure, 188, 0)},
                               {"field_names_odd", WithByte(structure, 188, 7)},
                               {"structure_cut", structure.substr(0, structure.size() - 16)},
                               {"compressed_cut", packed.substr(0, packed.size() - 4)},
                               {"compressed_damaged", WithByte(packed, kTag + 12, 0xFF)},
                               {"compressed_checksum", WithByte(packed, packed.size() - 1, 0x55)},
                               {"compressed_nothing", MatFile({MatCompressed("")})}};
  testing::CheckDamaged("matlab", files, [](const std::string& bytes) { ParseMatlabTable(bytes, "a.mat"); });
}

}  // namespace
}  // namespace ricochet
