// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/csv_reader.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "recording/number.h"
#include "recording/recording_rules.h"

namespace ricochet {
namespace {

constexpr std::size_t kMostColumns = 65536;  // a header longer than that is damage

// A carriage return belongs to the line end when it stands right before it.
bool IsLineEnd(const char* p) { return *p == '\n' || (*p == '\r' && p[1] == '\n'); }
bool EndsCell(const char* p) { return *p == ',' || IsLineEnd(p); }

const char* SkipBlanks(const char* p) {
  while (IsBlank(*p)) ++p;
  return p;
}

std::string_view WithoutSign(std::string_view text) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  return text;
}

std::string Quoted(std::string_view text) { return fmt::format("`{}`", Printable(text)); }

}  // namespace

CsvReader::CsvReader(std::string_view text, std::string name) : name_(std::move(name)), rest_(text) {
  if (rest_.starts_with("\xFF\xFE") || rest_.starts_with("\xFE\xFF")) {
    throw InputError({name_, 1, 1}, "", "this is UTF-16 text.", "Save it as UTF-8.");
  }
  if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
}

Recording CsvReader::Read() {
  Recording recording;
  recording.file = name_;
  ReadHeader(recording);
  while (NextLine()) {
    if (LineIsSkipped()) continue;
    ReadRow(recording);
  }
  if (rows_ == 0) {
    throw InputError({.file = name_}, "", "has a header but no rows.", "Add a row of numbers for each observation.");
  }
  for (std::vector<double>* column : targets_) {
    column->resize(static_cast<std::size_t>(rows_));
    if (column->capacity() > column->size() + column->size() / 4) column->shrink_to_fit();
  }
  return recording;
}

bool CsvReader::NextLine() {
  if (rest_.empty()) return false;
  if (line_number_ == std::numeric_limits<int>::max()) Fail(line_, "", "has too many lines.", "Split it.");
  ++line_number_;
  const void* found = std::memchr(rest_.data(), '\n', rest_.size());
  if (found == nullptr) {
    last_line_.reserve(rest_.size() + 1);
    last_line_.assign(rest_).push_back('\n');
    line_ = last_line_.data();
    line_end_ = line_ + last_line_.size() - 1;
    rest_ = {};
    return true;
  }
  line_ = rest_.data();
  line_end_ = static_cast<const char*>(found);
  rest_.remove_prefix(static_cast<std::size_t>(line_end_ + 1 - line_));
  return true;
}

bool CsvReader::LineIsSkipped() const {
  const char* p = SkipBlanks(line_);
  return *p == '#' || IsLineEnd(p);
}

CsvReader::Cell CsvReader::ReadCell(const char* p, const std::string& column) const {
  p = SkipBlanks(p);
  if (*p != '"') {
    const char* after = p;
    while (!EndsCell(after)) ++after;
    const char* last = after;
    while (last > p && IsBlank(last[-1])) --last;
    return {p, std::string_view(p, static_cast<std::size_t>(last - p)), after};
  }
  // No number and no name has a quote or a line end in it, so a doubled quote simply stays and is refused later.
  const char* close = p + 1;
  while (close < line_end_ && !(*close == '"' && close[1] != '"')) close += *close == '"' ? 2 : 1;
  if (close >= line_end_)
    Fail(p, column, "the quote is not closed on its line.", "Close it, or write the cell without.");
  const char* after = SkipBlanks(close + 1);
  if (!EndsCell(after)) {
    Fail(after, column, "text follows the closing quote.", "Put a comma between the cells.");
  }
  const char* first = SkipBlanks(p + 1);
  const char* last = close;
  while (last > first && IsBlank(last[-1])) --last;
  first = std::min(first, last);
  return {p, std::string_view(first, static_cast<std::size_t>(last - first)), after};
}

void CsvReader::ReadHeader(Recording& recording) {
  do {
    if (!NextLine()) {
      throw InputError({.file = name_}, "", line_number_ == 0 ? "is empty." : "has no header and no rows.",
                       "A recording begins with its column names, such as t,x,y,theta.");
    }
  } while (LineIsSkipped());

  std::vector<Cell> cells;
  std::vector<std::string> names;
  for (const char* p = line_;; ++p) {
    cells.push_back(ReadCell(p, ""));
    names.emplace_back(cells.back().text);
    if (names.size() > kMostColumns) {
      Fail(cells.back().begin, "", fmt::format("the header has more than {} columns.", kMostColumns),
           "Check the file.");
    }
    p = cells.back().after;
    if (*p != ',') break;
  }
  CheckHeader(cells, names);

  time_column_ = static_cast<int>(std::find(names.begin(), names.end(), "t") - names.begin());
  names_ = std::move(names);
  for (const std::string& name : names_) {
    if (name != "t") recording.columns.push_back(name);
  }
  recording.values.resize(recording.columns.size());
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const auto time = static_cast<std::size_t>(time_column_);
    targets_.push_back(i == time ? &recording.time : &recording.values[i - (i > time ? 1 : 0)]);
  }
}

void CsvReader::CheckHeader(const std::vector<Cell>& cells, const std::vector<std::string>& names) const {
  const char* const expected = "A recording begins with its column names, such as t,x,y,theta.";
  for (const char* p = line_; p != line_end_; ++p) {
    const auto byte = static_cast<unsigned char>(*p);
    if (*p == '\r' && !IsLineEnd(p)) {
      Fail(p, "", "a line ends in a carriage return alone.", "Save the file with Unix or Windows line ends.");
    }
    if (byte < ' ' && *p != '\t' && !IsLineEnd(p)) {
      Fail(p, "", fmt::format("the byte 0x{:02x} does not belong in a text file.", byte), "Give a CSV file.");
    }
  }
  const char* number = cells[0].begin;
  double value = 0;
  if (ReadNumber(number, line_end_, value) == NumberStatus::kOk && EndsCell(SkipBlanks(number))) {
    Fail(cells[0].begin, "", "the header is missing: the first row begins with a number.", expected);
  }
  std::unordered_map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) {
      Fail(cells[i].begin, "", fmt::format("column {} has no name.", i + 1), "Name it, or remove the extra comma.");
    }
    if (names.size() == 1 && names[0].find_first_of("; \t") != std::string::npos) {
      Fail(cells[i].begin, "", "the header has no commas.",
           "Separate cells by commas, and write decimals with a point.");
    }
    if (!IsColumnName(names[i])) {
      Fail(cells[i].begin, "", Quoted(names[i]) + " is not a column name.", std::string(kColumnNameRemedy));
    }
    const auto [first, is_new] = seen.emplace(names[i], i);
    if (!is_new) {
      Fail(cells[i].begin, names[i], fmt::format("columns {} and {} have this name.", first->second + 1, i + 1),
           std::string(kDuplicateNameRemedy));
    }
  }
  if (seen.contains("t")) return;
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (const char* meant : {"time", "timestamp", "time_s", "seconds"}) {
      if (names[i] != "T" && !EqualsIgnoringCase(names[i], meant)) continue;
      Fail(cells[i].begin, "", "there is no column `t`.",
           fmt::format("If {} is the time in seconds, rename it to `t`.", Quoted(names[i])));
    }
  }
  Fail(cells[0].begin, "", "there is no column `t`.", "Add the time in seconds, named `t`.");
}

// Grows all columns together. The first size follows from the length of the first rows; a row has at least one byte per
// cell, which bounds it for any text.
void CsvReader::Reserve(Recording& recording) const {
  const std::size_t held = targets_[0]->size();
  std::size_t capacity = held * 2;
  if (held == 0) {
    const std::size_t left = rest_.size();
    const std::string_view sample = rest_.substr(0, std::min<std::size_t>(left, 1 << 16));
    const auto lines = static_cast<std::size_t>(std::count(sample.begin(), sample.end(), '\n'));
    const double mean = static_cast<double>(sample.size()) / static_cast<double>(std::max<std::size_t>(lines, 1));
    const double estimate = 1.02 * static_cast<double>(left) / std::max(mean, 1.0) + 2;
    capacity = std::min(static_cast<std::size_t>(estimate), left / names_.size() + 2);
  }
  for (std::vector<double>* column : targets_) column->resize(capacity);
  recording.lines.reserve(capacity);
}

void CsvReader::ReadRow(Recording& recording) {
  const auto row = static_cast<std::size_t>(rows_);
  if (row == targets_[0]->size()) Reserve(recording);
  const int columns = static_cast<int>(names_.size());
  const char* p = line_;
  for (int c = 0; c < columns; ++c) {
    // Nearly every cell is a plain number followed by a comma or the line end.
    double value = 0;
    const char* cell = SkipBlanks(p);
    p = cell;
    if (ReadNumber(p, line_end_, value) != NumberStatus::kOk || !EndsCell(p = SkipBlanks(p))) {
      const Cell written = ReadCell(cell, names_[c]);
      value = ReadCellValue(written, names_[c]);
      p = written.after;
    }
    if (c == time_column_) CheckTime(recording, value, cell);
    (*targets_[c])[row] = value;
    const bool last = c + 1 == columns;
    if ((*p == ',') == last) FailOnCellCount(last ? p + 1 : p, c + 1);
    ++p;
  }
  recording.lines.push_back(line_number_);
  if (rows_ == std::numeric_limits<int>::max()) Fail(line_, "", "has too many rows.", "Split it.");
  ++rows_;
}

double CsvReader::ReadCellValue(const Cell& cell, const std::string& column) const {
  const char* const missing = "Leave the cell empty if the value is missing.";
  if (cell.text.empty() || EqualsIgnoringCase(WithoutSign(cell.text), "nan")) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const char* p = cell.text.data();
  const char* const end = p + cell.text.size();
  double value = 0;
  const NumberStatus status = ReadNumber(p, end, value);
  if (status == NumberStatus::kTooLarge) {
    Fail(cell.begin, column, Quoted(cell.text) + " is larger than any double.", missing);
  }
  if (status == NumberStatus::kOk && p == end) return value;
  for (const char* word : {"inf", "infinity"}) {
    if (!EqualsIgnoringCase(WithoutSign(cell.text), word)) continue;
    Fail(cell.begin, column, std::string(kInfiniteValue), missing);
  }
  if (cell.text.find('\0') != std::string_view::npos) {
    Fail(cell.begin, column, "the cell has a NUL byte.", "Give a CSV text file; this one is binary or damaged.");
  }
  Fail(cell.begin, column, Quoted(cell.text) + " is not a number.",
       "Write a decimal number such as 0.25 or 2.5e-3, or leave the cell empty if the value is missing.");
}

void CsvReader::CheckTime(const Recording& recording, double time, const char* cell) const {
  if (std::isnan(time)) Fail(cell, "t", std::string(kTimeMissing), "Give the row its time, or remove the row.");
  if (rows_ == 0) return;
  const double before = recording.time[static_cast<std::size_t>(rows_ - 1)];
  if (time > before) return;
  Fail(cell, "t",
       fmt::format("{} s is not later than {} s in line {}.", FormatDouble(time), FormatDouble(before),
                   recording.lines.back()),
       std::string(kTimeOrderRemedy));
}

// `place` is where the first cell too many begins, or where a separator is missing after `cells` cells.
void CsvReader::FailOnCellCount(const char* place, int cells) const {
  const int columns = static_cast<int>(names_.size());
  if (cells < columns) {
    Fail(place, names_[cells], fmt::format("the row ends after {} of {} cells.", cells, columns),
         "Leave a cell empty if its value is missing.");
  }
  const char* p = place;
  for (;; ++p) {
    const Cell cell = ReadCell(p, "");
    ++cells;
    p = cell.after;
    if (*p != ',') break;
  }
  Fail(SkipBlanks(place), "", fmt::format("the row has {} cells, but the header names {} columns.", cells, columns),
       "Remove the extra cells; the decimal sign is a point.");
}

void CsvReader::Fail(const char* place, const std::string& column, const std::string& problem,
                     const std::string& remedy) const {
  // Characters, not bytes: the bytes that continue a UTF-8 character do not count.
  const auto characters =
      std::count_if(line_, place, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  const auto most = std::numeric_limits<int>::max() - 1;
  throw InputError({name_, line_number_, static_cast<int>(std::min<std::ptrdiff_t>(characters, most)) + 1}, column,
                   problem, remedy);
}

}  // namespace ricochet
