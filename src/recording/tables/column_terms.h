// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The terms of the option `columns` (table_import.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ricochet {

struct ColumnTerm {
  std::string target;                // "x", "box.x", "q"
  std::string function;              // "", "unwrap", or of a rotation: "xyzw", "wxyz", "euler-zyx", "matrix"
  std::vector<std::size_t> sources;  // columns of the table; one without a function
  double factor = 1, offset = 0;     // source * factor + offset
  std::string text;                  // as written

  bool scalar() const { return function.empty() || function == "unwrap"; }
};

/// Throws InputError whose path is `columns`.
std::vector<ColumnTerm> ParseColumnTerms(std::string_view text, const std::vector<std::string>& names);

}  // namespace ricochet
