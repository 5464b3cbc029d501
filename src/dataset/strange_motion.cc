// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/strange_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "ricochet/error.h"

namespace ricochet {

void RefuseStrangeMotion(const std::string& file, double gravity, const std::vector<double>& time,
                         const std::vector<Eigen::Vector3d>& position) {
  constexpr double kTimes = 5, kRoom = 0.1;  // [m] of room for a body that stays where it is
  constexpr double kFarthest = 2e6;          // [m]
  double extent = kRoom, farthest = 0;
  for (const Eigen::Vector3d& p : position) {
    extent = std::max(extent, (p - position[0]).norm());
    farthest = std::max(farthest, p.cwiseAbs().maxCoeff());
  }
  if (farthest > kFarthest)
    throw InputError({file, 0, 0}, "",
                     fmt::format("positions are up to {:.3g} m from the origin, where doubles resolve only {:.1g} m.",
                                 farthest, farthest * std::numeric_limits<double>::epsilon()),
                     "Use meters from an origin near the motion.");
  if (time.size() < 2) return;
  const double dt = (time.back() - time.front()) / static_cast<double>(time.size() - 1), fall = 0.5 * gravity * dt * dt;
  if (fall < kTimes * extent) return;
  throw InputError({file, 0, 0}, "t",
                   fmt::format("rows are {:.3g} s apart, in which a body falls {:.3g} m, but the whole recording "
                               "covers {:.3g} m: times seem to be milliseconds or frame numbers.",
                               dt, fall, extent),
                   "Give times in seconds.");
}

}  // namespace ricochet
