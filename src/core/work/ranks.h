// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The ranks of the current context (ricochet/ranks.h).
#pragma once

#include <string>

#include "core/context.h"
#include "ricochet/ranks.h"

namespace ricochet {

/// The link of the current context; null when this process is alone.
inline RankLink* Ranks() { return CurrentContext().ranks; }

/// Whether this process hands out the work and writes the files: it is alone, or rank 0.
inline bool IsRoot(const RankLink* link = Ranks()) { return !link || link->rank() == 0; }

/// All ranks call it, since they must compute the same thing. Throws InputError at those whose inputs differ from the
/// root's by their fingerprint.
void RefuseOtherInputs(const std::string& fingerprint);

}  // namespace ricochet
