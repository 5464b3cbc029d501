// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Compressed parts of files (deflate). What a part may become is bounded before it is decompressed: all parts of a file
// together make at most 64 times the bytes of the file, or 64 MiB if that is more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/byte_reader.h"

namespace ricochet {

enum class DeflateWrapping {
  kNone,  // as in ZIP archives
  kZlib,  // header and checksum, as in MATLAB files
};

class Inflater {
 public:
  /// `bytes` must outlive the inflater.
  explicit Inflater(const ByteReader& bytes);

  /// What `size` bytes from `at` decompress to. Throws InputError naming `field` for damaged data and for more than the
  /// file may make.
  std::string Inflate(std::size_t at, std::size_t size, DeflateWrapping wrapping, const std::string& field);

 private:
  const ByteReader& bytes_;
  std::size_t left_;  // bytes that may still be made
};

/// CRC-32 as ZIP archives state it.
std::uint32_t Crc32(std::string_view bytes);

}  // namespace ricochet
