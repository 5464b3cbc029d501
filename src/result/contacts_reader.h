// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// contacts.csv back to rows; the columns are those that ContactsFile writes, in any order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ricochet/simulate.h"

namespace ricochet {

/// Whether a text looks like contacts.csv: the first line that is not a comment names `t` and `pair`.
bool LooksLikeContacts(std::string_view text);

/// Throws InputError with line and column of the first bad cell.
std::vector<ContactRow> ParseContacts(std::string_view text, const std::string& name_in_messages);

}  // namespace ricochet
