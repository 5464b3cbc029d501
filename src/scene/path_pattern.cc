// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "scene/path_pattern.h"

#include <charconv>
#include <limits>

namespace ricochet {
namespace {

constexpr int kNoEnd = std::numeric_limits<int>::max();

// A whole number at the start of the text, which it is taken from.
std::optional<int> TakeInt(std::string_view& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

// What stands between brackets: `2`, `0:2`, `:2`, `1:`, `*`.
std::optional<PathStep> ParseIndex(std::string_view text) {
  PathStep step{true, {}, 0, kNoEnd};
  if (text == "*") return step;
  if (text.empty()) return std::nullopt;
  if (text[0] != ':') {
    const std::optional<int> first = TakeInt(text);
    if (!first || *first == kNoEnd) return std::nullopt;
    step.first = *first;
    if (text.empty()) {
      step.last = step.first + 1;
      return step;
    }
  }
  if (text[0] != ':') return std::nullopt;
  text.remove_prefix(1);
  if (text.empty()) return step;
  const std::optional<int> last = TakeInt(text);
  if (!last || !text.empty()) return std::nullopt;
  step.last = *last;
  return step;
}

// Glob with `*` only.
bool MatchesName(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = std::string_view::npos, mark = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace

std::optional<std::vector<PathStep>> SplitPath(std::string_view text) {
  std::vector<PathStep> steps;
  std::size_t i = 0;
  while (i < text.size()) {
    // A name, then any number of indices.
    std::size_t end = i;
    while (end < text.size() && text[end] != '.' && text[end] != '[') ++end;
    if (end == i) return std::nullopt;
    steps.push_back({false, text.substr(i, end - i), 0, 0});
    i = end;
    while (i < text.size() && text[i] == '[') {
      const std::size_t close = text.find(']', i);
      if (close == std::string_view::npos) return std::nullopt;
      const std::optional<PathStep> step = ParseIndex(text.substr(i + 1, close - i - 1));
      if (!step) return std::nullopt;
      steps.push_back(*step);
      i = close + 1;
    }
    if (i == text.size()) return steps;
    if (text[i] != '.') return std::nullopt;
    if (++i == text.size()) return std::nullopt;
  }
  return std::nullopt;
}

bool MatchesPath(const std::vector<PathStep>& pattern, const std::vector<PathStep>& path) {
  if (path.size() < pattern.size()) return false;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (i >= pattern.size()) {
      if (!path[i].is_index) return false;
      continue;
    }
    if (pattern[i].is_index != path[i].is_index) return false;
    if (path[i].is_index) {
      if (path[i].first < pattern[i].first || path[i].first >= pattern[i].last) return false;
    } else if (!MatchesName(pattern[i].name, path[i].name)) {
      return false;
    }
  }
  return true;
}

std::string_view ListPath(std::string_view path) {
  while (path.ends_with(']')) path = path.substr(0, path.rfind('['));
  return path;
}

}  // namespace ricochet
