// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What Ctrl-C and a termination request do in a program. A program calls InstallSignalHandlers once; a user of the
// library need not.
//
// SIGINT, SIGTERM, SIGHUP and SIGQUIT remove the temporary files of unfinished outputs (atomic_file.h) and end the
// process as if the signal had not been caught. During an InterruptScope the first signal cancels a token instead, so
// that the call in progress stores what can be resumed and throws Cancelled; the second ends the process.
#pragma once

#include <string>

#include "ricochet/context.h"

namespace ricochet {

void InstallSignalHandlers();

/// While it lives, the first signal cancels the token instead of ending the process. One at a time.
class InterruptScope {
 public:
  explicit InterruptScope(CancelToken token);
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

 private:
  const CancelToken token_;
};

/// Takes note of a file to be removed when the process is ended by a signal; returns a slot for Forget, or -1 when all
/// slots are taken or the name is too long (then the file would stay).
int RememberTemporary(const std::string& file);
void ForgetTemporary(int slot);

/// Removes the files of which note was taken. Allocates nothing and may be called at any moment.
void RemoveTemporaries();

}  // namespace ricochet
