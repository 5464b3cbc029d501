// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/tables/numpy_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/text.h"
#include "recording/byte_reader.h"
#include "recording/text_table.h"
#include "ricochet/error.h"

namespace ricochet {
namespace {

const char* const kSave = "Save arrays of numbers with numpy.save or numpy.savez.";

/// One array: columns[c][row].
struct Array {
  std::string name;
  std::size_t rows = 0;
  bool has_columns = false;  // two axes
  std::vector<std::vector<double>> columns;
};

/// The text behind a key of the header, a Python dictionary: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 2)}.
std::string ValueOf(std::string_view header, const std::string& key) {
  const std::size_t at = header.find("'" + key + "':");
  if (at == std::string_view::npos) return "";
  std::string_view rest = header.substr(at + key.size() + 3);
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  const std::size_t end = rest.starts_with('(') ? rest.find(')') : rest.find(',');
  return std::string(rest.substr(0, end));
}

double Element(const ByteReader& bytes, std::size_t at, char kind, std::size_t size, bool big) {
  const std::uint64_t bits = big ? bytes.Big(at, size) : bytes.Little(at, size);
  if (kind == 'f' && size == 8) return std::bit_cast<double>(bits);
  if (kind == 'f') return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if (kind == 'i') {
    const int shift = static_cast<int>(64 - 8 * size);
    return static_cast<double>(static_cast<std::int64_t>(bits << shift) >> shift);
  }
  return static_cast<double>(bits);
}

Array ParseArray(const ByteReader& bytes, std::size_t begin, const std::string& name) {
  bytes.Need(begin, 10, name);
  if (bytes.Text(begin, 6) != "\x93NUMPY") bytes.Fail(begin, name, "is no array of NumPy.", kSave);
  const std::size_t wide = bytes.Byte(begin + 6) == 1 ? 2 : 4;
  bytes.Need(begin + 8, wide, name);
  const auto length = static_cast<std::size_t>(bytes.Little(begin + 8, wide));
  const std::size_t header_at = begin + 8 + wide;
  bytes.Need(header_at, length, name);
  const std::string_view header = bytes.Text(header_at, length);
  const std::string type = ValueOf(header, "descr"), shape = ValueOf(header, "shape");
  const bool fortran = ValueOf(header, "fortran_order").starts_with("True");
  // '<f8': byte order, kind, size.
  const char kind = type.size() == 5 ? type[2] : '?';
  const std::size_t size = type.size() == 5 ? static_cast<std::size_t>(type[3] - '0') : 0;
  const bool known = (kind == 'f' && (size == 4 || size == 8)) ||
                     ((kind == 'i' || kind == 'u') && (size == 1 || size == 2 || size == 4 || size == 8));
  if (!known) bytes.Fail(header_at, name, fmt::format("has the type `{}`.", Printable(type)), kSave);
  std::vector<std::size_t> axes;
  std::size_t at = 1;
  while (at < shape.size()) {
    const std::size_t end = std::min(shape.find(',', at), shape.size());
    double number = 0;
    if (ParseNumber(shape.substr(at, end - at), number))
      axes.push_back(bytes.Count(number, bytes.size(), header_at, name));
    at = end + 1;
  }
  if (axes.empty() || axes.size() > 2)
    bytes.Fail(header_at, name, fmt::format("has {} axes.", axes.size()), "Save arrays of one or two axes.");
  Array array{name, axes[0], axes.size() == 2, {}};
  const std::size_t width = axes.size() == 2 ? axes[1] : 1, data = header_at + length;
  bytes.Need(data, bytes.Product({array.rows, width, size}, header_at, name), name);
  for (std::size_t c = 0; c < width && array.rows > 0; ++c) {
    array.columns.emplace_back();
    for (std::size_t r = 0; r < array.rows; ++r) {
      const double value =
          Element(bytes, data + size * (fortran ? c * array.rows + r : r * width + c), kind, size, type[1] == '>');
      array.columns.back().push_back(std::isfinite(value) ? value : std::numeric_limits<double>::quiet_NaN());
    }
  }
  return array;
}

/// Arrays of a ZIP archive, by the headers in front of its files.
std::vector<Array> ParseArchive(const ByteReader& bytes) {
  std::vector<Array> arrays;
  std::size_t at = 0;
  while (at + 4 <= bytes.size() && bytes.Little(at, 4) == 0x04034b50) {
    bytes.Need(at, 30, "archive");
    const std::size_t name_size = bytes.Little(at + 26, 2), extra = bytes.Little(at + 28, 2);
    bytes.Need(at + 30, name_size + extra, "archive");
    std::string name(bytes.Text(at + 30, name_size));
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    if (bytes.Little(at + 8, 2) != 0)
      bytes.Fail(at, Printable(name), "is compressed.", "Save it with numpy.savez, not with numpy.savez_compressed.");
    std::uint64_t size = bytes.Little(at + 18, 4);
    // ZIP64: the sizes stand in the extra field, behind its identifier and length.
    if (size == 0xFFFFFFFF && extra >= 20 && bytes.Little(at + 30 + name_size, 2) == 1)
      size = bytes.Little(at + 30 + name_size + 12, 8);
    const std::size_t data = at + 30 + name_size + extra;
    if (size > bytes.size()) bytes.Fail(at, Printable(name), "its size exceeds the file.", "Copy the file again.");
    bytes.Need(data, static_cast<std::size_t>(size), Printable(name));
    arrays.push_back(ParseArray(bytes, data, name));
    at = data + static_cast<std::size_t>(size);
  }
  return arrays;
}

}  // namespace

NumberTable ParseNumpyTable(std::string_view content, const std::string& name_in_messages) {
  const ByteReader bytes(content, name_in_messages);
  const bool archive = content.starts_with("PK");
  const std::vector<Array> arrays = archive ? ParseArchive(bytes) : std::vector<Array>{ParseArray(bytes, 0, "array")};
  NumberTable table;
  table.file = name_in_messages;
  table.format = archive ? "NumPy archive" : "NumPy array";
  table.named = archive;
  std::size_t rows = 0;
  for (const Array& array : arrays) rows = std::max(rows, array.rows);
  if (rows == 0) throw InputError({name_in_messages, 0, 0}, "", "has no array with rows.", kSave);
  for (const Array& array : arrays) {
    if (array.rows != rows) {
      table.left_out.push_back(
          fmt::format("array {}: it has {} rows, others have {}", Printable(array.name), array.rows, rows));
      continue;
    }
    for (std::size_t c = 0; c < array.columns.size(); ++c) {
      table.names.push_back(!archive            ? fmt::format("{}", c + 1)
                            : array.has_columns ? fmt::format("{}_{}", array.name, c + 1)
                                                : array.name);
      table.values.push_back(array.columns[c]);
    }
  }
  return table;
}

}  // namespace ricochet
