// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/mocap/c3d_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>

#include "core/byte_reader.h"
#include "core/text.h"

namespace ricochet {
namespace {

constexpr std::size_t kBlockBytes = 512, kRotationBytes = 17 * 4;
const char* const kAgain = "Export the trial again as C3D.";

enum class Processor { kIntel = 84, kDec = 85, kMips = 86 };

struct Parameter {
  int type = 0;  // -1 text, 1 byte, 2 integer, 4 float
  std::vector<std::size_t> dimensions;
  std::size_t data = 0, count = 0;  // offset of the values and their number
};

class C3dReader {
 public:
  C3dReader(std::string_view bytes, const std::string& name) : bytes_(bytes, name) {
    take_.file = name;
    take_.usual_up = 'z';
    take_.up_reason = "the convention of C3D; the file does not state it";
  }

  MocapTake Read() {
    ReadHeader();
    ReadParameters();
    ReadSizes();
    ReadPoints();
    ReadRotations();
    if (take_.bodies.empty() && take_.markers.empty()) Fail(0, "POINT:USED", "has no points and no rotations.", kAgain);
    return std::move(take_);
  }

 private:
  [[noreturn]] void Fail(std::size_t offset, const std::string& field, const std::string& problem,
                         const std::string& remedy) const {
    bytes_.Fail(offset, field, problem, remedy);
  }
  std::uint8_t Byte(std::size_t at) const { return bytes_.Byte(at); }
  std::uint16_t Word(std::size_t at) const {
    return static_cast<std::uint16_t>(processor_ == Processor::kMips ? bytes_.Big(at, 2) : bytes_.Little(at, 2));
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
    if (bytes_.size() == 0) Fail(0, "header", "the file is empty.", kAgain);
    // Some Vicon files begin with zero bytes.
    const std::size_t start = bytes_.Text(0, bytes_.size()).find_first_not_of('\0');
    if (start == std::string_view::npos) Fail(0, "header", "the file contains only zeros.", kAgain);
    bytes_.Skip(start);
    if (start > 0) take_.notes.push_back(fmt::format("{} zero bytes before the header skipped", start));
    bytes_.Need(0, kBlockBytes, "header");
    if (Byte(1) != 0x50)
      Fail(1, "header", fmt::format("the second byte is 0x{:02x}, not 0x50: this is not a C3D file.", Byte(1)),
           "Give a .c3d file.");
    parameters_ = kBlockBytes * (std::size_t{Byte(0)} - 1);
    if (Byte(0) < 2) Fail(0, "header", fmt::format("block {} cannot hold the parameters.", Byte(0)), kAgain);
    bytes_.Need(parameters_, 4, "parameters");
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
    samples_per_frame_ = Word(18);
    rate_ = Float(20);
    take_.format = fmt::format("C3D, {}", names[processor - 84]);
  }

  void ReadParameters() {
    const std::size_t blocks = std::max<std::size_t>(1, Byte(parameters_ + 2));
    const std::size_t end = std::min(bytes_.size(), parameters_ + blocks * kBlockBytes);
    std::map<int, std::string> groups;
    std::vector<std::pair<int, std::pair<std::string, Parameter>>> found;
    std::size_t at = parameters_ + 4;
    while (at + 2 <= end) {
      const int length = std::abs(static_cast<std::int8_t>(Byte(at)));
      const int id = static_cast<std::int8_t>(Byte(at + 1));
      if (length == 0 || id == 0) break;
      bytes_.Need(at + 2, static_cast<std::size_t>(length) + 2, "parameters");
      std::string name(bytes_.Text(at + 2, static_cast<std::size_t>(length)));
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
    bytes_.Need(at, 2, Printable(name));
    parameter.type = static_cast<std::int8_t>(Byte(at));
    if (parameter.type != -1 && parameter.type != 1 && parameter.type != 2 && parameter.type != 4)
      Fail(at, Printable(name), fmt::format("the type {} is none of -1, 1, 2, 4.", parameter.type), kAgain);
    const std::size_t dimensions = Byte(at + 1);
    if (dimensions > 7)
      Fail(at + 1, Printable(name), fmt::format("has {} dimensions; 7 are the most.", dimensions), kAgain);
    bytes_.Need(at + 2, dimensions, Printable(name));
    parameter.count = 1;
    for (std::size_t i = 0; i < dimensions; ++i) {
      parameter.dimensions.push_back(Byte(at + 2 + i));
      parameter.count *= parameter.dimensions.back();
      if (parameter.count > bytes_.size()) Fail(at + 2, Printable(name), "its dimensions exceed the file.", kAgain);
    }
    parameter.data = at + 2 + dimensions;
    bytes_.Need(parameter.data, parameter.count * static_cast<std::size_t>(std::abs(parameter.type)), Printable(name));
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
      std::string text(bytes_.Text(p->data + i, length));
      text.resize(text.find_last_not_of(std::string(" \0", 2)) + 1);
      texts.push_back(text);
    }
    return texts;
  }

  /// Texts of a list that goes on in NAME2, NAME3, ...
  std::vector<std::string> LongList(const std::string& name) const {
    std::vector<std::string> texts = Texts(name);
    for (int i = 2; i < 10; ++i)
      for (const std::string& text : Texts(fmt::format("{}{}", name, i))) texts.push_back(text);
    return texts;
  }

  void ReadSizes() {
    if (const auto used = Value("POINT:USED")) points_ = bytes_.Count(*used, 65535, parameters_, "POINT:USED");
    if (const auto scale = Value("POINT:SCALE")) scale_ = *scale;
    if (const auto rate = Value("POINT:RATE"); rate && *rate > 0) rate_ = *rate;
    if (const auto start = Value("POINT:DATA_START"); start && *start > 0)
      data_block_ = bytes_.Count(*start, 65535, parameters_, "POINT:DATA_START");
    if (!(rate_ > 0) || !std::isfinite(rate_))
      Fail(20, "POINT:RATE", fmt::format("{} is not a rate in Hz.", rate_), kAgain);
    if (!std::isfinite(scale_) || scale_ == 0)
      Fail(12, "POINT:SCALE", fmt::format("{} is not a scale.", scale_), kAgain);
    if (data_block_ < 2)
      Fail(16, "POINT:DATA_START", fmt::format("block {} cannot hold the data.", data_block_), kAgain);
    take_.rate = rate_;
    take_.format += scale_ < 0 ? ", floats" : ", integers";
    const std::vector<std::string> units = Texts("POINT:UNITS");
    if (!units.empty()) take_.unit = units[0];
    const std::vector<std::string> screen = Texts("POINT:Y_SCREEN");
    if (!screen.empty() && screen[0].size() == 2 && screen[0][0] == '+' && screen[0][1] >= 'X' && screen[0][1] <= 'Z') {
      take_.usual_up = static_cast<char>(screen[0][1] | 0x20);
      take_.up_reason = "by POINT:Y_SCREEN";
    }
  }

  /// Numbers of frames that the file states, the ones to prefer first. Those below the header's are mistakes.
  std::vector<double> StatedFrames() const {
    const double in_header = static_cast<double>(last_frame_) - static_cast<double>(first_frame_) + 1;
    std::vector<double> stated;
    const auto consider = [&](std::optional<double> value) {
      if (value && std::isfinite(*value) && *value >= in_header && *value >= 1 && *value < 1e9 &&
          *value == std::floor(*value))
        stated.push_back(*value);
    };
    const auto words = [&](const char* name) -> std::optional<double> {
      const auto low = Value(name, 0), high = Value(name, 1);
      if (!low) return std::nullopt;
      return *low + 65536 * high.value_or(0);
    };
    if (const auto end = words("TRIAL:ACTUAL_END_FIELD"))
      consider(*end - words("TRIAL:ACTUAL_START_FIELD").value_or(1) + 1);
    consider(Value("POINT:LONG_FRAMES"));
    consider(Value("POINT:FRAMES"));
    consider(in_header);
    if (stated.empty())
      Fail(6, "frames", fmt::format("frames {} to {} are not a range.", first_frame_, last_frame_), kAgain);
    return stated;
  }

  /// Frames of `stride` bytes from `data` on: the first stated number that the file holds; if it holds none of them but
  /// ends with a whole frame, those that are there.
  std::size_t CountFrames(const std::vector<double>& stated, std::size_t data, std::size_t stride,
                          const std::string& field) {
    const std::size_t there = (bytes_.size() - data) / stride;
    for (const double frames : stated) {
      if (frames > static_cast<double>(there)) continue;
      if (frames != stated[0])
        take_.warnings.push_back(
            fmt::format("{:.0f} frames are stated, but the file holds {:.0f}, as its header says", stated[0], frames));
      return static_cast<std::size_t>(frames);
    }
    if (there == 0 || (bytes_.size() - data) % stride != 0)
      Fail(data, field,
           fmt::format("{:.0f} frames of {} bytes are stated, but only {} are there.", stated[0], stride, there),
           "The file is truncated: copy or export it again.");
    take_.warnings.push_back(
        fmt::format("{:.0f} frames are stated, but the file holds {}: it may be truncated", stated[0], there));
    return there;
  }

  /// Analog samples of a frame: channels times samples per frame, as several parameters state them. The one that fills
  /// the file best is right.
  std::size_t AnalogSamples(double frames, std::size_t data, std::size_t word) const {
    std::vector<std::size_t> candidates;
    if (const auto used = Value("ANALOG:USED")) {
      const std::size_t channels = bytes_.Count(*used, 65535, parameters_, "ANALOG:USED");
      candidates.push_back(channels * samples_per_frame_);
      const double ratio = std::round(Value("ANALOG:RATE").value_or(0) / rate_);
      if (ratio >= 1 && ratio < 65536) candidates.push_back(channels * static_cast<std::size_t>(ratio));
    }
    candidates.push_back(analog_);
    std::size_t best = candidates.front();
    double least = std::numeric_limits<double>::infinity();
    const auto available = static_cast<double>(bytes_.size() - data);
    for (const std::size_t analog : candidates) {
      const double rest = available - frames * static_cast<double>(word) * static_cast<double>(4 * points_ + analog);
      if (rest >= 0 && rest < least) {
        best = analog;
        least = rest;
      }
    }
    return best;
  }

  /// Labels of points that are no places: angles, forces, moments, powers, by POINT:TYPE_GROUPS and the usual names.
  std::map<std::string, std::string> OtherQuantities() const {
    std::vector<std::string> groups = {"ANGLES", "FORCES", "MOMENTS", "POWERS", "SCALARS"};
    for (const std::string& group : Texts("POINT:TYPE_GROUPS")) groups.push_back(group);
    std::map<std::string, std::string> labels;
    for (const std::string& group : groups) {
      std::string low = group;
      for (char& c : low) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
      for (const std::string& label : LongList("POINT:" + group)) labels.emplace(label, low);
    }
    return labels;
  }

  void ReadPoints() {
    const bool floats = scale_ < 0;
    const std::size_t word = floats ? 4 : 2, data = kBlockBytes * (data_block_ - 1);
    if (points_ == 0) return;
    bytes_.Need(data, 1, "data");
    const std::vector<double> stated = StatedFrames();
    analog_ = AnalogSamples(stated[0], data, word);
    const std::size_t stride = word * (4 * points_ + analog_);
    const std::size_t count = CountFrames(stated, data, stride, "data");
    for (std::size_t k = 0; k < count; ++k) take_.time.push_back(static_cast<double>(k) / rate_);

    const std::vector<std::string> labels = LongList("POINT:LABELS");
    const std::map<std::string, std::string> others = OtherQuantities();
    std::map<std::string, int> left_out;
    long suspicious = 0;
    for (std::size_t p = 0; p < points_; ++p) {
      const std::string label = p < labels.size() ? labels[p] : "";
      if (const auto other = others.find(label); other != others.end() && !label.empty()) {
        ++left_out[other->second];
        continue;
      }
      MocapMarker marker{
          label.empty() ? fmt::format("point{}", p + 1) : label, {}, !label.empty() && !label.starts_with('*')};
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
    for (const auto& [kind, number] : left_out)
      take_.left_out.push_back(fmt::format("{} points that are {}", number, Printable(kind)));
    if (suspicious > 0)
      take_.notes.push_back(fmt::format("{} samples at exactly 0, 0, 0 without residual taken as missing", suspicious));
    if (analog_ > 0) take_.left_out.push_back("analog channels");
    if (first_frame_ > 1) take_.notes.push_back(fmt::format("first frame: {} of the trial", first_frame_));
  }

  /// Poses of bodies, at the rate of the points or a multiple of it. Without points they determine the times.
  void ReadRotations() {
    const auto used = Value("ROTATION:USED"), start = Value("ROTATION:DATA_START");
    if (!used || !(*used > 0)) return;
    const std::size_t bodies = bytes_.Count(*used, 65535, parameters_, "ROTATION:USED");
    if (!start || !(*start >= 2)) Fail(0, "ROTATION:DATA_START", "is missing.", kAgain);
    const std::size_t data = kBlockBytes * (bytes_.Count(*start, 65535, parameters_, "ROTATION:DATA_START") - 1);
    bytes_.Need(data, 1, "ROTATION");
    const double ratio = Value("ROTATION:RATIO").value_or(1);
    if (!(ratio >= 1) || ratio != std::floor(ratio) || ratio > 1000) {
      take_.left_out.push_back(fmt::format("rotations, at {:g} times the rate of the points", ratio));
      return;
    }
    const std::size_t every = take_.time.empty() ? 1 : static_cast<std::size_t>(ratio);
    const std::size_t stride = kRotationBytes * bodies;
    std::vector<double> stated = {static_cast<double>(take_.time.size()) * ratio};
    if (take_.time.empty()) {
      stated = StatedFrames();
      for (double& frames : stated) frames *= ratio;
      rate_ *= ratio;
      take_.rate = rate_;
    }
    const std::size_t count = CountFrames(stated, data, stride, "ROTATION");
    if (take_.time.empty())
      for (std::size_t k = 0; k < count; ++k) take_.time.push_back(static_cast<double>(k) / rate_);
    const std::vector<std::string> labels = LongList("ROTATION:LABELS");
    for (std::size_t b = 0; b < bodies; ++b) {
      std::string name = b < labels.size() && !labels[b].empty() ? labels[b] : fmt::format("body{}", b + 1);
      if (name.size() > 4 && EqualsIgnoringCase(std::string_view(name).substr(name.size() - 4), "_4X4"))
        name.resize(name.size() - 4);
      MocapBody body{name, {}, {}};
      for (std::size_t k = 0; k < take_.time.size(); ++k) {
        if (k * every >= count) {
          body.position.emplace_back(Eigen::Vector3d::Constant(kMissing));
          body.rotation.emplace_back(Quaternion<double>::Constant(kMissing));
          continue;
        }
        AddPose(data + k * every * stride + kRotationBytes * b, k, body);
      }
      take_.bodies.push_back(std::move(body));
    }
  }

  void AddPose(std::size_t at, std::size_t frame, MocapBody& body) const {
    Eigen::Matrix4d X;
    for (int i = 0; i < 16; ++i) X(i % 4, i / 4) = Float(at + 4 * static_cast<std::size_t>(i));
    const Eigen::Matrix3d R = X.topLeftCorner<3, 3>();
    bool seen = X.allFinite() && Float(at + 64) >= 0;
    if (seen && (R * R.transpose() - Eigen::Matrix3d::Identity()).norm() > 0.05)
      Fail(at, "ROTATION:" + Printable(body.name), fmt::format("frame {} holds no rotation.", frame + 1), kAgain);
    seen = seen && R.determinant() > 0;
    body.position.push_back(seen ? Eigen::Vector3d(X.topRightCorner<3, 1>())
                                 : Eigen::Vector3d(Eigen::Vector3d::Constant(kMissing)));
    body.rotation.push_back(seen ? QuaternionFromMatrix<double>(R)
                                 : Quaternion<double>(Quaternion<double>::Constant(kMissing)));
  }

  ByteReader bytes_;
  MocapTake take_;
  Processor processor_ = Processor::kIntel;
  std::map<std::string, Parameter> table_;
  std::size_t parameters_ = 0, points_ = 0, analog_ = 0, first_frame_ = 1, last_frame_ = 0, data_block_ = 0,
              samples_per_frame_ = 0;
  double scale_ = -1, rate_ = 0;
};

}  // namespace

MocapTake ParseC3d(std::string_view bytes, const std::string& name_in_messages) {
  return C3dReader(bytes, name_in_messages).Read();
}

}  // namespace ricochet
