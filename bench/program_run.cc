// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "bench/program_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

namespace ricochet::bench {
namespace {

/// First child of a process; -1 when it has none.
pid_t FirstChild(pid_t parent) {
  std::ifstream in(fmt::format("/proc/{}/task/{}/children", parent, parent));
  pid_t child = -1;
  return in >> child ? child : -1;
}

}  // namespace

Outcome Run(const Words& words, std::optional<double> limit, Victim victim) {
  const auto began = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    const int nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  if (limit) {
    usleep(static_cast<useconds_t>(*limit * 1e6));
    const pid_t rank = victim == Victim::kOneRank ? FirstChild(child) : -1;
    if (victim == Victim::kAll) {
      kill(-child, SIGKILL);
    } else if (rank > 0) {
      kill(rank, SIGKILL);
    }
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(),
          seconds(usage.ru_utime) + seconds(usage.ru_stime), static_cast<double>(usage.ru_maxrss) / 1024,
          WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

}  // namespace ricochet::bench
