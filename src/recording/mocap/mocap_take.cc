// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/mocap/mocap_take.h"

namespace ricochet {

std::string LegalName(const std::string& name) {
  std::string legal;
  for (const char c : name) {
    const bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_', digit = c >= '0' && c <= '9';
    if (digit && legal.empty()) legal += '_';
    legal += letter || digit ? c : '_';
    if (legal.size() >= 64) break;
  }
  return legal.empty() ? "body" : legal;
}

}  // namespace ricochet
