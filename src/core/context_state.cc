// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/context_state.h"

#include <oneapi/tbb/info.h>

#include <algorithm>
#include <utility>

namespace ricochet {
namespace {

thread_local const ContextState* current = nullptr;  // of this thread; null: the defaults

}  // namespace

/// An arena costs nothing until a loop runs in it.
std::unique_ptr<const ContextState> MakeState(const Context& context, std::string task, const ContextState* outer) {
  auto state = std::make_unique<ContextState>();
  state->context = context;
  state->task = std::move(task);
  if (outer) state->search = outer->search;
  const int cores = tbb::info::default_concurrency();  // TBB has no more workers
  state->threads = context.threads > 0 ? context.threads : cores;
  state->arena = outer && outer->threads == state->threads
                     ? outer->arena
                     : std::make_shared<tbb::task_arena>(std::min(state->threads, cores));
  return state;
}

const ContextState* InnermostState() { return current; }

const ContextState& CurrentState() {
  static const std::unique_ptr<const ContextState> defaults = MakeState({}, "call", nullptr);
  return current ? *current : *defaults;
}

const ContextState* SetCurrentState(const ContextState* state) { return std::exchange(current, state); }

CarriedState::CarriedState(const ContextState& state) : outer_(current) { current = &state; }
CarriedState::~CarriedState() { current = outer_; }

}  // namespace ricochet
