// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "app/options.h"

#include <fmt/format.h>

#include <charconv>

#include "core/text.h"
#include "ricochet/parameter.h"

namespace ricochet::app {

void ApplySettings(Scene& scene, const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) SetFromText(scene, setting);
  if (!settings.empty()) CheckScene(scene);
}

void ParseNoise(const std::string& text, double& position, double& angle) {
  const std::string_view whole = text;
  for (size_t begin = 0; begin < whole.size();) {
    const size_t end = std::min(whole.find(',', begin), whole.size());
    const std::string_view part = whole.substr(begin, end - begin);
    const size_t equals = part.find('=');
    const std::string_view name = part.substr(0, std::min(equals, part.size()));
    double* const target = name == "position" ? &position : name == "angle" ? &angle : nullptr;
    double value = -1;
    if (equals != std::string_view::npos) {
      const std::string_view number = part.substr(equals + 1);
      const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), value);
      if (error != std::errc() || stop != number.data() + number.size()) value = -1;
    }
    if (!target || !(value >= 0) || !std::isfinite(value))
      throw InputError({}, "--noise", fmt::format("`{}` is not understood.", Printable(part)),
                       "Write position=S,angle=S with standard deviations in metres and radians.");
    *target = value;
    begin = end + 1;
  }
}

}  // namespace ricochet::app
