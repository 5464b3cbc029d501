// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
// Seeds of the fuzz corpora of the readers of other programs' files and thousands of damaged copies: accepted or
// refused, and nothing else.
#include <gtest/gtest.h>

#include "tests/fuzz/mutate.h"
#include "tests/fuzz/parser_properties.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

class DamagedImports : public ::testing::TestWithParam<const char*> {};

TEST_P(DamagedImports, CorpusAndMutations) {
  const std::string kind = GetParam();
  const std::vector<std::string> seeds = ReadCorpus(testing::SourcePath("tests/fuzz/corpus_" + kind));
  ASSERT_GE(seeds.size(), 3u);
  for (const std::string& seed : seeds) {
    EXPECT_EQ(FaultOfReader(kind, seed), "");
    for (std::size_t length = 0; length < seed.size(); ++length)
      ASSERT_EQ(FaultOfReader(kind, seed.substr(0, length)), "") << kind << " cut to " << length << " bytes";
  }
  const std::vector<std::string> words = {",",
                                          "\n",
                                          "\r\n",
                                          "\"",
                                          "nan",
                                          "inf",
                                          "1e308",
                                          "-1e308",
                                          "1e-320",
                                          "-",
                                          "0",
                                          "Frame",
                                          ",,",
                                          "65535",
                                          "Position",
                                          "RX",
                                          "Rotation",
                                          std::string(1, '\0'),
                                          std::string(2, '\xFF'),
                                          std::string(300, ','),
                                          std::string(400, '9')};
  Random random(17);
  constexpr int kCount = 4000;
  for (int i = 0; i < kCount; ++i) {
    const std::string bytes = Mutate(seeds, words, random);
    ASSERT_EQ(FaultOfReader(kind, bytes), "") << kind << " mutation " << i << ":\n" << bytes;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, DamagedImports,
                         ::testing::Values("motive", "vicon", "c3d", "trc", "tum", "csv", "columns", "numpy", "matlab",
                                           "urdf", "mesh"),
                         [](const auto& kind) { return std::string(kind.param); });

}  // namespace
}  // namespace ricochet
