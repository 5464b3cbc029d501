// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "scene/urdf/urdf_robot.h"

#include <fmt/format.h>

#include <utility>

#include "core/text.h"
#include "ricochet/error.h"

namespace ricochet {

void UrdfRobot::Fail(int line, const std::string& path, std::string problem, std::string remedy) const {
  throw InputError({file, line, 0}, path, std::move(problem), std::move(remedy));
}

int UrdfRobot::LinkIndex(const std::string& name, int line, const std::string& path) const {
  std::vector<std::string> known;
  for (size_t i = 0; i < links.size(); ++i) {
    if (links[i].name == name) return static_cast<int>(i);
    known.push_back(links[i].name);
  }
  Fail(line, path, fmt::format("there is no link `{}`.", Printable(name)), SuggestName(name, known));
}

}  // namespace ricochet
