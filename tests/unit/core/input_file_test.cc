// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/input_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "ricochet/error.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

TEST(ReadInputFile, SaysWhatIsWrong) {
  const auto message = [](const std::string& file) -> std::string {
    try {
      ReadInputFile(file);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message("no/such/file.csv"), "no/such/file.csv: there is no such file. Check the name and the folder.");
  EXPECT_EQ(message("/"), "/ is a directory. Name the file in it.");
  const testing::TemporaryFolder folder;
  const std::string circle = folder.File("circle");
  std::filesystem::create_symlink("circle", circle);
  EXPECT_EQ(message(circle), circle + " is a circle of symbolic links. Name the file itself, or repair the links.");
}

TEST(ReadInputFile, ReadsPipes) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "t,x\n0,1\n", 8), 8);
  close(ends[1]);
  EXPECT_EQ(ReadInputFile("/dev/fd/" + std::to_string(ends[0])), "t,x\n0,1\n");
  close(ends[0]);
}

}  // namespace
}  // namespace ricochet
