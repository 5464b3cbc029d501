// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
// Seeds of the fuzz corpus and thousands of damaged copies: the reader accepts or refuses them, and nothing else.
#include <gtest/gtest.h>

#include "tests/fuzz/mutate.h"
#include "tests/fuzz/parser_properties.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

std::vector<std::string> Corpus() { return ReadCorpus(testing::SourcePath("tests/fuzz/corpus_recording")); }

TEST(DamagedRecordings, Corpus) {
  const std::vector<std::string> seeds = Corpus();
  ASSERT_GE(seeds.size(), 10u);
  for (const std::string& text : seeds) EXPECT_EQ(FaultOfRecordingReader(text), "") << text;
}

TEST(DamagedRecordings, Mutations) {
  const std::vector<std::string> seeds = Corpus();
  const std::vector<std::string> words = {",",
                                          "\n",
                                          "\r\n",
                                          "\r",
                                          "\"",
                                          "\"\"",
                                          "#",
                                          " ",
                                          "\t",
                                          ";",
                                          ".",
                                          "-",
                                          "+",
                                          "nan",
                                          "NaN",
                                          "inf",
                                          "1e9",
                                          "e",
                                          "1e-400",
                                          "1e400",
                                          "t",
                                          "t,t",
                                          "box.x",
                                          "x.y.z",
                                          "\xEF\xBB\xBF",
                                          "\xFF\xFE",
                                          std::string(1, '\0'),
                                          std::string(400, '9'),
                                          std::string(300, ','),
                                          "0." + std::string(400, '0') + "1e400"};
  Random random(11);
  int accepted = 0;
  constexpr int kCount = 20000;
  for (int i = 0; i < kCount; ++i) {
    const std::string text = Mutate(seeds, words, random);
    ASSERT_EQ(FaultOfRecordingReader(text), "") << "mutation " << i << ":\n" << text;
    try {
      ParseRecording(text, "");
      ++accepted;
    } catch (const InputError&) {
    }
  }
  // Both ways are exercised.
  EXPECT_GT(accepted, kCount / 20);
  EXPECT_LT(accepted, kCount * 19 / 20);
}

}  // namespace
}  // namespace ricochet
