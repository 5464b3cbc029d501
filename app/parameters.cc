// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/parameter.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/options.h"
#include "core/text.h"

namespace ricochet::app {
namespace {

struct ParametersArguments {
  std::string scene;
  std::vector<std::string> set;
  std::string output;
  std::string pattern;
  bool json = false;
};

std::string Bounds(const ParameterInfo& info) {
  const bool below = std::isfinite(info.lower), above = std::isfinite(info.upper);
  if (below && above) return fmt::format("{}{:g}, {:g}]", info.lower_excluded ? "(" : "[", info.lower, info.upper);
  if (below) return fmt::format("{} {:g}", info.lower_excluded ? ">" : ">=", info.lower);
  return above ? fmt::format("<= {:g}", info.upper) : "any";
}

void RunParameters(const ParametersArguments& arguments) {
  RefuseOverwriting({arguments.scene}, {arguments.output});
  Scene scene = ReadScene(arguments.scene);
  ApplySettings(scene, arguments.set);
  std::vector<NumberId> chosen;
  if (arguments.pattern.empty()) {
    for (size_t i = 0; i < scene.numbers().size(); ++i) chosen.push_back({static_cast<int>(i)});
  } else {
    for (const SelectedParameter& parameter : ParsePathList(scene, arguments.pattern)) {
      if (parameter.denominator)
        throw InputError({}, parameter.path, "is a ratio, and this command lists parameters.",
                         "Name the two parameters, separated by a comma.");
      chosen.push_back(parameter.numerator);
    }
  }
  if (!arguments.output.empty()) WriteScene(scene, arguments.output);

  if (arguments.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (NumberId id : chosen) {
      const SceneNumber& number = scene.number(id);
      const ParameterInfo& info = InfoOf(number.quantity);
      nlohmann::ordered_json entry = {{"path", number.path}, {"value", number.value}, {"unit", info.unit}};
      entry["lower"] = std::isfinite(info.lower) ? nlohmann::ordered_json(info.lower) : nlohmann::ordered_json(nullptr);
      entry["upper"] = std::isfinite(info.upper) ? nlohmann::ordered_json(info.upper) : nlohmann::ordered_json(nullptr);
      entry["given"] = number.given;
      list.push_back(entry);
    }
    fmt::print("{}\n", nlohmann::ordered_json{{"parameters", list}}.dump(2));
    return;
  }
  size_t width = 4;
  for (NumberId id : chosen) width = std::max(width, scene.number(id).path.size());
  fmt::print("{:<{}}  {:>22}  {:<10}  {:<10}  {}\n", "path", width, "value", "unit", "bounds", "from");
  for (NumberId id : chosen) {
    const SceneNumber& number = scene.number(id);
    const ParameterInfo& info = InfoOf(number.quantity);
    const std::string from = number.where.line > 0 ? fmt::format("line {}", number.where.line)
                             : number.given        ? "--set"
                                                   : "default";
    fmt::print("{:<{}}  {:>22}  {:<10}  {:<10}  {}\n", number.path, width, FormatDouble(number.value), info.unit,
               Bounds(info), from);
  }
}

}  // namespace

void AddParameters(CLI::App& root) {
  auto arguments = std::make_shared<ParametersArguments>();
  CLI::App* command = root.add_subcommand("parameters", "List the parameters of a scene: path, value, unit, bounds");
  command->add_option("SCENE", arguments->scene, "Scene file (YAML)")->required();
  command->add_option("PATHS", arguments->pattern,
                      "Only these paths, separated by commas, for example `bodies.*.mass,contact.friction`");
  command->add_option("--set", arguments->set, "PATH=VALUE: set a parameter; repeatable")->allow_extra_args(false);
  command->add_option("-o,--output", arguments->output, "Changed scene; comments and order are kept (YAML)");
  command->add_flag("--json", arguments->json, "Print only JSON");
  command->footer(
      "Example: all parameters of a scene; then a copy with another friction\n  ricochet parameters "
      "examples/ellipse_throw.yaml\n  ricochet parameters examples/ellipse_throw.yaml --set contact.friction=0.5 -o "
      "other.yaml");
  command->callback([arguments] { RunParameters(*arguments); });
}

}  // namespace ricochet::app
