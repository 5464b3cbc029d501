// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#pragma once

#include <string>

namespace ricochet {

/// The whole content of a file. Throws InputError when it does not exist, is a directory or cannot be read. Pipes and
/// devices work too, up to 1 GiB.
std::string ReadInputFile(const std::string& file);

}  // namespace ricochet
