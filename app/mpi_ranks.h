// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Ranks that mpirun or srun started together, where the program was built with MPI.
#pragma once

namespace ricochet::app {

/// Joins the ranks, if this process was started as one of several, for as long as the object lives; otherwise, and in
/// programs built without MPI, nothing happens.
class MpiScope {
 public:
  MpiScope();
  ~MpiScope();
  MpiScope(const MpiScope&) = delete;
  MpiScope& operator=(const MpiScope&) = delete;

  /// Before an error is told: ranks other than the root wait a moment, because what all of them meet is told, and all
  /// of them ended, by the root.
  void LetRootSpeak() const;

  /// Ends all ranks with this status when there are several; returns otherwise.
  void EndAll(int status) const;
};

}  // namespace ricochet::app
