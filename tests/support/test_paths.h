// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#pragma once

#include <filesystem>
#include <string>

namespace ricochet::testing {

/// A file below the repository's root.
std::string SourcePath(const std::string& relative);

/// The program under test.
const char* ProgramPath();

/// The library whose calls of the system fail on request (tests/faults/fault_shim.cc); empty: not built here.
const char* FaultShimPath();

/// A file below tests/data.
inline std::string DataPath(const std::string& relative) { return SourcePath("tests/data/" + relative); }

/// An empty folder of the test's own, removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string File(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace ricochet::testing
