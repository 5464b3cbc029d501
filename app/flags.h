// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The library's messages name options by the fields of its structs; here they get the names of flags.
#pragma once

#include <string>
#include <string_view>

#include "ricochet/error.h"
#include "ricochet/estimate.h"

namespace ricochet::app {

/// "--impact-restitutions" for the option `impact_restitutions`, "--estimate" for `paths`.
std::string FlagOfOption(std::string_view name);

/// The text with every "option `NAME`" replaced by its flag.
std::string WithFlags(std::string_view text);

/// The error with flags in place of options: of its path, where that is an option, and in its sentences.
InputError WithFlags(const InputError& error);

/// The verdict with flags in its reasons and in what it suggests.
Verdict WithFlags(Verdict verdict);

}  // namespace ricochet::app
