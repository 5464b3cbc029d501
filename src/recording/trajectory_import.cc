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

void CheckLater(const TextTable& table, std::size_t cell, const std::vector<double>& time, double t) {
  if (std::isnan(t)) table.Fail(cell, "time", "the time is missing.", "Give every row its time in seconds.");
  if (!time.empty() && !(t > time.back()))
    table.Fail(cell, "time",
               fmt::format("{} s is not later than {} s before.", FormatDouble(t), FormatDouble(time.back())),
               "Times must increase: one recording per file.");
}

}  // namespace

MocapTake ParseTrc(std::string_view text, const std::string& name_in_messages) {
  const char* const write = "Write the file again as TRC (PathFileType 4).";
  TextTable table(text, name_in_messages, '\t', write);
  MocapTake take;
  take.file = name_in_messages;
  take.format = "TRC";
  take.usual_up = 'y';
  take.up_reason = "the habit of TRC files; the file does not state it";
  table.Next();
  if (table.Cell(0) != "PathFileType")
    table.Fail(0, "PathFileType", fmt::format("the file begins with `{}`.", Printable(table.Cell(0))), write);
  if (!table.Next()) table.FailOnFile("DataRate", "the file ends before the keys.", write);
  const std::vector<TableCell> keys = table.cells();
  if (!table.Next()) table.FailOnFile("DataRate", "the file ends before the values of the keys.", write);
  double rate = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].text == "Units") take.unit = table.Cell(i);
    if (keys[i].text == "DataRate") {
      if (!ParseNumber(table.Cell(i), rate) || !(rate > 0))
        table.Fail(i, "DataRate", fmt::format("`{}` is no rate in Hz.", Printable(table.Cell(i))), write);
      take.rate = rate;
    }
  }
  if (!take.unit.empty() && MetresPer(take.unit) == 0)
    table.FailOnFile("Units", fmt::format("`{}` is no length unit.", Printable(take.unit)), "Write mm or m.");
  if (!table.Next() || table.Cell(0) != "Frame#")
    table.Fail(0, "Frame#", "the line of marker names is missing.", write);
  for (std::size_t i = 2; i < table.cells().size(); i += 3)
    if (!table.Cell(i).empty()) take.markers.push_back({table.Cell(i), {}});
  if (take.markers.empty()) table.Fail(0, "Frame#", "names no marker.", write);
  if (!table.Next()) table.FailOnFile("X1", "the file ends before the line of axes.", write);
  while (table.Next()) {
    if (table.IsEmpty()) continue;
    const double t = table.Number(1, "Time");
    CheckLater(table, 1, take.time, t);
    if (table.cells().size() > 2 + 3 * take.markers.size() && !table.Cell(2 + 3 * take.markers.size()).empty())
      table.Fail(2 + 3 * take.markers.size(), "",
                 fmt::format("the row has more than {} coordinates.", 3 * take.markers.size()), write);
    take.time.push_back(t);
    for (std::size_t m = 0; m < take.markers.size(); ++m) {
      Eigen::Vector3d p;
      for (std::size_t i = 0; i < 3; ++i) p[static_cast<int>(i)] = table.Number(2 + 3 * m + i, take.markers[m].name);
      if (p.isZero(0)) p.setConstant(std::numeric_limits<double>::quiet_NaN());
      take.markers[m].position.push_back(p);
    }
  }
  if (take.time.empty()) table.FailOnFile("", "has a header but no frames.", write);
  return take;
}

MocapTake ParseTum(std::string_view text, const std::string& name_in_messages) {
  const char* const write = "A line is: timestamp tx ty tz qx qy qz qw.";
  // The first line that is no comment tells what parts the numbers.
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
  take.up_reason = "the format's habit";
  take.notes.emplace_back("rotations: quaternions x, y, z, w in the file; lengths in metres by the format's rule");
  take.bodies.push_back({"body", {}, {}});
  while (table.Next()) {
    if (table.IsEmpty() || table.Cell(0).starts_with('#')) continue;
    if (table.cells().size() != 8)
      table.Fail(0, "", fmt::format("the line has {} numbers instead of 8.", table.cells().size()), write);
    double v[8];
    const char* const names[] = {"timestamp", "tx", "ty", "tz", "qx", "qy", "qz", "qw"};
    for (std::size_t i = 0; i < 8; ++i) v[i] = table.Number(i, names[i]);
    CheckLater(table, 0, take.time, v[0]);
    Quaternion<double> q(v[7], v[4], v[5], v[6]);
    if (q.allFinite() && !(std::abs(q.norm() - 1) < 0.02))
      table.Fail(4, "qx", fmt::format("the quaternion has the length {:.4g}, not 1.", q.norm()), write);
    take.time.push_back(v[0]);
    take.bodies[0].position.emplace_back(v[1], v[2], v[3]);
    take.bodies[0].rotation.push_back(q / q.norm());
  }
  if (take.time.empty()) table.FailOnFile("", "has no lines of numbers.", write);
  return take;
}

}  // namespace ricochet
