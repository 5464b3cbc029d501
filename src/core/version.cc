// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/version.h"

#include "ricochet_version.h"

namespace ricochet {

std::string_view Version() { return RICOCHET_VERSION; }
std::string_view Commit() { return RICOCHET_COMMIT; }

}  // namespace ricochet
