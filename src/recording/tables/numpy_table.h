// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Arrays of NumPy as a table: `.npy` (one array) and `.npz` (a ZIP archive of them, as numpy.savez writes it, not
// compressed). Rows are the first axis. An array of one axis is a column of its name; one of two axes is NAME_1,
// NAME_2,
// ...; the columns of a single `.npy` are 1, 2, .... Arrays of another length than the longest are left out and named.
// Numbers: floats and integers of 1 to 8 bytes in either byte order.
#pragma once

#include <string>
#include <string_view>

#include "recording/tables/csv_table.h"

namespace ricochet {

/// Throws InputError with the place of what cannot be used.
NumberTable ParseNumpyTable(std::string_view bytes, const std::string& name_in_messages);

}  // namespace ricochet
