// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What Ctrl-C and a termination request do. A program calls InstallSignalHandlers once; a library user need not.
//
// Without more, SIGINT, SIGTERM, SIGHUP and SIGQUIT remove the temporary files of unfinished outputs (atomic_file.h)
// and end the process as if the signal had not been caught. Work that can stop in an orderly way (a sweep that will be
// resumed) says so by an InterruptScope and asks Interrupted() now and then; the first signal then only sets the flag,
// the second ends.
#pragma once

#include <string>

namespace ricochet {

void InstallSignalHandlers();

/// Whether SIGINT or SIGTERM has come during an InterruptScope.
bool Interrupted();

/// While one exists, the first signal asks the work to stop instead of ending the process.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
};

/// Takes note of a file to be removed when the process is ended by a signal; returns a slot for Forget, or -1 when all
/// slots are taken or the name is too long (then the file would stay).
int RememberTemporary(const std::string& file);
void ForgetTemporary(int slot);

}  // namespace ricochet
