// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/work/search_scope.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <thread>
#include <vector>

#include "core/context.h"
#include "core/progress/progress.h"
#include "core/threads.h"

namespace ricochet {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

void Wait(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

TEST(SearchScope, EndsLoopsAndThenWhatDoesNotLook) {
  EXPECT_FALSE(OutOfTime());
  {
    const SearchScope search("identify", 0.1);
    EXPECT_FALSE(OutOfTime());
    Wait(110);
    EXPECT_TRUE(OutOfTime());
    EXPECT_NO_THROW(StopIfCancelled());
    Wait(60);
    EXPECT_THROW(StopIfCancelled(), TimeOver);
    const ContextScope inner(CurrentContext());  // calls within the search have no time of their own
    EXPECT_THROW(StopIfCancelled(), TimeOver);
  }
  EXPECT_FALSE(OutOfTime());
  EXPECT_NO_THROW(StopIfCancelled());
}

TEST(SearchScope, ReachesTheThreadsThatWorkForIt) {
  const ContextScope scope({.threads = 2});
  const SearchScope search("identify", 1e-6);
  Wait(1);
  EXPECT_THROW(ParallelFor(8, [](int) {}), TimeOver);
}

TEST(SearchScope, ReportsItsStepsAfterTwoSeconds) {
  std::vector<Progress> reports;
  {
    const ContextScope scope({.progress = [&](const Progress& progress) { reports.push_back(progress); }});
    const SearchScope search("identify", 60);
    CountSearchStep();
    EXPECT_TRUE(reports.empty());
    Wait(2010);
    {
      const ProgressMeter meter("bootstrap", 10);
      CountSearchStep();
      EXPECT_TRUE(reports.empty());
    }
    CountSearchStep();
    CountSearchStep();  // too soon to be reported
  }
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0].task, "identify");
  EXPECT_EQ(reports[0].done, 3);
  EXPECT_EQ(reports[0].total, 0);
  EXPECT_LT(reports[0].remaining.value(), 58);
  EXPECT_TRUE(reports[1].finished);
}

TEST(SearchScope, HasNoLimitWhereNoneIsGiven) {
  const SearchScope search("identify", kNoLimit);
  EXPECT_FALSE(OutOfTime());
  EXPECT_NO_THROW(StopIfCancelled());
}

}  // namespace
}  // namespace ricochet
