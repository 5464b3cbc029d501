// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What is requested of an estimator.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ricochet/identify.h"
#include "ricochet/parameter.h"

namespace ricochet {

struct IdentifyRequest {
  const Scene& scene;
  const std::vector<Recording>& recordings;
  std::vector<SelectedParameter> parameters;
  IdentifyOptions options;
  std::uint64_t seed = 0;     // of everything random
  std::string fingerprint{};  // of everything that the estimate depends on
};

}  // namespace ricochet
