// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace ricochet {
namespace {

using Words = std::array<std::uint32_t, 4>;

// Known answers published with Random123 (kat_vectors, philox4x32 10).
TEST(Philox4x32, KnownAnswers) {
  EXPECT_EQ(Philox4x32({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, FirstBitsAreTheFirstBlock) {
  Random random(0);
  EXPECT_EQ(random.Bits(), 0xe169c58d6627e8d5u);
  EXPECT_EQ(random.Bits(), 0x9b00dbd8bc57ac4cu);
}

TEST(Random, SeedsStreamsAndSplitsDiffer) {
  std::set<std::uint64_t> first;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (std::uint64_t stream = 0; stream < 50; ++stream) {
      first.insert(Random(seed, stream).Bits());
      first.insert(Random(seed, stream).Split(3).Bits());
    }
  }
  EXPECT_EQ(first.size(), 5000u);
}

TEST(Random, SplitDoesNotDependOnDraws) {
  Random a(7, 2), b(7, 2);
  a.Normal();
  a.Bits();
  EXPECT_EQ(a.Split(4).Bits(), b.Split(4).Bits());
}

TEST(Random, UniformMomentsAndRange) {
  Random random(42);
  constexpr int kCount = 200000;
  double sum = 0, sum_squares = 0;
  for (int i = 0; i < kCount; ++i) {
    const double x = random.Uniform();
    ASSERT_GE(x, 0);
    ASSERT_LT(x, 1);
    sum += x;
    sum_squares += x * x;
  }
  // Five standard deviations of the mean of n draws: sqrt(1/12/n), sqrt(4/45/n).
  EXPECT_NEAR(sum / kCount, 1.0 / 2, 5 * std::sqrt(1.0 / 12 / kCount));
  EXPECT_NEAR(sum_squares / kCount, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / kCount));
  for (int i = 0; i < 1000; ++i) {
    const double x = random.Uniform(-2, -1);
    ASSERT_TRUE(x >= -2 && x < -1);
  }
}

TEST(Random, NormalHasTheRightMomentsAndTails) {
  Random random(43);
  constexpr int kCount = 400000;
  double m1 = 0, m2 = 0, m3 = 0, m4 = 0;
  int beyond_two = 0;
  for (int i = 0; i < kCount; ++i) {
    const double x = random.Normal();
    m1 += x;
    m2 += x * x;
    m3 += x * x * x;
    m4 += x * x * x * x;
    beyond_two += std::abs(x) > 2;
  }
  // Variances of x, x^2, x^3, x^4 of a standard normal: 1, 2, 15, 96.
  const double five = 5 / std::sqrt(kCount);
  EXPECT_NEAR(m1 / kCount, 0, five);
  EXPECT_NEAR(m2 / kCount, 1, five * std::sqrt(2.0));
  EXPECT_NEAR(m3 / kCount, 0, five * std::sqrt(15.0));
  EXPECT_NEAR(m4 / kCount, 3, five * std::sqrt(96.0));
  const double p = std::erfc(std::sqrt(2.0));
  EXPECT_NEAR(static_cast<double>(beyond_two) / kCount, p, five * std::sqrt(p * (1 - p)));
}

TEST(Random, BelowIsEven) {
  Random random(44);
  std::vector<int> count(7);
  for (int i = 0; i < 70000; ++i) ++count[random.Below(7)];
  for (const int c : count) EXPECT_NEAR(c, 10000, 5 * std::sqrt(70000 * 6.0 / 49));
  for (int i = 0; i < 10; ++i) EXPECT_EQ(random.Below(1), 0u);
}

TEST(PortableLog, AgreesWithTheLibrary) {
  Random random(45);
  for (int i = 0; i < 100000; ++i) {
    const double x = std::exp(random.Uniform(-700, 700));
    ASSERT_NEAR(PortableLog(x), std::log(x), 4e-16 * std::abs(std::log(x)));
  }
  for (int i = 0; i < 100000; ++i) {
    const double x = random.Uniform(0.5, 2);
    ASSERT_NEAR(PortableLog(x), std::log(x), 4e-16 * std::abs(std::log(x))) << x;
  }
  EXPECT_EQ(PortableLog(1.0), 0.0);
}

}  // namespace
}  // namespace ricochet
