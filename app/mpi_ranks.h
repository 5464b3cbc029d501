// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Ranks that mpirun or srun started together, where the program was built with MPI.
#pragma once

#include "ricochet/ranks.h"

namespace ricochet::app {

/// The link of this process while an MpiScope lives and there are several ranks; otherwise null.
RankLink* ProgramRanks();

/// Whether this process writes the outputs: it is alone, or rank 0.
bool IsRoot();

/// Joins the ranks, if this process was started as one of several, for as long as the object lives; otherwise, and in
/// programs built without MPI, nothing happens.
class MpiScope {
 public:
  MpiScope();
  ~MpiScope();
  MpiScope(const MpiScope&) = delete;
  MpiScope& operator=(const MpiScope&) = delete;

  /// Before an error is printed: ranks other than the root wait a moment, because the root prints what all of them
  /// meet, and ends all of them.
  void LetRootSpeak() const;

  /// Ends all ranks with this status when there are several; returns otherwise.
  void EndAll(int status) const;
};

}  // namespace ricochet::app
