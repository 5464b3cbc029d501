// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/byte_reader.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

#include "ricochet/error.h"

namespace ricochet {
namespace {

const char* const kTruncated = "It is truncated or damaged: copy or export it again.";

/// A float of 16 bits: sign, 5 bits of exponent, 10 of fraction.
double HalfFloat(std::uint64_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31), fraction = static_cast<int>(bits & 1023);
  const double size = exponent == 31  ? (fraction == 0 ? HUGE_VAL : std::numeric_limits<double>::quiet_NaN())
                      : exponent == 0 ? std::ldexp(fraction, -24)
                                      : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

}  // namespace

void ByteReader::Fail(std::size_t at, const std::string& field, const std::string& problem,
                      const std::string& remedy) const {
  throw InputError({file_, 0, 0}, fmt::format("{} (byte {})", field, at), problem, remedy);
}

void ByteReader::Need(std::size_t at, std::size_t size, const std::string& field) const {
  if (at > bytes_.size() || size > bytes_.size() - at)
    Fail(at, field, fmt::format("the file ends at byte {}.", bytes_.size()), kTruncated);
}

std::uint64_t ByteReader::Little(std::size_t at, std::size_t size) const {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value |= std::uint64_t{Byte(at + i)} << (8 * i);
  return value;
}

std::uint64_t ByteReader::Big(std::size_t at, std::size_t size) const {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value = value << 8 | Byte(at + i);
  return value;
}

double ByteReader::Number(std::size_t at, const Type& type) const {
  const std::uint64_t bits = type.big ? Big(at, type.size) : Little(at, type.size);
  if (type.kind == 'f') {
    if (type.size == 8) return std::bit_cast<double>(bits);
    if (type.size == 4) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    return HalfFloat(bits);
  }
  if (type.kind == 'u') return static_cast<double>(bits);
  const int shift = static_cast<int>(64 - 8 * type.size);
  return static_cast<double>(static_cast<std::int64_t>(bits << shift) >> shift);
}

std::size_t ByteReader::Product(std::initializer_list<std::size_t> sizes, std::size_t at,
                                const std::string& field) const {
  std::size_t product = 1;
  for (const std::size_t size : sizes) {
    if (size == 0) return 0;
    if (__builtin_mul_overflow(product, size, &product) || product > bytes_.size())
      Fail(at, field, "its size exceeds the file.", kTruncated);
  }
  return product;
}

std::size_t ByteReader::Count(double value, std::size_t most, std::size_t at, const std::string& field) const {
  if (!(value >= 0) || value != std::floor(value) || !(value <= static_cast<double>(most)))
    Fail(at, field, fmt::format("{:g} is not a count that the file can hold.", value), kTruncated);
  return static_cast<std::size_t>(value);
}

}  // namespace ricochet
