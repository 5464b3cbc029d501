// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The context of the call in progress (ricochet/context.h).
//
// Every public function that takes a Context opens a ContextScope with it. The scope makes it current for the calling
// thread, and ParallelFor (threads.h) for the threads that work for that one; code below reads it here and need not
// pass it on. Scopes nest: within a call, another public function is called with CurrentContext() or a change of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "ricochet/context.h"

namespace ricochet {

struct ContextState;

/// Makes a context current until it goes out of scope. `task` names the call in Cancelled.
class ContextScope {
 public:
  explicit ContextScope(const Context& context, std::string task = "call");
  ~ContextScope();
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  const ContextState* outer_;
  std::unique_ptr<const ContextState> own_;
};

/// The context of the innermost scope; the defaults outside of any.
const Context& CurrentContext();

/// The current context with another seed and without progress: for calls inside a loop that counts its own.
Context ContextWithSeed(std::uint64_t seed);

/// Throws Cancelled when the current call has been cancelled, and TimeOver when the current search takes much longer
/// than it may (core/work/search_scope.h). Takes some nanoseconds.
void StopIfCancelled();

/// While it lives, StopIfCancelled does nothing on this thread and those that work for it: for work that others wait
/// for.
class UncancellableScope {
 public:
  UncancellableScope();

 private:
  ContextScope scope_;
};

}  // namespace ricochet
