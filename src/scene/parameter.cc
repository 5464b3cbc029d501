// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/parameter.h"

#include <fmt/format.h>

#include "core/text.h"
#include "scene/text/number_text.h"

namespace ricochet {
namespace {

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(Trim(text.substr(0, at)));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

// The slash of a ratio, or npos. A slash inside the names of a pair, `contact.pairs.A/B.friction`, is none.
std::size_t FindRatioSlash(std::string_view text) {
  constexpr std::string_view kPairs = "contact.pairs.";
  const std::string_view trimmed = Trim(text);
  std::size_t start = static_cast<std::size_t>(trimmed.data() - text.data());
  if (trimmed.starts_with(kPairs)) start = std::min(text.find('.', start + kPairs.size()), text.size());
  return text.find('/', start);
}

void AddOnce(std::vector<SelectedParameter>& selected, SelectedParameter parameter) {
  for (const SelectedParameter& other : selected) {
    if (other.numerator == parameter.numerator && other.denominator == parameter.denominator &&
        other.factor == parameter.factor)
      return;
  }
  selected.push_back(std::move(parameter));
}

}  // namespace

std::vector<SelectedParameter> ParsePathList(const Scene& scene, std::string_view list) {
  std::vector<SelectedParameter> selected;
  for (const std::string_view item : Split(list, ',')) {
    if (item.empty()) {
      throw InputError({}, "", fmt::format("a path is missing in `{}`.", Printable(list, 80)),
                       "Separate paths by commas: `contact.friction, bodies.box.mass`.");
    }
    // A star with blanks around it multiplies; elsewhere it stands for any name.
    const std::size_t star = item.find(" * "), slash = FindRatioSlash(item);
    const bool product = star != std::string_view::npos;
    const std::size_t at = product ? star + 1 : slash;
    if (at == std::string_view::npos) {
      for (NumberId id : scene.Match(item)) AddOnce(selected, {scene.number(id).path, id});
      continue;
    }
    const std::string_view above = Trim(item.substr(0, at)), below = Trim(item.substr(at + 1));
    if (above.empty() || below.empty() || FindRatioSlash(below) != std::string_view::npos ||
        below.find(" * ") != std::string_view::npos || (product && FindRatioSlash(above) != std::string_view::npos)) {
      throw InputError({}, Printable(item, 80), "is not a ratio or product of two paths.",
                       "Write `path / path` or `path * path`.");
    }
    const std::vector<NumberId> firsts = scene.Match(above), seconds = scene.Match(below);
    if (seconds.size() != 1 && seconds.size() != firsts.size()) {
      throw InputError(
          {}, Printable(item, 80),
          fmt::format("has {} parameters {} and {} {}.", firsts.size(), product ? "before the star" : "above",
                      seconds.size(), product ? "behind it" : "below"),
          fmt::format("Give one parameter {0}, or as many as {1}.", product ? "behind it" : "below",
                      product ? "before it" : "above"));
    }
    for (std::size_t i = 0; i < firsts.size(); ++i) {
      const NumberId second = seconds[seconds.size() == 1 ? 0 : i];
      if (firsts[i] == second) {
        throw InputError({}, Printable(item, 80),
                         product ? "is the square of a parameter." : "is the ratio of a parameter to itself.",
                         "Name two different parameters.");
      }
      const std::string &a = scene.number(firsts[i]).path, &b = scene.number(second).path;
      if (product)
        AddOnce(selected, {fmt::format("{} * {}", a, b), firsts[i], {}, second});
      else
        AddOnce(selected, {fmt::format("{}/{}", a, b), firsts[i], second});
    }
  }
  return selected;
}

std::string UnitOf(const Scene& scene, const SelectedParameter& parameter) {
  const std::string above(InfoOf(scene.number(parameter.numerator).quantity).unit);
  if (parameter.factor) {
    const std::string second(InfoOf(scene.number(parameter.factor).quantity).unit);
    return above == "-" ? second : second == "-" ? above : fmt::format("{} {}", above, second);
  }
  if (!parameter.denominator) return above;
  const std::string below(InfoOf(scene.number(parameter.denominator).quantity).unit);
  if (above == below) return "-";
  if (below == "-") return above;
  if (above == "kg m^2" && below == "kg") return "m^2";
  return fmt::format("{}/{}", above == "-" ? "1" : above,
                     below.find_first_of(" /") == std::string::npos ? below : "(" + below + ")");
}

void SetFromText(Scene& scene, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string_view path = Trim(assignment.substr(0, equals));
  if (equals == std::string_view::npos || path.empty()) {
    throw InputError({}, "", fmt::format("`{}` is not an assignment.", Printable(assignment, 80)),
                     "Write PATH=VALUE, such as `contact.friction=0.3`.");
  }
  std::string_view text = Trim(assignment.substr(equals + 1));
  const std::vector<NumberId> ids = scene.Match(path);
  std::vector<std::string_view> items = {text};
  if (text.starts_with('[')) {
    if (!text.ends_with(']')) {
      throw InputError({}, std::string(path), fmt::format("the list `{}` has no end.", Printable(text)),
                       "Write it as `[1, 2]`.");
    }
    items = Split(text.substr(1, text.size() - 2), ',');
  }
  std::vector<double> values;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const SceneNumber& number = scene.number(ids[std::min(i, ids.size() - 1)]);
    double value = 0;
    const NumberText result = ParseNumber(items[i], number.quantity, value);
    if (result != NumberText::kGood) {
      NumberComplaint complaint = ExplainNumber(result, items[i], number.quantity);
      throw InputError({}, number.path, std::move(complaint.problem), std::move(complaint.remedy));
    }
    values.push_back(value);
  }
  scene.Set(path, values);
}

}  // namespace ricochet
