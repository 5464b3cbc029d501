// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Numbers in JSON, which knows neither nan nor infinity: what is not finite becomes null. And what to say about a file
// that is not as it should be.
#pragma once

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ricochet {

/// What is wrong with a JSON text, without the names of the parser: "line 3, column 7 is not JSON".
inline std::string JsonProblem(const nlohmann::json::exception& error) {
  std::string text = error.what();
  const std::size_t end = text.find("] ");
  if (text.starts_with('[') && end != std::string::npos) text.erase(0, end + 2);
  constexpr std::string_view kParsing = "parse error at ";
  if (text.starts_with(kParsing))
    return text.substr(kParsing.size(), text.find(':') - kParsing.size()) + " is not JSON";
  return text;
}

inline nlohmann::ordered_json JsonNumber(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

inline nlohmann::ordered_json JsonNumber(const std::optional<double>& value) {
  return value ? JsonNumber(*value) : nlohmann::ordered_json(nullptr);
}

inline nlohmann::ordered_json JsonNumbers(const std::vector<double>& values) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const double value : values) out.push_back(JsonNumber(value));
  return out;
}

/// The inverses: null becomes nan, or nothing where the key may be missing.
inline double ReadNumber(const nlohmann::ordered_json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}
inline std::vector<double> ReadNumbers(const nlohmann::ordered_json& list) {
  std::vector<double> out;
  for (const nlohmann::ordered_json& value : list) out.push_back(ReadNumber(value));
  return out;
}
inline std::optional<double> ReadOptional(const nlohmann::ordered_json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end() || at->is_null()) return std::nullopt;
  return at->get<double>();
}

}  // namespace ricochet
