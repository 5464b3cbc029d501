// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Arrays of NumPy as a table (array_table.h): `.npy` (one array) and `.npz` (a ZIP archive of them, stored or
// compressed). Numbers: floats of 2 to 8 bytes, integers of 1 to 8, booleans and dates, in either byte order; the
// fields of a structured array are columns of their names. In an archive, arrays of other types are left out and named.
#pragma once

#include <string>
#include <string_view>

#include "recording/tables/csv_table.h"

namespace ricochet {

/// `columns` are the terms of the option of that name, if any. Throws InputError with the place of what cannot be used.
NumberTable ParseNumpyTable(std::string_view bytes, const std::string& name_in_messages, std::string_view columns = {});

}  // namespace ricochet
