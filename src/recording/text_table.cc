// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/text.h"
#include "recording/number.h"

namespace ricochet {
namespace {

constexpr std::size_t kMostCells = 65536;  // more are damage
constexpr std::size_t kValuesPerByte = 16, kAnyValues = 1 << 20;

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

const std::string kNoText;

}  // namespace

bool ParseNumber(std::string_view text, double& value) {
  if (text.size() > 400) return false;
  std::string buffer(Trim(text));
  buffer += '\n';
  const char* p = buffer.data();
  const char* const end = p + buffer.size() - 1;
  return p != end && ReadNumber(p, end, value) == NumberStatus::kOk && p == end && std::isfinite(value);
}

TextTable::TextTable(std::string_view text, std::string name, char separator, const std::string& binary_remedy)
    : name_(std::move(name)),
      rest_(text),
      most_values_(kAnyValues + kValuesPerByte * text.size()),
      separator_(separator) {
  if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
  if (rest_.starts_with("\xFF\xFE") || rest_.starts_with("\xFE\xFF"))
    throw InputError({name_, 1, 1}, "", "this is UTF-16 text.", "Save or export it as UTF-8.");
  if (rest_.find_first_not_of(" \t\r\n") == std::string_view::npos)
    throw InputError({name_, 0, 0}, "", "is empty.", binary_remedy);
  if (const std::size_t nul = rest_.find('\0'); nul != std::string_view::npos)
    throw InputError({name_, 0, 0}, "",
                     fmt::format("has a NUL byte at offset {}: this is not text.", text.size() - rest_.size() + nul),
                     binary_remedy);
}

bool TextTable::Next() {
  cells_.clear();
  if (rest_.empty()) return false;
  if (line_ == std::numeric_limits<int>::max()) FailOnFile("", "has too many lines.", "Split it.");
  ++line_;
  const std::size_t end = rest_.find('\n');
  std::string_view text = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  while (!text.empty() && text.back() == '\r') text.remove_suffix(1);

  std::size_t at = 0;
  while (true) {
    if (cells_.size() >= kMostCells)
      throw InputError({name_, line_, 0}, "", fmt::format("the line has more than {} cells.", kMostCells),
                       "Check the file.");
    while (at < text.size() && text[at] == ' ') ++at;
    if (separator_ == ' ') {
      while (at < text.size() && IsBlank(text[at])) ++at;
      if (at >= text.size()) break;
    }
    const int column = static_cast<int>(std::min<std::size_t>(at, 1000000000)) + 1;
    TableCell cell{"", column};
    if (at < text.size() && text[at] == '"') {
      std::size_t close = at + 1;
      while (close < text.size()) {
        if (text[close] == '"' && close + 1 < text.size() && text[close + 1] == '"') {
          cell.text += '"';
          close += 2;
        } else if (text[close] == '"') {
          break;
        } else {
          cell.text += text[close++];
        }
      }
      if (close >= text.size())
        throw InputError({name_, line_, column}, "", "the quote is not closed on its line.",
                         "Close it, or export the file again.");
      at = close + 1;
      while (at < text.size() && text[at] == ' ' && separator_ != ' ') ++at;
      if (at < text.size() && !(separator_ == ' ' ? IsBlank(text[at]) : text[at] == separator_))
        throw InputError({name_, line_, static_cast<int>(std::min<std::size_t>(at, 1000000000)) + 1}, "",
                         "text follows the closing quote.", "Double quotes within a cell, or export the file again.");
    } else {
      std::size_t stop = at;
      while (stop < text.size() && !(separator_ == ' ' ? IsBlank(text[stop]) : text[stop] == separator_)) ++stop;
      cell.text = std::string(Trim(text.substr(at, stop - at)));
      at = stop;
    }
    cells_.push_back(std::move(cell));
    if (at >= text.size()) break;
    ++at;
  }
  return true;
}

void TextTable::CountValues(std::size_t values) {
  values_ += values;
  if (values_ > most_values_)
    Fail(0, "", fmt::format("the rows have far fewer cells than the {} values of the header.", values),
         "The file is damaged: export it again.");
}

bool TextTable::IsEmpty() const {
  return std::all_of(cells_.begin(), cells_.end(), [](const TableCell& cell) { return cell.text.empty(); });
}

const std::string& TextTable::Cell(std::size_t index) const {
  return index < cells_.size() ? cells_[index].text : kNoText;
}

double TextTable::Number(std::size_t index, const std::string& field) const {
  const std::string& text = Cell(index);
  if (text.empty() || EqualsIgnoringCase(text, "nan")) return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  if (!ParseNumber(text, value))
    Fail(index, field, fmt::format("`{}` is not a finite number.", Printable(text)),
         "Export with a point as decimal mark; an empty cell marks a missing sample.");
  return value;
}

void TextTable::Fail(std::size_t index, const std::string& field, const std::string& problem,
                     const std::string& remedy) const {
  throw InputError({name_, line_, index < cells_.size() ? cells_[index].column : 0}, field, problem, remedy);
}

void TextTable::FailOnFile(const std::string& field, const std::string& problem, const std::string& remedy) const {
  throw InputError({name_, 0, 0}, field, problem, remedy);
}

}  // namespace ricochet
