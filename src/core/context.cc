// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/context.h"

#include <utility>

#include "core/context_state.h"
#include "ricochet/error.h"

namespace ricochet {
namespace {

Context Uncancellable() {
  Context context = CurrentContext();
  context.cancel = {};
  return context;
}

}  // namespace

ContextScope::ContextScope(const Context& context, std::string task)
    : outer_(InnermostState()), own_(MakeState(context, std::move(task), outer_)) {
  SetCurrentState(own_.get());
}
ContextScope::~ContextScope() { SetCurrentState(outer_); }

const Context& CurrentContext() { return CurrentState().context; }

Context ContextWithSeed(std::uint64_t seed) {
  Context context = CurrentContext();
  context.seed = seed;
  context.progress = nullptr;
  return context;
}

void StopIfCancelled() {
  const ContextState* const current = InnermostState();
  if (!current) return;
  if (current->context.cancel.cancelled()) throw Cancelled(current->task);
  if (current->search) current->search->StopIfOverdue();
}

UncancellableScope::UncancellableScope() : scope_(Uncancellable(), CurrentState().task) {}

}  // namespace ricochet
