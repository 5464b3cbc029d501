// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/work/ranks.h"

#include <fmt/format.h>

#include "core/hash.h"
#include "ricochet/error.h"

namespace ricochet {

void RefuseOtherInputs(const std::string& fingerprint) {
  if (!Ranks()) return;
  const auto own = static_cast<double>(std::stoull(Sha256Hex(fingerprint).substr(0, 12), nullptr, 16));
  double root = own;
  Ranks()->Broadcast(std::span<double>(&root, 1));
  if (root != own)
    throw InputError({}, "recordings", fmt::format("rank {} reads other inputs than rank 0.", Ranks()->rank()),
                     "Run all ranks with the same program, scene and recordings, on a shared file system.");
}

}  // namespace ricochet
