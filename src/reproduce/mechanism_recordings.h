// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Recordings of a mechanism at known numbers, made with its exact motion (dynamics/tree/tree_flow.h): what
// identification is judged on. Motor inputs come from a controller that sees the joints every `tick` and are held in
// between.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

/// The input `u` from time, coordinates and rates.
using Controller = std::function<double(double, const std::vector<double>&, const std::vector<double>&)>;

struct MechanismRun {
  std::vector<double> angle, rate;  // at the start, per joint that moves
  double duration = 10;             // [s]
  double tick = 1e-2;               // [s], rows and control
  double noise = 1e-3;              // [rad], Gaussian; negative: rounded to multiples of its size instead
  std::uint64_t seed = 0;
  Controller control{};  // none: 0
};

/// Columns NAME.angle, and u where the scene has a motor. Throws InputError for scenes without minimal coordinates and
/// where the motion cannot be computed.
Recording RecordMechanism(const Scene& scene, const MechanismRun& run, const std::string& name);

/// The pendulum of Spook sec. 4.2 with dry friction and a Stribeck part; Table 2's size of numbers.
Scene StribeckPendulum();

/// The Furuta pendulum of Spook sec. 4.3 with dry friction, tilted gravity and motor, numbers near those of Table 4;
/// compliance and step as in Table 1.
Scene FrictionFuruta();

/// Pumps while the rod's energy is below that of standing upright, and brings the arm back. The input is limited
/// to 1.5, which lifts the rod of FrictionFuruta to 1.6 rad in 10 s: the rod drags the arm more than the motor does.
Controller SwingUp(const Scene& scene);

/// Swing-up to the top by shaping the energy of the whole device: the arm is on a spring (made by the motor), and
/// `u = k (E* - E) rate1 / gain` brings the energy E of arm, rod and spring to E* = 1.3 times that of standing upright.
/// Once the rod is upright only the spring and a brake act. The input is limited to 4.
Controller SwingUpright(const Scene& scene);

}  // namespace ricochet
