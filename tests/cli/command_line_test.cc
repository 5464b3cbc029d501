// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What a wrong command line says: what is wrong, and what was probably meant.
#include <gtest/gtest.h>

#include "tests/support/program.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

using testing::RunProgram;
using testing::SourcePath;

TEST(CommandLine, MisspelledOptionIsNamedWithTheNearestOne) {
  const testing::TemporaryFolder folder;
  const auto result =
      RunProgram({"identify", SourcePath("examples/plywood_blind.yaml"),
                  SourcePath("examples/recordings/plywood_240fps.csv"), "--estimat", "contact.friction"},
                 folder.path());
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.err, "ricochet: identify has no option `--estimat`. Did you mean `--estimate`?\n");
}

TEST(CommandLine, SwappedArgumentsAreRecognized) {
  const testing::TemporaryFolder folder;
  const std::string recording = SourcePath("examples/recordings/plywood_240fps.csv");
  const auto result =
      RunProgram({"identify", recording, SourcePath("examples/plywood_blind.yaml"), "--estimate", "x"}, folder.path());
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.err, recording +
                            ":1:1: this is a recording (CSV), not a scene. Give the scene (YAML) first, then the "
                            "recordings.\n");
}

TEST(CommandLine, WithoutACommandTheCommandsAreNamed) {
  const testing::TemporaryFolder folder;
  const auto result = RunProgram({}, folder.path());
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(result.err.starts_with("ricochet: no command. There are simulate, parameters, ")) << result.err;
  EXPECT_TRUE(result.err.ends_with(" and report. `ricochet --help` describes them.\n")) << result.err;
}

TEST(CommandLine, MissingOptionIsNamed) {
  const testing::TemporaryFolder folder;
  const auto result = RunProgram({"simulate"}, folder.path());
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.err, "ricochet: SCENE is required. See `ricochet simulate --help`.\n");
}

TEST(CommandLine, ExcessArgumentsAreNamed) {
  const testing::TemporaryFolder folder;
  const auto result = RunProgram({"methods", "irc"}, folder.path());
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.err, "ricochet: methods does not take the argument `irc`. See `ricochet methods --help`.\n");
}

TEST(CommandLine, CountsAreWholeNumbers) {
  const testing::TemporaryFolder folder;
  for (const std::string count : {"3.5", "-1", "1e10", "x"}) {
    const auto result = RunProgram({"identify", SourcePath("examples/plywood_blind.yaml"),
                                    SourcePath("examples/recordings/plywood_240fps.csv"), "--estimate",
                                    "contact.friction", "--bootstrap", count},
                                   folder.path());
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.err, "ricochet: --bootstrap: `" + count +
                              "` is not a whole number of at least 0. See `ricochet identify --help`.\n");
  }
}

}  // namespace
}  // namespace ricochet
