// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The libFuzzer target of every reader; RICOCHET_FUZZ_KIND names the one that this program feeds.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/fuzz/check_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const std::string fault = ricochet::CheckReader(RICOCHET_FUZZ_KIND, bytes);
  if (!fault.empty()) {
    std::fprintf(stderr, "%s\n", fault.c_str());
    std::abort();
  }
  return 0;
}
