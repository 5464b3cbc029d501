// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/array_files.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace ricochet::testing {
namespace {

std::string Word(std::uint64_t value, int size, bool big = false) {
  std::string text;
  for (int i = 0; i < size; ++i) text += static_cast<char>(value >> (8 * (big ? size - 1 - i : i)));
  return text;
}

/// Deflate; `bits` as zlib has them: negative without header.
std::string Deflate(const std::string& text, int bits) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::runtime_error("deflate");
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// An element of a MATLAB file, padded to 8 bytes.
std::string Element(std::uint64_t type, const std::string& data, bool big = false) {
  return Word(type, 4, big) + Word(data.size(), 4, big) + data + std::string((8 - data.size() % 8) % 8, '\0');
}

std::string Matrix(std::uint64_t kind, const std::vector<std::size_t>& axes, const std::string& name,
                   const std::string& rest, bool big = false) {
  std::string lengths;
  for (const std::size_t length : axes) lengths += Word(length, 4, big);
  return Element(
      14,
      Element(6, Word(kind, 4, big) + Word(0, 4, big), big) + Element(5, lengths, big) + Element(1, name, big) + rest,
      big);
}

}  // namespace

std::string DoubleBytes(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += Word(std::bit_cast<std::uint64_t>(value), 8);
  return text;
}

std::string NpyFile(const std::string& type, const std::string& shape, const std::string& data, bool fortran) {
  const std::string header =
      fmt::format("{{'descr': {}, 'fortran_order': {}, 'shape': {}, }}\n",
                  type.starts_with('[') ? type : "'" + type + "'", fortran ? "True" : "False", shape);
  return std::string("\x93NUMPY\x01\x00", 8) + Word(header.size(), 2) + header + data;
}

std::string ZipFile(const std::vector<std::pair<std::string, std::string>>& files, bool compressed) {
  std::string out, directory;
  for (const auto& [name, content] : files) {
    const std::string packed = compressed ? Deflate(content, -15) : content;
    const std::string common =
        Word(20, 2) + Word(0, 2) + Word(compressed ? 8 : 0, 2) + Word(0, 4) +
        Word(crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size())), 4) +
        Word(packed.size(), 4) + Word(content.size(), 4) + Word(name.size(), 2) + Word(0, 2);
    directory += Word(0x02014b50, 4) + Word(20, 2) + common + Word(0, 10) + Word(out.size(), 4) + name;
    out += Word(0x04034b50, 4) + common + name + packed;
  }
  return out + directory + Word(0x06054b50, 4) + Word(0, 4) + Word(files.size(), 2) + Word(files.size(), 2) +
         Word(directory.size(), 4) + Word(out.size(), 4) + Word(0, 2);
}

std::string MatArray(const MatVariable& variable, bool big) {
  std::string data;
  for (const double value : variable.values) data += Word(std::bit_cast<std::uint64_t>(value), 8, big);
  return Matrix(6, variable.axes, variable.name, Element(9, data, big), big);
}

std::string MatBytes(const std::string& name, const std::string& values) {
  return Matrix(6, {values.size(), 1}, name, Element(2, values));
}

std::string MatText(const std::string& name, const std::string& text) {
  return Matrix(4, {1, text.size()}, name, Element(16, text));
}

std::string MatStruct(const std::string& name, const std::vector<MatVariable>& fields) {
  std::string names, values;
  for (const MatVariable& field : fields) {
    names += field.name + std::string(32 - field.name.size(), '\0');
    values += MatArray({"", field.axes, field.values});
  }
  return Matrix(2, {1, 1}, name, Word(5 | 4 << 16, 4) + Word(32, 4) + Element(1, names) + values);
}

std::string MatCells(const std::string& name, const std::vector<MatVariable>& cells) {
  std::string values;
  for (const MatVariable& cell : cells) values += MatArray({"", cell.axes, cell.values});
  return Matrix(1, {1, cells.size()}, name, values);
}

std::string MatCompressed(const std::string& element) {
  const std::string packed = Deflate(element, 15);
  return Word(15, 4) + Word(packed.size(), 4) + packed;
}

std::string MatFile(const std::vector<std::string>& elements, bool big) {
  std::string text = "MATLAB 5.0 MAT-file, written by a test";
  text.resize(124, ' ');
  text += big ? std::string("\x01\x00MI", 4) : std::string("\x00\x01IM", 4);
  for (const std::string& element : elements) text += element;
  return text;
}

}  // namespace ricochet::testing
