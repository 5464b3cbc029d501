// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/c3d_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>

#include "core/text.h"
#include "recording/text_table.h"

namespace ricochet {
namespace {

constexpr std::size_t kBlock = 512;
const char* const kAgain = "Export the trial again as C3D.";

enum class Processor { kIntel = 84, kDec = 85, kMips = 86 };

struct Parameter {
  int type = 0;  // -1 text, 1 byte, 2 integer, 4 float
  std::vector<std::size_t> dimensions;
  std::size_t data = 0, count = 0;  // offset of the values and their number
};

class C3dReader {
 public:
  C3dReader(std::string_view bytes, std::string name) : bytes_(bytes) {
    take_.file = std::move(name);
    take_.usual_up = 'z';
    take_.up_reason = "the convention of C3D; the file does not state it";
  }

  MocapTake Read() {
    ReadHeader();
    ReadParameters();
    ReadPoints();
    ReadRotations();
    if (take_.bodies.empty() && take_.markers.empty()) Fail(0, "POINT:USED", "has no points and no rotations.", kAgain);
    return std::move(take_);
  }

 private:
  [[noreturn]] void Fail(std::size_t offset, const std::string& field, const std::string& problem,
                         const std::string& remedy) const {
    throw InputError({take_.file, 0, 0}, fmt::format("{} (byte {})", field, offset), problem, remedy);
  }
  void Need(std::size_t offset, std::size_t size, const std::string& field) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset)
      Fail(offset, field, fmt::format("the file ends at byte {}.", bytes_.size()),
           "It is truncated: copy or export it again.");
  }

  std::uint8_t Byte(std::size_t at) const { return static_cast<std::uint8_t>(bytes_[at]); }
  std::uint16_t Word(std::size_t at) const {
    return processor_ == Processor::kMips ? static_cast<std::uint16_t>(Byte(at) << 8 | Byte(at + 1))
                                          : static_cast<std::uint16_t>(Byte(at + 1) << 8 | Byte(at));
  }
  double Float(std::size_t at) const {
    std::uint32_t bits = 0;
    if (processor_ == Processor::kMips) {
      bits = std::uint32_t{Word(at)} << 16 | Word(at + 2);
    } else if (processor_ == Processor::kDec) {
      bits = std::uint32_t{Word(at)} << 16 | Word(at + 2);  // DEC has the words the other way round
    } else {
      bits = std::uint32_t{Word(at + 2)} << 16 | Word(at);
    }
    const double value = std::bit_cast<float>(bits);
    return processor_ == Processor::kDec ? value / 4 : value;
  }

  void ReadHeader() {
    if (bytes_.empty()) Fail(0, "header", "the file is empty.", kAgain);
    // Some Vicon files begin with zero bytes.
    const std::size_t start = bytes_.find_first_not_of('\0');
    if (start == std::string_view::npos) Fail(0, "header", "the file contains only zeros.", kAgain);
    bytes_.remove_prefix(start);
    if (start > 0) take_.notes.push_back(fmt::format("{} zero bytes before the header skipped", start));
    Need(0, kBlock, "header");
    if (Byte(1) != 0x50)
      Fail(1, "header", fmt::format("the second byte is 0x{:02x}, not 0x50: this is not a C3D file.", Byte(1)),
           "Give a .c3d file.");
    parameters_ = kBlock * (std::size_t{Byte(0)} - 1);
    if (Byte(0) < 2) Fail(0, "header", fmt::format("block {} cannot hold the parameters.", Byte(0)), kAgain);
    Need(parameters_, 4, "parameters");
    const int processor = Byte(parameters_ + 3);
    if (processor < 84 || processor > 86)
      Fail(parameters_ + 3, "processor", fmt::format("{} is none of 84 (Intel), 85 (DEC), 86 (MIPS).", processor),
           kAgain);
    processor_ = static_cast<Processor>(processor);
    const char* const names[] = {"Intel", "DEC", "MIPS"};
    points_ = Word(2);
    analog_ = Word(4);
    first_frame_ = Word(6);
    last_frame_ = Word(8);
    scale_ = Float(12);
    data_block_ = Word(16);
    rate_ = Float(20);
    take_.format = fmt::format("C3D, {}", names[processor - 84]);
  }

  void ReadParameters() {
    const std::size_t blocks = std::max<std::size_t>(1, Byte(parameters_ + 2));
    const std::size_t end = std::min(bytes_.size(), parameters_ + blocks * kBlock);
    std::map<int, std::string> groups;
    std::vector<std::pair<int, std::pair<std::string, Parameter>>> found;
    std::size_t at = parameters_ + 4;
    while (at + 2 <= end) {
      const int length = std::abs(static_cast<std::int8_t>(Byte(at)));
      const int id = static_cast<std::int8_t>(Byte(at + 1));
      if (length == 0 || id == 0) break;
      Need(at + 2, static_cast<std::size_t>(length) + 2, "parameters");
      std::string name(bytes_.substr(at + 2, static_cast<std::size_t>(length)));
      std::transform(name.begin(), name.end(), name.begin(),
                     [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
      const std::size_t pointer = at + 2 + static_cast<std::size_t>(length);
      const std::size_t offset = Word(pointer);
      if (id < 0) {
        groups[-id] = name;
      } else {
        found.emplace_back(id, std::pair(name, ReadParameter(pointer + 2, name)));
      }
      if (offset == 0) break;
      if (offset < 2)
        Fail(pointer, Printable(name), fmt::format("the offset {} to the next parameter points back.", offset), kAgain);
      at = pointer + offset;
    }
    for (auto& [id, entry] : found)
      if (groups.contains(id)) table_[groups[id] + ":" + entry.first] = entry.second;
    if (table_.empty()) Fail(parameters_, "parameters", "no parameter is readable.", kAgain);
  }

  Parameter ReadParameter(std::size_t at, const std::string& name) const {
    Parameter parameter;
    Need(at, 2, Printable(name));
    parameter.type = static_cast<std::int8_t>(Byte(at));
    if (parameter.type != -1 && parameter.type != 1 && parameter.type != 2 && parameter.type != 4)
      Fail(at, Printable(name), fmt::format("the type {} is none of -1, 1, 2, 4.", parameter.type), kAgain);
    const std::size_t dimensions = Byte(at + 1);
    if (dimensions > 7)
      Fail(at + 1, Printable(name), fmt::format("has {} dimensions; 7 are the most.", dimensions), kAgain);
    Need(at + 2, dimensions, Printable(name));
    parameter.count = 1;
    for (std::size_t i = 0; i < dimensions; ++i) {
      parameter.dimensions.push_back(Byte(at + 2 + i));
      parameter.count *= parameter.dimensions.back();
      if (parameter.count > bytes_.size()) Fail(at + 2, Printable(name), "its dimensions exceed the file.", kAgain);
    }
    parameter.data = at + 2 + dimensions;
    Need(parameter.data, parameter.count * static_cast<std::size_t>(std::abs(parameter.type)), Printable(name));
    return parameter;
  }

  const Parameter* Find(const std::string& name) const {
    const auto found = table_.find(name);
    return found == table_.end() ? nullptr : &found->second;
  }
  std::optional<double> Value(const std::string& name, std::size_t index = 0) const {
    const Parameter* p = Find(name);
    if (p == nullptr || index >= p->count || p->type == -1) return std::nullopt;
    const std::size_t at = p->data + index * static_cast<std::size_t>(p->type);
    if (p->type == 1) return Byte(at);
    return p->type == 2 ? Word(at) : Float(at);
  }
  std::vector<std::string> Texts(const std::string& name) const {
    const Parameter* p = Find(name);
    std::vector<std::string> texts;
    if (p == nullptr || p->type != -1 || p->dimensions.empty() || p->dimensions[0] == 0) return texts;
    const std::size_t length = p->dimensions[0];
    for (std::size_t i = 0; i + length <= p->count; i += length) {
      std::string text(bytes_.substr(p->data + i, length));
      text.resize(text.find_last_not_of(std::string(" \0", 2)) + 1);
      texts.push_back(text);
    }
    return texts;
  }

  void ReadPoints() {
    if (const auto used = Value("POINT:USED")) points_ = static_cast<std::size_t>(*used);
    if (const auto scale = Value("POINT:SCALE")) scale_ = *scale;
    if (const auto rate = Value("POINT:RATE"); rate && *rate > 0) rate_ = *rate;
    if (const auto start = Value("POINT:DATA_START"); start && *start > 0)
      data_block_ = static_cast<std::size_t>(*start);
    if (!(rate_ > 0) || !std::isfinite(rate_))
      Fail(20, "POINT:RATE", fmt::format("{} is not a rate in Hz.", rate_), kAgain);
    if (!std::isfinite(scale_) || scale_ == 0)
      Fail(12, "POINT:SCALE", fmt::format("{} is not a scale.", scale_), kAgain);
    if (data_block_ < 2)
      Fail(16, "POINT:DATA_START", fmt::format("block {} cannot hold the data.", data_block_), kAgain);
    take_.rate = rate_;
    const bool floats = scale_ < 0;
    take_.format += floats ? ", floats" : ", integers";

    // Number of frames, from the first source that is not below the header's.
    const double in_header = static_cast<double>(last_frame_) - static_cast<double>(first_frame_) + 1;
    const auto words = [&](const char* name) -> std::optional<double> {
      const auto low = Value(name, 0), high = Value(name, 1);
      if (!low) return std::nullopt;
      return *low + 65536 * high.value_or(0);
    };
    std::optional<double> frames;
    const auto consider = [&](std::optional<double> value) {
      if (!frames && value && std::isfinite(*value) && *value >= in_header && *value >= 1) frames = value;
    };
    const auto actual_end = words("TRIAL:ACTUAL_END_FIELD");
    if (actual_end) consider(*actual_end - words("TRIAL:ACTUAL_START_FIELD").value_or(1) + 1);
    consider(Value("POINT:LONG_FRAMES"));
    consider(Value("POINT:FRAMES"));
    consider(in_header);
    if (!frames) Fail(6, "frames", fmt::format("frames {} to {} are not a range.", first_frame_, last_frame_), kAgain);

    const std::size_t word = floats ? 4 : 2, stride = word * (4 * points_ + analog_);
    const std::size_t data = kBlock * (data_block_ - 1);
    Need(data, 1, "data");
    if (stride > 0 && *frames > static_cast<double>((bytes_.size() - data) / stride)) {
      const std::size_t whole = (bytes_.size() - data) / stride;
      Fail(data, "data",
           fmt::format("{:.0f} frames of {} bytes are stated, but only {} are there.", *frames, stride, whole),
           "The file is truncated: copy or export it again.");
    }
    if (*frames > 1e9) Fail(6, "frames", fmt::format("{:.3g} frames are not possible.", *frames), kAgain);
    const auto count = static_cast<std::size_t>(*frames);
    if (points_ > 0) {
      for (std::size_t k = 0; k < count; ++k) take_.time.push_back(static_cast<double>(k) / rate_);
    }

    std::vector<std::string> labels = Texts("POINT:LABELS");
    for (const char* more : {"POINT:LABELS2", "POINT:LABELS3"})
      for (const std::string& label : Texts(more)) labels.push_back(label);
    const std::vector<std::string> units = Texts("POINT:UNITS");
    if (!units.empty()) take_.unit = units[0];
    const std::vector<std::string> screen = Texts("POINT:Y_SCREEN");
    if (!screen.empty() && screen[0].size() == 2 && screen[0][0] == '+' && screen[0][1] >= 'X' && screen[0][1] <= 'Z') {
      take_.usual_up = static_cast<char>(screen[0][1] | 0x20);
      take_.up_reason = "by POINT:Y_SCREEN";
    }
    int suspicious = 0;
    for (std::size_t p = 0; p < points_; ++p) {
      MocapMarker marker{p < labels.size() && !labels[p].empty() ? labels[p] : fmt::format("point{}", p + 1), {}};
      marker.position.reserve(count);
      for (std::size_t k = 0; k < count; ++k) {
        const std::size_t at = data + k * stride + 4 * word * p;
        Eigen::Vector3d position;
        double residual = 0;
        if (floats) {
          for (int i = 0; i < 3; ++i) position[i] = Float(at + 4 * static_cast<std::size_t>(i));
          residual = Float(at + 12);
        } else {
          for (int i = 0; i < 3; ++i)
            position[i] = scale_ * static_cast<std::int16_t>(Word(at + 2 * static_cast<std::size_t>(i)));
          residual = static_cast<std::int16_t>(Word(at + 6));
        }
        const bool at_zero = residual == 0 && position.isZero(0);
        suspicious += at_zero ? 1 : 0;
        if (!(residual >= 0) || !position.allFinite() || at_zero) position.setConstant(kMissing);
        marker.position.push_back(position);
      }
      take_.markers.push_back(std::move(marker));
    }
    if (suspicious > 0)
      take_.notes.push_back(fmt::format("{} samples at exactly 0, 0, 0 without residual taken as missing", suspicious));
    if (analog_ > 0) take_.notes.push_back("analog channels skipped");
    if (first_frame_ > 1) take_.notes.push_back(fmt::format("first frame: {} of the trial", first_frame_));
  }

  void ReadRotations() {
    const auto used = Value("ROTATION:USED"), start = Value("ROTATION:DATA_START");
    if (!used || !(*used > 0)) return;
    const auto bodies = static_cast<std::size_t>(*used);
    if (!start || *start < 2) Fail(0, "ROTATION:DATA_START", "is missing.", kAgain);
    const double ratio = Value("ROTATION:RATIO").value_or(1);
    if (ratio != 1) {
      take_.notes.push_back(fmt::format("warning: rotations at {} times the rate of the points skipped", ratio));
      return;
    }
    const std::size_t data = kBlock * (static_cast<std::size_t>(*start) - 1), stride = 17 * 4 * bodies;
    Need(data, 1, "ROTATION");
    if (take_.time.empty() || take_.time.size() > (bytes_.size() - data) / stride)
      Fail(data, "ROTATION", fmt::format("{} frames of {} bodies exceed the file.", take_.time.size(), bodies),
           "The file is truncated: copy or export it again.");
    const std::vector<std::string> labels = Texts("ROTATION:LABELS");
    for (std::size_t b = 0; b < bodies; ++b) {
      MocapBody body{b < labels.size() && !labels[b].empty() ? labels[b] : fmt::format("body{}", b + 1), {}, {}};
      for (std::size_t k = 0; k < take_.time.size(); ++k) {
        const std::size_t at = data + k * stride + 68 * b;
        Eigen::Matrix4d X;
        for (int i = 0; i < 16; ++i) X(i % 4, i / 4) = Float(at + 4 * static_cast<std::size_t>(i));
        const Eigen::Matrix3d R = X.topLeftCorner<3, 3>();
        bool seen = X.allFinite() && Float(at + 64) >= 0;
        if (seen && (R * R.transpose() - Eigen::Matrix3d::Identity()).norm() > 0.05)
          Fail(at, "ROTATION:" + Printable(body.name), fmt::format("frame {} holds no rotation.", k + 1), kAgain);
        seen = seen && R.determinant() > 0;
        body.position.push_back(seen ? Eigen::Vector3d(X.topRightCorner<3, 1>())
                                     : Eigen::Vector3d(Eigen::Vector3d::Constant(kMissing)));
        body.rotation.push_back(seen ? QuaternionFromMatrix<double>(R)
                                     : Quaternion<double>(Quaternion<double>::Constant(kMissing)));
      }
      take_.bodies.push_back(std::move(body));
    }
  }

  std::string_view bytes_;
  MocapTake take_;
  Processor processor_ = Processor::kIntel;
  std::map<std::string, Parameter> table_;
  std::size_t parameters_ = 0, points_ = 0, analog_ = 0, first_frame_ = 1, last_frame_ = 0, data_block_ = 0;
  double scale_ = -1, rate_ = 0;
};

}  // namespace

MocapTake ParseC3d(std::string_view bytes, const std::string& name_in_messages) {
  return C3dReader(bytes, name_in_messages).Read();
}

}  // namespace ricochet
