// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
// Wrong recordings and what is said about them, word by word.
#include <gtest/gtest.h>

#include <string>

#include "ricochet/recording.h"

namespace ricochet {
namespace {

using namespace std::string_literals;

struct WrongRecording {
  const char* name;
  std::string text;
  std::string message;
};

const char* const kNumber =
    " Write a decimal number such as 0.25 or 2.5e-3, or leave the cell empty if the value is missing.";
const char* const kBegin = " A recording begins with its column names, such as t,x,y,theta.";
const char* const kMissing = " Leave the cell empty if the value is missing.";
const char* const kName =
    " Use letters, digits and `_`, and one point between a body or joint and its quantity, as in box.x.";
const char* const kSorted = " Times must increase strictly: sort the rows, and remove repeated ones.";

const WrongRecording kWrong[] = {
    // The file as a whole.
    {"Empty", "", "a.csv is empty."s + kBegin},
    {"OnlyComments", "# x\n\n# y\n", "a.csv has no header and no rows."s + kBegin},
    {"NoRows", "t,x\n# nothing\n", "a.csv has a header but no rows. Add a row of numbers for each observation."},
    {"Utf16", "\xFF\xFEt\0,\0"s, "a.csv:1:1: this is UTF-16 text. Save it as UTF-8."},
    {"Binary", "\x89HDF\r\n\x1a\n", "a.csv:1:1: `?HDF` is not a column name."s + kName},
    {"ControlCharacter", "t,x\x07\n0,1\n", "a.csv:1:4: the byte 0x07 does not belong in a text file. Give a CSV file."},
    {"NulInHeader", "t,x\0,y\n0,1,2\n"s, "a.csv:1:4: the byte 0x00 does not belong in a text file. Give a CSV file."},
    {"CarriageReturnsAlone", "t,x\r0,1\r1,2\r",
     "a.csv:1:4: a line ends in a carriage return alone. Save the file with Unix or Windows line ends."},
    // The header.
    {"NoHeader", "0,1,2,3\n1,2,3,4\n",
     "a.csv:1:1: the header is missing: the first row begins with a number."s + kBegin},
    {"NoTime", "x,y,theta\n0,1,2\n", "a.csv:1:1: there is no column `t`. Add the time in seconds, named `t`."},
    {"TimeByAnotherName", "# c\nframe,Time,x\n0,1,2\n",
     "a.csv:2:7: there is no column `t`. If `Time` is the time in seconds, rename it to `t`."},
    {"TimeInCapitals", "T,x\n0,1\n",
     "a.csv:1:1: there is no column `t`. If `T` is the time in seconds, rename it to `t`."},
    {"EmptyName", "t,x,,y\n0,1,2,3\n", "a.csv:1:5: column 3 has no name. Name it, or remove the extra comma."},
    {"CommaAtTheEnd", "t,x,\n0,1,\n", "a.csv:1:5: column 3 has no name. Name it, or remove the extra comma."},
    {"RepeatedName", "t, x, y, x\n0,1,2,3\n",
     "a.csv:1:10: x: columns 2 and 4 have this name. Names must differ: rename or remove one."},
    {"RepeatedTime", "t,t\n0,1\n",
     "a.csv:1:3: t: columns 1 and 2 have this name. Names must differ: rename or remove one."},
    {"NameWithUnit", "t,x (m)\n0,1\n", "a.csv:1:3: `x (m)` is not a column name."s + kName},
    {"NameWithDigitFirst", "t,2x\n0,1\n", "a.csv:1:3: `2x` is not a column name."s + kName},
    {"NameWithTwoPoints", "t,a.b.c\n0,1\n", "a.csv:1:3: `a.b.c` is not a column name."s + kName},
    {"NameWithPointAtTheEnd", "t,box.\n0,1\n", "a.csv:1:3: `box.` is not a column name."s + kName},
    {"NameWithAccent", "t,\xC3\xA9,2\n0,1,2\n", "a.csv:1:3: `??` is not a column name."s + kName},
    {"CharactersAreCounted", "t, box.\xC3\xA9 , 9\n0,1,2\n", "a.csv:1:4: `box.??` is not a column name."s + kName},
    {"Semicolons", "t;x;y\n0;1;2\n",
     "a.csv:1:1: the header has no commas. Separate cells by commas, and write decimals with a point."},
    {"Tabs", "t\tx\ty\n0\t1\t2\n",
     "a.csv:1:1: the header has no commas. Separate cells by commas, and write decimals with a point."},
    // Cells.
    {"Word", "t,x,y\n0,1,2\n1,abc,2\n", "a.csv:3:3: x: `abc` is not a number."s + kNumber},
    {"WordAfterBlanksAndComments", "\xEF\xBB\xBF# a\r\nt,x,y\r\n0,  1,\t one \r\n",
     "a.csv:3:9: y: `one` is not a number."s + kNumber},
    {"Unit", "t,x\n0,1.5m\n", "a.csv:2:3: x: `1.5m` is not a number."s + kNumber},
    {"Hexadecimal", "t,x\n0,0x1F\n", "a.csv:2:3: x: `0x1F` is not a number."s + kNumber},
    {"TwoPoints", "t,x\n0,1.2.3\n", "a.csv:2:3: x: `1.2.3` is not a number."s + kNumber},
    {"TwoSigns", "t,x\n0,--1\n", "a.csv:2:3: x: `--1` is not a number."s + kNumber},
    {"HalfAnExponent", "t,x\n0,1e\n", "a.csv:2:3: x: `1e` is not a number."s + kNumber},
    {"TwoNumbers", "t,x\n0,1 2\n", "a.csv:2:3: x: `1 2` is not a number."s + kNumber},
    {"NotAvailable", "t,x\n0,N/A\n", "a.csv:2:3: x: `N/A` is not a number."s + kNumber},
    {"Escape", "t,x\n0,\033[2J\n", "a.csv:2:3: x: `?[2J` is not a number."s + kNumber},
    {"LongCell", "t,x\n0,"s + std::string(1000, 'z') + "\n",
     "a.csv:2:3: x: `" + std::string(40, 'z') + "...` is not a number." + kNumber},
    {"CommentAfterARow", "t,x\n0,1 # lost\n", "a.csv:2:3: x: `1 # lost` is not a number."s + kNumber},
    {"Infinite", "t,x,y\n0,1,-Inf\n", "a.csv:2:5: y: infinite values are not measurements."s + kMissing},
    {"InfinityInQuotes", "t,x\n0,\"infinity\"\n", "a.csv:2:3: x: infinite values are not measurements."s + kMissing},
    {"TooLarge", "t,x\n0,1e309\n", "a.csv:2:3: x: `1e309` is larger than any double."s + kMissing},
    {"Nul", "t,x\n0,1\0\n"s,
     "a.csv:2:3: x: the cell has a NUL byte. Give a CSV text file; this one is binary or damaged."},
    {"OpenQuote", "t,x\n0,\"1\n1,2\n",
     "a.csv:2:3: x: the quote is not closed on its line. Close it, or write the cell without."},
    {"OpenQuoteAtTheEnd", "t,x\n0,\"",
     "a.csv:2:3: x: the quote is not closed on its line. Close it, or write the cell without."},
    {"TextAfterQuote", "t,x\n0,\"1\"2\n",
     "a.csv:2:6: x: text follows the closing quote. Put a comma between the cells."},
    {"DoubledQuote", "t,x\n0,\"1\"\"2\"\n", "a.csv:2:3: x: `1\"\"2` is not a number."s + kNumber},
    {"FirstBadCellCounts", "t,x,y\n0,a,b,c\n", "a.csv:2:3: x: `a` is not a number."s + kNumber},
    // Rows.
    {"TooFewCells", "t,x,y\n0,1\n",
     "a.csv:2:4: y: the row ends after 2 of 3 cells. Leave a cell empty if its value is missing."},
    {"TooFewCellsAtTheEnd", "t,x,y\n0,1,2\n1",
     "a.csv:3:2: x: the row ends after 1 of 3 cells. Leave a cell empty if its value is missing."},
    {"TooManyCells", "t,x\n0,1, 2,3\n",
     "a.csv:2:6: the row has 4 cells, but the header names 2 columns. Remove the extra cells; the decimal sign is a "
     "point."},
    {"CommaAtTheEndOfARow", "t,x\n0,1,\n",
     "a.csv:2:5: the row has 3 cells, but the header names 2 columns. Remove the extra cells; the decimal sign is a "
     "point."},
    {"DecimalComma", "t,x\n\"0,1\",2\n", "a.csv:2:1: t: `0,1` is not a number."s + kNumber},
    // Time.
    {"MissingTime", "t,x\n0,1\n,2\n", "a.csv:3:1: t: the time is missing. Give the row its time, or remove the row."},
    {"NanTime", "x,t\n0,nan\n", "a.csv:2:3: t: the time is missing. Give the row its time, or remove the row."},
    {"InfiniteTime", "t,x\ninf,1\n", "a.csv:2:1: t: infinite values are not measurements."s + kMissing},
    {"RepeatedRow", "t,x\n0,1\n0.1,1\n# c\n0.1,2\n",
     "a.csv:5:1: t: 0.1 s is not later than 0.1 s in line 3."s + kSorted},
    {"BackInTime", "x,t\n0,0.2\n0, 0.1\n", "a.csv:3:4: t: 0.1 s is not later than 0.2 s in line 2."s + kSorted},
    {"NegativeZeroIsZero", "t,x\n0,1\n-0,1\n", "a.csv:3:1: t: -0 s is not later than 0 s in line 2."s + kSorted},
};

class WrongRecordingsTest : public ::testing::TestWithParam<WrongRecording> {};

TEST_P(WrongRecordingsTest, IsSaidExactly) {
  try {
    ParseRecording(GetParam().text, "a.csv");
    FAIL() << "nothing was thrown";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), GetParam().message);
  }
}

INSTANTIATE_TEST_SUITE_P(All, WrongRecordingsTest, ::testing::ValuesIn(kWrong),
                         [](const ::testing::TestParamInfo<WrongRecording>& wrong) { return wrong.param.name; });

TEST(WrongRecordings, TooManyColumns) {
  std::string header = "t";
  for (int i = 0; i < 70000; ++i) header.append(",c").append(std::to_string(i));
  try {
    ParseRecording(header + "\n0\n", "a.csv");
    FAIL() << "nothing was thrown";
  } catch (const InputError& error) {
    EXPECT_EQ(error.problem(), "the header has more than 65536 columns.");
    EXPECT_EQ(error.where().line, 1);
  }
}

}  // namespace
}  // namespace ricochet
