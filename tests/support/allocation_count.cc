// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/allocation_count.h"

#include <cstdlib>
#include <new>

// Eigen allocates through malloc; the sanitizers replace malloc too. Replacing malloc itself sees everything, so the
// count hooks glibc's allocation functions by wrapping them under their internal names.
namespace {
thread_local long count = 0;
}

#if !defined(__SANITIZE_ADDRESS__)
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* pointer, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) {
  ++count;
  return __libc_malloc(size);
}
void* calloc(size_t number, size_t size) {
  ++count;
  return __libc_calloc(number, size);
}
void* realloc(void* pointer, size_t size) {
  ++count;
  return __libc_realloc(pointer, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  ++count;
  return __libc_memalign(alignment, size);
}
}
#endif

namespace ricochet::testing {

AllocationCount::AllocationCount() : start_(count) {}
long AllocationCount::allocations() const { return count - start_; }

}  // namespace ricochet::testing
