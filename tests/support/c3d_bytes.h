// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// C3D files written to the documented layout: three markers of a box that slides along x.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace ricochet::testing {

struct C3dSpec {
  int processor = 84;  // 84 Intel, 85 DEC, 86 MIPS
  bool floats = true;
  int frames = 6;
  int analog = 0;  // samples per frame
  std::string unit = "mm  ";
  std::string y_screen{};
  bool rate_parameter = true;
  bool rotation = false;
  bool more_labels = false;  // the last marker's name is in LABELS2
  int header_frames = -1;    // last frame by the header; -1: as there are
  std::string long_count{};  // where the true number is: LONG_FRAMES, ACTUAL_END_FIELD; else FRAMES
  int points = 3;            // 0: rotations only
  int stated_frames = -1;    // POINT:FRAMES; -1: as there are
  int channels = 0;          // ANALOG:USED; `analog` is then its multiple by `ratio`, and the header has `channels`
  int ratio = 1;
  std::vector<std::string> labels = {"Box:A", "Box:B", "Box:C"};
  std::string angle{};                          // label of a point that is an angle
  double rate = 100;                            // [Hz]
  std::vector<std::array<double, 3>> places{};  // of all points, frame by frame [mm]; empty: points that slide along x
};

class C3dBytes {
 public:
  explicit C3dBytes(const C3dSpec& spec) : spec_(spec) {
    const int points = spec.points;
    Parameters(points);
    std::string header(512, '\0');
    bytes_ = header;
    bytes_[0] = 2;
    bytes_[1] = 0x50;
    Put(2, points);
    Put(4, spec.channels > 0 ? spec.channels : spec.analog);
    Put(6, 1);
    Put(8, spec.header_frames < 0 ? spec.frames : spec.header_frames);
    PutFloat(12, Scale());
    Put(16, data_block_);
    Put(18, spec.ratio);
    PutFloat(20, spec.rate);
    bytes_ += parameters_;
    for (int k = 0; k < spec.frames; ++k) {
      for (int p = 0; p < points; ++p) {
        if (!spec.places.empty()) {
          for (const double x : spec.places[static_cast<std::size_t>(k * points + p)]) Sample(x);
          Sample(0);
          continue;
        }
        Sample(10.0 * k + (p == 1 ? 100 : 0));
        Sample(p == 2 ? 50 : 0);
        Sample(200);
        Sample(k == 2 && p == 0 ? -1 : 0);
      }
      for (int i = 0; i < spec.analog; ++i) Sample(7);
    }
    bytes_.resize((bytes_.size() + 511) / 512 * 512);
    if (!spec.rotation) return;
    for (int k = 0; k < spec.frames; ++k) {
      const double X[17] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 10.0 * k, 20, 30, 1, k == 2 ? -1.0 : 0.0};
      for (const double x : X) AppendFloat(x);
    }
  }
  const std::string& bytes() const { return bytes_; }

 private:
  double Scale() const { return spec_.floats ? -0.5 : 0.5; }
  std::string WordText(int value) const {
    const auto w = static_cast<std::uint16_t>(value);
    const char low = static_cast<char>(w & 255), high = static_cast<char>(w >> 8);
    return spec_.processor == 86 ? std::string{high, low} : std::string{low, high};
  }
  std::string FloatText(double value) const {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(spec_.processor == 85 ? 4 * value : value));
    const std::string high = WordText(static_cast<int>(bits >> 16)), low = WordText(static_cast<int>(bits & 0xFFFF));
    return spec_.processor == 84 ? low + high : high + low;
  }
  void Put(std::size_t at, int value) { bytes_.replace(at, 2, WordText(value)); }
  void PutFloat(std::size_t at, double value) { bytes_.replace(at, 4, FloatText(value)); }
  void AppendFloat(double value) { bytes_ += FloatText(value); }
  void Sample(double value) {
    bytes_ += spec_.floats ? FloatText(value) : WordText(static_cast<int>(value < 0 ? value : value / 0.5));
  }

  void Record(int id, const std::string& name, const std::string& content) {
    parameters_ += static_cast<char>(name.size());
    parameters_ += static_cast<char>(id);
    parameters_ += name + WordText(static_cast<int>(content.size()) + 3) + content + '\0';
  }
  void Text(const std::string& name, int length, const std::vector<std::string>& texts) {
    std::string content = {'\xFF', 2, static_cast<char>(length), static_cast<char>(texts.size())};
    for (std::string text : texts) {
      text.resize(static_cast<std::size_t>(length), ' ');
      content += text;
    }
    Record(1, name, content);
  }
  void Parameters(int points) {
    parameters_ = std::string{1, 0x50, 2, static_cast<char>(spec_.processor)};
    Record(-1, "POINT", "");
    Record(1, "USED", std::string{2, 0} + WordText(points));
    Record(1, "SCALE", std::string{4, 0} + FloatText(Scale()));
    if (spec_.rate_parameter) Record(1, "RATE", std::string{4, 0} + FloatText(spec_.rate));
    data_block_ = 4;
    Record(1, "DATA_START", std::string{2, 0} + WordText(data_block_));
    Record(1, "FRAMES",
           std::string{2, 0} + WordText(spec_.stated_frames >= 0   ? spec_.stated_frames
                                        : spec_.long_count.empty() ? spec_.frames
                                                                   : spec_.header_frames));
    if (spec_.long_count == "LONG_FRAMES") Record(1, "LONG_FRAMES", std::string{4, 0} + FloatText(spec_.frames));
    if (spec_.long_count == "ACTUAL_END_FIELD") {
      Record(-3, "TRIAL", "");
      Record(3, "ACTUAL_START_FIELD", std::string{2, 1, 2} + WordText(1) + WordText(0));
      Record(3, "ACTUAL_END_FIELD", std::string{2, 1, 2} + WordText(spec_.frames) + WordText(0));
    }
    if (spec_.more_labels) {
      Text("LABELS", 6, {"Box:A", "Box:B"});
      Text("LABELS2", 6, {"Box:C"});
    } else {
      Text("LABELS", 6, spec_.labels);
    }
    if (!spec_.angle.empty()) {
      Text("TYPE_GROUPS", 8, {"ANGLES", "ANGLE"});
      Text("ANGLES", 8, {spec_.angle});
    }
    if (spec_.channels > 0) {
      Record(-4, "ANALOG", "");
      Record(4, "USED", std::string{2, 0} + WordText(spec_.channels));
    }
    Text("UNITS", 4, {spec_.unit});
    if (!spec_.y_screen.empty()) Text("Y_SCREEN", 2, {spec_.y_screen});
    if (spec_.rotation) {
      Record(-2, "ROTATION", "");
      Record(2, "USED", std::string{2, 0} + WordText(1));
      const int data_bytes = (spec_.floats ? 4 : 2) * (4 * points + spec_.analog) * spec_.frames;
      Record(2, "DATA_START", std::string{2, 0} + WordText(data_block_ + (data_bytes + 511) / 512));
    }
    parameters_.resize(2 * 512, '\0');
  }

  C3dSpec spec_;
  int data_block_ = 4;
  std::string bytes_, parameters_;
};

}  // namespace ricochet::testing
