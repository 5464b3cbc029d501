// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/recording_hash.h"

#include <string_view>
#include <vector>

#include "core/hash.h"

namespace ricochet {

std::string HashOf(const Recording& recording) {
  Sha256 hash;
  const auto add = [&](const std::vector<double>& values) {
    hash.Update({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)});
  };
  for (const std::string& column : recording.columns) hash.Update(column + ",");
  add(recording.time);
  for (const std::vector<double>& values : recording.values) add(values);
  return hash.Hex();
}

}  // namespace ricochet
