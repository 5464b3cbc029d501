// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/progress.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace ricochet {
namespace {

TEST(FormatDuration, Words) {
  EXPECT_EQ(FormatDuration(0), "0 s");
  EXPECT_EQ(FormatDuration(7.2), "8 s");
  EXPECT_EQ(FormatDuration(72), "1 min 12 s");
  EXPECT_EQ(FormatDuration(7500), "2 h 5 min");
  EXPECT_EQ(FormatDuration(-1), "?");
}

TEST(ProgressLine, SaysHowFarAndHowLong) {
  EXPECT_EQ(ProgressLine("sweep", 0, 1000, 10), "sweep 0 % (0 of 1000)");
  EXPECT_EQ(ProgressLine("sweep", 250, 1000, 24), "sweep 25 % (250 of 1000), 1 min 12 s left");
  EXPECT_EQ(ProgressLine("sweep", 999, 1000, 0.1), "sweep 99 % (999 of 1000)");
  EXPECT_EQ(ProgressLine("sweep", 2000, 1000, 10), "sweep 100 % (1000 of 1000), 0 s left");
  EXPECT_EQ(ProgressLine("reading", 3, 0, 10), "reading 3");
  // 900 were there: the 10 since took 2 s.
  EXPECT_EQ(ProgressLine("sweep", 910, 1000, 2, 900), "sweep 91 % (910 of 1000), 18 s left");
  EXPECT_EQ(ProgressLine("sweep", 900, 1000, 2, 900), "sweep 90 % (900 of 1000)");
}

TEST(Progress, IsQuietWhenTheStreamIsNoTerminal) {
  std::FILE* stream = std::tmpfile();
  ASSERT_NE(stream, nullptr);
  {
    Progress progress("sweep", 100, true, stream);
    std::this_thread::sleep_for(std::chrono::milliseconds(120));
    progress.Advance(50);
  }
  EXPECT_EQ(std::ftell(stream), 0);
  std::fclose(stream);
}

}  // namespace
}  // namespace ricochet
