// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/damaged_import.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <stdexcept>

#include "ricochet/error.h"
#include "tests/support/test_paths.h"

namespace ricochet::testing {

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("not in the text: " + from);
  return text.replace(at, from.size(), to);
}

std::string MessageOf(const std::function<void()>& act) {
  try {
    act();
  } catch (const InputError& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("other exception: ") + error.what();
  }
  return "accepted";
}

void CheckDamaged(const std::string& kind, std::span<const DamagedFile> files,
                  const std::function<void(const std::string&)>& import) {
  std::map<std::string, std::string> expected;
  std::ifstream in(DataPath("import/" + kind + "_messages.txt"));
  for (std::string line; std::getline(in, line);)
    if (const std::size_t colon = line.find(": "); colon != std::string::npos)
      expected[line.substr(0, colon)] = line.substr(colon + 2);
  EXPECT_GE(files.size(), 30u);
  for (const DamagedFile& file : files) {
    const std::string message = MessageOf([&] { import(file.content); });
    EXPECT_EQ(message, expected[file.name]) << kind << " " << file.name << ": " << message;
  }
}

}  // namespace ricochet::testing
