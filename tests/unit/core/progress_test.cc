// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/progress/progress.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "core/context.h"
#include "core/progress/progress_line.h"

namespace ricochet {
namespace {

TEST(FormatDuration, Words) {
  EXPECT_EQ(FormatDuration(0), "0 s");
  EXPECT_EQ(FormatDuration(7.2), "8 s");
  EXPECT_EQ(FormatDuration(72), "1 min 12 s");
  EXPECT_EQ(FormatDuration(7500), "2 h 5 min");
  EXPECT_EQ(FormatDuration(-1), "?");
}

std::string LineOf(const char* task, std::int64_t done, std::int64_t total, double elapsed,
                   std::int64_t from_before = 0) {
  return ProgressLine({.task = task,
                       .done = done,
                       .total = total,
                       .elapsed = elapsed,
                       .remaining = RemainingTime(done, total, elapsed, from_before)});
}

TEST(ProgressLine, SaysHowFarAndHowLong) {
  EXPECT_EQ(LineOf("sweep", 0, 1000, 10), "sweep 0 % (0 of 1000)");
  EXPECT_EQ(LineOf("sweep", 250, 1000, 24), "sweep 25 % (250 of 1000), 1 min 12 s left");
  EXPECT_EQ(LineOf("sweep", 999, 1000, 0.1), "sweep 99 % (999 of 1000)");
  EXPECT_EQ(LineOf("sweep", 2000, 1000, 10), "sweep 100 % (1000 of 1000), 0 s left");
  EXPECT_EQ(LineOf("reading", 3, 0, 10), "reading: 3 steps in 10 s");
  EXPECT_EQ(ProgressLine({.task = "identify", .done = 42, .total = 0, .elapsed = 8, .remaining = 592}),
            "identify: 42 steps in 8 s, at most 9 min 52 s more");
  // 900 were there: the 10 since took 2 s.
  EXPECT_EQ(LineOf("sweep", 910, 1000, 2, 900), "sweep 91 % (910 of 1000), 18 s left");
  EXPECT_EQ(LineOf("sweep", 900, 1000, 2, 900), "sweep 90 % (900 of 1000)");
}

TEST(ProgressMeter, ReportsToTheContextAndSaysWhenItEnds) {
  std::vector<Progress> reports;
  {
    const ContextScope scope({.progress = [&](const Progress& progress) { reports.push_back(progress); }});
    ProgressMeter meter("sweep", 100);
    meter.Advance(10);
    meter.Advance(10);  // too soon to be reported
    std::this_thread::sleep_for(std::chrono::milliseconds(120));
    meter.Advance(30);
  }
  ASSERT_EQ(reports.size(), 3u);
  EXPECT_EQ(reports[0].done, 10);
  EXPECT_EQ(reports[1].done, 50);
  EXPECT_EQ(reports[1].total, 100);
  EXPECT_GT(reports[1].elapsed, 0.1);
  EXPECT_FALSE(reports[1].finished);
  EXPECT_TRUE(reports[2].finished);
}

TEST(ProgressMeter, IsQuietWithoutACallback) {
  const ContextScope scope({});
  ProgressMeter meter("sweep", 100);
  meter.Advance(50);
}

}  // namespace
}  // namespace ricochet
