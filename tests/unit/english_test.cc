// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// One word per idea: pages, messages, help texts, comments and names use the words of the field. Others fail here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

namespace fs = std::filesystem;

/// A wording to avoid. Lines without its stem are not searched: regular expressions are slow.
struct Wording {
  const char* stem;     // in small letters
  const char* pattern;  // ECMAScript, on a line as InWords gives it
  const char* instead;
};

constexpr Wording kWordings[] = {
    {"told", "\\b(un)?told\\b", "identifiable, reported, known"},
    {"tell", "\\btell(s|ing)?\\b", "determine, report, show"},
    {"wanted", "\\bwanted\\b", "requested"},
    {"ready", "\\b(made|make|makes) ready\\b", "preprocessed"},
    {"buys", "\\bbuys\\b", "improves"},
    {"way of", "way of the optimi", "optimization trace"},
    {"leaves", "\\bleaves .{0,24}times\\b", "residuals are ... times the measurement noise"},
    {"lack", "\\black(s)? something\\b", "the model does not explain the data"},
    {"aside", "\\bset(s)? ?aside\\b", "excluded"},
    {"by folds", "\\bby folds\\b", "by k-fold cross-validation"},
    {"anew", "\\banew\\b", "again, resampled"},
    {"roll", "\\broll-?outs? (ends?|(is|are) cut)\\b|\\broll-out", "rollout; the simulation stops at"},
    {"ask", "\\bas asked\\b|\\basked for\\b|\\basks? for\\b", "requested"},
    // American spelling.
    {"centr", "centre|centring", "center"},
    {"our", "colour|neighbour|behaviour|favour", "-or"},
    {"metre", "metre", "meter"},
    {"is",
     "(lineari|regulari|summari|optimi|factori|normali|minimi|maximi|orthogonali|stabili|recogni|generali|discreti|"
     "initiali|organi|synchroni|visuali|equali|reali|utili|standardi|parametri|locali|randomi|seriali|characteri)"
     "s(e|ed|es|er|ers|ing|ation|ations)(?![a-z])",
     "-ize"},
    {"lled", "\\b(re)?labelled\\b|\\b(travel|model)led\\b", "American spelling"},
    {"analys", "\\banalyse", "analyze"},
    {"wards", "\\b(to|down|up)wards\\b", "toward, downward, upward"},
    {"grey", "\\bgrey\\b", "gray"},
    {"per cent", "\\bper cent\\b", "percent"},
};

/// Endings of words in -ise that are worth a search.
bool HasStem(const std::string& line, const Wording& wording) {
  static const char* const endings[] = {"ise", "isa", "isi"};
  if (std::string_view(wording.stem) != "is") return line.find(wording.stem) != std::string::npos;
  return std::any_of(std::begin(endings), std::end(endings),
                     [&](const char* ending) { return line.find(ending) != std::string::npos; });
}

/// Where a word is right: a fragment of the path, and one of the line.
struct Exception {
  const char* file;
  const char* line;
};

constexpr Exception kExceptions[] = {
    {"src/recording/conventions.cc", "is({"},  // names of units in files
};

bool IsAllowed(const std::string& file, const std::string& line) {
  for (const Exception& exception : kExceptions)
    if (file.find(exception.file) != std::string::npos && line.find(exception.line) != std::string::npos) return true;
  return false;
}

std::vector<fs::path> FilesThatPeopleRead() {
  const fs::path root = testing::SourcePath("");
  std::vector<fs::path> files;
  for (const char* name :
       {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "run", "test", "bench/run", "web/index.html"})
    files.push_back(root / name);
  for (const char* folder :
       {"docs", "app", "include", "src", "web/src", "examples", "python", "tests", "bench", "cmake"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().filename() == "english_test.cc") continue;  // names the words to avoid
      const std::string extension = entry.path().extension().string();
      for (const char* readable :
           {".md", ".cc", ".h", ".inl", ".ts", ".html", ".css", ".yaml", ".py", ".pyi", ".cmake", ".sh"})
        if (extension == readable) files.push_back(entry.path());
    }
  return files;
}

/// The line in small letters, with the words of identifiers apart: `LikeThis`, `like_this` and `HTMLPage` become
/// "like this", "like this" and "html page".
std::string InWords(const std::string& line) {
  const auto is_upper = [&](std::size_t i) { return std::isupper(static_cast<unsigned char>(line[i])) != 0; };
  const auto is_lower = [&](std::size_t i) { return std::islower(static_cast<unsigned char>(line[i])) != 0; };
  const auto is_word = [&](std::size_t i) { return std::isalnum(static_cast<unsigned char>(line[i])) != 0; };
  std::string words;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool begins =
        i > 0 && is_upper(i) && is_word(i - 1) && (!is_upper(i - 1) || (i + 1 < line.size() && is_lower(i + 1)));
    if (begins) words += ' ';
    words += line[i] == '_' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(line[i])));
  }
  return words;
}

/// The last word before `end` that is no mark of a comment or string.
std::string WordBefore(const std::string& text, std::size_t end) {
  static const std::string marks = " \n\t/*|\"'`(";
  while (end > 0 && marks.find(text[end - 1]) != std::string::npos) --end;
  std::size_t begin = end;
  while (begin > 0 && std::isalpha(static_cast<unsigned char>(text[begin - 1])) != 0) --begin;
  return text.substr(begin, end - begin);
}

TEST(English, WordsInsideIdentifiersAreSeen) {
  EXPECT_EQ(InWords("bool IsTold(HTMLPage told_k);"), "bool is told(html page told k);");
  EXPECT_EQ(InWords("constexpr double kUntold = 1e9;"), "constexpr double k untold = 1e9;");
}

TEST(English, UsesTheWordsOfTheField) {
  std::vector<std::pair<Wording, std::regex>> wordings;
  for (const Wording& wording : kWordings)
    wordings.emplace_back(wording, std::regex(wording.pattern, std::regex::ECMAScript | std::regex::optimize));
  const fs::path root = testing::SourcePath("");
  int files = 0;
  for (const fs::path& file : FilesThatPeopleRead()) {
    ++files;
    const std::string name = fs::relative(file, root).string();
    std::ifstream in(file);
    int number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      const std::string words = InWords(line);
      std::smatch match;
      for (const auto& [wording, pattern] : wordings)
        if (HasStem(words, wording) && std::regex_search(words, match, pattern) && !IsAllowed(name, line))
          ADD_FAILURE() << name << ":" << number << ": `" << match.str() << "`: write: " << wording.instead << "\n"
                        << line;
    }
  }
  EXPECT_GT(files, 1000);
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
