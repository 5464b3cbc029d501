// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
// Files of other programs that are not part of the project; they are looked for in ../shared/data/real, one folder per
// format. Each file must be imported or refused with a message; at most a fifth of a folder may be refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "ricochet/error.h"
#include "ricochet/import.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

namespace fs = std::filesystem;

TEST(RealFiles, AreImportedOrRefusedWithAMessage) {
  const std::string folder = testing::SourcePath("../shared/data/real");
  if (!fs::is_directory(folder)) GTEST_SKIP() << "no files of other programs in ../shared/data/real";
  std::map<std::string, std::pair<int, int>> counts;  // imported and refused, by folder
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string extension = entry.path().extension().string();
    if (!entry.is_regular_file() || entry.path().stem() == "README" || extension == ".mat") continue;
    const std::string kind = (*fs::relative(entry.path(), folder).begin()).string();
    const std::string file = entry.path().string();
    std::string result;
    try {
      if (RecognizeFormat(file) == ImportFormat::kUrdf) {
        result = fmt::format("{} bodies", ImportUrdf(file).bodies.size());
      } else {
        const ImportedRecording imported = ImportRecording(file, ImportFormat::kRecognize, {.rate = 100});
        EXPECT_GT(imported.recording.rows(), 0) << file;
        EXPECT_FALSE(imported.recording.columns.empty()) << file;
        result = DescribeImport(imported);
      }
      ++counts[kind].first;
    } catch (const InputError& error) {
      EXPECT_FALSE(error.problem().empty()) << file;
      result = error.what();
      ++counts[kind].second;
    }
    fmt::print("{}: {}\n", entry.path().filename().string(), result);
  }
  EXPECT_FALSE(counts.empty());
  for (const auto& [kind, count] : counts)
    EXPECT_LE(4 * count.second, count.first + (count.second == 1 ? 4 : 0))
        << kind << ": " << count.second << " refused";
}

}  // namespace
}  // namespace ricochet
