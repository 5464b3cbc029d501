// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Tables as other programs write them: lines of cells, quoted or not, with header blocks of any form. One line is held
// at a time, so that memory does not grow with the file. Places are kept for messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ricochet/error.h"

namespace ricochet {

struct TableCell {
  std::string text;  // without quotes and surrounding blanks
  int column = 0;    // of its first character in the line, from 1, in bytes
};

class TextTable {
 public:
  /// Throws InputError for an empty file, UTF-16 text and NUL bytes (`binary_remedy` then says what to do). A byte
  /// order mark is taken off. `separator` is a comma or a tab; a blank stands for any run of blanks and tabs.
  TextTable(std::string_view text, std::string name, char separator, const std::string& binary_remedy);

  /// Goes to the next line; false at the end. Throws InputError for an unclosed quote or a line of too many cells.
  bool Next();

  /// The current line.
  const std::vector<TableCell>& cells() const { return cells_; }
  int line() const { return line_; }
  bool IsEmpty() const;
  /// Text of a cell; empty beyond the last one.
  const std::string& Cell(std::size_t index) const;

  /// Number in a cell; NaN for an empty one (and `nan`). Throws InputError naming `field` for anything else.
  double Number(std::size_t index, const std::string& field) const;

  /// Counts a row that becomes `values` numbers, whatever it has itself. Throws InputError when rows are so much
  /// shorter than their header that memory would not be in proportion to the file: more than 16 numbers per byte.
  void CountValues(std::size_t values);

  [[noreturn]] void Fail(std::size_t index, const std::string& field, const std::string& problem,
                         const std::string& remedy) const;
  [[noreturn]] void FailOnFile(const std::string& field, const std::string& problem, const std::string& remedy) const;

  const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::string_view rest_;
  std::size_t most_values_, values_ = 0;
  char separator_;
  int line_ = 0;
  std::vector<TableCell> cells_;
};

/// Reads a whole text as a finite decimal number.
bool ParseNumber(std::string_view text, double& value);

}  // namespace ricochet
