// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/file_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/text.h"
#include "recording/column_names.h"
#include "recording/text_table.h"

namespace ricochet {
namespace {

constexpr std::string_view kHdf5 = "\x89HDF\r\n\x1a\n";
const char* const kKinds =
    "Ricochet imports Motive, Vicon and trajectory text (TUM, EuRoC, KITTI), C3D, TRC, tables, NumPy, MATLAB, URDF and "
    "HDF5 archives. Export the recording in one of these formats.";

[[noreturn]] void Refuse(const std::string& file, const std::string& problem, const std::string& remedy) {
  throw InputError({file, 0, 0}, "", problem, remedy);
}

bool IsC3d(std::string_view bytes) {
  const std::size_t start = bytes.find_first_not_of('\0');
  if (start == std::string_view::npos) return false;
  bytes.remove_prefix(start);
  if (bytes.size() < 512 || bytes[1] != 0x50) return false;
  const std::size_t parameters = 512 * (static_cast<std::size_t>(static_cast<unsigned char>(bytes[0])) - 1);
  return bytes[0] != 1 && parameters + 4 <= bytes.size() && bytes[parameters + 3] >= 84 && bytes[parameters + 3] <= 86;
}

/// Files of programs whose content is not read, by the bytes that they begin with.
void RefuseForeign(std::string_view content, const std::string& name) {
  const struct {
    std::size_t at;
    std::string_view bytes;
    const char *problem, *remedy;
  } kForeign[] = {
      {0, "#ROSBAG", "is a ROS bag.", "Write its topic as a table first: rostopic echo -b FILE -p /TOPIC > topic.csv."},
      {0, "\x89MCAP", "is an MCAP file of ROS 2.", "Write its topic as a table (CSV) first."},
      {0, "SQLite format 3", "is an SQLite database, as of ROS 2 bags.", "Write its topic as a table (CSV) first."},
      {0, "%PDF", "is a PDF document.", kKinds},
      {0, "\x89PNG", "is an image.", kKinds},
      {0, "\xFF\xD8\xFF", "is an image.", kKinds},
      {4, "ftyp", "is a video.", "Track the body in it first, and give the table of positions (CSV)."},
      {0, "RIFF", "is a video or an audio file.", "Track the body in it first, and give the table of positions (CSV)."},
      {0, "\xD0\xCF\x11\xE0", "is an Excel workbook.", "Save it as CSV."},
      {0, "\x1F\x8B", "is compressed (gzip).", "Decompress it first: gunzip FILE."},
      {0, "HIERARCHY", "is a BVH file of a skeleton.", kKinds}};
  for (const auto& [at, bytes, problem, remedy] : kForeign)
    if (content.size() > at && content.substr(at).starts_with(bytes)) Refuse(name, problem, remedy);
  if (!content.starts_with("PK\x03\x04")) return;
  if (content.substr(0, 4096).find("xl/") != std::string_view::npos ||
      content.substr(0, 4096).find("[Content_Types].xml") != std::string_view::npos)
    Refuse(name, "is an Excel workbook.", "Save it as CSV.");
  if (content.find(".npy") == std::string_view::npos) Refuse(name, "is a ZIP archive.", "Unpack it first: unzip FILE.");
}

/// Whether the first line that is no comment is that of a scene.
bool IsScene(std::string_view text) {
  while (text.starts_with('#')) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text.starts_with("ricochet:");
}

/// The first lines of a text with their cells; blanks and tabs part them unless there are commas.
struct Head {
  std::vector<std::vector<std::string>> lines;  // neither empty nor comments
  std::vector<std::string> comment;             // the last one before the numbers
};

Head ReadHead(std::string_view text) {
  constexpr std::size_t kMostLines = 24;
  Head head;
  for (std::size_t i = 0; i < 64 && head.lines.size() < kMostLines && !text.empty(); ++i) {
    const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size()));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const bool commas = line.find(',') != std::string_view::npos;
    std::vector<std::string> cells;
    std::string cell;
    for (const char c : line) {
      if (commas ? c == ',' : IsBlank(c)) {
        if (commas || !cell.empty()) cells.push_back(std::exchange(cell, ""));
      } else if (c != '\r' && c != '"' && !(commas && c == ' ' && cell.empty())) {
        cell += c;
      }
    }
    if (commas || !cell.empty()) cells.push_back(cell);
    if (std::all_of(cells.begin(), cells.end(), [](const std::string& c) { return c.empty(); })) continue;
    if (cells[0].starts_with('#')) {
      if (head.lines.empty()) head.comment = cells;
    } else {
      head.lines.push_back(cells);
    }
  }
  return head;
}

bool IsVicon(const Head& head) {
  if (head.lines[0].size() > 2 && head.lines[0][0] == "Frame" && head.lines[0][1] == "Sub Frame") return true;
  for (std::size_t i = 0; i + 1 < head.lines.size(); ++i) {
    double rate = 0;
    for (const char* section : {"Trajectories", "Segments", "Objects", "Joints", "Model Outputs", "Devices"})
      if (EqualsIgnoringCase(head.lines[i][0], section) && ParseNumber(head.lines[i + 1][0], rate)) return true;
  }
  return false;
}

/// Numbers of a line, as far as all of its cells are numbers.
std::vector<double> Numbers(const std::vector<std::string>& cells) {
  std::vector<double> numbers;
  for (const std::string& cell : cells) {
    double value = 0;
    if (!ParseNumber(cell, value)) return {};
    numbers.push_back(value);
  }
  return numbers;
}

/// A pose per line: names that say so, or numbers that can be no other.
bool IsTrajectory(const Head& head) {
  const auto names_pose = [](const std::vector<std::string>& names) {
    std::array<int, 8> times{};
    const std::array<const char*, 8> pose = {"t", "x", "y", "z", "qw", "qx", "qy", "qz"};
    for (const std::string& name : names)
      for (std::size_t i = 0; i < pose.size(); ++i) times[i] += GuessColumn(name).quantity == pose[i] ? 1 : 0;
    return std::all_of(times.begin(), times.end(), [](int n) { return n >= 1; });
  };
  if (names_pose(head.comment)) return true;
  if (head.lines.size() < 2) return !head.lines.empty() && Numbers(head.lines[0]).size() == 8;
  for (std::size_t i = 0; i < head.lines.size(); ++i) {
    const std::vector<double> v = Numbers(head.lines[i]);
    if (v.size() == 12) {
      for (int row = 0; row < 3; ++row)
        if (!(std::abs(std::hypot(v[static_cast<std::size_t>(4 * row)], v[static_cast<std::size_t>(4 * row + 1)],
                                  v[static_cast<std::size_t>(4 * row + 2)]) -
                       1) < 0.02))
          return false;
      continue;
    }
    if (v.size() < 8 || !(std::abs(std::hypot(std::hypot(v[4], v[5]), std::hypot(v[6], v[7])) - 1) < 0.02))
      return false;
    if (v.size() > 8 && v[0] < 1e11) return false;  // EuRoC counts nanoseconds
  }
  return true;
}

}  // namespace

bool IsMatlabFile(std::string_view bytes) {
  if (bytes.size() < 128) return false;
  const std::string_view version = bytes.substr(124, 4);
  return version == std::string_view("\x00\x01IM", 4) || version == std::string_view("\x01\x00MI", 4) ||
         version == std::string_view("\x00\x02IM", 4);
}

ImportFormat RecognizeContent(std::string_view content, const std::string& name_in_messages) {
  if (content.empty()) Refuse(name_in_messages, "is empty.", "Give a file with a recording.");
  RefuseForeign(content, name_in_messages);
  if (content.starts_with(kHdf5)) return ImportFormat::kIam;
  if (content.starts_with("\x93NUMPY") || content.starts_with("PK\x03\x04")) return ImportFormat::kNumpy;
  if (IsMatlabFile(content)) return ImportFormat::kMatlab;
  if (IsC3d(content)) return ImportFormat::kC3d;
  if (content.starts_with("MATLAB ") && content.substr(0, 128).find("MAT-file") != std::string_view::npos)
    Refuse(name_in_messages,
           content.size() < 128 ? fmt::format("begins like a MATLAB file, but ends after {} bytes.", content.size())
                                : std::string("begins like a MATLAB file, but its header is damaged."),
           "Copy or save the file again: save('FILE.mat', '-v7').");
  if (content.starts_with("\xFF\xFE") || content.starts_with("\xFE\xFF"))
    Refuse(name_in_messages, "this is UTF-16 text.", "Save or export it as UTF-8.");
  if (content.substr(0, 4096).find('\0') != std::string_view::npos)
    Refuse(name_in_messages, "is binary, and its format is not known.", kKinds);
  if (content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
  const std::size_t begin = content.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) Refuse(name_in_messages, "is empty.", "Give a file with a recording.");
  content.remove_prefix(begin);
  if (content.starts_with('{') || content.starts_with('[')) {
    if (content.find("\"parameters\"") != std::string_view::npos ||
        content.find("\"verdict\"") != std::string_view::npos)
      Refuse(name_in_messages, "is a result of Ricochet, not a recording.",
             "Give the recording (CSV). `ricochet report` shows results.");
    Refuse(name_in_messages, "is JSON.", kKinds);
  }
  if (content.starts_with('<')) {
    if (content.find("<robot") != std::string_view::npos) return ImportFormat::kUrdf;
    Refuse(name_in_messages, "is XML, but not a robot description (URDF).", kKinds);
  }
  if (content.starts_with("Format Version")) return ImportFormat::kMotive;
  if (content.starts_with("PathFileType")) return ImportFormat::kTrc;
  if (IsScene(content))
    Refuse(name_in_messages, "is a scene, not a recording.",
           "Give a recording (CSV) here; the scene has an argument of its own, as in `ricochet identify SCENE "
           "RECORDING`.");
  const Head head = ReadHead(content);
  if (!head.lines.empty() && IsVicon(head)) return ImportFormat::kVicon;
  if (!head.lines.empty() && IsTrajectory(head)) return ImportFormat::kTum;
  return ImportFormat::kCsv;
}

std::string AdviceOnOtherFile(std::string_view content, const std::string& file) {
  switch (RecognizeContent(content, file)) {
    case ImportFormat::kMotive:
      return "is a Motive take";
    case ImportFormat::kVicon:
      return "is a Vicon export";
    case ImportFormat::kC3d:
      return "is a C3D file";
    case ImportFormat::kTrc:
      return "is a TRC file";
    case ImportFormat::kTum:
      return "is a trajectory without the names of a recording";
    case ImportFormat::kNumpy:
      return "is a NumPy file";
    case ImportFormat::kMatlab:
      return "is a MATLAB file";
    case ImportFormat::kIam:
      return "is an HDF5 archive";
    case ImportFormat::kUrdf:
      return "is a robot description";
    case ImportFormat::kCsv:
    case ImportFormat::kRecognize:
      break;
  }
  return "";
}

}  // namespace ricochet
