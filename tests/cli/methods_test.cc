// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `methods`, and that help texts and refusals come from what methods declare.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "estimators/estimator.h"
#include "steppers/stepper.h"
#include "tests/support/program.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

using testing::RunProgram;

std::string FlagText(std::string_view option) {
  std::string flag = "--" + std::string(option);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

TEST(MethodsCommand, ListsEveryMethodWithItsOptions) {
  const testing::TemporaryFolder folder;
  const auto text = RunProgram({"methods"}, folder.path());
  ASSERT_EQ(text.status, 0) << text.err;
  const auto contains = [&](std::string_view part) {
    EXPECT_NE(text.out.find(part), std::string::npos) << part << " is missing in\n" << text.out;
  };
  const auto json_text = RunProgram({"methods", "--json"}, folder.path());
  ASSERT_EQ(json_text.status, 0) << json_text.err;
  const auto json = nlohmann::json::parse(json_text.out);
  ASSERT_EQ(json["steppers"].size(), AllSteppers().size());
  ASSERT_EQ(json["estimators"].size(), AllEstimators().size());
  const auto compare = [&](const nlohmann::json& entry, const auto& info) {
    EXPECT_EQ(entry["name"], info.name);
    EXPECT_EQ(entry["paper"], info.paper);
    EXPECT_FALSE(entry["capabilities"].empty()) << info.name;
    ASSERT_EQ(entry["options"].size(), info.options.size()) << info.name;
    contains(info.name);
    contains(info.summary);
    contains(info.paper);
    for (std::size_t i = 0; i < info.options.size(); ++i) {
      EXPECT_EQ(entry["options"][i]["name"], info.options[i].name);
      contains(info.options[i].name);
      contains(info.options[i].help);
    }
  };
  for (std::size_t i = 0; i < AllSteppers().size(); ++i) compare(json["steppers"][i], AllSteppers()[i]->info());
  for (std::size_t i = 0; i < AllEstimators().size(); ++i) compare(json["estimators"][i], AllEstimators()[i]->info());
}

TEST(MethodsCommand, HelpOfIdentifyHasEveryOptionOfEveryMethod) {
  const testing::TemporaryFolder folder;
  const auto help = RunProgram({"identify", "--help"}, folder.path());
  ASSERT_EQ(help.status, 0) << help.err;
  for (const std::string common : {"--bootstrap", "--profile", "--folds", "--seed"})
    EXPECT_NE(help.out.find(common), std::string::npos) << common;
  for (const Estimator* estimator : AllEstimators()) {
    EXPECT_NE(help.out.find(estimator->name()), std::string::npos) << estimator->name();
    for (const OptionInfo& option : estimator->info().options)
      EXPECT_NE(help.out.find(FlagText(option.name)), std::string::npos) << option.name;
  }
}

TEST(MethodsCommand, HelpOfSimulateNamesEveryStepper) {
  const testing::TemporaryFolder folder;
  const auto help = RunProgram({"simulate", "--help"}, folder.path());
  ASSERT_EQ(help.status, 0) << help.err;
  for (const Stepper* stepper : AllSteppers())
    EXPECT_NE(help.out.find(stepper->info().name), std::string::npos) << stepper->info().name;
}

}  // namespace
}  // namespace ricochet
