// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// One word per idea. What people read (pages, messages, help texts, comments, names) uses the words of the field, and
// this test keeps the others out. Code is scanned without its operators: comments, text and names.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

namespace fs = std::filesystem;

struct Wording {
  const char* pattern;  // ECMAScript, case ignored
  const char* instead;
};

constexpr Wording kWordings[] = {
    {"\\b(un)?told\\b|UntoldNumber|WhatIsTold", "identifiable, reported, known"},
    {"\\btell(s|ing)?\\b", "determine, report, show"},
    {"\\bwanted\\b", "requested"},
    {"\\b(made|make|makes) ready\\b", "preprocessed"},
    {"\\bbuys\\b", "improves"},
    {"way of the optimi", "optimization trace"},
    {"\\bleaves .{0,24}times\\b", "residuals are ... times the measurement noise"},
    {"\\black(s)? something\\b", "the model does not explain the data"},
    {"\\bset(s)?[ _]aside\\b|SetAside", "excluded"},
    {"\\bby folds\\b", "by k-fold cross-validation"},
    {"\\banew\\b", "again, resampled"},
    {"\\broll-?outs? (ends?|(is|are) cut)\\b", "the simulation stops at"},
    {"\\broll-out", "rollout"},
    {"\\bas asked\\b|\\basked for\\b|\\basks? for\\b", "requested"},
    {"\\b(cannot|can) be told\\b", "identifiable"},
    // American spelling.
    {"centre|centring", "center"},
    {"colour|neighbour|behaviour|favour", "-or"},
    {"metres?\\b|metre[A-Z_]", "meter"},
    {"(lineari|regulari|summari|optimi|factori|normali|minimi|maximi|orthogonali|stabili|recogni|generali|discreti|"
     "initiali|"
     "organi|synchroni|visuali|quanti|equali|reali|emphasi|utili|standardi|parametri|locali|randomi|seriali|characteri)"
     "s(e|ed|es|er|ers|ing|ation|ations)(?![a-z])",
     "-ize"},
    {"\\b(re)?label(led|ling)\\b|\\b(travel|model)(led|ling)\\b|\\banalyse", "American spelling"},
    {"\\b(towards|downwards|upwards|spelt|learnt|whilst|grey|licence|per cent)\\b", "American spelling"},
};

/// Where a word is right: a fragment of the path, and one of the line.
struct Exception {
  const char* file;
  const char* line;
};

constexpr Exception kExceptions[] = {
    {"src/recording/mocap_take.cc", "is({"},  // names of units in files
};

bool IsAllowed(const std::string& file, const std::string& line) {
  for (const Exception& exception : kExceptions)
    if (file.find(exception.file) != std::string::npos && line.find(exception.line) != std::string::npos) return true;
  return false;
}

std::vector<fs::path> FilesThatPeopleRead() {
  const fs::path root = testing::SourcePath("");
  std::vector<fs::path> files;
  for (const char* name : {"README.md", "CHANGELOG.md", "run", "test"}) files.push_back(root / name);
  for (const char* folder : {"docs", "app", "include", "src", "web/src", "examples"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      for (const char* readable : {".md", ".cc", ".h", ".inl", ".ts", ".html", ".css", ".yaml"})
        if (extension == readable) files.push_back(entry.path());
    }
  return files;
}

/// The last word before `end` that is no mark of a comment or string.
std::string WordBefore(const std::string& text, std::size_t end) {
  static const std::string marks = " \n\t/*|\"'`(";
  while (end > 0 && marks.find(text[end - 1]) != std::string::npos) --end;
  std::size_t begin = end;
  while (begin > 0 && std::isalpha(static_cast<unsigned char>(text[begin - 1])) != 0) --begin;
  return text.substr(begin, end - begin);
}

TEST(English, UsesTheWordsOfTheField) {
  std::vector<std::pair<std::regex, const char*>> wordings;
  for (const Wording& wording : kWordings)
    wordings.emplace_back(
        std::regex(wording.pattern, std::regex::ECMAScript | std::regex::icase | std::regex::optimize),
        wording.instead);
  const fs::path root = testing::SourcePath("");
  int files = 0;
  for (const fs::path& file : FilesThatPeopleRead()) {
    ++files;
    const std::string name = fs::relative(file, root).string();
    std::ifstream in(file);
    int number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      std::smatch match;
      for (const auto& [pattern, instead] : wordings)
        if (std::regex_search(line, match, pattern) && !IsAllowed(name, line))
          ADD_FAILURE() << name << ":" << number << ": `" << match.str() << "`: write: " << instead << "\n" << line;
    }
  }
  EXPECT_GT(files, 400);
}

/// "Deviation" alone is the distance from a value; what is meant is nearly always the standard deviation.
TEST(English, DeviationsAreStandardDeviations) {
  static const std::regex word("\\bdeviations?\\b", std::regex::icase);
  const fs::path root = testing::SourcePath("");
  for (const fs::path& file : FilesThatPeopleRead()) {
    if (file.extension() != ".md" && file.extension() != ".ts") continue;
    std::ifstream in(file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    for (std::sregex_iterator match(text.begin(), text.end(), word), end; match != end; ++match) {
      const auto at = static_cast<std::size_t>(match->position());
      const std::string before = WordBefore(text, at);
      EXPECT_TRUE(before == "standard" || before == "Standard")
          << fs::relative(file, root).string() << ": " << text.substr(at > 40 ? at - 40 : 0, 80);
    }
  }
}

}  // namespace
}  // namespace ricochet
