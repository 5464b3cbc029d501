// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// How a call runs: the number of threads, the seed, a callback for its progress, and a token to stop it.
//
// Every function that computes for more than a moment takes a Context as its last argument. The library keeps no state
// of its own between calls, writes nothing to the terminal and installs no signal handlers. Two threads of a program
// can call it at the same time with different contexts.
//
//     ricochet::Context context{.threads = 4, .seed = 7};
//     context.progress = [](const ricochet::Progress& p) { show_bar(p.task, p.done, p.total); };
//     ricochet::CancelToken stop = context.cancel;          // shares its state with the context
//     std::thread button([stop] { wait_for_click(); stop.Cancel(); });
//     ricochet::Identification result = ricochet::Identify(scene, recordings, "contact.friction", {}, context);
//
// Results depend on the seed and never on the number of threads: the same call gives the same bits on 1 and on 64.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace ricochet {

class RankLink;  // ricochet/ranks.h

/// A request to stop. Copies share one state, so that a program keeps a copy and passes another in a Context.
///
/// Cancel() may be called from any thread and from a signal handler. The call that was cancelled throws Cancelled
/// (error.h), usually within a second; what can be resumed has been stored by then. A token cannot be reset: use a new
/// one for the next call.
class CancelToken {
 public:
  CancelToken() : cancelled_(std::make_shared<std::atomic<bool>>(false)) {}

  /// Asks every call that was given this token or a copy of it to stop.
  void Cancel() const noexcept { cancelled_->store(true, std::memory_order_relaxed); }

  /// Whether Cancel() has been called.
  bool cancelled() const noexcept { return cancelled_->load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<std::atomic<bool>> cancelled_;
};

/// How far a task is.
struct Progress {
  std::string_view task;              // "sweep", "bootstrap", "validate"; valid during the callback only
  std::int64_t done = 0;              // steps that are finished
  std::int64_t total = 0;             // steps in all; 0: not known
  double elapsed = 0;                 // since the task began [s]
  std::optional<double> remaining{};  // expected [s]; none while nothing can be said
  bool finished = false;              // the last update of this task, also when it ended early
};

/// How a call runs. The defaults suit most: one thread per core, seed 0, no progress, never cancelled.
struct Context {
  /// Most threads that the call uses, its own included; 0: one per core. More threads than cores have no effect.
  int threads = 0;

  /// Seed of everything random in the call: noise of a simulation, repetitions of a bootstrap, starts of a search.
  std::uint64_t seed = 0;

  /// Receives the progress of a long task, at most ten times per second and once at its end. The working threads call
  /// it, one at a time, and it must not throw. Empty: no progress.
  std::function<void(const Progress&)> progress{};

  /// Stops the call: see CancelToken.
  CancelToken cancel{};

  /// Other processes that share the work of Sweep and of a bootstrap (ranks.h). Not owned; null: this process alone.
  RankLink* ranks = nullptr;
};

}  // namespace ricochet
