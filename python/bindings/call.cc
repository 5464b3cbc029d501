// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "call.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "parts.h"

namespace ricochet::python {
namespace {

/// A copy of a Progress that outlives its callback.
struct Update {
  std::string task;
  std::int64_t done, total;
  double elapsed;
  std::optional<double> remaining;
  bool finished;
};

/// What the working thread and the waiting thread share.
struct Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Update> updates;  // not shown yet; of a task, only the newest
  bool ended = false;
};

void Add(Shared& shared, const Progress& progress) {
  const std::scoped_lock lock(shared.mutex);
  Update update{std::string(progress.task), progress.done,      progress.total,
                progress.elapsed,           progress.remaining, progress.finished};
  if (!shared.updates.empty() && shared.updates.back().task == update.task && !shared.updates.back().finished)
    shared.updates.back() = std::move(update);
  else
    shared.updates.push_back(std::move(update));
}

/// Waits for the end of the work, at most 50 ms; takes the updates.
bool Wait(Shared& shared, std::vector<Update>& updates) {
  const nb::gil_scoped_release release;
  std::unique_lock lock(shared.mutex);
  shared.changed.wait_for(lock, std::chrono::milliseconds(50), [&] { return shared.ended; });
  updates = std::exchange(shared.updates, {});
  return shared.ended;
}

}  // namespace

void RunWork(const CallSettings& settings, const std::function<void(const Context&)>& work) {
  Shared shared;
  Context context{.threads = settings.threads, .seed = settings.seed};
  context.ranks = settings.ranks;
  if (settings.ranks != nullptr) settings.ranks->SetToken(context.cancel);
  if (!settings.progress.is_none()) context.progress = [&](const Progress& progress) { Add(shared, progress); };

  std::exception_ptr failure;
  std::thread worker([&] {
    try {
      work(context);
    } catch (...) {
      failure = std::current_exception();
    }
    const std::scoped_lock lock(shared.mutex);
    shared.ended = true;
    shared.changed.notify_one();
  });

  // The first Python exception (of a signal or of the progress function) cancels the work and is thrown at its end.
  std::exception_ptr interruption;
  const auto call_python = [&](const auto& function) {
    if (interruption) return;
    try {
      function();
    } catch (...) {
      interruption = std::current_exception();
      context.cancel.Cancel();
    }
  };
  std::vector<Update> updates;
  for (bool ended = false; !ended;) {
    ended = Wait(shared, updates);
    call_python([] {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    });
    for (const Update& update : updates)
      call_python([&] {
        settings.progress(update.task, update.done, update.total, update.elapsed, update.remaining, update.finished);
      });
  }
  worker.join();
  if (interruption) std::rethrow_exception(interruption);
  if (failure) std::rethrow_exception(failure);
}

void BindCall(nb::module_& module) {
  nb::class_<CallSettings>(module, "CallSettings", "How a call runs: threads, seed and progress.")
      .def(
          "__init__",
          [](CallSettings* self, int threads, std::uint64_t seed, nb::object progress, SocketRanks* ranks) {
            new (self) CallSettings{threads, seed, std::move(progress), ranks};
          },
          nb::arg("threads") = 0, nb::arg("seed") = 0, nb::arg("progress").none() = nb::none(),
          nb::arg("ranks").none() = nb::none(), nb::keep_alive<1, 5>());
}

}  // namespace ricochet::python
