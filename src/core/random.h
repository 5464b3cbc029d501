// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Random numbers that are the same on every platform, for every thread count and in every order of evaluation.
//
// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011) is a bijection of
// a 128-bit counter under a 64-bit key. Here the key is the seed, the upper half of the counter names the stream and
// the lower half counts blocks of four 32-bit words. So `Random(seed, k)` for k = 0, 1, ... are independent generators
// without any state handed from one to the next: index k of a parallel loop makes its own.
//
// The distributions use only +, -, *, / and sqrt, which IEEE 754 rounds in one way; those of the standard library, and
// the logarithm of the C library, may differ between platforms.
#pragma once

#include <array>
#include <cstdint>

namespace ricochet {

class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) : seed_(seed), stream_(stream) {}

  /// An independent generator that depends on seed, stream and `index` alone, not on how many numbers were drawn here.
  Random Split(std::uint64_t index) const;

  /// 64 random bits.
  std::uint64_t Bits();

  /// Uniform in [0, 1), a multiple of 2^-53.
  double Uniform();

  /// Uniform in [lower, upper).
  double Uniform(double lower, double upper);

  /// Uniform in {0, ..., count - 1}, without bias; count > 0.
  std::uint64_t Below(std::uint64_t count);

  /// Standard normal, by Marsaglia's polar method.
  double Normal();
  double Normal(double mean, double standard_deviation) { return mean + standard_deviation * Normal(); }

 private:
  std::uint64_t seed_, stream_;
  std::uint64_t block_ = 0;               // next counter
  std::array<std::uint64_t, 2> words_{};  // of the last block
  int words_left_ = 0;
  double spare_normal_ = 0;
  bool has_spare_normal_ = false;
};

/// The bijection: four words of counter to four random words.
std::array<std::uint32_t, 4> Philox4x32(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// Natural logarithm of a positive normal double by arithmetic alone; relative error below 4e-16.
double PortableLog(double x);

}  // namespace ricochet
