// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Numbers in JSON, which knows neither nan nor infinity: what is not finite becomes null.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

namespace ricochet {

inline nlohmann::ordered_json JsonNumber(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

inline nlohmann::ordered_json JsonNumber(const std::optional<double>& value) {
  return value ? JsonNumber(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace ricochet
