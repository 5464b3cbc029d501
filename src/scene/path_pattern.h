// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Paths and patterns as steps: names parted by points, and indices in brackets.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ricochet {

struct PathStep {
  bool is_index = false;
  std::string_view name;    // with `*` for any run of characters
  int first = 0, last = 0;  // an index stands for [first, last); [*] for all
};

/// Splits a path or pattern: `a.b[2]`, `a.b[0:2]`, `a.*[*]`. None when it is not well formed. The steps refer to the
/// text.
std::optional<std::vector<PathStep>> SplitPath(std::string_view text);

/// Whether a pattern means the number at this path: step by step, and what the path has beyond the pattern is indices.
bool MatchesPath(const std::vector<PathStep>& pattern, const std::vector<PathStep>& path);

/// The path without indices at its end: `a.b[0][1]` gives `a.b`.
std::string_view ListPath(std::string_view path);

}  // namespace ricochet
