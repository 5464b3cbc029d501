// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What a ContextScope keeps, for context.cc and threads.cc alone.
#pragma once

#include <oneapi/tbb/task_arena.h>

#include <memory>
#include <string>

#include "core/context.h"

namespace ricochet {

struct ContextState {
  Context context;
  std::string task;
  int threads = 1;                         // at least 1
  std::shared_ptr<tbb::task_arena> arena;  // of `threads`; scopes within each other with equal counts share one
};

/// The state of the innermost scope of this thread; that of the defaults outside of any.
const ContextState& CurrentState();

/// Makes the state of another thread current on this one while it lives.
class CarriedState {
 public:
  explicit CarriedState(const ContextState& state);
  ~CarriedState();
  CarriedState(const CarriedState&) = delete;
  CarriedState& operator=(const CarriedState&) = delete;

 private:
  const ContextState* outer_;
};

}  // namespace ricochet
