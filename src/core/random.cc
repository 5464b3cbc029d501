// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/random.h"

#include <bit>
#include <cmath>

namespace ricochet {
namespace {

// Finalizer of SplitMix64: spreads every input bit over all output bits.
std::uint64_t Mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

std::uint32_t Low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
std::uint32_t High(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

}  // namespace

std::array<std::uint32_t, 4> Philox4x32(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53u} * counter[0];
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57u} * counter[2];
    counter = {High(product1) ^ counter[1] ^ key[0], Low(product1), High(product0) ^ counter[3] ^ key[1],
               Low(product0)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

// log x = e log 2 + log m with m in [sqrt(1/2), sqrt(2)), log m = 2 atanh(s) = 2 (s + s^3/3 + s^5/5 + ...) where
// s = (m - 1) / (m + 1), |s| < 0.172. Twelve terms leave less than 0.172^24 / 25, that is 2e-20, relative.
double PortableLog(double x) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFFu) | 0x3FF0000000000000u);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++exponent;
  }
  const double s = (m - 1.0) / (m + 1.0);
  const double s2 = s * s;
  double sum = 0;
  for (int k = 11; k >= 1; --k) sum = (sum + 1.0 / (2 * k + 1)) * s2;
  // log 2 in two parts: the first has trailing zeros, so that its product with the exponent is exact.
  constexpr double kLog2High = 0x1.62e42fefa3800p-1, kLog2Low = 0x1.ef35793c76730p-45;
  return exponent * kLog2High + (2.0 * s + (2.0 * s * sum + exponent * kLog2Low));
}

Random Random::Split(std::uint64_t index) const { return Random(Mix(seed_ ^ Mix(stream_)), Mix(index)); }

std::uint64_t Random::Bits() {
  if (words_left_ == 0) {
    const auto w = Philox4x32({Low(block_), High(block_), Low(stream_), High(stream_)}, {Low(seed_), High(seed_)});
    words_ = {w[0] | std::uint64_t{w[1]} << 32, w[2] | std::uint64_t{w[3]} << 32};
    ++block_;
    words_left_ = 2;
  }
  return words_[2 - words_left_--];
}

double Random::Uniform() { return static_cast<double>(Bits() >> 11) * 0x1p-53; }

double Random::Uniform(double lower, double upper) {
  const double x = lower + (upper - lower) * Uniform();
  return x < upper ? x : lower;  // rounding may reach the upper end
}

std::uint64_t Random::Below(std::uint64_t count) {
  // Numbers below 2^64 mod count would make the small results too frequent: draw again.
  const std::uint64_t threshold = (0 - count) % count;
  std::uint64_t bits = Bits();
  while (bits < threshold) bits = Bits();
  return bits % count;
}

double Random::Normal() {
  if (has_spare_normal_) {
    has_spare_normal_ = false;
    return spare_normal_;
  }
  // A uniform point of the disc, whose squared radius makes both normal deviates.
  double a = 0, b = 0, r2 = 0;
  do {
    a = 2.0 * Uniform() - 1.0;
    b = 2.0 * Uniform() - 1.0;
    r2 = a * a + b * b;
  } while (r2 >= 1.0 || r2 == 0.0);
  const double scale = std::sqrt(-2.0 * PortableLog(r2) / r2);
  spare_normal_ = b * scale;
  has_spare_normal_ = true;
  return a * scale;
}

}  // namespace ricochet
