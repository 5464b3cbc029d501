// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Which steppers and estimators there are, what they can do and which options they have.
//
//     for (const ricochet::MethodInfo& method : ricochet::ListEstimators())
//       for (const ricochet::MethodOption& option : method.options) print(method.name, option.name, option.help);
//
// A stepper is named by `simulation.method` of a scene or SimulateOptions::method, its options by `simulation.options`
// of the scene. An estimator is named by IdentifyOptions::method, its options by IdentifyOptions::method_options.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ricochet {

/// An option of a method.
struct MethodOption {
  enum class Kind {
    kNumber,  // within `lower` and `upper`
    kWord,    // one of `words`
    kText,    // a form of its own, which `words` shows
    kFlag,    // "true", or not given
  };

  std::string name;  // "impact_restitutions"
  Kind kind = Kind::kNumber;
  std::vector<std::string> words{};        // of a word or text; the first is the default
  std::optional<double> number{};          // default of a number; none: the method chooses it from the data
  std::optional<double> lower{}, upper{};  // bounds of a number; none: unbounded
  bool whole = false;                      // a number must be whole
  std::string unit{};                      // of a number; empty for none
  std::string help{};                      // one line
  std::string values_text{};               // what it takes, in words: "whole number from 4 to 64"
  std::string default_text{};              // its default, in words: "8", "from the data"
};

/// A stepper or an estimator.
struct MethodInfo {
  std::string name;                       // "moreau", "trajectory"
  std::string summary;                    // one line: what it is for
  std::string paper;                      // where it was published
  std::vector<std::string> capabilities;  // "planar scenes", "joints", ...
  std::vector<MethodOption> options;      // empty: it has none
};

/// All steppers: methods that simulate a scene, planar ones first.
std::vector<MethodInfo> ListSteppers();

/// All estimators, in the order in which method "auto" tries them. Two of the same name are for planar and for spatial
/// scenes.
std::vector<MethodInfo> ListEstimators();

/// Both lists as JSON, as `ricochet methods --json` prints them.
std::string FormatMethods();

}  // namespace ricochet
