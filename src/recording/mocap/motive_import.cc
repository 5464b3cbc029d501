// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/mocap/motive_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>
#include <tuple>

#include "core/text.h"
#include "recording/text_table.h"

namespace ricochet {
namespace {

const char* const kExportFromMotive = "Export the take again as CSV from Motive, with header information.";

/// Columns of one asset; -1: not there.
struct Group {
  std::string type, name;
  std::array<int, 4> rotation = {-1, -1, -1, -1};  // X, Y, Z, W
  std::array<int, 3> position = {-1, -1, -1};
  int quality = -1;
};

class MotiveReader {
 public:
  MotiveReader(std::string_view text, const std::string& name, const ImportOptions& options)
      : table_(text, name, ',',
               "Motive's .tak files are not readable outside Motive: export the take as CSV from there."),
        options_(options) {
    take_.file = name;
    take_.usual_up = 'y';
    take_.up_reason = "the convention of Motive; the file does not state it";
  }

  MocapTake Read() {
    table_.Next();
    while (table_.IsEmpty() && table_.Next()) {
    }
    double number = 0;
    if (ParseNumber(table_.Cell(0), number)) {
      ReadWithoutHeader();
    } else {
      ReadFirstRow();
      ReadColumns();
      while (table_.Next())
        if (!table_.IsEmpty()) ReadFrame();
    }
    if (take_.time.empty())
      table_.FailOnFile("", "has a header but no frames.", "Export the frames of the take, not the header alone.");
    FinishNotes();
    return std::move(take_);
  }

 private:
  void ReadFirstRow() {
    if (table_.Cell(0) != "Format Version")
      table_.Fail(0, "Format Version",
                  fmt::format("the file begins with `{}`, not with `Format Version`: this is not a Motive CSV.",
                              Printable(table_.Cell(0))),
                  "Leave out `motive`: `ricochet import` recognizes the format. Or export the take from Motive as CSV, "
                  "with header information.");
    // By name and not by place: a comma in the name of the take shifts what follows.
    std::map<std::string, std::size_t> keys;
    for (std::size_t i = 0; i + 1 < table_.cells().size(); ++i)
      if (!table_.Cell(i).empty()) keys.emplace(table_.Cell(i), i + 1);
    const auto text = [&](const char* key) { return keys.contains(key) ? table_.Cell(keys[key]) : std::string(); };
    // A rate, or none when the header does not have it.
    const auto rate = [&](const char* key) {
      double value = kMissing;
      if (text(key).empty()) return value;
      if (!ParseNumber(text(key), value) || !(value > 0))
        table_.Fail(keys[key], key, fmt::format("`{}` is not a frame rate.", Printable(text(key))), kExportFromMotive);
      return value;
    };
    const std::string version = table_.Cell(1);
    const std::size_t dot = version.find('.');
    double major = 0, minor = 0;
    if (!ParseNumber(version.substr(0, dot), major) ||
        (dot != std::string::npos && !ParseNumber(version.substr(dot + 1), minor)))
      table_.Fail(1, "Format Version", fmt::format("`{}` is not a version.", Printable(version)), kExportFromMotive);
    // 1.2 is followed by 1.21 ... 1.25: the digits after the point are read as decimals.
    double decimal = 0;
    ParseNumber(version, decimal);
    if (decimal < 1.2)
      table_.Fail(1, "Format Version",
                  fmt::format("the format {} is not supported; it differs from 1.2 and later.", Printable(version)),
                  "Open the take in a newer Motive and export it again.");
    take_.format = "Motive CSV " + version;
    if (decimal > 1.25)
      take_.warnings.push_back("this format is newer than 1.25, the newest one known; read by the same rules");
    if (!text("Take Name").empty()) take_.notes.push_back("take: " + Printable(text("Take Name"), 120));
    if (!text("Capture Start Time").empty())
      take_.notes.push_back("captured: " + Printable(text("Capture Start Time"), 60));
    const double captured = rate("Capture Frame Rate"), exported = rate("Export Frame Rate");
    if (!std::isnan(exported)) take_.rate = exported;
    if (!std::isnan(captured) && !std::isnan(exported) && std::abs(captured / exported - 1) > 1e-6)
      take_.warnings.push_back(
          fmt::format("captured at {:g} Hz but exported at {:g} Hz: resampled, which smears impacts. Export at {:g} Hz",
                      captured, exported, captured));
    take_.unit = text("Length Units");
    if (!take_.unit.empty() && MetersPer(take_.unit) == 0)
      table_.Fail(keys["Length Units"], "Length Units",
                  fmt::format("`{}` is not a known length unit.", Printable(take_.unit)),
                  "Export in meters, or set option `unit`.");
    rotation_type_ = text("Rotation Type");
    if (rotation_type_.empty()) table_.FailOnFile("Rotation Type", "the header does not state it.", kExportFromMotive);
    std::string letters = rotation_type_;
    std::transform(letters.begin(), letters.end(), letters.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    std::string sorted = letters;
    std::sort(sorted.begin(), sorted.end());
    if (sorted == "XYZ") {
      euler_ = letters;
      take_.notes.push_back("rotations: Euler angles " + letters + " in degrees");
    } else if (EqualsIgnoringCase(rotation_type_, "Quaternion")) {
      take_.notes.push_back("rotations: quaternions X, Y, Z, W in the file; w, x, y, z here");
    } else {
      table_.Fail(keys["Rotation Type"], "Rotation Type",
                  fmt::format("`{}` is neither Quaternion nor an order of XYZ.", Printable(rotation_type_)),
                  kExportFromMotive);
    }
    if (EqualsIgnoringCase(text("Coordinate Space"), "Local"))
      take_.warnings.push_back("bones are in local coordinates, relative to their parents; rigid bodies are not");
    double frames = 0;
    if (ParseNumber(text("Total Exported Frames"), frames)) stated_frames_ = frames;
  }

  void ReadColumns() {
    std::map<std::string, std::vector<TableCell>> rows;
    std::vector<std::vector<TableCell>> unnamed;  // format 1.21 leaves the second cell empty
    bool found = false;
    constexpr int kMostHeaderRows = 64;
    for (int i = 0; i < kMostHeaderRows && table_.Next(); ++i) {
      if (table_.Cell(0) == "Frame") {
        if (!table_.Cell(1).starts_with("Time"))
          table_.Fail(1, "Time (Seconds)", fmt::format("the cell after `Frame` is `{}`.", Printable(table_.Cell(1))),
                      kExportFromMotive);
        found = true;
        break;
      }
      if (table_.IsEmpty()) continue;
      if (table_.Cell(1).empty()) {
        unnamed.push_back(table_.cells());
      } else {
        rows[table_.Cell(1)] = table_.cells();
      }
    }
    if (!found) table_.FailOnFile("Frame", "the row `Frame,Time (Seconds),...` is missing.", kExportFromMotive);
    first_column_ = EqualsIgnoringCase(table_.Cell(2), "TimeCode") ? 3 : 2;
    columns_ = table_.cells().size();
    if (columns_ <= first_column_) FailWithoutColumns();
    if (!rows.contains("Type") && !rows.contains("Name") && unnamed.size() >= 3) {
      rows["Type"] = unnamed[0];
      rows["Name"] = unnamed[1];
      if (unnamed.size() > 3) rows["ID"] = unnamed[2];
    }
    for (const char* row : {"Type", "Name"})
      if (!rows.contains(row))
        table_.FailOnFile(row, fmt::format("the header row `,{},...` is missing.", row), kExportFromMotive);
    if (unnamed.empty())
      table_.FailOnFile("", "the row of components (Rotation, Position, ...) above `Frame,...` is missing.",
                        kExportFromMotive);
    const std::vector<TableCell>& component = unnamed.back();
    const auto cell = [](const std::vector<TableCell>& row, std::size_t i) {
      return i < row.size() ? row[i].text : std::string();
    };
    std::map<std::tuple<std::string, std::string, std::string>, std::size_t> index;
    for (std::size_t c = first_column_; c < columns_; ++c) {
      const std::string type = cell(rows["Type"], c), name = cell(rows["Name"], c), id = cell(rows["ID"], c);
      const std::string part = cell(component, c), axis = table_.Cell(c);
      if (type.empty() && name.empty() && part.empty() && axis.empty()) continue;
      if (type.empty()) table_.Fail(c, "Type", fmt::format("column {} has no type.", c + 1), kExportFromMotive);
      const auto [place, is_new] = index.emplace(std::tuple(type, name, id), groups_.size());
      if (is_new) groups_.push_back({type, name, {-1, -1, -1, -1}, {-1, -1, -1}, -1});
      // Markers may share their name; a new X begins another one.
      if (!is_new && type == "Marker" && part == "Position" && axis == "X" && groups_[place->second].position[0] >= 0) {
        place->second = groups_.size();
        groups_.push_back({type, name, {-1, -1, -1, -1}, {-1, -1, -1}, -1});
      }
      Group& group = groups_[place->second];
      const std::string axes = "XYZW";
      const std::size_t which = axis.size() == 1 ? axes.find(axis[0]) : std::string::npos;
      int* target = nullptr;
      if (part == "Rotation" && which != std::string::npos) target = &group.rotation[which];
      if (part == "Position" && which < 3) target = &group.position[which];
      if (part == "Mean Marker Error" || part == "Error Per Marker" || part == "Error" || part == "Marker Quality")
        target = &group.quality;
      if (target == nullptr) {
        others_.insert(fmt::format("columns `{} {}`", Printable(part), Printable(axis)));
        continue;
      }
      if (*target >= 0)
        table_.Fail(c, name, fmt::format("columns {} and {} are both {} {}.", *target + 1, c + 1, part, axis),
                    kExportFromMotive);
      *target = static_cast<int>(c);
    }
    for (const Group& group : groups_) AddGroup(group);
    if (take_.bodies.empty() && take_.markers.empty()) FailWithoutColumns();
  }

  [[noreturn]] void FailWithoutColumns() const {
    table_.FailOnFile("", "has no rigid body and no marker.",
                      "In Motive 3 the exporter omits rigid bodies unless they are selected: select Rigid Bodies.");
  }

  void AddGroup(const Group& group) {
    const std::string field = group.name.empty() ? group.type : group.name;
    if (group.type == "Rigid Body" || group.type == "Bone") {
      const std::size_t angles = euler_.empty() ? 4 : 3;
      for (std::size_t i = 0; i < angles; ++i)
        if (group.rotation[i] < 0)
          table_.Fail(0, field, fmt::format("the column Rotation {} is missing.", "XYZW"[i]), kExportFromMotive);
      if (!euler_.empty() && group.rotation[3] >= 0)
        table_.Fail(0, field, "has a column Rotation W, but the rotation type is Euler angles.", kExportFromMotive);
      for (std::size_t i = 0; i < 3; ++i)
        if (group.position[i] < 0)
          table_.Fail(0, field, fmt::format("the column Position {} is missing.", "XYZ"[i]), kExportFromMotive);
      take_.bodies.push_back({group.name, {}, {}});
      body_groups_.push_back(group);
      errors_.emplace_back();
    } else if (group.type == "Marker") {
      if (group.position[0] < 0 || group.position[1] < 0 || group.position[2] < 0) return;
      take_.markers.push_back({group.name, {}, !group.name.empty() && !group.name.starts_with("Unlabeled")});
      marker_groups_.push_back(group);
    } else if (group.type != "Rigid Body Marker" && group.type != "Bone Marker") {
      others_.insert(fmt::format("columns of the type `{}`", Printable(group.type)));
    }
  }

  void ReadClock() {
    const double frame = table_.Number(0, "Frame"), time = table_.Number(1, "Time (Seconds)");
    if (std::isnan(frame) || frame != std::floor(frame))
      table_.Fail(0, "Frame", fmt::format("`{}` is not a frame number.", Printable(table_.Cell(0))), kExportFromMotive);
    if (std::isnan(time)) table_.Fail(1, "Time (Seconds)", "the time is missing.", kExportFromMotive);
    if (!take_.time.empty() && !(time > take_.time.back()))
      table_.Fail(
          1, "Time (Seconds)",
          fmt::format("{} s is not later than {} s before.", FormatDouble(time), FormatDouble(take_.time.back())),
          "Times must increase: one take per file, and no repeated frames.");
    if (!take_.time.empty() && !(frame > last_frame_))
      table_.Fail(0, "Frame", fmt::format("frame {} does not follow frame {}.", frame, last_frame_),
                  "Frames must increase: one take per file.");
    last_frame_ = frame;
    take_.time.push_back(time);
  }

  void AddPose(std::size_t body, const Eigen::Vector3d& position, const Quaternion<double>& rotation,
               std::size_t column) {
    Quaternion<double> q = rotation;
    if (q.allFinite()) {
      const double norm = q.stableNorm();
      if (!(std::abs(norm - 1) < 0.02))
        table_.Fail(column, take_.bodies[body].name, fmt::format("the quaternion has length {:.4g}, not 1.", norm),
                    "Check the rotation type and the columns Rotation X, Y, Z, W.");
      q /= norm;
    }
    take_.bodies[body].position.push_back(position);
    take_.bodies[body].rotation.push_back(q);
  }

  void ReadFrame() {
    if (table_.cells().size() > columns_ && !table_.Cell(columns_).empty())
      table_.Fail(columns_, "",
                  fmt::format("the row has {} cells, but the header has {}.", table_.cells().size(), columns_),
                  "The decimal mark must be a point; export again.");
    table_.CountValues(columns_);
    ReadClock();
    const auto number = [&](int column, const std::string& field) {
      return table_.Number(static_cast<std::size_t>(column), field);
    };
    for (std::size_t b = 0; b < body_groups_.size(); ++b) {
      const Group& group = body_groups_[b];
      Eigen::Vector3d position;
      Quaternion<double> q;
      for (std::size_t i = 0; i < 3; ++i) position[static_cast<int>(i)] = number(group.position[i], group.name);
      if (euler_.empty()) {
        for (std::size_t i = 0; i < 4; ++i) q[static_cast<int>((i + 1) % 4)] = number(group.rotation[i], group.name);
      } else {
        // Angles are labeled by their axes; the order says which is applied first.
        Eigen::Vector3d angles;
        for (std::size_t i = 0; i < 3; ++i)
          angles[static_cast<int>(i)] =
              number(group.rotation[static_cast<std::size_t>(euler_[i] - 'X')], group.name) * std::numbers::pi / 180;
        if (angles.allFinite()) {
          q = FromEuler(euler_, angles);
        } else {
          q.setConstant(kMissing);
        }
      }
      AddPose(b, position, q, static_cast<std::size_t>(group.rotation[0]));
      if (group.quality >= 0) {
        const double error = number(group.quality, group.name);
        if (!std::isnan(error)) errors_[b].push_back(error);
      }
    }
    for (std::size_t m = 0; m < marker_groups_.size(); ++m) {
      Eigen::Vector3d position;
      for (std::size_t i = 0; i < 3; ++i)
        position[static_cast<int>(i)] = number(marker_groups_[m].position[i], marker_groups_[m].name);
      take_.markers[m].position.push_back(position);
    }
  }

  void ReadWithoutHeader() {
    take_.format = "Motive CSV without header";
    if (options_.columns.empty())
      table_.Fail(0, "header", "the file begins with a number: it was exported without header.",
                  "Export it with header, or name the columns after frame and time: set option `columns` to "
                  "qx,qy,qz,qw,x,y,z and option `unit` to m.");
    std::map<std::string, std::size_t> at;
    std::size_t column = 2;
    for (std::size_t begin = 0; begin <= options_.columns.size(); ++column) {
      const std::size_t end = std::min(options_.columns.find(',', begin), options_.columns.size());
      const std::string name = options_.columns.substr(begin, end - begin);
      const std::vector<std::string> known = {"qx", "qy", "qz", "qw", "x", "y", "z", "-"};
      if (std::find(known.begin(), known.end(), name) == known.end())
        throw InputError({}, "columns", fmt::format("`{}` is not known.", Printable(name)),
                         "Use qx, qy, qz, qw, x, y, z or -.");
      if (name != "-" && !at.emplace(name, column).second)
        throw InputError({}, "columns", fmt::format("`{}` is named twice.", name), "Name each column once.");
      begin = end + 1;
    }
    for (const char* name : {"qx", "qy", "qz", "qw", "x", "y", "z"})
      if (!at.contains(name))
        throw InputError({}, "columns", fmt::format("`{}` is missing.", name), "A pose needs qx, qy, qz, qw, x, y, z.");
    take_.notes.push_back("columns: as stated");
    take_.bodies.push_back({"body", {}, {}});
    errors_.emplace_back();
    do {
      if (table_.IsEmpty()) continue;
      if (table_.cells().size() < column)
        table_.Fail(table_.cells().size() - 1, "columns",
                    fmt::format("the row has {} cells, but frame, time and {} columns are named.",
                                table_.cells().size(), column - 2),
                    "Name as many columns as the file has.");
      ReadClock();
      const auto number = [&](const char* name) { return table_.Number(at[name], name); };
      AddPose(0, {number("x"), number("y"), number("z")}, {number("qw"), number("qx"), number("qy"), number("qz")},
              at["qx"]);
    } while (table_.Next());
  }

  void FinishNotes() {
    if (stated_frames_ > 0 && stated_frames_ != static_cast<double>(take_.time.size()))
      take_.warnings.push_back(fmt::format("the header states {:.0f} frames, the file has {}: it may be truncated",
                                           stated_frames_, take_.time.size()));
    for (const std::string& columns : others_) take_.left_out.push_back(columns + ", which have no meaning here");
    for (std::size_t b = 0; b < errors_.size(); ++b) {
      if (errors_[b].empty()) continue;
      std::nth_element(errors_[b].begin(), errors_[b].begin() + static_cast<std::ptrdiff_t>(errors_[b].size() / 2),
                       errors_[b].end());
      const double median = errors_[b][errors_[b].size() / 2];
      const auto large = std::count_if(errors_[b].begin(), errors_[b].end(), [&](double e) { return e > 5 * median; });
      take_.notes.push_back(fmt::format("{}: marker error {:.3g} {} in the median, above five times that in {} frames",
                                        take_.bodies[b].name, median, take_.unit, large));
    }
    if (!take_.bodies.empty())
      take_.notes.push_back(
          "poses are those of the asset's pivot point, not of the center of mass: set option `pivot` if they differ");
  }

  TextTable table_;
  ImportOptions options_;
  MocapTake take_;
  std::string rotation_type_, euler_;
  std::vector<Group> groups_, body_groups_, marker_groups_;
  std::vector<std::vector<double>> errors_;
  std::set<std::string> others_;
  std::size_t first_column_ = 2, columns_ = 0;
  double last_frame_ = 0, stated_frames_ = 0;
};

}  // namespace

MocapTake ParseMotive(std::string_view text, const std::string& name_in_messages, const ImportOptions& options) {
  return MotiveReader(text, name_in_messages, options).Read();
}

}  // namespace ricochet
