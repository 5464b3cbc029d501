// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/mocap/trc_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "recording/mocap/row_checks.h"
#include "recording/text_table.h"

namespace ricochet {
namespace {

const char* const kWrite = "Write the file again as TRC (PathFileType 4).";
constexpr double kDigits = 2e-3;  // [s]; times are often written with few digits

char SeparatorOf(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  if (line.find('\t') != std::string_view::npos) return '\t';
  return line.find(',') != std::string_view::npos ? ',' : ' ';
}

class TrcReader {
 public:
  TrcReader(std::string_view text, const std::string& name) : table_(text, name, SeparatorOf(text), kWrite) {
    take_.file = name;
    take_.format = "TRC";
    take_.usual_up = 'y';
    take_.up_reason = "the convention of TRC; the file does not state it";
  }

  MocapTake Read() {
    ReadKind();
    ReadKeys();
    ReadMarkers();
    while (table_.Next())
      if (!table_.IsEmpty()) ReadFrame();
    if (take_.time.empty()) table_.FailOnFile("", "has a header but no frames.", kWrite);
    if (frames_ > 0 && frames_ != static_cast<double>(take_.time.size()))
      take_.warnings.push_back(fmt::format("NumFrames is {:g}, but the file has {} frames: it may be truncated",
                                           frames_, take_.time.size()));
    for (MocapMarker& marker : take_.markers)
      marker.position.resize(take_.time.size(), Eigen::Vector3d::Constant(kMissing));
    return std::move(take_);
  }

 private:
  /// The words of the first line stand in cells of their own or share them.
  void ReadKind() {
    table_.Next();
    std::vector<std::pair<std::string, std::size_t>> words;  // with their cell
    for (std::size_t i = 0; i < table_.cells().size() && words.size() < 3; ++i) {
      std::string_view rest = table_.Cell(i);
      while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        if (end > 0) words.emplace_back(rest.substr(0, end), i);
        rest.remove_prefix(std::min(rest.size(), end + 1));
      }
    }
    words.resize(std::max<std::size_t>(words.size(), 3));
    if (words[0].first != "PathFileType")
      table_.Fail(0, "PathFileType", fmt::format("the file begins with `{}`.", Printable(words[0].first)), kWrite);
    if (words[1].first != "4")
      table_.Fail(words[1].second, "PathFileType", fmt::format("`{}` is not the kind 4.", Printable(words[1].first)),
                  kWrite);
    if (words[2].first != "(X/Y/Z)")
      table_.Fail(words[2].second, "PathFileType", fmt::format("the order of axes is `{}`.", Printable(words[2].first)),
                  "Write it again with (X/Y/Z).");
  }

  /// Cells that are not empty.
  std::vector<std::size_t> Filled() const {
    std::vector<std::size_t> cells;
    for (std::size_t i = 0; i < table_.cells().size(); ++i)
      if (!table_.Cell(i).empty()) cells.push_back(i);
    return cells;
  }

  void ReadKeys() {
    if (!table_.Next()) table_.FailOnFile("DataRate", "the file ends before the keys.", kWrite);
    const std::vector<TableCell> keys = table_.cells();
    const std::vector<std::size_t> filled_keys = Filled();
    if (!table_.Next()) table_.FailOnFile("DataRate", "the file ends before the values of the keys.", kWrite);
    // As many values as keys belong together in their order, whatever stands between them.
    const std::vector<std::size_t> filled = Filled();
    for (std::size_t k = 0; k < filled_keys.size(); ++k) {
      const std::string& key = keys[filled_keys[k]].text;
      const std::size_t cell = filled.size() == filled_keys.size() ? filled[k] : filled_keys[k];
      if (key == "Units") take_.unit = table_.Cell(cell);
      if (key == "DataRate") {
        take_.rate = Number(cell, "DataRate", "not a rate in Hz");
        if (!(*take_.rate > 0)) FailOn(cell, "DataRate", "not a rate in Hz");
      }
      if (key == "NumFrames") frames_ = Count(cell, "NumFrames");
      if (key == "NumMarkers") stated_markers_ = Count(cell, "NumMarkers");
    }
    if (!take_.rate) table_.FailOnFile("DataRate", "the key is missing.", kWrite);
    if (!take_.unit.empty() && MetersPer(take_.unit) == 0)
      table_.FailOnFile("Units", fmt::format("`{}` is not a length unit.", Printable(take_.unit)), "Write mm or m.");
  }

  void ReadMarkers() {
    if (!table_.Next() || table_.Cell(0) != "Frame#")
      table_.Fail(0, "Frame#", "the line of marker names is missing.", kWrite);
    if (table_.Cell(1) != "Time")
      table_.Fail(1, "Time", fmt::format("`{}` stands where Time belongs.", Printable(table_.Cell(1))), kWrite);
    for (std::size_t i = 2; i < table_.cells().size(); ++i) {
      const std::string& name = table_.Cell(i);
      if (name.empty()) continue;
      if (i % 3 != 2 || take_.markers.size() != (i - 2) / 3)
        table_.Fail(i, "Frame#", fmt::format("`{}` does not stand above an X.", Printable(name)),
                    "A name is followed by two empty cells.");
      for (const MocapMarker& other : take_.markers)
        if (other.name == name)
          table_.Fail(i, "Frame#", fmt::format("there are two markers `{}`.", Printable(name)), "Rename one.");
      take_.markers.push_back({name, {}});
    }
    if (take_.markers.empty() && stated_markers_ > 0) table_.Fail(0, "Frame#", "names no marker.", kWrite);
    if (stated_markers_ > 0 && stated_markers_ != static_cast<double>(take_.markers.size()))
      take_.warnings.push_back(
          fmt::format("NumMarkers is {:g}, but the file names {}", stated_markers_, take_.markers.size()));
    if (!table_.Next()) table_.FailOnFile("X1", "the file ends before the line of axes.", kWrite);
    for (std::size_t i = 0; i < 3 * take_.markers.size(); ++i) {
      const std::string expected = fmt::format("{}{}", "XYZ"[i % 3], i / 3 + 1);
      const std::string& found = table_.Cell(2 + i);
      if (found != expected)
        table_.Fail(2 + i, expected,
                    found.empty() ? "it is missing." : fmt::format("`{}` stands in its place.", Printable(found)),
                    kWrite);
    }
    named_ = take_.markers.size();
  }

  void ReadFrame() {
    double frame = 0;
    if (!ParseNumber(table_.Cell(0), frame))
      table_.Fail(0, "Frame#", fmt::format("`{}` is not a frame number.", Printable(table_.Cell(0))), kWrite);
    if (!take_.time.empty() && !(frame > last_frame_))
      table_.Fail(0, "Frame#", fmt::format("frame {:g} comes after frame {:g}.", frame, last_frame_), kWrite);
    const double t = table_.Number(1, "Time");
    CheckLater(table_, 1, take_.time, t);
    if (take_.time.empty()) first_frame_ = frame;
    // What the frames' numbers say, up to times of few digits.
    if (const double by_rate = (frame - first_frame_) / *take_.rate;
        !take_.time.empty() && t - take_.time[0] > 100 * by_rate + kDigits)
      table_.Fail(1, "Time",
                  fmt::format("frames {:g} to {:g} last {:.4g} s, and {:g} Hz makes that {:.4g} s.", first_frame_,
                              frame, t - take_.time[0], *take_.rate, by_rate),
                  "Times are in seconds; correct them or DataRate.");
    last_frame_ = frame;
    const std::size_t row = take_.time.size();
    take_.time.push_back(t);
    std::size_t markers = take_.markers.size();
    for (std::size_t i = table_.cells().size(); i > 2 + 3 * markers; --i)
      if (!table_.Cell(i - 1).empty()) markers = (i - 2 + 2) / 3;
    table_.CountValues(3 * (markers - take_.markers.size()) * row);
    while (take_.markers.size() < markers)
      take_.markers.push_back({fmt::format("Unlabeled {}", take_.markers.size() - named_ + 1), {}, false});
    table_.CountValues(3 * markers);
    for (std::size_t m = 0; m < markers; ++m) {
      Eigen::Vector3d p;
      for (std::size_t i = 0; i < 3; ++i) p[static_cast<int>(i)] = table_.Number(2 + 3 * m + i, take_.markers[m].name);
      CheckWhole(table_, 2 + 3 * m, take_.markers[m].name, p,
                 "Leave all three cells of a marker that is not seen empty.");
      if (p.isZero(0)) p.setConstant(kMissing);
      take_.markers[m].position.resize(row, Eigen::Vector3d::Constant(kMissing));
      take_.markers[m].position.push_back(p);
    }
  }

  [[noreturn]] void FailOn(std::size_t cell, const char* key, const char* problem) const {
    table_.Fail(cell, key, fmt::format("`{}` is {}.", Printable(table_.Cell(cell)), problem), kWrite);
  }
  double Number(std::size_t cell, const char* key, const char* problem) const {
    double value = 0;
    if (!ParseNumber(table_.Cell(cell), value)) FailOn(cell, key, problem);
    return value;
  }
  double Count(std::size_t cell, const char* key) const {
    const double value = Number(cell, key, "not a count");
    if (!(value >= 0)) FailOn(cell, key, "not a count");
    if (value != std::floor(value)) FailOn(cell, key, "not whole");
    return value;
  }

  TextTable table_;
  MocapTake take_;
  double frames_ = 0, stated_markers_ = 0;  // as stated; 0: not
  double first_frame_ = 0, last_frame_ = 0;
  std::size_t named_ = 0;  // markers with a name
};

}  // namespace

MocapTake ParseTrc(std::string_view text, const std::string& name_in_messages) {
  return TrcReader(text, name_in_messages).Read();
}

}  // namespace ricochet
