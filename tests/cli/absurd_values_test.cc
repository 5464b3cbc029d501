// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Well-formed scenes and recordings with absurd numbers against every command: 200 cases of tests/fuzz/values.
#include <gtest/gtest.h>

#include "tests/fuzz/values/value_cases.h"

namespace ricochet {
namespace {

class AbsurdValues : public ::testing::TestWithParam<int> {};

TEST_P(AbsurdValues, AreAnswered) {
  constexpr int kCases = 50;
  for (int i = 0; i < kCases; ++i) {
    const auto seed = static_cast<std::uint64_t>(kCases * GetParam() + i);
    const testing::ValueCase value_case = testing::MakeValueCase(seed, true);
    const testing::ValueRun run = testing::RunValueCase(value_case);
    EXPECT_EQ(run.fault, "") << "seed " << seed << ": " << value_case.name << "\n" << run.result.out << run.result.err;
  }
}

INSTANTIATE_TEST_SUITE_P(Quarters, AbsurdValues, ::testing::Values(0, 1, 2, 3));

}  // namespace
}  // namespace ricochet
