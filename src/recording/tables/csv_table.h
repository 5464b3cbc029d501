// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A table of numbers as any program writes it: cells parted by tabs, semicolons, commas or blanks, a point or a comma
// as decimal mark, comments (`#`, `%`, `//`), any number of title lines, a line of names, which may be a comment, or
// none. Exports of DeepLabCut have three lines of names (scorer, bodyparts, coords): their columns are `nose.x`,
// `nose.y`, `nose.likelihood`.
//
// Columns with text in them are left out and named. An empty cell, `nan`, `NA` and `-` are missing values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ricochet {

struct NumberTable {
  std::string file, format;                 // format: "CSV, semicolons, decimal comma"
  std::vector<std::string> names;           // one per column; "1", "2", ... without a line of names
  bool named = false;                       // the file has a line of names
  std::vector<std::vector<double>> values;  // values[column][row]; NaN: missing
  std::vector<int> lines;                   // of each row in the file; empty for binary files
  std::vector<std::string> left_out;        // one sentence each
  std::vector<std::string> notes;           // what the file holds, one sentence each
};

/// Throws InputError with line and column of what cannot be used.
NumberTable ParseCsvTable(std::string_view text, const std::string& name_in_messages);

}  // namespace ricochet
