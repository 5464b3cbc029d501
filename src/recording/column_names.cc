// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/column_names.h"

#include <algorithm>
#include <numbers>
#include <set>
#include <vector>

#include "core/text.h"

namespace ricochet {
namespace {

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

/// Words that may stand before the axis of a position.
const std::set<std::string, std::less<>> kPosition = {"p",        "pos",   "position", "positions", "translation",
                                                      "trans",    "pose",  "field",    "rs",        "r",
                                                      "location", "point", "center",   "com"};
const std::set<std::string, std::less<>> kRotation = {
    "q", "quat", "quaternion", "orientation", "rotation", "rot", "rs", "pose", "field", "r", "ori", "attitude"};

bool AllIn(const std::vector<std::string>& words, const std::set<std::string, std::less<>>& known) {
  return std::all_of(words.begin(), words.end() - 1, [&](const std::string& word) { return known.contains(word); });
}

/// Lower-case words of a name, without its unit in brackets.
std::vector<std::string> Words(std::string_view name, std::string& unit) {
  std::vector<std::string> words(1);
  bool bracket = false;
  for (const char c : name) {
    const char low = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    if (c == '[' || c == '(') {
      bracket = true;
      unit.clear();
    } else if (c == ']' || c == ')') {
      bracket = false;
    } else if (bracket) {
      if (!IsBlank(c)) unit += low;
    } else if ((low >= 'a' && low <= 'z') || (low >= '0' && low <= '9')) {
      words.back() += low;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

}  // namespace

double SecondsPer(std::string_view unit) {
  if (IsOneOf(unit, {"s", "sec", "secs", "second", "seconds"})) return 1;
  if (IsOneOf(unit, {"ms", "msec", "millisecond", "milliseconds"})) return 1e-3;
  if (IsOneOf(unit, {"us", "usec", "microsecond", "microseconds"})) return 1e-6;
  if (IsOneOf(unit, {"ns", "nsec", "nanosecond", "nanoseconds"})) return 1e-9;
  if (IsOneOf(unit, {"min", "minute", "minutes"})) return 60;
  return 0;
}

double RadiansPer(std::string_view unit) {
  if (IsOneOf(unit, {"rad", "radian", "radians"})) return 1;
  if (IsOneOf(unit, {"deg", "degree", "degrees", "\xC2\xB0"})) return std::numbers::pi / 180;
  if (IsOneOf(unit, {"turn", "turns", "rev"})) return 2 * std::numbers::pi;
  return 0;
}

ColumnMeaning GuessColumn(std::string_view name) {
  ColumnMeaning meaning;
  std::vector<std::string> words = Words(name, meaning.unit);
  if (words.empty()) return {};
  // A unit as the last word: `t_ms`, `theta_deg`, `x_mm`.
  if (words.size() > 1 && meaning.unit.empty() &&
      (SecondsPer(words.back()) > 0 || RadiansPer(words.back()) > 0 ||
       IsOneOf(words.back(), {"m", "mm", "cm", "px", "pixel", "pixels"}))) {
    meaning.unit = words.back();
    words.pop_back();
  }
  const std::string& last = words.back();
  std::string joined;
  for (const std::string& word : words) joined += word;
  if (IsOneOf(joined, {"t", "time", "times", "timestamp", "stamp", "headerstamp", "rosbagtimestamp", "elapsed",
                       "elapsedtime", "seconds", "sec", "secs"})) {
    meaning.quantity = "t";
  } else if (IsOneOf(joined, {"millis", "micros"})) {  // the clocks of Arduino
    meaning = {"t", joined == "millis" ? "ms" : "us"};
  } else if (IsOneOf(joined, {"frame", "frames", "frameno", "framenumber", "frameindex", "index"})) {
    meaning.quantity = "frame";
  } else if (IsOneOf(joined, {"x", "y", "z"}) || IsOneOf(joined, {"tx", "ty", "tz", "px", "py", "pz"})) {
    meaning.quantity = joined.substr(joined.size() - 1);
  } else if (IsOneOf(last, {"x", "y", "z"}) && AllIn(words, kPosition) && !IsOneOf(words[0], {"r", "rs"})) {
    meaning.quantity = last;
  } else if (words.size() == 2 && IsOneOf(last, {"1", "2", "3"}) && AllIn(words, kPosition) && words[0] != "r") {
    meaning.quantity = std::string(1, static_cast<char>('x' + (last[0] - '1')));  // columns of an array
  } else if (IsOneOf(joined, {"qw", "qx", "qy", "qz"})) {
    meaning.quantity = joined;
  } else if (IsOneOf(last, {"w", "x", "y", "z"}) && words.size() > 1 && AllIn(words, kRotation)) {
    meaning.quantity = "q" + last;
  } else if (IsOneOf(joined, {"theta", "angle", "heading"})) {
    meaning.quantity = "theta";
  } else if (IsOneOf(last, {"roll", "pitch", "yaw"})) {
    meaning.quantity = last;
  }
  return meaning.quantity.empty() ? ColumnMeaning{} : meaning;
}

}  // namespace ricochet
