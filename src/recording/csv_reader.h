// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The CSV form of a recording, read strictly and tolerantly.
//
// Tolerated, because real files have it: a UTF-8 byte order mark, CRLF line ends, a missing last line end, blanks
// around cells, blank lines, comment lines (`#` first), `nan` in any case or an empty cell for a missing value, quoted
// cells (RFC 4180), `t` in any column. Everything else that is not a table of finite numbers over strictly increasing
// time is refused with the place of the first bad cell: line and column count from 1, columns in characters (UTF-8).
//
// The text is walked once, and numbers go straight into their columns, which are sized from the length of the first
// rows; memory is at most a small multiple of the text, whatever it holds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ricochet/recording.h"

namespace ricochet {

class CsvReader {
 public:
  /// `name` stands for the file in messages and becomes Recording::file.
  CsvReader(std::string_view text, std::string name);

  /// Throws InputError.
  Recording Read();

 private:
  // A cell with blanks and quotes taken off.
  struct Cell {
    const char* begin;  // of the written cell (the quote, if there is one), for messages
    std::string_view text;
    const char* after;  // the separator or line end that follows
  };

  bool NextLine();
  bool LineIsSkipped() const;
  Cell ReadCell(const char* p, const std::string& column) const;

  void ReadHeader(Recording& recording);
  void CheckHeader(const std::vector<Cell>& cells, const std::vector<std::string>& names) const;
  void ReadRow(Recording& recording);
  double ReadCellValue(const Cell& cell, const std::string& column) const;
  void CheckTime(const Recording& recording, double time, const char* cell) const;
  void Reserve(Recording& recording) const;
  void FailOnCellCount(const char* cell, int cells) const;

  [[noreturn]] void Fail(const char* place, const std::string& column, const std::string& problem,
                         const std::string& remedy) const;

  std::string name_;
  std::string_view rest_;           // lines not yet read
  std::string last_line_;           // the last line, with the line end it lacks
  const char* line_ = nullptr;      // the current line
  const char* line_end_ = nullptr;  // its '\n'
  int line_number_ = 0;

  std::vector<std::string> names_;             // of all columns, `t` among them
  std::vector<std::vector<double>*> targets_;  // where their values go
  int time_column_ = -1;
  int rows_ = 0;
};

}  // namespace ricochet
