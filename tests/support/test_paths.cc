// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/test_paths.h"

#include <cstdlib>
#include <stdexcept>

namespace ricochet::testing {

std::string SourcePath(const std::string& relative) { return std::string(RICOCHET_SOURCE_DIR) + "/" + relative; }

const char* ProgramPath() { return RICOCHET_PROGRAM; }

const char* FaultShimPath() { return RICOCHET_FAULT_SHIM; }

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "ricochet_test_XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("cannot make a temporary folder");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace ricochet::testing
