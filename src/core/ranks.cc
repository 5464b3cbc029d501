// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/ranks.h"

namespace ricochet {
namespace {

RankLink* current = nullptr;

}  // namespace

RankLink* Ranks() { return current; }

void SetRanks(RankLink* link) { current = link; }

}  // namespace ricochet
