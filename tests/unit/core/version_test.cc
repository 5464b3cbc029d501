// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/version.h"

#include <gtest/gtest.h>

#include <regex>
#include <string>

namespace ricochet {
namespace {

TEST(Version, HasVersionAndCommit) {
  EXPECT_TRUE(std::regex_match(std::string(Version()), std::regex("[0-9]+\\.[0-9]+\\.[0-9]+"))) << Version();
  EXPECT_TRUE(std::regex_match(std::string(Commit()), std::regex("[0-9a-f]{12}|unknown"))) << Commit();
}

}  // namespace
}  // namespace ricochet
