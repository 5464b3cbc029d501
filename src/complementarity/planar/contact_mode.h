// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What a contact does during a step: the active set of a frictional contact problem.
#pragma once

#include <string_view>

namespace ricochet {

enum class ContactMode : unsigned char {
  kFree,           // no impulse
  kStick,          // impulse inside the friction cone, no slip
  kSlidePositive,  // slip along +t, friction mu cn along -t
  kSlideNegative,  // slip along -t, friction mu cn along +t
};

constexpr std::string_view ContactModeName(ContactMode mode) {
  switch (mode) {
    case ContactMode::kFree:
      return "free";
    case ContactMode::kStick:
      return "stick";
    case ContactMode::kSlidePositive:
      return "slide+";
    case ContactMode::kSlideNegative:
      return "slide-";
  }
  return "";
}

/// Direction of the slip: +1, -1, or 0 for a contact that does not slide.
constexpr int SlipSign(ContactMode mode) {
  return mode == ContactMode::kSlidePositive ? 1 : mode == ContactMode::kSlideNegative ? -1 : 0;
}

}  // namespace ricochet
