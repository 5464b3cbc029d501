// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Arrays with names, as NumPy and MATLAB store them, as one table. The rows of the table are as many as the times:
// those of the term `t=` of the option `columns`, or of an array that is known to hold them by its name. Without either
// they are as many as the longest axis of any array is long. An array is a column of its name if it has one axis of
// that length (axes of length 1 do not count); with more axes it is NAME_1, NAME_2, ... or NAME_1_1, NAME_1_2, ...,
// whether rows are its first axis or its last. Other arrays are left out and named.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "recording/tables/csv_table.h"

namespace ricochet {

struct NamedArray {
  std::string name;               // empty: columns are 1, 2, ...
  std::vector<std::size_t> axes;  // their lengths
  std::vector<double> values;     // first index fastest
};

/// `left_out` says what of the file is in no array. Throws InputError with `remedy` if there are no rows.
NumberTable TableOfArrays(const std::string& file, const std::string& format, const std::vector<NamedArray>& arrays,
                          std::vector<std::string> left_out, std::string_view columns, const std::string& remedy);

}  // namespace ricochet
