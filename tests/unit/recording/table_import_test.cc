// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
// Tables of numbers as any program writes them.
#include "recording/tables/table_import.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "tests/support/damaged_import.h"

namespace ricochet {
namespace {

using Names = std::vector<std::string>;
using testing::MessageOf;

ImportedRecording Import(const std::string& text, const ImportOptions& options = {}) {
  return ConvertTable(ParseCsvTable(text, "a.csv"), options);
}

double At(const ImportedRecording& imported, const std::string& column, std::size_t row) {
  const int index = imported.recording.Find(column);
  return index < 0 ? NAN : imported.recording.values.at(static_cast<std::size_t>(index)).at(row);
}

TEST(CsvTable, SeparatorsAndDecimalMarks) {
  const struct {
    const char *text, *format;
  } cases[] = {{"t,x,y\n0.5,1.5,2.5\n1.5,2.5,3.5\n", "CSV, commas"},
               {"t;x;y\n0,5;1,5;2,5\n1,5;2,5;3,5\n", "CSV, semicolons, decimal comma"},
               {"t;x;y\n0.5;1.5;2.5\n1.5;2.5;3.5\n", "CSV, semicolons"},
               {"t\tx\ty\r\n0,5\t1,5\t2,5\r\n1,5\t2,5\t3,5\r\n", "CSV, tabs, decimal comma"},
               {"# made by hand\nt   x  y\n 0.5 1.5   2.5\n 1.5 2.5 3.5\n", "CSV, blanks"},
               {"\xEF\xBB\xBF\"t\",\"x\",\"y\"\n\"0.5\",\"1.5\",\"2.5\"\n\"1.5\",\"2.5\",\"3.5\"\n", "CSV, commas"}};
  for (const auto& [text, format] : cases) {
    const NumberTable table = ParseCsvTable(text, "a.csv");
    EXPECT_EQ(table.format, format) << text;
    EXPECT_EQ(table.names, (Names{"t", "x", "y"})) << text;
    ASSERT_EQ(table.values.size(), 3u) << text;
    EXPECT_EQ(table.values[1], (std::vector<double>{1.5, 2.5})) << text;
  }
}

TEST(CsvTable, TitlesTextsAndMissingValues) {
  const NumberTable table =
      ParseCsvTable("mass A\nt,label,x\n% a comment\n0,ball,1\n0.1,ball,\n0.2,,NA\n0.3,ball,4\n", "a.csv");
  EXPECT_EQ(table.names, (Names{"t", "x"}));
  EXPECT_TRUE(std::isnan(table.values[1][1]));
  EXPECT_TRUE(std::isnan(table.values[1][2]));
  EXPECT_EQ(table.left_out, Names{"columns of text: label"});
  EXPECT_EQ(MessageOf([] { ParseCsvTable("t,x\n0,1\n0.1,high\n", "a.csv"); }),
            "a.csv:3: x: `high` is not a finite number. Leave a missing value empty.");
  EXPECT_EQ(
      MessageOf([] { ParseCsvTable("no numbers here\nnor here\n", "a.csv"); }),
      "a.csv has no rows of numbers. Give a table of numbers, one row per time, with a line of names above them.");
}

TEST(Table, FramesPixelsDegreesAndFlips) {
  const ImportedRecording imported = Import("frame,px,py,a\n240,100,50,90\n241,110,40,180\n",
                                            {.columns = "t=frame/240,x=px*0.9mm,y=-py*0.9mm+0.5,theta=a*deg"});
  EXPECT_DOUBLE_EQ(imported.recording.time[1], 1 / 240.0);
  EXPECT_DOUBLE_EQ(At(imported, "x", 1), 0.099);
  EXPECT_DOUBLE_EQ(At(imported, "y", 1), 0.5 - 0.036);
  EXPECT_DOUBLE_EQ(At(imported, "theta", 1), std::numbers::pi);
  EXPECT_EQ(imported.bodies, Names{"body"});
}

TEST(Table, UnitsInTheNames) {
  const ImportedRecording imported = Import("t_ms,x [mm],y [mm],theta_deg\n100,1000,2000,180\n110,1100,2000,90\n");
  EXPECT_NEAR(imported.recording.time[1], 0.01, 1e-12);
  EXPECT_NEAR(At(imported, "x", 1), 1.1, 1e-12);
  EXPECT_NEAR(At(imported, "theta", 0), std::numbers::pi, 1e-12);
}

TEST(Table, OwnRecordingsPassUnchanged) {
  const ImportedRecording imported = Import("t,h1.angle,h2.angle,u\n0,1,2,3\n0.002,1.5,2.5,3.5\n");
  EXPECT_EQ(imported.recording.columns, (Names{"h1.angle", "h2.angle", "u"}));
  EXPECT_EQ(At(imported, "h2.angle", 1), 2.5);
  EXPECT_TRUE(imported.left_out.empty());
}

TEST(Table, AnglesThatJumpAreMadeContinuous) {
  const std::string text = "t,enc\n0,170\n1,179\n2,-171\n3,\n4,-150\n5,175\n6,-170\n";
  const ImportedRecording imported = Import(text, {.columns = "t=t,arm.angle=unwrap(enc)*deg"});
  const double expected[] = {170, 179, 189, NAN, 210, 175, 190};
  for (int i = 0; i < 7; ++i) {
    if (i == 3)
      EXPECT_TRUE(std::isnan(At(imported, "arm.angle", i)));
    else
      EXPECT_NEAR(At(imported, "arm.angle", i), expected[i] * M_PI / 180, 1e-12) << i;
  }
}

TEST(Table, RotationsOfEveryKind) {
  const double h = std::sqrt(0.5);
  const std::string text = "t,x,y,z,a,b,c,d,r11,r12,r13,r21,r22,r23,r31,r32,r33,u,v,w\n";
  std::string rows;
  for (int i = 0; i < 2; ++i)
    rows += std::to_string(i) + ",1,2,3,0,0," + std::to_string(h) + "," + std::to_string(h) +
            ",0,-1,0,1,0,0,0,0,1,90,0,0\n";
  for (const char* q : {"q=xyzw(a,b,c,d)", "q=matrix(r11,r12,r13,r21,r22,r23,r31,r32,r33)", "q=euler-zyx(u,v,w)*deg"}) {
    const ImportedRecording imported = Import(text + rows, {.columns = std::string("t=t,x=x,y=y,z=z,") + q});
    EXPECT_NEAR(At(imported, "qw", 0), h, 1e-6) << q;
    EXPECT_NEAR(At(imported, "qz", 0), h, 1e-6) << q;
  }
  const ImportedRecording up = Import(text + rows, {.up = 'y', .columns = "t=t,x=x,y=y,z=z,q=wxyz(d,a,b,c)"});
  EXPECT_NEAR(At(up, "z", 0), 2, 1e-12);
  EXPECT_NEAR(At(up, "y", 0), -3, 1e-12);
}

TEST(Table, RollPitchYawNeedTheirOrder) {
  const std::string text = "time,x,y,z,roll_deg,pitch_deg,yaw_deg\n0,1,2,3,0,0,90\n1,1,2,3,0,0,90\n";
  EXPECT_NEAR(At(Import(text, {.angles = "euler-zyx"}), "qz", 0), std::sqrt(0.5), 1e-12);
  EXPECT_EQ(MessageOf([&] { Import(text); }),
            "a.csv: roll, pitch, yaw: the table does not state the order of the three angles. Set option `angles` to "
            "euler-zyx (yaw first, then pitch, then roll) or another order.");
}

TEST(Table, PixelsOfDeepLabCutNeedTheirSize) {
  const std::string text =
      "scorer,net,net,net\nbodyparts,ball,ball,ball\ncoords,x,y,likelihood\n0,100,50,0.99\n1,110,50,0.99\n";
  EXPECT_EQ(
      MessageOf([&] { Import(text, {.rate = 240}); }),
      "a.csv: positions are in pixels. State the rate, the size of a pixel and that y is down, for example option "
      "`columns` 't=frame/240,ball.x=ball.x*0.9mm,ball.y=-ball.y*0.9mm'.");
  const ImportedRecording imported = Import(text, {.columns = "t=frame/240,ball.x=ball.x*0.9mm,ball.y=-ball.y*0.9mm"});
  EXPECT_EQ(imported.points, Names{"ball"});
  EXPECT_NEAR(At(imported, "ball.x", 1), 0.099, 1e-12);
}

TEST(Table, TimesOfAnyKind) {
  EXPECT_NEAR(Import("stamp,x,y\n1697792304128288256,1,2\n1697792304228288256,1,2\n").recording.time[1], 0.1, 1e-6);
  EXPECT_NEAR(Import(",x,y\n0,1,2\n1,1,2\n", {.rate = 50}).recording.time[1], 0.02, 1e-12);
  EXPECT_EQ(Import("t,x,y\n0,1,2\n0,1,2\n1,1,3\n").left_out, Names{"1 row with the time of the row before"});
  EXPECT_EQ(MessageOf([] { Import("x,y\n1,2\n3,4\n"); }),
            "a.csv: t: no column is known to be the time. Set option `rate` to the rows per second, or name the time. "
            "The table has x and y: state what they are, for example option `columns` 't=x*ms,x=y*mm'.");
  EXPECT_EQ(MessageOf([] { Import("frame,x,y\n0,1,2\n1,3,4\n"); }),
            "a.csv: t: column `frame` counts rows, and nothing states their rate. Set option `rate` to the rows per "
            "second, for example option `rate` 240.");
  EXPECT_EQ(MessageOf([] { Import("t,x,y\n0,1,2\n1,1,2\n0.5,1,3\n"); }),
            "a.csv:4: t: 0.5 s is not later than 1 s before. Times must increase strictly: sort the rows, and remove "
            "repeated ones.");
}

TEST(Table, NamesMayStandInAComment) {
  for (const char* text : {"# t x y\n0 1 2\n0.1 1 2\n", "%t,x,y\n0,1,2\n0.1,1,2\n", "// t;x;y\n0;1;2\n0.1;1;2\n"})
    EXPECT_EQ(ParseCsvTable(text, "a.csv").names, (Names{"t", "x", "y"})) << text;
  EXPECT_EQ(ParseCsvTable("# two words\n0,1,2\n1,1,2\n", "a.csv").names, (Names{"1", "2", "3"}));
}

TEST(Table, TimesThatLookLikeMillisecondsCauseAWarning) {
  std::string text = "time,angle_deg\n";
  for (int k = 0; k < 20; ++k) text += std::to_string(5 * k) + "," + std::to_string(k) + "\n";
  EXPECT_EQ(
      Import(text).warnings,
      Names{"rows are 5 s apart; if the times are in ms, state it: option `columns` 't=time*ms,theta=angle_deg*deg'"});
  EXPECT_TRUE(Import(text, {.columns = "t=time*ms,theta=angle_deg*deg"}).warnings.empty());
}

TEST(Table, WrongTermsAreNamed) {
  const auto message = [](const std::string& columns) {
    return MessageOf([&] { Import("t,px,py\n0,1,2\n1,1,2\n", {.columns = columns}); });
  };
  const std::string write = " Write terms such as t=frame/240,x=px*0.9mm,theta=angle*deg.";
  EXPECT_EQ(message("t=t,x"), "columns: `x` has no `=`." + write);
  EXPECT_EQ(message("t=t,x=pz"), "columns: there is no column `pz`. Available: t, px and py.");
  EXPECT_EQ(message("t=t,x=px*furlong"),
            "columns: `furlong` is not a factor in `x=px*furlong`. Use numbers and the units m, cm, mm, in, ft, s, ms, "
            "us, ns, min, rad, deg, turn.");
  EXPECT_EQ(
      message("t=t,x=px/0"),
      "columns: `0` is not a factor in `x=px/0`. Use numbers and the units m, cm, mm, in, ft, s, ms, us, ns, min, "
      "rad, deg, turn.");
  EXPECT_EQ(message("t=t,x=px,x=py"), "columns: `x` is given twice." + write);
  EXPECT_EQ(message("t=t,q=xyzw(px,py)"), "columns: `q=xyzw(px,py)` has 2 columns instead of 4." + write);
  EXPECT_EQ(message("t=t,x=\"px"), "columns: `x=\"px` has an open quote." + write);
}

}  // namespace
}  // namespace ricochet
