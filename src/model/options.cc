// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "model/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/text.h"

namespace ricochet {
namespace {

const SimulationOption* FindOption(const Scene& scene, std::string_view name) {
  for (const SimulationOption& option : scene.simulation.options)
    if (option.name == name) return &option;
  return nullptr;
}

std::string OptionPath(std::string_view name) { return fmt::format("simulation.options.{}", name); }

}  // namespace

double NumberOption(const Scene& scene, const OptionInfo& option) {
  const SimulationOption* given = FindOption(scene, option.name);
  if (!given) return option.number;
  if (!given->number)
    throw InputError(given->where, OptionPath(option.name),
                     fmt::format("`{}` is not a number.", Printable(given->word)),
                     fmt::format("Give a {}.", ValuesText(option)));
  CheckOptionNumber(option, scene[given->number], given->where, OptionPath(option.name));
  return scene[given->number];
}

std::string_view WordOption(const Scene& scene, const OptionInfo& option) {
  const SimulationOption* given = FindOption(scene, option.name);
  if (!given) return option.words.front();
  CheckOptionWord(option, given->word, given->where, OptionPath(option.name));
  return given->word;
}

void CheckOptions(const Scene& scene, std::string_view method, std::span<const OptionInfo> options) {
  std::vector<std::string> names;
  for (const OptionInfo& option : options) {
    names.emplace_back(option.name);
    if (option.kind == OptionKind::kNumber)
      NumberOption(scene, option);
    else
      WordOption(scene, option);
  }
  for (const SimulationOption& given : scene.simulation.options)
    if (std::find(names.begin(), names.end(), given.name) == names.end())
      throw InputError(given.where, OptionPath(given.name), fmt::format("{} has no such option.", method),
                       names.empty() ? std::string("Remove it.") : SuggestName(given.name, names));
}

}  // namespace ricochet
