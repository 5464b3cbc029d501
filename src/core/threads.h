// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Loops over independent items on the threads of the current context (context.h). Results do not depend on the number
// of threads: each index computes from its own inputs (its own `Random(seed, index)`) into its own slot, and sums over
// slots are taken afterwards, in order.
#pragma once

#include <functional>

namespace ricochet {

/// Threads that a loop of the current context uses, at least 1.
int ThreadCount();

/// Calls body(0) ... body(count - 1), each once, in any order and at once, with the current context current in each.
/// Loops may be nested. When calls throw, later indices may be left out, and the exception of the lowest index that
/// throws comes out, as it would from a plain loop. Throws Cancelled when the context is cancelled.
void ParallelFor(int count, const std::function<void(int)>& body);

}  // namespace ricochet
