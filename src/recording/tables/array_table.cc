// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/tables/array_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.h"
#include "recording/column_names.h"
#include "ricochet/error.h"

namespace ricochet {
namespace {

constexpr std::size_t kMostColumns = 4096;  // of one array

std::string DescribeShape(const NamedArray& array) {
  std::string text;
  for (const std::size_t length : array.axes) text += fmt::format("{}{}", text.empty() ? "" : " x ", length);
  return text;
}

/// Axes that are longer than 1.
std::vector<std::size_t> LongAxes(const NamedArray& array) {
  std::vector<std::size_t> axes;
  for (const std::size_t length : array.axes)
    if (length != 1) axes.push_back(length);
  return axes;
}

/// Whether the terms take the times from this array.
bool IsTime(const NamedArray& array, std::string_view columns) {
  for (std::size_t at = columns.find("t="); at != std::string_view::npos; at = columns.find("t=", at + 1)) {
    if (at > 0 && columns[at - 1] != ',' && columns[at - 1] != ' ') continue;
    std::string_view source = columns.substr(at + 2);
    const bool quoted = source.starts_with('"') || source.starts_with('\'');
    if (quoted) source.remove_prefix(1);
    if (!source.starts_with(array.name)) return false;
    source.remove_prefix(array.name.size());
    return source.empty() || std::string_view("\"'*/+-_, ").find(source[0]) != std::string_view::npos;
  }
  return false;
}

std::size_t CountRows(const std::vector<NamedArray>& arrays, std::string_view columns) {
  std::size_t rows = 0;
  for (const NamedArray& array : arrays)
    if (const std::vector<std::size_t> axes = LongAxes(array);
        !array.name.empty() && axes.size() == 1 && !array.values.empty() && IsTime(array, columns))
      return axes[0];
  for (const NamedArray& array : arrays) {
    const std::vector<std::size_t> axes = LongAxes(array);
    if (array.values.empty()) continue;
    if (axes.size() == 1 && GuessColumn(array.name.substr(array.name.rfind('.') + 1)).quantity == "t") return axes[0];
    // A single array has its rows first, unless its last axis is much longer.
    if (arrays.size() == 1 && axes.size() > 1) return axes.back() > 10 * axes.front() ? axes.back() : axes.front();
    for (const std::size_t length : array.axes) rows = std::max(rows, length);
  }
  return rows;
}

/// The columns of an array, with rows as the first or the last of its long axes.
void AddColumns(const NamedArray& array, std::size_t rows, NumberTable& table) {
  std::vector<std::size_t> axes = LongAxes(array);
  if (rows == 1) axes.insert(axes.begin(), 1);
  const bool first = axes[0] == rows;
  const std::size_t width = array.values.size() / rows;
  for (std::size_t c = 0; c < width; ++c) {
    // Indices along the other axes, the last one running fastest: those of a matrix go row by row.
    std::string name = array.name;
    std::size_t rest = c, place = 0, stride = first ? rows : 1, block = width;
    for (std::size_t a = first ? 1 : 0; a < (first ? axes.size() : axes.size() - 1); ++a) {
      block /= axes[a];
      const std::size_t index = rest / block;
      rest %= block;
      place += index * stride;
      stride *= axes[a];
      name += fmt::format("{}{}", name.empty() ? "" : "_", index + 1);
    }
    table.names.push_back(name.empty() ? "1" : name);
    std::vector<double>& column = table.values.emplace_back();
    column.reserve(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      const double value = array.values[place + row * (first ? 1 : stride)];
      column.push_back(std::isfinite(value) ? value : std::numeric_limits<double>::quiet_NaN());
    }
  }
}

}  // namespace

NumberTable TableOfArrays(const std::string& file, const std::string& format, const std::vector<NamedArray>& arrays,
                          std::vector<std::string> left_out, std::string_view columns, const std::string& remedy) {
  NumberTable table;
  table.file = file;
  table.format = format;
  table.left_out = std::move(left_out);
  const std::size_t rows = CountRows(arrays, columns);
  if (rows == 0)
    throw InputError({file, 0, 0}, "",
                     table.left_out.empty() ? "has no array of numbers with rows."
                                            : fmt::format("has no array of numbers with rows ({}).", table.left_out[0]),
                     remedy);
  std::vector<std::string> listed;
  for (const NamedArray& array : arrays) {
    const std::vector<std::size_t> axes = LongAxes(array);
    const std::string name = Printable(array.name.empty() ? "array" : array.name);
    if (axes.empty() && rows > 1 && array.values.size() == 1) {
      table.left_out.push_back(fmt::format("{}, a single number: {:g}", name, array.values[0]));
      continue;
    }
    listed.push_back(fmt::format("{} ({})", name, DescribeShape(array)));
    const bool has_rows =
        !array.values.empty() && (rows == 1 || (!axes.empty() && (axes.front() == rows || axes.back() == rows)));
    if (!has_rows || array.values.size() / rows > kMostColumns) {
      table.left_out.push_back(has_rows
                                   ? fmt::format("{}: it has more than {} columns", name, kMostColumns)
                                   : fmt::format("{}: its size is {}, others have {} rows", name, DescribeShape(array), rows));
      continue;
    }
    table.named = table.named || !array.name.empty();
    AddColumns(array, rows, table);
  }
  table.notes.push_back("arrays: " + JoinList(listed));
  return table;
}

}  // namespace ricochet
