// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Counts heap allocations of this thread, to show that hot paths make none.
#pragma once

namespace ricochet::testing {

class AllocationCount {
 public:
  AllocationCount();
  /// Allocations since construction.
  long allocations() const;

 private:
  long start_;
};

}  // namespace ricochet::testing
