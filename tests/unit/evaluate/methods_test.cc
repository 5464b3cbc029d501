// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/methods.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ricochet {
namespace {

const MethodInfo* FindMethod(const std::vector<MethodInfo>& methods, const std::string& name) {
  const auto found =
      std::find_if(methods.begin(), methods.end(), [&](const MethodInfo& method) { return method.name == name; });
  return found == methods.end() ? nullptr : &*found;
}

TEST(Methods, EveryOneSaysWhatItIsAndWhatItTakes) {
  for (const std::vector<MethodInfo>& methods : {ListSteppers(), ListEstimators()}) {
    EXPECT_GE(methods.size(), 5u);
    for (const MethodInfo& method : methods) {
      EXPECT_FALSE(method.summary.empty()) << method.name;
      EXPECT_FALSE(method.capabilities.empty()) << method.name;
      for (const MethodOption& option : method.options) {
        EXPECT_FALSE(option.help.empty()) << method.name << " " << option.name;
        EXPECT_FALSE(option.values_text.empty()) << method.name << " " << option.name;
        EXPECT_EQ(option.kind == MethodOption::Kind::kWord && option.words.empty(), false) << option.name;
      }
    }
  }
}

TEST(Methods, OptionsAreThoseOfTheMethod) {
  const std::vector<MethodInfo> estimators = ListEstimators();
  const MethodInfo* const trajectory = FindMethod(estimators, "trajectory");
  ASSERT_NE(trajectory, nullptr);
  const auto found = std::find_if(trajectory->options.begin(), trajectory->options.end(),
                                  [](const MethodOption& option) { return option.name == "impact_restitutions"; });
  ASSERT_NE(found, trajectory->options.end());
  EXPECT_EQ(found->kind, MethodOption::Kind::kNumber);
  EXPECT_TRUE(found->whole);
  EXPECT_TRUE(found->lower.has_value());
}

}  // namespace
}  // namespace ricochet
