// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Parabolas that only free flight makes: the acceleration is known to 3 % over at least 0.1 s, and at its end the
// velocity jumps against it, by at least a fifth of what the fall gained. A body that slides to rest, rolls down, or is
// carried has parabolas too, but they do not end so.
#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

#include "dataset/spatial_track.h"

namespace ricochet {

struct LengthUnit {
  const char *name, *plural;
  double per_meter;
};
inline constexpr std::array<LengthUnit, 5> kLengthUnits = {{{"m", "meters", 1},
                                                            {"mm", "millimeters", 1000},
                                                            {"cm", "centimeters", 100},
                                                            {"in", "inches", 39.37007874},
                                                            {"ft", "feet", 3.280839895}}};

struct Fall {
  Eigen::Vector3d acceleration;
  double deviation = 0;  // standard deviation of each component
  double duration = 0;   // [s]
  int frames = 0;
};

/// `p_BBcm`: the center of mass in the body.
std::vector<Fall> FindFalls(SpatialTrack track, const Eigen::Vector3d& p_BBcm);

/// The unit in which an acceleration is `gravity` [m/s^2] to within 10 %; null: none.
const LengthUnit* UnitOfFall(double acceleration, double gravity);

}  // namespace ricochet
