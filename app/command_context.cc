// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "app/command_context.h"

#include <fmt/format.h>
#include <unistd.h>

#include "app/mpi_ranks.h"
#include "core/progress/progress_line.h"

namespace ricochet::app {

TerminalProgress::TerminalProgress(std::FILE* stream) : stream_(stream), terminal_(isatty(fileno(stream)) == 1) {}

void TerminalProgress::Show(const Progress& progress) const {
  if (!terminal_) return;
  constexpr const char* kEraseLine = "\r\033[K";
  std::fputs(kEraseLine, stream_);
  if (!progress.finished) std::fputs(ProgressLine(progress).c_str(), stream_);
  std::fflush(stream_);
}

CommandContext::CommandContext(const ContextFlags& flags)
    : context_{.threads = flags.threads,
               .seed = flags.seed,
               .progress = [this](const Progress& progress) { progress_.Show(progress); },
               .ranks = ProgramRanks()},
      interrupt_(context_.cancel) {}

}  // namespace ricochet::app
