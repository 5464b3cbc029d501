// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Variables of a MATLAB file (`.mat` of versions 5 to 7, as `save` and `save -v7`, Octave's `save -v7` and SciPy's
// `savemat` write them) as a table (array_table.h). Variables may be compressed. Fields of a structure are variables
// NAME.FIELD, and those of an array of structures NAME(1).FIELD; the name is left out if all variables belong to one
// structure. Cells are NAME{1}, NAME{2}, .... Texts, objects, sparse and complex arrays are left out and named.
//
// The format: a header of 128 bytes, then elements of a type, a size and data, padded to 8 bytes. An array is an
// element whose parts are elements: flags with its class, axes, name, numbers. Numbers may be stored in a smaller type
// than that of their class.
#pragma once

#include <string>
#include <string_view>

#include "recording/tables/csv_table.h"

namespace ricochet {

/// `columns` are the terms of the option of that name, if any. Throws InputError with the place of what cannot be used.
NumberTable ParseMatlabTable(std::string_view bytes, const std::string& name_in_messages,
                             std::string_view columns = {});

}  // namespace ricochet
