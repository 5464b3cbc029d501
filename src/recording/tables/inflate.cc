// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/tables/inflate.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

namespace ricochet {
namespace {

constexpr std::size_t kMostTimes = 64;
constexpr std::size_t kAlwaysAllowed = std::size_t{64} << 20;  // [bytes]

/// Ends a stream of zlib, whatever happens.
struct Stream : z_stream {
  Stream() : z_stream{} {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { inflateEnd(this); }
};

}  // namespace

Inflater::Inflater(const ByteReader& bytes)
    : bytes_(bytes), left_(std::max(kMostTimes * bytes.size(), kAlwaysAllowed)) {}

std::string Inflater::Inflate(std::size_t at, std::size_t size, DeflateWrapping wrapping, const std::string& field) {
  bytes_.Need(at, size, field);
  const std::string_view packed = bytes_.Text(at, size);
  Stream stream;
  if (inflateInit2(&stream, wrapping == DeflateWrapping::kZlib ? MAX_WBITS : -MAX_WBITS) != Z_OK)
    throw std::bad_alloc();
  std::string out;
  std::size_t used = 0;
  for (int status = Z_OK; status != Z_STREAM_END;) {
    constexpr std::size_t kPiece = std::size_t{1} << 16;
    const std::size_t before = out.size();
    out.resize(before + kPiece);
    const std::size_t given = std::min(packed.size() - used, std::size_t{1} << 30);
    // zlib reads its input through a pointer that is not const.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + used));
    stream.avail_in = static_cast<uInt>(given);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = static_cast<uInt>(kPiece);
    status = inflate(&stream, Z_NO_FLUSH);
    used += given - stream.avail_in;
    out.resize(before + kPiece - stream.avail_out);
    if (out.size() > left_)
      bytes_.Fail(at, field, fmt::format("decompresses to more than {} times the size of the file.", kMostTimes),
                  "Save it without compression.");
    const bool stuck = status == Z_BUF_ERROR || (status == Z_OK && used == packed.size() && stream.avail_out > 0);
    if (stuck || (status != Z_OK && status != Z_STREAM_END))
      bytes_.Fail(at, field, "its compressed data are damaged.", "Copy or save the file again.");
  }
  left_ -= out.size();
  return out;
}

std::uint32_t Crc32(std::string_view bytes) {
  uLong crc = crc32(0, nullptr, 0);
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t piece = std::min(bytes.size() - at, std::size_t{1} << 30);
    crc = crc32(crc, reinterpret_cast<const Bytef*>(bytes.data() + at), static_cast<uInt>(piece));
    at += piece;
  }
  return static_cast<std::uint32_t>(crc);
}

}  // namespace ricochet
