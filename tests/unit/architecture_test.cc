// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Modules include only modules above them (docs/architecture.md), and public headers need only Eigen and the standard
// library. Read off the #include lines.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kModules = {
    "core",   "math",     "geometry", "complementarity", "optimize",   "scene",    "model",  "recording",
    "result", "dynamics", "dataset",  "steppers",        "estimators", "evaluate", "report", "reproduce"};

struct Include {
  std::string file, target;
  bool quoted = false;
  int line = 0;
};

std::vector<Include> IncludesBelow(const std::string& folder) {
  std::vector<Include> includes;
  const std::regex pattern("^\\s*#include\\s*([<\"])([^>\"]+)[>\"].*");
  for (const auto& entry : fs::recursive_directory_iterator(testing::SourcePath(folder))) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".h" && extension != ".cc" && extension != ".inl") continue;
    std::ifstream in(entry.path());
    std::string text;
    for (int line = 1; std::getline(in, text); ++line) {
      std::smatch match;
      if (std::regex_match(text, match, pattern))
        includes.push_back(
            {fs::relative(entry.path(), testing::SourcePath("")).string(), match[2], match[1] == "\"", line});
    }
  }
  return includes;
}

int Rank(const std::string& module) {
  const auto found = std::find(kModules.begin(), kModules.end(), module);
  return found == kModules.end() ? -1 : static_cast<int>(found - kModules.begin());
}

TEST(Architecture, ModulesIncludeOnlyModulesAboveThem) {
  const std::vector<Include> includes = IncludesBelow("src");
  ASSERT_GT(includes.size(), 200u);
  for (const Include& include : includes) {
    if (!include.quoted) continue;
    const std::string from = include.file.substr(4, include.file.find('/', 4) - 4);
    const std::string to = include.target.substr(0, include.target.find('/'));
    ASSERT_GE(Rank(from), 0) << include.file << ": src/" << from << " is not in the list of modules";
    if (to == "ricochet" || to == "ricochet_version.h") continue;
    ASSERT_GE(Rank(to), 0) << include.file << ":" << include.line << ": includes " << include.target;
    EXPECT_LE(Rank(to), Rank(from)) << include.file << ":" << include.line << ": " << from << " may not include " << to;
    EXPECT_FALSE((from == "steppers" && to == "dataset") || (from == "dataset" && to == "steppers"))
        << include.file << ":" << include.line << ": dataset and steppers do not know each other";
  }
}

TEST(Architecture, PublicHeadersNeedOnlyEigenAndTheStandardLibrary) {
  for (const Include& include : IncludesBelow("include")) {
    if (include.quoted) {
      EXPECT_TRUE(include.target.starts_with("ricochet/")) << include.file << ":" << include.line;
    } else if (include.target.find('/') != std::string::npos || include.target.ends_with(".h")) {
      EXPECT_TRUE(include.target.starts_with("Eigen/")) << include.file << ":" << include.line;
    }
  }
}

}  // namespace
}  // namespace ricochet
