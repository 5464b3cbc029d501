// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/byte_reader.h"

#include <fmt/format.h>

#include <cmath>

#include "ricochet/error.h"

namespace ricochet {
namespace {

const char* const kTruncated = "It is truncated or damaged: copy or export it again.";

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
