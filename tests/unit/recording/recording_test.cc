// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/recording.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include "core/input_file.h"
#include "core/random.h"
#include "recording/recording_writer.h"

namespace ricochet {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The same doubles bit by bit; any NaN equals any other.
void ExpectSame(const Recording& a, const Recording& b) {
  const auto same = [](double x, double y) {
    return (std::isnan(x) && std::isnan(y)) || std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  };
  ASSERT_EQ(a.columns, b.columns);
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.values.size(), b.values.size());
  for (int row = 0; row < a.rows(); ++row) {
    ASSERT_TRUE(same(a.time[row], b.time[row])) << row;
    for (std::size_t c = 0; c < a.values.size(); ++c) {
      ASSERT_TRUE(same(a.values[c][row], b.values[c][row])) << a.columns[c] << " " << row << ": " << a.values[c][row];
    }
  }
}

TEST(Recording, ReadsThePlainForm) {
  const Recording recording = ParseRecording("t,x,y,theta\n0,1,2,3\n0.5,-1,2.5e-3,.25\n", "a.csv");
  EXPECT_EQ(recording.file, "a.csv");
  EXPECT_EQ(recording.columns, (std::vector<std::string>{"x", "y", "theta"}));
  EXPECT_EQ(recording.time, (std::vector<double>{0, 0.5}));
  EXPECT_EQ(recording.values, (std::vector<std::vector<double>>{{1, -1}, {2, 2.5e-3}, {3, 0.25}}));
  EXPECT_EQ(recording.lines, (std::vector<int>{2, 3}));
  EXPECT_EQ(recording.rows(), 2);
  EXPECT_EQ(recording.Find("theta"), 2);
  EXPECT_EQ(recording.Find("t"), -1);
  EXPECT_EQ(recording.Find("z"), -1);
}

// Every variant below holds the same two rows.
TEST(Recording, ToleratesWhatRealFilesHave) {
  const Recording expected = ParseRecording("t,x,hinge1.angle\n0,1,2\n1,nan,4\n", "");
  for (const char* text : {
           "\xEF\xBB\xBFt,x,hinge1.angle\n0,1,2\n1,nan,4\n",                            // byte order mark
           "t,x,hinge1.angle\r\n0,1,2\r\n1,nan,4\r\n",                                  // CRLF
           "t,x,hinge1.angle\r\n0,1,2\r\n1,nan,4\r",                                    // a cut last line end
           "t,x,hinge1.angle\n0,1,2\n1,nan,4",                                          // no last line end
           " t , x,hinge1.angle\t\n  0, 1 ,2  \n1\t,\tnan, 4",                          // blanks
           "t,x,hinge1.angle\n0,1,2\n1,NaN,4\n",                                        // nan in any case
           "t,x,hinge1.angle\n0,1,2\n1,-nan,4\n",                                       // as printf writes it
           "t,x,hinge1.angle\n0,1,2\n1,,4\n",                                           // empty
           "t,x,hinge1.angle\n0,1,2\n1,  ,4\n",                                         // blank
           "t,x,hinge1.angle\n0,1,2\n1,\"\",4\n",                                       // empty in quotes
           "# tracker 3\n#,,,\nt,x,hinge1.angle\n0,1,2\n# lost\n1,nan,4\n# end",        // comments
           "  # tracker 3\nt,x,hinge1.angle\n0,1,2\n\t# lost\n1,nan,4\n",               // comments after blanks
           "\n\r\nt,x,hinge1.angle\n\n0,1,2\n  \n1,nan,4\n\n\r\n",                      // blank lines
           "\"t\",\"x\",\"hinge1.angle\"\n\"0\",\"1\",\"2\"\n\"1\",\"nan\",\" 4 \"\n",  // quotes
           "t,x,hinge1.angle\n+0,1.0,2.\n1.0e0,nan,4E0\n",                              // other writings of the numbers
       }) {
    SCOPED_TRACE(text);
    ExpectSame(ParseRecording(text, ""), expected);
  }
}

TEST(Recording, TimeMayStandInAnyColumn) {
  const Recording recording = ParseRecording("k,t,u\n0,0.5,7\n1,0.6,8\n", "");
  EXPECT_EQ(recording.columns, (std::vector<std::string>{"k", "u"}));
  EXPECT_EQ(recording.time, (std::vector<double>{0.5, 0.6}));
  EXPECT_EQ(recording.values[1], (std::vector<double>{7, 8}));
}

TEST(Recording, LinesAreThoseOfTheFile) {
  const Recording recording = ParseRecording("# a\n\nt,x\n0,1\n# b\n\n1,1\n", "");
  EXPECT_EQ(recording.lines, (std::vector<int>{4, 7}));
}

TEST(Recording, GrowsWhenLaterRowsAreShorter) {
  std::string text = "t,x\n";
  for (int i = 0; i < 2000; ++i) text += std::to_string(i) + "," + std::string(60, '0') + "1\n";
  for (int i = 2000; i < 50000; ++i) text += std::to_string(i) + ",1\n";
  const Recording recording = ParseRecording(text, "");
  ASSERT_EQ(recording.rows(), 50000);
  for (int i = 0; i < 50000; ++i) ASSERT_TRUE(recording.time[i] == i && recording.values[0][i] == 1);
}

Recording RandomRecording(std::uint64_t seed, int rows) {
  Random random(seed);
  Recording recording;
  recording.columns = {"x", "y", "box.x", "u"};
  recording.values.resize(4);
  for (int i = 0; i < rows; ++i) {
    recording.time.push_back(-3 + i * 0.1);
    recording.values[0].push_back(random.Normal());
    // Any finite double, among them huge ones, and subnormal ones.
    double any = kNan;
    while (!std::isfinite(any)) any = std::bit_cast<double>(random.Bits());
    recording.values[1].push_back(any);
    recording.values[2].push_back(std::bit_cast<double>(random.Bits() & 0x800FFFFFFFFFFFFFu));
    recording.values[3].push_back(random.Below(3) == 0 ? kNan : random.Uniform(-1e9, 1e9));
  }
  for (const double x : {0.0, -0.0, std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::min(),
                         std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest(), 0.1, 1e23}) {
    recording.time.push_back(recording.time.back() + 0.1);
    for (auto& column : recording.values) column.push_back(x);
  }
  return recording;
}

TEST(Recording, TextReadsBackToTheSameDoubles) {
  const Recording recording = RandomRecording(5, 30000);
  ExpectSame(ParseRecording(FormatRecording(recording), ""), recording);
}

class RecordingFileTest : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(file_); }
  std::string file_ = ::testing::TempDir() + "ricochet_recording_test_" + std::to_string(getpid()) + ".csv";
};

TEST_F(RecordingFileTest, FilesReadBackToTheSameDoubles) {
  const Recording recording = RandomRecording(6, 5000);
  WriteRecording(recording, file_);
  EXPECT_EQ(ReadInputFile(file_), FormatRecording(recording));
  const Recording read = ReadRecording(file_);
  EXPECT_EQ(read.file, file_);
  ExpectSame(read, recording);
}

TEST_F(RecordingFileTest, RowsAreStreamed) {
  RecordingWriter writer(file_, {"x", "y"});
  constexpr int kRows = 100000;
  for (int i = 0; i < kRows; ++i) writer.Append(i, std::vector<double>{i * 0.1, i % 7 == 0 ? kNan : 1.0 / (i + 1)});
  EXPECT_EQ(writer.rows(), kRows);
  EXPECT_FALSE(std::filesystem::exists(file_));
  writer.Commit();
  const Recording recording = ReadRecording(file_);
  ASSERT_EQ(recording.rows(), kRows);
  for (int i = 0; i < kRows; ++i) {
    ASSERT_EQ(recording.time[i], i);
    ASSERT_EQ(recording.values[0][i], i * 0.1);
    if (i % 7 != 0) {
      ASSERT_EQ(recording.values[1][i], 1.0 / (i + 1));
    }
  }
}

TEST_F(RecordingFileTest, ARowOfAnotherLengthIsABrokenPromise) {
  RecordingWriter writer(file_, {"x", "y"});
  EXPECT_THROW(writer.Append(0, std::vector<double>{1}), std::logic_error);
}

TEST_F(RecordingFileTest, ManyColumnsFitTheWriter) {
  std::vector<std::string> columns(20000);
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = fmt::format("c{}", i);
  RecordingWriter writer(file_, columns);
  const std::vector<double> values(columns.size(), -1.2345678901234567e-300);
  writer.Append(0, values);
  writer.Append(1, values);
  writer.Commit();
  const Recording recording = ReadRecording(file_);
  EXPECT_EQ(recording.rows(), 2);
  EXPECT_EQ(recording.columns, columns);
  EXPECT_EQ(recording.values.back()[1], values[0]);
}

TEST_F(RecordingFileTest, AMissingFileIsSaid) {
  try {
    ReadRecording("no/such.csv");
    FAIL() << "nothing was thrown";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "no/such.csv: there is no such file. Check the name and the folder.");
  }
}

TEST(RecordingFromArrays, IsTheOneThatAFileWouldGive) {
  const std::vector<double> t = {0, 0.1, 0.2}, x = {1, kNan, 3}, u = {-1, 0, 1e-300};
  const Recording read = ParseRecording("t,box.x,u\n0,1,-1\n0.1,,0\n0.2,3,1e-300\n", "f.csv");
  ExpectSame(Recording::FromColumns(t, {{"box.x", x}, {"u", u}}), read);

  Eigen::MatrixXd values(3, 2);
  values << x[0], u[0], x[1], u[1], x[2], u[2];
  ExpectSame(Recording::FromMatrix(t, {"box.x", "u"}, values), read);
  // A part of a larger matrix, and one by rows.
  Eigen::MatrixXd larger = Eigen::MatrixXd::Zero(5, 4);
  larger.block(1, 1, 3, 2) = values;
  ExpectSame(Recording::FromMatrix(t, {"box.x", "u"}, larger.block(1, 1, 3, 2)), read);
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by_rows = values;
  ExpectSame(Recording::FromMatrix(t, {"box.x", "u"}, by_rows), read);
}

TEST(RecordingFromArrays, ErrorsNameColumnAndRow) {
  const auto refusal = [](const std::vector<double>& t, const std::vector<RecordingColumn>& columns) {
    try {
      Recording::FromColumns(t, columns);
    } catch (const InputError& error) {
      EXPECT_EQ(error.where().line, 0);
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const std::vector<double> t = {0, 0.1, 0.2}, x = {1, 2, 3}, longer = {1, 2, 3, 4}, infinite = {1, 2, -INFINITY};
  EXPECT_EQ(refusal(t, {{"x", x}}), "accepted");
  EXPECT_EQ(refusal({}, {}), "t: the recording has no rows. Give at least one time.");
  EXPECT_EQ(refusal(t, {{"x", longer}}), "`x` has 4 values for 3 times. Give NaN where a value is missing.");
  EXPECT_EQ(refusal(t, {{"box.x", infinite}}),
            "box.x: row 2: infinite values are not measurements. Give NaN where a value is missing.");
  EXPECT_EQ(refusal({0, 0.1, 0.1}, {{"x", x}}),
            "t: row 2: 0.1 s is not later than 0.1 s in row 1. Times must increase strictly: sort the rows, and remove "
            "repeated ones.");
  EXPECT_TRUE(refusal({0, kNan, 0.1}, {{"x", x}}).starts_with("t: row 1: the time is missing."));
  EXPECT_TRUE(refusal({0, 0.1, INFINITY}, {{"x", x}}).starts_with("t: row 2: infinite values"));
  EXPECT_EQ(refusal(t, {{"x", x}, {"y", x}, {"x", x}}),
            "x: columns 0 and 2 have this name. Names must differ: rename or remove one.");
  EXPECT_TRUE(refusal(t, {{"box x", x}}).starts_with("box x: `box x` is not a column name."));
  EXPECT_EQ(refusal(t, {{"t", x}}), "t: the time is not a column. Give it as `time`.");
  EXPECT_THROW(Recording::FromMatrix(t, {"x"}, Eigen::MatrixXd::Zero(3, 2)), InputError);
  EXPECT_THROW(Recording::FromMatrix(t, {"x", "y"}, Eigen::MatrixXd::Zero(4, 2)), InputError);
}

}  // namespace
}  // namespace ricochet
