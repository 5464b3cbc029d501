// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "estimators/estimator.h"
#include "steppers/stepper.h"

namespace ricochet::app {
namespace {

using Json = nlohmann::ordered_json;

struct MethodsArguments {
  bool json = false;
};

/// One method as both forms of the output show it.
struct Entry {
  std::string_view name, summary, paper;
  std::vector<std::string_view> capabilities;
  std::span<const OptionInfo> options;
};

std::vector<Entry> Steppers() {
  std::vector<Entry> out;
  for (const Stepper* stepper : AllSteppers()) {
    const StepperInfo info = stepper->info();
    out.push_back({info.name, info.summary, info.paper, CapabilitiesOf(info), info.options});
  }
  return out;
}

std::vector<Entry> Estimators() {
  std::vector<Entry> out;
  for (const Estimator* estimator : AllEstimators()) {
    const EstimatorInfo info = estimator->info();
    Entry& entry = out.emplace_back(Entry{info.name, info.summary, info.paper, {}, info.options});
    if (info.planar) entry.capabilities.emplace_back("planar scenes");
    if (info.spatial) entry.capabilities.emplace_back("spatial scenes");
    if (info.joints) entry.capabilities.emplace_back("joints");
  }
  return out;
}

Json ToJson(const OptionInfo& option) {
  Json json = {{"name", option.name}, {"help", option.help}};
  switch (option.kind) {
    case OptionKind::kNumber:
      json["type"] = option.whole ? "whole number" : "number";
      json["default"] = std::isnan(option.number) ? Json(nullptr) : Json(option.number);
      json["lower"] = std::isfinite(option.lower) ? Json(option.lower) : Json(nullptr);
      json["upper"] = std::isfinite(option.upper) ? Json(option.upper) : Json(nullptr);
      json["unit"] = option.unit;
      break;
    case OptionKind::kWord:
    case OptionKind::kText:
      json["type"] = option.kind == OptionKind::kWord ? "word" : "text";
      json["default"] = option.words.front();
      json["values"] = std::vector<std::string_view>(option.words.begin(), option.words.end());
      break;
    case OptionKind::kFlag:
      json["type"] = "flag";
      json["default"] = false;
      break;
  }
  return json;
}

Json ToJson(const std::vector<Entry>& entries) {
  Json list = Json::array();
  for (const Entry& entry : entries) {
    Json options = Json::array();
    for (const OptionInfo& option : entry.options) options.push_back(ToJson(option));
    list.push_back({{"name", entry.name},
                    {"summary", entry.summary},
                    {"paper", entry.paper},
                    {"capabilities", entry.capabilities},
                    {"options", options}});
  }
  return list;
}

void Print(const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) {
    fmt::print("\n{}\n  {}\n  can: {}\n  paper: {}\n", entry.name, entry.summary, fmt::join(entry.capabilities, "; "),
               entry.paper);
    for (const OptionInfo& option : entry.options)
      fmt::print("  {}: {} (default {})\n      {}\n", option.name, ValuesText(option), DefaultText(option),
                 option.help);
  }
}

void RunMethods(const MethodsArguments& arguments) {
  if (arguments.json) {
    fmt::print("{}\n", Json{{"steppers", ToJson(Steppers())}, {"estimators", ToJson(Estimators())}}.dump(2));
    return;
  }
  fmt::print("STEPPERS: `simulation: {{method: NAME, options: {{OPTION: VALUE}}}}` in a scene\n");
  Print(Steppers());
  fmt::print("\nESTIMATORS: `ricochet identify --method NAME --OPTION VALUE`, with `-` in place of `_`\n");
  Print(Estimators());
}

}  // namespace

void AddMethods(CLI::App& root) {
  auto arguments = std::make_shared<MethodsArguments>();
  CLI::App* command = root.add_subcommand("methods", "Lists steppers and estimators: what they can do, their options");
  command->add_flag("--json", arguments->json, "Print JSON and nothing else");
  command->footer(
      "Example: options of every stepper and estimator\n"
      "  ricochet methods");
  command->callback([arguments] { RunMethods(*arguments); });
}

}  // namespace ricochet::app
