// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/signals.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace ricochet {
namespace {

TEST(Signals, TheFirstInAScopeCancels) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    InstallSignalHandlers();
    const CancelToken token;
    const InterruptScope scope(token);
    if (token.cancelled()) _exit(1);
    std::raise(SIGINT);
    if (!token.cancelled()) _exit(2);
    std::raise(SIGINT);
    _exit(3);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
}

TEST(Signals, OutsideAScopeTheyEndTheProcess) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    InstallSignalHandlers();
    { const InterruptScope scope(CancelToken{}); }
    std::raise(SIGTERM);
    _exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

TEST(Signals, WhatIsIgnoredStaysIgnored) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::signal(SIGINT, SIG_IGN);
    InstallSignalHandlers();
    const CancelToken token;
    const InterruptScope scope(token);
    std::raise(SIGINT);
    _exit(token.cancelled() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace ricochet
