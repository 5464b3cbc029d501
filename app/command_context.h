// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// How commands call the library: with the threads and the seed of the command line, a progress line on the terminal,
// Ctrl-C that cancels the call, and the ranks of this program.
#pragma once

#include <cstdint>
#include <cstdio>

#include "app/flags.h"
#include "core/signals.h"
#include "ricochet/context.h"

namespace ricochet::app {

/// --threads and --seed.
struct ContextFlags {
  int threads = 0;
  std::uint64_t seed = 0;
};

/// A line on standard error that shows how far a call is; nothing where that is no terminal, so that logs hold messages
/// only.
class TerminalProgress {
 public:
  explicit TerminalProgress(std::FILE* stream = stderr);
  void Show(const Progress& progress) const;

 private:
  std::FILE* stream_;
  bool terminal_;
};

/// The context of a command while its call runs.
class CommandContext {
 public:
  explicit CommandContext(const ContextFlags& flags);
  const Context& context() const { return context_; }

 private:
  TerminalProgress progress_;
  Context context_;
  InterruptScope interrupt_;
};

/// Calls the library with a context; its errors name flags.
template <class Call>
auto CallLibrary(const ContextFlags& flags, const Call& call) {
  const CommandContext running(flags);
  try {
    return call(running.context());
  } catch (const InputError& error) {
    throw WithFlags(error);
  }
}

}  // namespace ricochet::app
