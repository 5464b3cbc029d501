// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
// Seeds of the fuzz corpus and thousands of damaged copies: the reader accepts or refuses them, and nothing else.
#include <gtest/gtest.h>

#include "tests/fuzz/mutate.h"
#include "tests/fuzz/parser_properties.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

std::vector<std::string> Corpus() { return ReadCorpus(testing::SourcePath("tests/fuzz/corpus_scene")); }

TEST(DamagedScenes, Corpus) {
  const std::vector<std::string> seeds = Corpus();
  ASSERT_GE(seeds.size(), 14u);
  for (const std::string& text : seeds) EXPECT_EQ(FaultOfSceneReader(text), "") << text;
}

TEST(DamagedScenes, Mutations) {
  const std::vector<std::string> seeds = Corpus();
  const std::vector<std::string> words = {":",
                                          ": ",
                                          "\n",
                                          "\n  ",
                                          "- ",
                                          "[",
                                          "]",
                                          "{",
                                          "}",
                                          ",",
                                          "#",
                                          "'",
                                          "\"",
                                          "&a ",
                                          "*a",
                                          "<<: *a",
                                          "!!str ",
                                          "|\n",
                                          "? ",
                                          "---\n",
                                          "~",
                                          "null",
                                          "true",
                                          ".nan",
                                          ".inf",
                                          "-1",
                                          "0",
                                          "1e-400",
                                          "1e400",
                                          "30 deg",
                                          "mass",
                                          "*",
                                          "bodies: ",
                                          "space: spatial\n",
                                          "[[[[[[[[",
                                          "\t",
                                          "\xEF\xBB\xBF",
                                          "\xFF",
                                          std::string(1, '\0'),
                                          std::string(400, '9'),
                                          std::string(2000, '['),
                                          "inertia: [1, 1, 1, 0, 0, 0]",
                                          "vertices: [[0, 0], [0, 0], [0, 0]]"};
  Random random(12);
  int accepted = 0;
  constexpr int kCount = 4000;
  for (int i = 0; i < kCount; ++i) {
    const std::string text = Mutate(seeds, words, random);
    ASSERT_EQ(FaultOfSceneReader(text), "") << "mutation " << i << ":\n" << text;
    try {
      ParseScene(text, "");
      ++accepted;
    } catch (const InputError&) {
    }
  }
  // Both ways are exercised.
  EXPECT_GT(accepted, kCount / 50);
  EXPECT_LT(accepted, kCount * 19 / 20);
}

}  // namespace
}  // namespace ricochet
