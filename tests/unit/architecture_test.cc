// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Modules include only modules above them, rooms of a module only the rooms that the table allows
// (docs/architecture.md), and public headers need only Eigen and the standard library. Read off the #include lines.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kModules = {"core",        "math",       "geometry",  "complementarity", "optimize",
                                           "scene",       "model",      "recording", "result",          "dynamics",
                                           "observation", "dataset",    "examine",   "steppers",        "rollout",
                                           "inference",   "estimators", "evaluate",  "report",          "reproduce"};

/// Rooms of a module and the rooms beside it that each may include. Every room may include the module's own files, the
/// ones that lie in no room; of those only the list of methods (registry.cc) includes rooms.
const std::map<std::string, std::map<std::string, std::set<std::string>>> kRooms = {
    {"complementarity",
     {{"lcp", {}},
      {"mlcp", {"lcp"}},
      {"mixed_ncp", {}},
      {"planar", {"lcp"}},
      {"friction", {}},
      {"friction_one_body", {"friction"}},
      {"friction_bodies", {"friction", "friction_one_body"}}}},
    {"recording", {{"mocap", {}}, {"tables", {}}}},
    {"dataset", {{"impacts", {}}, {"takes", {}}, {"frames", {"takes"}}}},
    {"steppers", {{"planar", {}}, {"event", {}}, {"moreau", {}}, {"ecp", {}}, {"spook", {}}, {"located", {}}}},
    {"estimators",
     {{"planar", {}},
      {"planar_trajectory", {"planar"}},
      {"regression", {"planar", "planar_trajectory"}},
      {"program", {"planar", "planar_trajectory"}},
      {"spatial", {}},
      {"tosses", {"spatial"}},
      {"spatial_trajectory", {"spatial", "tosses"}},
      {"jointed", {}},
      {"mechanism", {"jointed"}}}}};
constexpr std::size_t kMostFiles = 24;

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

/// Module and room of a path below src/; the room is empty for files of the module itself.
std::pair<std::string, std::string> PlaceOf(const std::string& path) {
  const std::size_t first = path.find('/'), second = path.find('/', first + 1);
  return {path.substr(0, first), second == std::string::npos ? "" : path.substr(first + 1, second - first - 1)};
}

TEST(Architecture, RoomsIncludeOnlyRoomsThatTheyMay) {
  for (const Include& include : IncludesBelow("src")) {
    if (!include.quoted || include.target.starts_with("ricochet")) continue;
    const auto [from, from_room] = PlaceOf(include.file.substr(4));
    const auto [to, to_room] = PlaceOf(include.target);
    const auto module = kRooms.find(from);
    if (module == kRooms.end() || from != to || from_room == to_room || to_room.empty()) continue;
    if (from_room.empty()) {
      EXPECT_TRUE(include.file.ends_with("/registry.cc"))
          << include.file << ":" << include.line << ": only registry.cc includes rooms of its module";
      continue;
    }
    const auto room = module->second.find(from_room);
    ASSERT_NE(room, module->second.end()) << include.file << ": src/" << from << "/" << from_room << " is no room";
    EXPECT_TRUE(room->second.contains(to_room))
        << include.file << ":" << include.line << ": " << from_room << " may not include " << to_room;
  }
}

TEST(Architecture, RoomsAreSmallAndIntroduceTheirFiles) {
  for (const auto& [module, rooms] : kRooms) {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(testing::SourcePath("src/" + module)))
      if (entry.is_directory()) found.insert(entry.path().filename().string());
    for (const std::string& room : found) EXPECT_TRUE(rooms.contains(room)) << "src/" << module << "/" << room;
    for (const auto& [room, edges] : rooms) {
      const std::string folder = "src/" + module + "/" + room;
      EXPECT_TRUE(found.contains(room)) << folder;
      std::ifstream in(testing::SourcePath(folder + "/README.md"));
      std::stringstream text;
      text << in.rdbuf();
      std::size_t files = 0;
      for (const auto& entry : fs::directory_iterator(testing::SourcePath(folder))) {
        ++files;
        const std::string name = entry.path().stem().string();
        EXPECT_TRUE(name == "README" || text.str().find(name) != std::string::npos)
            << folder << "/README.md does not mention " << name;
      }
      EXPECT_LE(files, kMostFiles) << folder;
    }
  }
}

TEST(Architecture, NoFolderHoldsMoreFilesThanAReaderCanSurvey) {
  std::map<std::string, std::size_t> files;
  for (const auto& entry : fs::recursive_directory_iterator(testing::SourcePath("src")))
    if (entry.is_regular_file())
      ++files[fs::relative(entry.path().parent_path(), testing::SourcePath("")).string()];
  ASSERT_GT(files.size(), 20u);
  for (const auto& [folder, count] : files) EXPECT_LE(count, kMostFiles) << folder;
}

/// A header and its source are one component: a.h, a.cc and a.inl are "a".
std::string ComponentOf(const std::string& file) { return file.substr(0, file.rfind('.')); }

TEST(Architecture, ComponentsDoNotIncludeEachOtherInACycle) {
  const std::vector<Include> includes = IncludesBelow("src");
  std::set<std::string> components;
  for (const Include& include : includes) components.insert(ComponentOf(include.file.substr(4)));
  ASSERT_GT(components.size(), 200u);
  std::map<std::string, std::set<std::string>> graph;
  for (const Include& include : includes) {
    const std::string from = ComponentOf(include.file.substr(4)), to = ComponentOf(include.target);
    if (include.quoted && from != to && components.contains(to)) graph[from].insert(to);
  }
  std::map<std::string, int> state;  // 1: on the way, 2: done
  std::vector<std::string> way;
  const std::function<void(const std::string&)> visit = [&](const std::string& component) {
    state[component] = 1;
    way.push_back(component);
    for (const std::string& target : graph[component]) {
      if (state[target] == 0) visit(target);
      if (state[target] != 1) continue;
      std::string cycle;
      for (auto at = std::find(way.begin(), way.end(), target); at != way.end(); ++at) cycle += *at + " -> ";
      ADD_FAILURE() << "components include each other: " << cycle << target;
    }
    way.pop_back();
    state[component] = 2;
  };
  for (const std::string& component : components)
    if (state[component] == 0) visit(component);
}

/// The walks of docs/architecture.md: per heading below "## Three walks" the files of its numbered hops.
std::map<std::string, std::vector<std::string>> ReadWalks() {
  std::ifstream in(testing::SourcePath("docs/architecture.md"));
  const std::regex hop("^[0-9]+\\. `([^`]+)`.*");
  std::map<std::string, std::vector<std::string>> walks;
  std::string line, walk;
  bool inside = false;
  while (std::getline(in, line)) {
    std::smatch match;
    if (line.starts_with("## ")) inside = line == "## Three walks";
    if (!inside) continue;
    if (line.starts_with("### ")) walk = line.substr(4);
    if (std::regex_match(line, match, hop)) walks[walk].push_back(match[1]);
  }
  return walks;
}

TEST(Architecture, WalksFromARecordingToAnEstimateHaveAtMostEightHopsEachDown) {
  const std::map<std::string, std::vector<std::string>> walks = ReadWalks();
  ASSERT_EQ(walks.size(), 3u);
  const auto rank = [](const std::string& file) {
    return file.starts_with("src/") ? Rank(file.substr(4, file.find('/', 4) - 4)) : static_cast<int>(kModules.size());
  };
  for (const auto& [walk, files] : walks) {
    SCOPED_TRACE(walk);
    EXPECT_GE(files.size(), 4u);
    EXPECT_LE(files.size(), 8u);
    EXPECT_EQ(files.front(), "app/identify.cc");
    EXPECT_EQ(files.back(), "src/result/estimate.cc");
    for (std::size_t i = 0; i < files.size(); ++i) {
      EXPECT_TRUE(fs::exists(testing::SourcePath(files[i]))) << files[i];
      ASSERT_GE(rank(files[i]), 0) << files[i];
      if (i > 0) {
        EXPECT_LE(rank(files[i]), rank(files[i - 1])) << files[i] << " is not below " << files[i - 1];
      }
    }
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

TEST(Architecture, TheProgramIsAThinLayerOverThePublicApi) {
  // Beside public headers: text for the terminal and signals.
  const std::set<std::string> allowed = {"core/text.h", "core/signals.h", "core/progress/progress_line.h"};
  const std::vector<Include> includes = IncludesBelow("app");
  ASSERT_GT(includes.size(), 50u);
  for (const Include& include : includes) {
    if (!include.quoted || include.target.starts_with("app/") || include.target.starts_with("ricochet/")) continue;
    EXPECT_TRUE(allowed.contains(include.target))
        << include.file << ":" << include.line << ": includes " << include.target;
  }
}

TEST(Architecture, HeadersDefineEveryTypeAndConstantOnce) {
  // Two meanings of a name in one namespace are one object for the linker, whichever it takes.
  const std::regex definition(
      "(?:struct|class|enum class) (\\w+)[^;]*\\{.*|inline constexpr [\\w:<>, ]+ (\\w+)(?:\\[\\])? =.*");
  std::map<std::string, std::string> home;
  for (const char* folder : {"include", "src"})
    for (const auto& entry : fs::recursive_directory_iterator(testing::SourcePath(folder))) {
      if (entry.path().extension() != ".h" && entry.path().extension() != ".inl") continue;
      std::ifstream in(entry.path());
      std::string text;
      while (std::getline(in, text)) {
        std::smatch match;
        if (!std::regex_match(text, match, definition)) continue;
        const std::string name = match[1].matched ? match[1] : match[2], file = entry.path().string();
        const auto [known, is_new] = home.emplace(name, file);
        EXPECT_TRUE(is_new || known->second == file) << name << " is in " << known->second << " and " << file;
      }
    }
  EXPECT_GT(home.size(), 300u);
}

TEST(Architecture, TheUmbrellaHeaderIncludesEveryPublicHeader) {
  std::set<std::string> included;
  for (const Include& include : IncludesBelow("include"))
    if (include.file.ends_with("/ricochet.h")) included.insert(include.target);
  for (const auto& entry : fs::directory_iterator(testing::SourcePath("include/ricochet"))) {
    const std::string name = "ricochet/" + entry.path().filename().string();
    EXPECT_TRUE(name == "ricochet/ricochet.h" || included.contains(name)) << name;
  }
}

TEST(Architecture, MessagesOfTheLibraryNameNoFlags) {
  const std::regex flag("\"[^\"]*[^-<!]--[a-z][^\"]*\"|\"--[a-z][^\"]*\"");
  for (const auto& entry : fs::recursive_directory_iterator(testing::SourcePath("src"))) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".h" && extension != ".cc" && extension != ".inl") continue;
    std::ifstream in(entry.path());
    std::string text;
    for (int line = 1; std::getline(in, text); ++line) {
      if (text.find("//") < text.find('"')) continue;
      EXPECT_FALSE(std::regex_search(text, flag)) << entry.path() << ":" << line << ": " << text;
    }
  }
}

}  // namespace
}  // namespace ricochet
