// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/signals.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <utility>

namespace ricochet {
namespace {

// The handler may run at any moment in any thread, so names are in fixed memory that is never freed.
struct TemporarySlot {
  enum State { kFree, kBusy, kReady };
  std::atomic<int> state{kFree};
  char file[1024] = {};
};

std::array<TemporarySlot, 64> slots;
std::atomic<const CancelToken*> target{nullptr};  // what the first signal cancels
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<const CancelToken*>::is_always_lock_free);

extern "C" void HandleSignal(int signal) {
  if (const CancelToken* const token = target.exchange(nullptr)) {
    token->Cancel();
    return;
  }
  RemoveTemporaries();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void InstallSignalHandlers() {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too long is an error of its write
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    struct sigaction old {};
    sigaction(signal, nullptr, &old);
    if (old.sa_handler == SIG_IGN) continue;  // nohup and the like stay in force
    struct sigaction action {};
    action.sa_handler = HandleSignal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
  }
}

InterruptScope::InterruptScope(CancelToken token) : token_(std::move(token)) { target.store(&token_); }
InterruptScope::~InterruptScope() { target.store(nullptr); }

int RememberTemporary(const std::string& file) {
  if (file.size() >= sizeof(TemporarySlot::file)) return -1;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    int expected = TemporarySlot::kFree;
    if (!slots[i].state.compare_exchange_strong(expected, TemporarySlot::kBusy)) continue;
    std::memcpy(slots[i].file, file.c_str(), file.size() + 1);
    slots[i].state.store(TemporarySlot::kReady);
    return static_cast<int>(i);
  }
  return -1;
}

void RemoveTemporaries() {
  for (const TemporarySlot& slot : slots)
    if (slot.state.load() == TemporarySlot::kReady) unlink(slot.file);
}

void ForgetTemporary(int slot) {
  if (slot >= 0) slots[static_cast<std::size_t>(slot)].state.store(TemporarySlot::kFree);
}

}  // namespace ricochet
