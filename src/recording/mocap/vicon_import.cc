// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/mocap/vicon_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>

#include "core/text.h"
#include "recording/conventions.h"
#include "recording/text_table.h"

namespace ricochet {
namespace {

const char* const kExportFromVicon = "Export the section again as ASCII (CSV) from Nexus or Tracker.";
const std::vector<std::string> kSections = {"Trajectories", "Segments",      "Objects",
                                            "Joints",       "Model Outputs", "Devices"};
constexpr std::string_view kTrack = "Reconstruction Position - ";  // before the name of a marker, in files of Shogun

enum class AngleKind { kNone, kQuaternion, kEuler, kHelical };

struct Block {
  std::string name;
  std::array<int, 4> rotation = {-1, -1, -1, -1};  // RX, RY, RZ, RW
  std::array<int, 3> position = {-1, -1, -1};
  AngleKind kind = AngleKind::kNone;
  double angle_unit = 1;  // radians per unit
};

bool Contains(const std::string& text, std::string_view word) {
  for (std::size_t i = 0; i + word.size() <= text.size(); ++i)
    if (EqualsIgnoringCase(std::string_view(text).substr(i, word.size()), word)) return true;
  return false;
}

/// "Global Angle (Quaternion) Box:Box" -> "Box".
std::string BodyName(const std::string& block) {
  std::string name = block;
  if (const std::size_t close = name.rfind(") "); close != std::string::npos) name = name.substr(close + 2);
  const std::size_t colon = name.find(':');
  if (colon != std::string::npos && name.substr(0, colon) == name.substr(colon + 1)) name = name.substr(0, colon);
  return name;
}

class ViconReader {
 public:
  ViconReader(std::string_view text, const std::string& name, const ImportOptions& options)
      : table_(text, name, ',', kExportFromVicon), options_(options) {
    take_.file = name;
    take_.format = "Vicon CSV";
    take_.usual_up = 'z';
    take_.up_reason = "the convention of Vicon; the file does not state it";
    CheckAngles(options.angles);
  }

  MocapTake Read() {
    std::optional<InputError> first_unknown;
    while (table_.Next()) {
      if (table_.IsEmpty()) continue;
      if (table_.Cell(0) == "Frame" && table_.Cell(1) == "Sub Frame" && table_.Cell(2).starts_with(kTrack)) {
        ReadTracks();
        continue;
      }
      const auto known = std::find_if(kSections.begin(), kSections.end(), [&](const std::string& section) {
        return EqualsIgnoringCase(section, table_.Cell(0));
      });
      if (known == kSections.end()) {
        // Old versions of Nexus write a few lines about the trial, and sections of other names.
        if (!first_unknown)
          first_unknown =
              InputError({table_.name(), table_.line(), table_.cells()[0].column}, "section",
                         fmt::format("`{}` is not a section of a Vicon file.", Printable(table_.Cell(0))),
                         "A section begins with Trajectories, Segments, Objects, Joints, Model Outputs or Devices.");
        const std::string name = Printable(table_.Cell(0));
        const bool more = SkipSection();
        if (more && !take_.time.empty()) take_.left_out.push_back(fmt::format("section {}", name));
        continue;
      }
      if (*known == "Trajectories" || *known == "Segments" || *known == "Objects") {
        ReadSection(*known);
      } else {
        take_.left_out.push_back(fmt::format("section {}", *known));
        SkipSection();
      }
    }
    if (derivatives_) take_.left_out.push_back("velocities and accelerations of markers");
    if (take_.bodies.empty() && take_.markers.empty()) {
      if (first_unknown) throw InputError(*first_unknown);
      table_.FailOnFile("", "has no Objects, Segments or Trajectories.", "Export one of these sections.");
    }
    return std::move(take_);
  }

 private:
  /// Goes behind the next empty line; false if there was nothing before it.
  bool SkipSection() {
    bool any = false;
    while (table_.Next() && !table_.IsEmpty()) any = true;
    return any;
  }

  void NextLine(const char* what) {
    if (!table_.Next())
      table_.FailOnFile(section_, fmt::format("the file ends before the {}.", what), kExportFromVicon);
  }

  void ReadSection(const std::string& section) {
    section_ = section;
    const bool markers = section == "Trajectories";
    NextLine("rate");
    double rate = 0;
    if (!ParseNumber(table_.Cell(0), rate) || !(rate > 0))
      table_.Fail(0, "rate", fmt::format("`{}` is not a rate in Hz.", Printable(table_.Cell(0))), kExportFromVicon);
    if (take_.rate && *take_.rate != rate)
      table_.Fail(
          0, "rate",
          fmt::format("{} Hz differs from {} Hz of the section before.", FormatDouble(rate), FormatDouble(*take_.rate)),
          "Export the sections to files of their own.");
    take_.rate = rate;

    NextLine("names");
    const std::vector<TableCell> names = table_.cells();
    NextLine("labels");
    const std::vector<TableCell> labels = table_.cells();
    // Old versions of Nexus number fields, have no sub frames, and leave the row of units out.
    const bool old = table_.Cell(0) == "Field #";
    if (!old && table_.Cell(0) != "Frame")
      table_.Fail(0, "Frame", fmt::format("`{}` stands where `Frame` should.", Printable(table_.Cell(0))),
                  kExportFromVicon);
    if (!old && table_.Cell(1) != "Sub Frame")
      table_.Fail(1, "Sub Frame", fmt::format("`{}` stands where `Sub Frame` should.", Printable(table_.Cell(1))),
                  kExportFromVicon);
    first_column_ = old ? 1 : 2;
    label_line_ = table_.line();
    NextLine(old ? "frames" : "units");
    double ignored = 0;
    const bool has_units = !ParseNumber(table_.Cell(0), ignored);
    if (!has_units && !(old && markers))
      table_.Fail(0, "units", "the row of units is missing.", "Add a row such as `,,mm,mm,mm` below the labels.");
    const std::vector<Block> blocks =
        ReadBlocks(names, labels, has_units ? table_.cells() : std::vector<TableCell>(), markers);
    if (!has_units) {
      take_.unit = "mm";
      take_.notes.push_back("unit: not in the file; old versions of Nexus write mm");
    }
    ReadFrames(section, blocks, labels.size(), markers, !has_units);
  }

  /// Markers as Shogun writes them: the names stand in the first line, and no rate.
  void ReadTracks() {
    section_ = "Frame";
    if (!(options_.rate > 0))
      table_.FailOnFile("rate", "the file has frame numbers, but neither times nor a frame rate.",
                        "Set option `rate` to the frames per second of the capture.");
    take_.rate = options_.rate;
    const std::vector<TableCell> names = table_.cells();
    NextLine("labels");
    std::vector<TableCell> labels = table_.cells();
    for (TableCell& label : labels)
      if (label.text.size() == 2 && label.text[0] == 'T') label.text.erase(0, 1);
    first_column_ = 2;
    label_line_ = table_.line();
    NextLine("units");
    ReadFrames("Frame", ReadBlocks(names, labels, table_.cells(), true), labels.size(), true, false);
  }

  /// The rows of a section; the first is the current line when `on_first`.
  void ReadFrames(const std::string& section, const std::vector<Block>& blocks, std::size_t columns, bool markers,
                  bool on_first) {
    const std::size_t first_body = take_.bodies.size(), first_marker = take_.markers.size();
    for (const Block& block : blocks) {
      if (markers) {
        const bool track = block.name.starts_with(kTrack);
        take_.markers.push_back({track ? block.name.substr(kTrack.size()) : block.name,
                                 {},
                                 !Contains(block.name, "unlabeled") && !block.name.starts_with("*")});
      } else {
        take_.bodies.push_back({BodyName(block.name), {}, {}});
      }
    }
    std::vector<double> time;
    while ((std::exchange(on_first, false) || table_.Next()) && !table_.IsEmpty()) {
      if (table_.cells().size() > columns && !table_.Cell(columns).empty())
        table_.Fail(columns, "",
                    fmt::format("the row has {} cells, but there are {} labels.", table_.cells().size(), columns),
                    "The decimal mark must be a point; export again.");
      table_.CountValues(columns);
      ReadClock(time);
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        Eigen::Vector3d position;
        for (std::size_t i = 0; i < 3; ++i)
          position[static_cast<int>(i)] =
              table_.Number(static_cast<std::size_t>(blocks[b].position[i]), blocks[b].name);
        if (markers) {
          take_.markers[first_marker + b].position.push_back(position);
          continue;
        }
        take_.bodies[first_body + b].position.push_back(position);
        take_.bodies[first_body + b].rotation.push_back(ReadRotation(blocks[b]));
      }
    }
    if (time.empty()) table_.FailOnFile(section, "the section has no frames.", kExportFromVicon);
    if (!take_.time.empty() && take_.time != time)
      table_.FailOnFile(section, "its frames differ from those of the section before.",
                        "Export the sections to files of their own.");
    take_.time = std::move(time);
    take_.notes.push_back(
        fmt::format("{}: {} {}, {} frames", section, blocks.size(), markers ? "markers" : "bodies", take_.time.size()));
  }

  /// Blocks of columns. Without a row of units (none at all), lengths are in the unit that the caller knows.
  std::vector<Block> ReadBlocks(const std::vector<TableCell>& names, const std::vector<TableCell>& labels,
                                const std::vector<TableCell>& units, bool markers) {
    std::vector<Block> blocks;
    for (std::size_t c = first_column_; c < labels.size(); ++c) {
      if (c < names.size() && !names[c].text.empty()) blocks.push_back({names[c].text});
      const std::string& label = labels[c].text;
      if (label.empty()) continue;
      if (blocks.empty())
        throw InputError({table_.name(), label_line_, labels[c].column}, label, "the column has no name above it.",
                         kExportFromVicon);
      Block& block = blocks.back();
      const auto fail = [&](const std::string& problem) {
        throw InputError({table_.name(), label_line_, labels[c].column}, block.name, problem, kExportFromVicon);
      };
      if (label.back() == '\'') {  // velocities and accelerations
        derivatives_ = true;
        continue;
      }
      int* target = nullptr;
      const std::string axes = "XYZW";
      const std::size_t which = axes.find(label.back());
      if (markers && label.size() == 1 && which < 3) target = &block.position[which];
      if (!markers && label.size() == 2 && label[0] == 'T' && which < 3) target = &block.position[which];
      if (!markers && label.size() == 2 && label[0] == 'R' && which != std::string::npos)
        target = &block.rotation[which];
      if (target == nullptr) fail(fmt::format("the label `{}` is not known.", Printable(label)));
      if (*target >= 0) fail(fmt::format("has two columns {}.", label));
      *target = static_cast<int>(c);
      if (units.empty()) continue;
      const std::string unit = c < units.size() ? units[c].text : "";
      if (target >= block.position.data() && target < block.position.data() + 3) {
        if (MetersPer(unit) == 0)
          table_.Fail(c, block.name, fmt::format("`{}` is not a length unit.", Printable(unit)),
                      "Write mm or m in the row of units.");
        if (!take_.unit.empty() && MetersPer(take_.unit) != MetersPer(unit))
          table_.Fail(c, block.name, fmt::format("is in {}, other columns are in {}.", unit, take_.unit),
                      kExportFromVicon);
        take_.unit = unit;
      } else if (EqualsIgnoringCase(unit, "deg")) {
        block.angle_unit = std::numbers::pi / 180;
      } else if (!unit.empty() && !EqualsIgnoringCase(unit, "rad")) {
        table_.Fail(c, block.name, fmt::format("`{}` is not an angle unit.", Printable(unit)),
                    "Write deg or rad, or nothing for quaternions.");
      }
    }
    if (blocks.empty()) table_.FailOnFile(section_, "no names stand above the labels.", kExportFromVicon);
    for (Block& block : blocks) {
      for (std::size_t i = 0; i < 3; ++i)
        if (block.position[i] < 0)
          table_.FailOnFile(block.name, fmt::format("the column {}{} is missing.", markers ? "" : "T", "XYZ"[i]),
                            kExportFromVicon);
      if (markers) continue;
      for (std::size_t i = 0; i < 3; ++i)
        if (block.rotation[i] < 0)
          table_.FailOnFile(block.name, fmt::format("the column R{} is missing.", "XYZ"[i]), kExportFromVicon);
      const bool euler = Contains(block.name, "euler"), helical = Contains(block.name, "helical");
      if (block.rotation[3] >= 0) {
        block.kind = AngleKind::kQuaternion;
      } else if (options_.angles == "helical" || (options_.angles.empty() && helical && !euler)) {
        block.kind = AngleKind::kHelical;
      } else if (!options_.angles.empty() || (euler && !helical)) {
        block.kind = AngleKind::kEuler;
      } else {
        table_.FailOnFile(block.name,
                          "three angles may be Euler angles or a rotation vector; the file does not state which.",
                          "Set option `angles` to helical or euler-xyz.");
      }
      const char* const kinds[] = {"", "quaternions x, y, z, w in the file", "Euler angles", "rotation vectors"};
      take_.notes.push_back(fmt::format("{}: {}{}", BodyName(block.name), kinds[static_cast<int>(block.kind)],
                                        block.kind == AngleKind::kEuler ? " " + Order() : ""));
    }
    return blocks;
  }

  std::string Order() const { return options_.angles.starts_with("euler-") ? options_.angles.substr(6) : "xyz"; }

  void ReadClock(std::vector<double>& time) {
    const double frame = table_.Number(0, "Frame"), sub = first_column_ == 1 ? 0 : table_.Number(1, "Sub Frame");
    if (std::isnan(frame) || frame != std::floor(frame))
      table_.Fail(0, "Frame", fmt::format("`{}` is not a frame number.", Printable(table_.Cell(0))), kExportFromVicon);
    if (sub != 0)
      table_.Fail(1, "Sub Frame", fmt::format("is `{}`; only devices have sub frames.", Printable(table_.Cell(1))),
                  kExportFromVicon);
    const double t = frame / *take_.rate;
    if (!time.empty() && !(t > time.back()))
      table_.Fail(0, "Frame", fmt::format("frame {} does not follow the one before.", frame),
                  "Frames must increase: one trial per file.");
    time.push_back(t);
  }

  Quaternion<double> ReadRotation(const Block& block) {
    Eigen::Vector4d r = Eigen::Vector4d::Zero();
    for (std::size_t i = 0; i < (block.kind == AngleKind::kQuaternion ? 4u : 3u); ++i)
      r[static_cast<int>(i)] = table_.Number(static_cast<std::size_t>(block.rotation[i]), block.name);
    if (!r.allFinite()) return Quaternion<double>::Constant(kMissing);
    const Eigen::Vector3d angles = r.head<3>() * block.angle_unit;
    if (block.kind == AngleKind::kHelical) return ExpSO3(angles);
    if (block.kind == AngleKind::kEuler) {
      const std::string order = Order();
      const Eigen::Vector3d ordered(angles[order[0] - 'x'], angles[order[1] - 'x'], angles[order[2] - 'x']);
      return FromEuler(order, ordered);
    }
    const double norm = r.stableNorm();
    if (!(std::abs(norm - 1) < 0.02))
      table_.Fail(static_cast<std::size_t>(block.rotation[0]), block.name,
                  fmt::format("the quaternion has length {:.4g}, not 1.", norm),
                  "Columns RX, RY, RZ, RW hold a unit quaternion.");
    r /= norm;
    return {r[3], r[0], r[1], r[2]};
  }

  TextTable table_;
  ImportOptions options_;
  MocapTake take_;
  std::string section_;
  std::size_t first_column_ = 2;
  int label_line_ = 0;
  bool derivatives_ = false;
};

}  // namespace

MocapTake ParseVicon(std::string_view text, const std::string& name_in_messages, const ImportOptions& options) {
  return ViconReader(text, name_in_messages, options).Read();
}

}  // namespace ricochet
