// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The documentation shows what the program prints. Every command with a prompt (`$ ricochet ...` or `$ ./run ...`) in
// README.md and docs/*.md runs here, in the order of its page, and its output is compared with the lines below it.
#include <glob.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/program.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

namespace fs = std::filesystem;
using testing::SourcePath;

constexpr std::string_view kIndent = "    ";

struct DocumentedCommand {
  int line = 0;
  std::string command, output;  // without prompt and indentation
};

/// Commands with a prompt in the indented blocks of a page. A line that ends in a backslash continues.
std::vector<DocumentedCommand> ReadCommands(const std::string& page) {
  static const std::regex prompt("    \\$ (?:ricochet|\\./run) (.*)");
  std::ifstream in(page);
  std::vector<DocumentedCommand> out;
  bool inside = false, continued = false;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    std::smatch match;
    if (continued) {
      out.back().command += line.substr(line.find_first_not_of(' '));
    } else if (std::regex_match(line, match, prompt)) {
      out.push_back({number, match[1], ""});
      inside = true;
    } else if (inside && line.starts_with(kIndent)) {
      out.back().output += line.substr(kIndent.size()) + "\n";
    } else if (inside && line.empty()) {
      out.back().output += "\n";
    } else {
      inside = false;
    }
    if (!out.empty() && inside && (continued || std::regex_match(line, prompt))) {
      continued = out.back().command.ends_with("\\");
      if (continued) out.back().command.pop_back();
    }
  }
  return out;
}

/// Writes the block before "Save it as `NAME`" of a page to that file, as a reader does.
void SaveFiles(const std::string& page, const fs::path& folder) {
  static const std::regex save("Save it as `([^`]+)`.*");
  std::ifstream in(page);
  std::string block;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    std::smatch match;
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) block.clear();
    } else if (inside) {
      block += line + "\n";
    } else if (std::regex_match(line, match, save)) {
      std::ofstream(folder / match[1].str()) << block;
    }
  }
}

/// Words of a command as a shell splits them: quotes, and wildcards of files below `folder`.
std::vector<std::string> SplitCommand(const std::string& command, const fs::path& folder) {
  std::vector<std::string> words;
  std::string word;
  bool any = false, quoted = false;
  char quote = 0;
  const auto finish = [&] {
    if (!any) return;
    glob_t found{};
    const std::string pattern = (folder / word).string();
    if (!quoted && word.find_first_of("*?[") != std::string::npos && glob(pattern.c_str(), 0, nullptr, &found) == 0) {
      for (std::size_t i = 0; i < found.gl_pathc; ++i)
        words.push_back(std::string(found.gl_pathv[i]).substr(folder.string().size() + 1));
    } else {
      words.push_back(word);
    }
    globfree(&found);
    word.clear();
    any = quoted = false;
  };
  for (const char c : command) {
    if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      any = quoted = true;
    } else if (c == ' ') {
      finish();
    } else {
      word += c;
      any = true;
    }
  }
  finish();
  return words;
}

/// Text without what differs from run to run: run times, blanks at the end of lines, empty lines at the end.
std::string Comparable(const std::string& text) {
  static const std::regex seconds("([,:] |in )[0-9.]+(e-[0-9]+)? s\\b");
  std::istringstream in(std::regex_replace(text, seconds, "$1# s"));
  std::string out;
  for (std::string line; std::getline(in, line);) {
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  out.erase(out.find_last_not_of('\n') + 1);
  return out;
}

std::vector<std::string> Pages() {
  std::vector<std::string> pages = {"README.md"};
  for (const auto& entry : fs::directory_iterator(SourcePath("docs")))
    if (entry.path().extension() == ".md") pages.push_back("docs/" + entry.path().filename().string());
  std::sort(pages.begin(), pages.end());
  return pages;
}

class Documentation : public ::testing::TestWithParam<std::string> {};

TEST_P(Documentation, ShowsWhatTheProgramPrints) {
  const testing::TemporaryFolder folder;
  fs::create_directory_symlink(SourcePath("examples"), folder.path() / "examples");
  const std::string page = SourcePath(GetParam());
  SaveFiles(page, folder.path());
  for (const DocumentedCommand& documented : ReadCommands(page)) {
    SCOPED_TRACE(GetParam() + ":" + std::to_string(documented.line) + ": " + documented.command);
    const auto result = testing::RunProgram(SplitCommand(documented.command, folder.path()), folder.path());
    EXPECT_EQ(Comparable(documented.output), Comparable(result.out + result.err));
  }
}

INSTANTIATE_TEST_SUITE_P(Pages, Documentation, ::testing::ValuesIn(Pages()), [](const auto& example) {
  std::string name = fs::path(example.param).stem();
  return (example.param.starts_with("docs/") ? "docs_" : "") + name;
});

/// Relative links of a page lead to files.
TEST(DocumentationLinks, LeadToFiles) {
  static const std::regex link("\\]\\(([^)#:]+)(#[^)]*)?\\)");
  std::vector<fs::path> pages = {SourcePath("README.md"), SourcePath("CHANGELOG.md")};
  for (const auto& entry : fs::recursive_directory_iterator(SourcePath("docs")))
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  int links = 0;
  for (const fs::path& page : pages) {
    std::ifstream in(page);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    for (std::sregex_iterator match(text.begin(), text.end(), link), end; match != end; ++match, ++links)
      EXPECT_TRUE(fs::exists(page.parent_path() / (*match)[1].str())) << page << ": " << (*match)[1];
  }
  EXPECT_GT(links, 50);
}

}  // namespace
}  // namespace ricochet
