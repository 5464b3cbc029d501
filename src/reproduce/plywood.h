// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The thrown plywood ellipse of Gabiccini sec. 6.1: semi-axes 50 and 25 mm, 64 g, J/m = 756 mm^2, restitution 0.2, 0.5
// s seen by cameras of 30 to 240 frames per second with noise of 1 mm on positions. The paper does not give the noise
// of the angle; 1 mrad and 20 mrad are used. The motion is the exact one (`event`).
#pragma once

#include <array>

#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

inline constexpr double kPlywoodRatio = 756e-6;  // J/m [m^2]
inline constexpr std::array<int, 5> kPlywoodRates = {30, 60, 120, 200, 240};
inline constexpr std::array<int, 2> kPlywoodNoises = {1, 20};  // of the angle [mrad]
inline constexpr char kPlywoodPaths[] =
    "bodies.ellipse.inertia / bodies.ellipse.mass, contact.friction, contact.restitution";

/// As thrown.
Scene PlywoodScene(double friction);

/// As a person would describe it before any fit: the inertia is wrong, friction 0.4, restitution 0.5, no initial
/// motion.
Scene PlywoodBlindScene();

/// Poses with noise. 30, 60 and 120 frames per second are decimations of the recording at 240; 200 is its own.
Recording PlywoodRecording(double friction, double noise_angle, int rate, int seed);

/// Gabiccini Table 1: error of J/m in percent for friction 0.1 to 0.9 and the five rates; NaN where it gives none.
extern const std::array<std::array<double, 5>, 9> kGabicciniTable1;

}  // namespace ricochet
