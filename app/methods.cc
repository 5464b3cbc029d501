// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/methods.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "app/commands.h"

namespace ricochet::app {
namespace {

struct MethodsArguments {
  bool json = false;
};

void Print(const std::vector<MethodInfo>& methods) {
  for (const MethodInfo& method : methods) {
    fmt::print("\n{}\n  {}\n  can: {}\n  paper: {}\n", method.name, method.summary,
               fmt::join(method.capabilities, "; "), method.paper);
    for (const MethodOption& option : method.options)
      fmt::print("  {}: {} (default {})\n      {}\n", option.name, option.values_text, option.default_text,
                 option.help);
  }
}

void RunMethods(const MethodsArguments& arguments) {
  if (arguments.json) {
    fmt::print("{}", FormatMethods());
    return;
  }
  fmt::print("STEPPERS: `simulation: {{method: NAME, options: {{OPTION: VALUE}}}}` in a scene\n");
  Print(ListSteppers());
  fmt::print("\nESTIMATORS: `ricochet identify --method NAME --OPTION VALUE`, with `-` in place of `_`\n");
  Print(ListEstimators());
}

}  // namespace

void AddMethods(CLI::App& root) {
  auto arguments = std::make_shared<MethodsArguments>();
  CLI::App* command = root.add_subcommand("methods", "List steppers and estimators with capabilities and options");
  command->add_flag("--json", arguments->json, "Print only JSON");
  command->footer(
      "Example: options of every stepper and estimator\n"
      "  ricochet methods");
  command->callback([arguments] { RunMethods(*arguments); });
}

}  // namespace ricochet::app
