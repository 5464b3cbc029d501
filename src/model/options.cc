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

double NumberOption(const Scene& scene, std::string_view name, double fallback) {
  const SimulationOption* option = FindOption(scene, name);
  if (!option) return fallback;
  if (!option->number)
    throw InputError(option->where, OptionPath(name), fmt::format("`{}` is not a number.", Printable(option->word)),
                     "Give a number.");
  return scene[option->number];
}

std::string_view WordOption(const Scene& scene, std::string_view name,
                            std::initializer_list<std::string_view> choices) {
  const SimulationOption* option = FindOption(scene, name);
  if (!option) return *choices.begin();
  const auto found = std::find(choices.begin(), choices.end(), option->word);
  if (found != choices.end()) return *found;
  const std::vector<std::string> known(choices.begin(), choices.end());
  throw InputError(option->where, OptionPath(name),
                   fmt::format("`{}` is not one of its words.", Printable(option->word)),
                   fmt::format("Use {}.", JoinList(known, "or")));
}

void CheckOptionNames(const Scene& scene, std::string_view method, std::initializer_list<std::string_view> known) {
  const std::vector<std::string> names(known.begin(), known.end());
  for (const SimulationOption& option : scene.simulation.options)
    if (std::find(names.begin(), names.end(), option.name) == names.end())
      throw InputError(option.where, OptionPath(option.name), fmt::format("{} has no such option.", method),
                       names.empty() ? std::string("Remove it.") : SuggestName(option.name, names));
}

void RefuseIntersections(const Scene& scene, std::string_view method) {
  for (const Body& body : scene.bodies)
    if (body.shape && body.shape->type == ShapeType::kIntersection)
      throw InputError(
          body.shape->where, fmt::format("bodies.{}.shape.intersection", body.name),
          fmt::format("{} needs contact points, which an intersection of inequalities does not have.", method),
          "Use method ecp, or give a shape with corners.");
}

void RefuseLawRefinements(const Scene& scene, std::string_view method) {
  const auto refuse = [&](const ContactLaw& law) {
    for (const NumberId id : {law.restitution_low, law.compliance, law.rounding}) {
      if (!id) continue;
      const SceneNumber& number = scene.number(id);
      throw InputError(number.where, number.path, fmt::format("{} does not have it.", method),
                       "Use method moreau, or leave it out.");
    }
  };
  refuse(scene.contact);
  for (const PairLaw& pair : scene.pair_laws) refuse(pair.law);
}

}  // namespace ricochet
