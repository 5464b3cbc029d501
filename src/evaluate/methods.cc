// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/methods.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "core/option_info.h"
#include "estimators/estimator.h"
#include "steppers/stepper.h"

namespace ricochet {
namespace {

using Json = nlohmann::ordered_json;

MethodOption::Kind KindOf(OptionKind kind) {
  switch (kind) {
    case OptionKind::kNumber:
      return MethodOption::Kind::kNumber;
    case OptionKind::kWord:
      return MethodOption::Kind::kWord;
    case OptionKind::kText:
      return MethodOption::Kind::kText;
    case OptionKind::kFlag:
      break;
  }
  return MethodOption::Kind::kFlag;
}

std::vector<MethodOption> OptionsOf(std::span<const OptionInfo> options) {
  const auto finite = [](double value) { return std::isfinite(value) ? std::optional(value) : std::nullopt; };
  std::vector<MethodOption> out;
  for (const OptionInfo& option : options)
    out.push_back({.name = std::string(option.name),
                   .kind = KindOf(option.kind),
                   .words = {option.words.begin(), option.words.end()},
                   .number = finite(option.number),
                   .lower = finite(option.lower),
                   .upper = finite(option.upper),
                   .whole = option.whole,
                   .unit = std::string(option.unit),
                   .help = std::string(option.help),
                   .values_text = ValuesText(option),
                   .default_text = DefaultText(option)});
  return out;
}

Json ToJson(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json ToJson(const MethodOption& option) {
  Json json = {{"name", option.name}, {"help", option.help}};
  switch (option.kind) {
    case MethodOption::Kind::kNumber:
      json["type"] = option.whole ? "whole number" : "number";
      json["default"] = ToJson(option.number);
      json["lower"] = ToJson(option.lower);
      json["upper"] = ToJson(option.upper);
      json["unit"] = option.unit;
      break;
    case MethodOption::Kind::kWord:
    case MethodOption::Kind::kText:
      json["type"] = option.kind == MethodOption::Kind::kWord ? "word" : "text";
      json["default"] = option.words.front();
      json["values"] = option.words;
      break;
    case MethodOption::Kind::kFlag:
      json["type"] = "flag";
      json["default"] = false;
      break;
  }
  return json;
}

Json ToJson(const std::vector<MethodInfo>& methods) {
  Json list = Json::array();
  for (const MethodInfo& method : methods) {
    Json options = Json::array();
    for (const MethodOption& option : method.options) options.push_back(ToJson(option));
    list.push_back({{"name", method.name},
                    {"summary", method.summary},
                    {"paper", method.paper},
                    {"capabilities", method.capabilities},
                    {"options", options}});
  }
  return list;
}

}  // namespace

std::vector<MethodInfo> ListSteppers() {
  std::vector<MethodInfo> out;
  for (const Stepper* stepper : AllSteppers()) {
    const StepperInfo info = stepper->info();
    const std::vector<std::string_view> capabilities = CapabilitiesOf(info);
    out.push_back({std::string(info.name),
                   std::string(info.summary),
                   std::string(info.paper),
                   {capabilities.begin(), capabilities.end()},
                   OptionsOf(info.options)});
  }
  return out;
}

std::vector<MethodInfo> ListEstimators() {
  std::vector<MethodInfo> out;
  for (const Estimator* estimator : AllEstimators()) {
    const EstimatorInfo info = estimator->info();
    MethodInfo& method = out.emplace_back(MethodInfo{
        std::string(info.name), std::string(info.summary), std::string(info.paper), {}, OptionsOf(info.options)});
    if (info.planar) method.capabilities.emplace_back("planar scenes");
    if (info.spatial) method.capabilities.emplace_back("spatial scenes");
    if (info.joints) method.capabilities.emplace_back("joints");
  }
  return out;
}

std::string FormatMethods() {
  return Json{{"steppers", ToJson(ListSteppers())}, {"estimators", ToJson(ListEstimators())}}.dump(2) + "\n";
}

}  // namespace ricochet
