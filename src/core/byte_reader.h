// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Bytes of a binary file that states its own sizes. What it states is never trusted: every place is checked against the
// end of the file before it is read, counts are checked before they are cast, and sizes are multiplied without
// overflow, so that nothing is allocated that the file does not hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace ricochet {

class ByteReader {
 public:
  /// `bytes` must outlive the reader; `file` stands for it in messages.
  ByteReader(std::string_view bytes, std::string file) : bytes_(bytes), file_(std::move(file)) {}

  std::size_t size() const { return bytes_.size(); }
  const std::string& file() const { return file_; }
  /// Drops the first bytes; places count from behind them.
  void Skip(std::size_t count) { bytes_.remove_prefix(count); }

  /// Throws InputError unless `size` bytes follow `at`.
  void Need(std::size_t at, std::size_t size, const std::string& field) const;

  /// These do not check: call Need before.
  std::uint8_t Byte(std::size_t at) const { return static_cast<std::uint8_t>(bytes_[at]); }
  std::string_view Text(std::size_t at, std::size_t size) const { return bytes_.substr(at, size); }
  /// An unsigned number of `size` bytes (1 to 8).
  std::uint64_t Little(std::size_t at, std::size_t size) const;
  std::uint64_t Big(std::size_t at, std::size_t size) const;

  /// A number of a stored type. Infinite values stay as they are.
  struct Type {
    char kind = 'f';       // f: IEEE float of 2, 4 or 8 bytes; i: signed, u: unsigned integer of 1 to 8 bytes
    std::size_t size = 8;  // [bytes]
    bool big = false;      // most significant byte first
  };
  double Number(std::size_t at, const Type& type) const;

  /// The product of sizes. Throws InputError when it exceeds the bytes of the file.
  std::size_t Product(std::initializer_list<std::size_t> sizes, std::size_t at, const std::string& field) const;

  /// A count that the file states as a number. Throws InputError unless it is whole and within 0 ... most.
  std::size_t Count(double value, std::size_t most, std::size_t at, const std::string& field) const;

  /// Throws InputError with "FIELD (byte AT)".
  [[noreturn]] void Fail(std::size_t at, const std::string& field, const std::string& problem,
                         const std::string& remedy) const;

 private:
  std::string_view bytes_;
  std::string file_;
};

}  // namespace ricochet
