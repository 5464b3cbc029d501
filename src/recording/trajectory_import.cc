// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/trajectory_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.h"
#include "recording/text_table.h"

namespace ricochet {
namespace {

constexpr double kClock = 0.02;      // by which clocks and stated rates differ
constexpr double kDigits = 2e-3;     // [s]; times are often written with few digits
constexpr double kLongestGap = 1e4;  // [s] between two lines; more is another unit

void CheckLater(const TextTable& table, std::size_t cell, const std::vector<double>& time, double t) {
  if (std::isnan(t)) table.Fail(cell, "time", "the time is missing.", "Give every row its time in seconds.");
  if (!time.empty() && !(t > time.back()))
    table.Fail(cell, "time",
               fmt::format("{} s is not later than {} s before.", FormatDouble(t), FormatDouble(time.back())),
               "Times must increase: one recording per file.");
}

/// A part of a row that must be there as a whole or not at all.
template <class Vector>
void CheckWhole(const TextTable& table, std::size_t cell, const std::string& field, const Vector& values,
                const char* remedy) {
  const auto there = static_cast<int>(values.array().isFinite().count());
  if (there > 0 && there < values.size())
    table.Fail(cell, field, fmt::format("{} of {} numbers are there.", there, values.size()), remedy);
}

/// The header of a TRC file, line by line.
class TrcHeader {
 public:
  TrcHeader(TextTable& table, const char* write) : table_(table), write_(write) {}

  void Read(MocapTake& take) {
    table_.Next();
    if (table_.Cell(0) != "PathFileType")
      table_.Fail(0, "PathFileType", fmt::format("the file begins with `{}`.", Printable(table_.Cell(0))), write_);
    if (table_.Cell(1) != "4")
      table_.Fail(1, "PathFileType", fmt::format("`{}` is not the kind 4.", Printable(table_.Cell(1))), write_);
    if (table_.Cell(2) != "(X/Y/Z)")
      table_.Fail(2, "PathFileType", fmt::format("the order of axes is `{}`.", Printable(table_.Cell(2))),
                  "Write it again with (X/Y/Z).");
    ReadKeys(take);
    ReadMarkers(take);
    ReadAxes(take);
  }

  double frames() const { return frames_; }  // as stated; 0: not

 private:
  void ReadKeys(MocapTake& take) {
    if (!table_.Next()) table_.FailOnFile("DataRate", "the file ends before the keys.", write_);
    const std::vector<TableCell> keys = table_.cells();
    if (!table_.Next()) table_.FailOnFile("DataRate", "the file ends before the values of the keys.", write_);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (keys[i].text == "Units") take.unit = table_.Cell(i);
      if (keys[i].text == "DataRate") take.rate = Positive(i, "DataRate", "not a rate in Hz");
      if (keys[i].text == "NumFrames") frames_ = Count(i, "NumFrames");
      if (keys[i].text == "NumMarkers") markers_ = Count(i, "NumMarkers");
    }
    if (!take.rate) table_.FailOnFile("DataRate", "the key is missing.", write_);
    if (!take.unit.empty() && MetersPer(take.unit) == 0)
      table_.FailOnFile("Units", fmt::format("`{}` is not a length unit.", Printable(take.unit)), "Write mm or m.");
  }

  void ReadMarkers(MocapTake& take) {
    if (!table_.Next() || table_.Cell(0) != "Frame#")
      table_.Fail(0, "Frame#", "the line of marker names is missing.", write_);
    if (table_.Cell(1) != "Time")
      table_.Fail(1, "Time", fmt::format("`{}` stands where Time belongs.", Printable(table_.Cell(1))), write_);
    for (std::size_t i = 2; i < table_.cells().size(); ++i) {
      const std::string& name = table_.Cell(i);
      if (name.empty()) continue;
      if (i % 3 != 2 || take.markers.size() != (i - 2) / 3)
        table_.Fail(i, "Frame#", fmt::format("`{}` does not stand above an X.", Printable(name)),
                    "A name is followed by two empty cells.");
      for (const MocapMarker& other : take.markers)
        if (other.name == name)
          table_.Fail(i, "Frame#", fmt::format("there are two markers `{}`.", Printable(name)), "Rename one.");
      take.markers.push_back({name, {}});
    }
    if (take.markers.empty()) table_.Fail(0, "Frame#", "names no marker.", write_);
    if (markers_ > 0 && markers_ != static_cast<double>(take.markers.size()))
      table_.Fail(0, "Frame#", fmt::format("names {} markers, and NumMarkers is {}.", take.markers.size(), markers_),
                  write_);
  }

  void ReadAxes(const MocapTake& take) {
    if (!table_.Next()) table_.FailOnFile("X1", "the file ends before the line of axes.", write_);
    for (std::size_t i = 0; i < 3 * take.markers.size(); ++i) {
      const std::string expected = fmt::format("{}{}", "XYZ"[i % 3], i / 3 + 1);
      const std::string& found = table_.Cell(2 + i);
      if (found != expected)
        table_.Fail(2 + i, expected,
                    found.empty() ? "it is missing." : fmt::format("`{}` stands in its place.", Printable(found)),
                    write_);
    }
  }

  double Positive(std::size_t cell, const char* key, const char* problem) {
    double value = 0;
    if (!ParseNumber(table_.Cell(cell), value) || !(value > 0))
      table_.Fail(cell, key, fmt::format("`{}` is {}.", Printable(table_.Cell(cell)), problem), write_);
    return value;
  }
  double Count(std::size_t cell, const char* key) {
    const double value = Positive(cell, key, "not a count");
    if (value != std::floor(value))
      table_.Fail(cell, key, fmt::format("`{}` is not whole.", Printable(table_.Cell(cell))), write_);
    return value;
  }

  TextTable& table_;
  const char* write_;
  double frames_ = 0, markers_ = 0;
};

}  // namespace

MocapTake ParseTrc(std::string_view text, const std::string& name_in_messages) {
  const char* const write = "Write the file again as TRC (PathFileType 4).";
  TextTable table(text, name_in_messages, '\t', write);
  MocapTake take;
  take.file = name_in_messages;
  take.format = "TRC";
  take.usual_up = 'y';
  take.up_reason = "the convention of TRC; the file does not state it";
  TrcHeader header(table, write);
  header.Read(take);
  double first_frame = 0, last_frame = 0;
  while (table.Next()) {
    if (table.IsEmpty()) continue;
    double frame = 0;
    if (!ParseNumber(table.Cell(0), frame))
      table.Fail(0, "Frame#", fmt::format("`{}` is not a frame number.", Printable(table.Cell(0))), write);
    if (!take.time.empty() && !(frame > last_frame))
      table.Fail(0, "Frame#", fmt::format("frame {:g} comes after frame {:g}.", frame, last_frame), write);
    const double t = table.Number(1, "Time");
    CheckLater(table, 1, take.time, t);
    if (take.time.empty()) first_frame = frame;
    // What the frames' numbers say, up to times of few digits.
    if (const double by_rate = (frame - first_frame) / *take.rate;
        !take.time.empty() && std::abs(t - take.time[0] - by_rate) > kClock * by_rate + kDigits)
      table.Fail(1, "Time",
                 fmt::format("frames {:g} to {:g} last {:.4g} s, and {:g} Hz makes that {:.4g} s.", first_frame, frame,
                             t - take.time[0], *take.rate, by_rate),
                 "Times are in seconds; correct them or DataRate.");
    last_frame = frame;
    if (table.cells().size() > 2 + 3 * take.markers.size() && !table.Cell(2 + 3 * take.markers.size()).empty())
      table.Fail(2 + 3 * take.markers.size(), "",
                 fmt::format("the row has more than {} coordinates.", 3 * take.markers.size()), write);
    take.time.push_back(t);
    for (std::size_t m = 0; m < take.markers.size(); ++m) {
      Eigen::Vector3d p;
      for (std::size_t i = 0; i < 3; ++i) p[static_cast<int>(i)] = table.Number(2 + 3 * m + i, take.markers[m].name);
      CheckWhole(table, 2 + 3 * m, take.markers[m].name, p,
                 "Leave all three cells of a marker that is not seen empty.");
      if (p.isZero(0)) p.setConstant(std::numeric_limits<double>::quiet_NaN());
      take.markers[m].position.push_back(p);
    }
  }
  if (take.time.empty()) table.FailOnFile("", "has a header but no frames.", write);
  if (header.frames() > 0 && header.frames() != static_cast<double>(take.time.size()))
    table.FailOnFile("NumFrames", fmt::format("is {:g}, and the file has {}.", header.frames(), take.time.size()),
                     "Copy the file again if it is truncated, or correct the count.");
  return take;
}

MocapTake ParseTum(std::string_view text, const std::string& name_in_messages) {
  const char* const write = "A line is: timestamp tx ty tz qx qy qz qw.";
  // The first line that is not a comment determines the separator.
  std::size_t line = 0;
  while (line < text.size() && (text[line] == '#' || text[line] == '\n' || text[line] == '\r'))
    line = std::min(text.find('\n', line), text.size() - 1) + 1;
  const bool commas = text.substr(line, text.find('\n', line) - line).find(',') != std::string_view::npos;
  TextTable table(text, name_in_messages, commas ? ',' : ' ', write);
  MocapTake take;
  take.file = name_in_messages;
  take.format = "TUM trajectory";
  take.unit = "m";
  take.usual_up = 'z';
  take.up_reason = "the convention of the format";
  take.notes.emplace_back("rotations: quaternions x, y, z, w in the file; lengths in meters, as the format requires");
  take.bodies.push_back({"body", {}, {}});
  while (table.Next()) {
    if (table.IsEmpty() || table.Cell(0).starts_with('#')) continue;
    if (table.cells().size() != 8)
      table.Fail(0, "", fmt::format("the line has {} numbers instead of 8.", table.cells().size()), write);
    double v[8];
    const char* const names[] = {"timestamp", "tx", "ty", "tz", "qx", "qy", "qz", "qw"};
    for (std::size_t i = 0; i < 8; ++i) v[i] = table.Number(i, names[i]);
    CheckLater(table, 0, take.time, v[0]);
    if (!take.time.empty() && v[0] - take.time.back() > kLongestGap)
      table.Fail(0, "timestamp", fmt::format("it is {:.4g} s later than the line before.", v[0] - take.time.back()),
                 "Timestamps are in seconds, not in nanoseconds.");
    Quaternion<double> q(v[7], v[4], v[5], v[6]);
    const char* const whole = "Write nan in all of them where the body is not seen.";
    CheckWhole(table, 1, "tx, ty, tz", Eigen::Vector3d(v[1], v[2], v[3]), whole);
    CheckWhole(table, 4, "qx, qy, qz, qw", q, whole);
    if (q.allFinite() && !(std::abs(q.norm() - 1) < 0.02))
      table.Fail(4, "qx", fmt::format("the quaternion has length {:.4g}, not 1.", q.norm()), write);
    take.time.push_back(v[0]);
    take.bodies[0].position.emplace_back(v[1], v[2], v[3]);
    take.bodies[0].rotation.push_back(q / q.norm());
  }
  if (take.time.empty()) table.FailOnFile("", "has no lines of numbers.", write);
  return take;
}

}  // namespace ricochet
