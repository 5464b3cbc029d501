// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "model/possible_moments.h"

#include <algorithm>

namespace ricochet {
namespace {

using Moments = std::array<double, 3>;

constexpr double kRounding = 1e-9;
constexpr double kInside = 1e-6;  // part of an excess by which moments go beyond the edge of what is possible

double Excess(const Moments& moments, std::size_t i) {
  return moments[i] - moments[(i + 1) % 3] - moments[(i + 2) % 3];
}

bool IsPossible(const Moments& moments) {
  for (std::size_t i = 0; i < 3; ++i)
    if (Excess(moments, i) > kRounding * moments[i]) return false;
  return true;
}

/// A free moment that is too large shrinks; free ones beside an estimated one that is too large grow.
Moments LetFreeOnesGiveWay(const std::array<bool, 3>& estimated, Moments moments) {
  for (int round = 0; round < 3; ++round)
    for (std::size_t i = 0; i < 3; ++i) {
      if (Excess(moments, i) <= 0) continue;
      if (!estimated[i]) {
        moments[i] = moments[(i + 1) % 3] + moments[(i + 2) % 3];
        continue;
      }
      for (const std::size_t j : {(i + 1) % 3, (i + 2) % 3})
        if (const double excess = Excess(moments, i); !estimated[j] && excess > 0) moments[j] += excess;
    }
  return moments;
}

Moments ShareExcess(Moments moments) {
  for (std::size_t i = 0; i < 3; ++i) {
    const double excess = Excess(moments, i);
    if (excess <= 0) continue;
    const double share = excess * (1 + kInside) / 3;
    moments[i] -= share;
    moments[(i + 1) % 3] += share;
    moments[(i + 2) % 3] += share;
  }
  return moments;
}

}  // namespace

std::vector<MovedMoments> MakeMomentsPossible(const std::function<bool(NumberId)>& estimated, Scene& scene) {
  std::vector<MovedMoments> out;
  for (const Body& body : scene.bodies) {
    if (body.fixed || body.inertia.size() != 3) continue;
    MovedMoments moved{body.name, {}, {}, false};
    std::array<bool, 3> fixed{};
    for (std::size_t i = 0; i < 3; ++i) {
      moved.before[i] = scene[body.inertia[i]];
      fixed[i] = estimated(body.inertia[i]);
    }
    moved.after = LetFreeOnesGiveWay(fixed, moved.before);
    if (!IsPossible(moved.after)) {
      moved.broken = true;
      moved.before = moved.after;
      moved.after = ShareExcess(moved.after);
    }
    if (moved.after != moved.before) out.push_back(std::move(moved));
  }
  for (const MovedMoments& moved : out) {
    const std::vector<NumberId> inertia = scene.bodies[static_cast<std::size_t>(scene.BodyIndex(moved.body))].inertia;
    for (std::size_t i = 0; i < 3; ++i) scene.Set(inertia[i], moved.after[i]);
  }
  return out;
}

}  // namespace ricochet
