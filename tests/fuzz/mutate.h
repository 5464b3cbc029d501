// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Seeds and their damaged copies, the same on every run, for tests that need no fuzzer.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "core/input_file.h"
#include "core/random.h"

namespace ricochet {

/// All files of a folder in the order of their names.
inline std::vector<std::string> ReadCorpus(const std::string& folder) {
  std::vector<std::string> files, texts;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) texts.push_back(ReadInputFile(file));
  return texts;
}

/// One to four random changes: bytes and pieces replaced, cut, doubled, moved or taken from another seed, and words put
/// in that parsers stumble over.
inline std::string Mutate(const std::vector<std::string>& seeds, const std::vector<std::string>& words,
                          Random& random) {
  const auto pick = [&](std::size_t count) { return static_cast<std::size_t>(random.Below(count)); };
  std::string text = seeds[pick(seeds.size())];
  for (std::size_t changes = 1 + pick(4); changes > 0; --changes) {
    const std::size_t at = pick(text.size() + 1);
    const std::size_t length = pick(std::min<std::size_t>(text.size() - at, 20) + 1);
    switch (pick(7)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(random.Below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      case 3:
        text.insert(at, words[pick(words.size())]);
        break;
      case 4:
        text.replace(at, length, words[pick(words.size())]);
        break;
      case 5: {
        const std::string& other = seeds[pick(seeds.size())];
        text.insert(at, other.substr(pick(other.size() + 1), pick(60)));
        break;
      }
      case 6:
        text.resize(at);
        break;
    }
  }
  return text;
}

}  // namespace ricochet
