// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Campaigns of simulated tosses of the boxes of Jongeneel Table I on a conveyor: known friction and restitution, starts
// like those of the long-range tosses (released 0.13 to 0.19 m above the belt at 2.3 to 2.9 m/s, turned and turning a
// little), recorded at 360 Hz with noise. For `reproduce jongeneel` and the study of standard deviations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

struct JongeneelBox {
  const char* name;
  double size[3];                // [m]
  double mass;                   // [kg]
  double inertia[3];             // [kg m^2]
  double friction, restitution;  // Table II, trajectory based, their own simulator
};

/// Box004 to Box007.
const std::vector<JongeneelBox>& JongeneelBoxes();

struct CampaignOptions {
  int tosses = 10;
  bool drops = false;            // dropped on a corner, for velocity-based identification, instead of tossed
  double belt = 0;               // velocity of the conveyor along x [m/s]
  double noise_position = 3e-4;  // [m]
  double noise_angle = 1.75e-3;  // [rad]
  std::uint64_t seed = 0;
};

/// The scene with these numbers of the contact.
Scene TossScene(const JongeneelBox& box, double friction, double restitution, double belt = 0);

/// Tosses of the box with its own friction and restitution. Tosses that end on another side are made again, as the
/// authors left them out.
std::vector<Recording> MakeCampaign(const JongeneelBox& box, const CampaignOptions& options);

}  // namespace ricochet
