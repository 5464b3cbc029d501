// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "app/flags.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "ricochet/methods.h"

namespace ricochet::app {
namespace {

/// Options whose flag has another name.
const std::map<std::string_view, std::string_view> kRenamed = {{"paths", "--estimate"},
                                                               {"profiles", "--profile"},
                                                               {"axes", "--grid"},
                                                               {"scatter", "--calibrate"},
                                                               {"recordings", "RECORDING"}};

/// Whether the path of an error is an option rather than a parameter path or a column.
bool IsOption(const std::string& path) {
  static const std::set<std::string, std::less<>> kOptions = [] {
    std::set<std::string, std::less<>> names = {"method", "bootstrap", "folds",      "cost", "start",
                                                "rate",   "inputs",    "time_limit", "vary", "body",
                                                "pivot",  "columns",   "angles",     "level"};
    for (const auto& [option, flag] : kRenamed) names.emplace(option);
    for (const MethodInfo& estimator : ListEstimators())
      for (const MethodOption& option : estimator.options) names.insert(option.name);
    return names;
  }();
  return kOptions.contains(path);
}

}  // namespace

std::string FlagOfOption(std::string_view name) {
  if (const auto renamed = kRenamed.find(name); renamed != kRenamed.end()) return std::string(renamed->second);
  std::string flag = "--" + std::string(name);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

std::string WithFlags(std::string_view text) {
  constexpr std::string_view kBefore = "option `";
  std::string out;
  while (true) {
    const std::size_t at = text.find(kBefore);
    const std::size_t end = at == std::string_view::npos ? at : text.find('`', at + kBefore.size());
    if (end == std::string_view::npos) return out + std::string(text);
    out += text.substr(0, at);
    out += FlagOfOption(text.substr(at + kBefore.size(), end - at - kBefore.size()));
    text.remove_prefix(end + 1);
  }
}

InputError WithFlags(const InputError& error) {
  // A position in a file means that the path is a name in that file.
  const bool option = error.where().line == 0 && IsOption(error.path());
  return {error.where(), option ? FlagOfOption(error.path()) : error.path(), WithFlags(error.problem()),
          WithFlags(error.remedy())};
}

Verdict WithFlags(Verdict verdict) {
  for (std::string& reason : verdict.reasons) reason = WithFlags(reason);
  for (Explanation& explanation : verdict.explanations) explanation.command = WithFlags(explanation.command);
  return verdict;
}

}  // namespace ricochet::app
