// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// How Python calls the library. The work runs in a thread of its own without the interpreter's lock, so that other
// Python threads go on. The calling thread waits, shows progress and looks for signals: Ctrl-C cancels the work and
// raises KeyboardInterrupt when it has stopped. A progress function that raises cancels the work too.
//
//     return RunCall(settings, [&](const Context& context) { return Simulate(scene, options, context); });
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>

#include "ricochet/context.h"
#include "socket_ranks.h"

namespace ricochet::python {

namespace nb = nanobind;

/// What a Python call says about how it runs.
struct CallSettings {
  int threads = 0;               // 0: one per core
  std::uint64_t seed = 0;        // of everything random
  nb::object progress;           // None, or a function of (task, done, total, elapsed, remaining, finished)
  SocketRanks* ranks = nullptr;  // processes that share the work; the caller keeps it alive
};

/// Runs `work` as described above and waits for it. Throws what it throws. The caller holds the interpreter's lock, and
/// `work` must not touch Python objects.
void RunWork(const CallSettings& settings, const std::function<void(const Context&)>& work);

/// The same for work that returns a value.
template <class Work>
auto RunCall(const CallSettings& settings, Work work) {
  std::optional<std::invoke_result_t<Work, const Context&>> result;
  RunWork(settings, [&](const Context& context) { result.emplace(work(context)); });
  return std::move(*result);
}

}  // namespace ricochet::python
