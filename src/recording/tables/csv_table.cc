// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/tables/csv_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.h"
#include "recording/text_table.h"

namespace ricochet {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kSampleLines = 200;  // by which separators are chosen
const char* const kExpected = "Give a table of numbers, one row per time, with a line of names above them.";

bool IsComment(std::string_view line) {
  return line.starts_with('#') || line.starts_with('%') || line.starts_with("//");
}

bool IsMissing(std::string_view cell) {
  return cell.empty() || cell == "-" || EqualsIgnoringCase(cell, "nan") || EqualsIgnoringCase(cell, "na");
}

/// A number, with the decimal mark that the file uses; NaN for a missing value.
bool ReadCell(std::string_view cell, bool decimal_comma, double& value) {
  if (IsMissing(cell)) {
    value = kNothing;
    return true;
  }
  if (!decimal_comma) return ParseNumber(cell, value);
  std::string text(cell);
  if (std::count(text.begin(), text.end(), ',') > 1 || text.find('.') != std::string::npos) return false;
  std::replace(text.begin(), text.end(), ',', '.');
  return ParseNumber(text, value);
}

struct Style {
  char separator = ',';
  bool decimal_comma = false;
};

/// How many more cells of the first lines are numbers than texts when they are read in this style.
long Score(std::string_view text, const Style& style) {
  long score = 0;
  for (std::size_t lines = 0; lines < kSampleLines && !text.empty(); ++lines) {
    std::string_view line = text.substr(0, std::min(text.find('\n'), text.size()));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (IsComment(line)) continue;
    long cells = 0, numbers = 0, texts = 0;
    while (!line.empty() && (line.back() == '\r' || (style.separator == ' ' && IsBlank(line.back()))))
      line.remove_suffix(1);
    for (std::size_t begin = 0; begin <= line.size();) {
      if (style.separator == ' ')
        while (begin < line.size() && IsBlank(line[begin])) ++begin;
      std::size_t end = begin;
      while (end < line.size() && !(style.separator == ' ' ? IsBlank(line[end]) : line[end] == style.separator)) ++end;
      std::string_view cell = line.substr(begin, end - begin);
      while (!cell.empty() && (IsBlank(cell.front()) || cell.front() == '"')) cell.remove_prefix(1);
      while (!cell.empty() && (IsBlank(cell.back()) || cell.back() == '"')) cell.remove_suffix(1);
      double value = 0;
      ++cells;
      if (!IsMissing(cell)) ++(ReadCell(cell, style.decimal_comma, value) ? numbers : texts);
      begin = end + 1;
    }
    if (cells >= 2 && numbers > texts) score += numbers - texts;
  }
  return score;
}

Style ChooseStyle(std::string_view text) {
  Style best;
  long most = 0;
  for (const Style& style : {Style{'\t', false}, Style{';', false}, Style{',', false}, Style{' ', false},
                             Style{'\t', true}, Style{';', true}, Style{' ', true}}) {
    const long score = Score(text, style);
    if (score > most) {
      best = style;
      most = score;
    }
  }
  return best;
}

class CsvTableReader {
 public:
  CsvTableReader(std::string_view text, const std::string& name)
      : style_(ChooseStyle(text)), table_(text, name, style_.separator, kExpected) {
    result_.file = name;
    const char* const separator = style_.separator == '\t'  ? "tabs"
                                  : style_.separator == ';' ? "semicolons"
                                  : style_.separator == ',' ? "commas"
                                                            : "blanks";
    result_.format = fmt::format("CSV, {}{}", separator, style_.decimal_comma ? ", decimal comma" : "");
  }

  NumberTable Read() {
    std::vector<std::vector<std::string>> titles;
    bool in_rows = false;
    while (table_.Next()) {
      if (table_.IsEmpty()) continue;
      if (IsComment(table_.Cell(0))) {
        if (!in_rows) comment_ = NamesOfComment();
        continue;
      }
      if (!in_rows) {
        if (!IsRow()) {
          titles.emplace_back();
          for (const TableCell& cell : table_.cells()) titles.back().push_back(cell.text);
          if (titles.size() > 100) break;
          continue;
        }
        in_rows = true;
        NameColumns(titles);
      }
      ReadRow();
    }
    if (result_.lines.empty()) table_.FailOnFile("", "has no rows of numbers.", kExpected);
    LeaveOutTexts();
    return std::move(result_);
  }

 private:
  /// Whether the line has numbers in it: two, or one if that is all there is.
  bool IsRow() const {
    int numbers = 0;
    for (const TableCell& cell : table_.cells()) {
      double value = 0;
      if (!IsMissing(cell.text) && ReadCell(cell.text, style_.decimal_comma, value)) ++numbers;
    }
    return numbers >= 2;
  }

  /// The cells of a comment, which may be the line of names: `# t x y`, `%time,x,y`.
  std::vector<std::string> NamesOfComment() const {
    std::vector<std::string> names;
    for (const TableCell& cell : table_.cells()) names.push_back(cell.text);
    names[0].erase(0, std::min(names[0].find_first_not_of("#%/ "), names[0].size()));
    if (names[0].empty()) names.erase(names.begin());
    return names;
  }

  void NameColumns(std::vector<std::vector<std::string>> titles) {
    const std::size_t width = table_.cells().size();
    if (titles.empty() && comment_.size() == width) titles.push_back(comment_);
    const auto starts = [&](std::size_t from_end, const char* word) {
      return titles.size() >= from_end && !titles[titles.size() - from_end].empty() &&
             EqualsIgnoringCase(titles[titles.size() - from_end][0], word);
    };
    if (starts(1, "coords") && starts(2, "bodyparts")) {
      result_.format = "CSV of DeepLabCut";
      const auto &parts = titles[titles.size() - 2], &coords = titles.back();
      for (std::size_t c = 0; c < width; ++c)
        result_.names.push_back(
            c == 0 ? "frame" : (c < parts.size() ? parts[c] : "") + "." + (c < coords.size() ? coords[c] : ""));
      result_.named = true;
    } else if (!titles.empty() && titles.back().size() + 1 >= width && titles.back().size() <= width + 1) {
      result_.named = true;
      for (std::size_t c = 0; c < width; ++c) {
        const std::string name = c < titles.back().size() ? titles.back()[c] : "";
        // pandas writes its index without a name.
        result_.names.push_back(!name.empty() ? name : c == 0 ? "index" : fmt::format("{}", c + 1));
      }
    } else {
      for (std::size_t c = 0; c < width; ++c) result_.names.push_back(fmt::format("{}", c + 1));
    }
    result_.values.resize(width);
    texts_.assign(width, {});
    numbers_.assign(width, 0);
  }

  void ReadRow() {
    const std::size_t width = result_.values.size();
    if (table_.cells().size() > width && !table_.Cell(width).empty())
      table_.Fail(width, "", fmt::format("the row has {} cells, but the first has {}.", table_.cells().size(), width),
                  "All rows must have the same columns.");
    table_.CountValues(width);
    for (std::size_t c = 0; c < width; ++c) {
      double value = kNothing;
      if (!ReadCell(table_.Cell(c), style_.decimal_comma, value)) {
        value = kNothing;
        if (texts_[c].first == 0) texts_[c] = {table_.line(), table_.Cell(c)};
      } else if (!std::isnan(value)) {
        ++numbers_[c];
      }
      result_.values[c].push_back(value);
    }
    result_.lines.push_back(table_.line());
  }

  /// A column without a number is text; a text among numbers is a mistake.
  void LeaveOutTexts() {
    std::vector<std::string> texts;
    for (std::size_t c = result_.values.size(); c-- > 0;) {
      if (texts_[c].first == 0) continue;
      if (numbers_[c] > 0)
        throw InputError({table_.name(), texts_[c].first, 0}, Printable(result_.names[c]),
                         fmt::format("`{}` is not a finite number.", Printable(texts_[c].second)),
                         "Leave a missing value empty.");
      texts.insert(texts.begin(), Printable(result_.names[c]));
      result_.names.erase(result_.names.begin() + static_cast<long>(c));
      result_.values.erase(result_.values.begin() + static_cast<long>(c));
    }
    if (!texts.empty()) result_.left_out.push_back("columns of text: " + JoinList(texts));
  }

  Style style_;
  TextTable table_;
  NumberTable result_;
  std::vector<std::string> comment_;                // the last one before the rows
  std::vector<std::pair<int, std::string>> texts_;  // first text of each column with its line; 0: none
  std::vector<std::size_t> numbers_;                // in each column
};

}  // namespace

NumberTable ParseCsvTable(std::string_view text, const std::string& name_in_messages) {
  return CsvTableReader(text, name_in_messages).Read();
}

}  // namespace ricochet
