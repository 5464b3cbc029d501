// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// SHA-256 (FIPS 180-4), by which results name the inputs they were computed from.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ricochet {

class Sha256 {
 public:
  void Update(std::string_view bytes);

  /// 64 hexadecimal digits of everything given so far. The object is used up.
  std::string Hex();

 private:
  void Compress(const unsigned char* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> block_{};
  std::size_t filled_ = 0;    // of block_
  std::uint64_t length_ = 0;  // [bytes]
};

std::string Sha256Hex(std::string_view bytes);

/// Hash of a file's content. Throws InputError when it cannot be read.
std::string Sha256OfFile(const std::string& file);

}  // namespace ricochet
