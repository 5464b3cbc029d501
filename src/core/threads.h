// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Loops over independent items on all cores. Results do not depend on the number of threads: each index computes from
// its own inputs (its own `Random(seed, index)`) into its own slot, and sums over slots are taken afterwards, in order.
#pragma once

#include <functional>

namespace ricochet {

/// Most threads that loops may use from now on; 0 (the start) means one per core. Not to be called inside a loop.
void SetThreadLimit(int threads);

/// Threads that a loop uses.
int ThreadLimit();

/// Calls body(0) ... body(count - 1), each once, in any order and at once. Loops may be nested. When calls throw, later
/// indices may be left out, and the exception of the lowest index that throws comes out, as it would from a plain loop.
void ParallelFor(int count, const std::function<void(int)>& body);

}  // namespace ricochet
