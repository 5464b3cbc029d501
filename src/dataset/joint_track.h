// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Recorded joint angles as observations of a mechanism's coordinates.
//
// How they follow from a recording is in joint_reading.h.
#pragma once

#include <string>
#include <vector>

#include "dynamics/tree/tree_flow.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

struct JointObservation {
  double time = 0;  // [s], of the recording
  int dof = 0;
  bool rate = false;
  double value = 0;
  double sigma = 1;  // in units of the noise of its channel, or absolute where the channel is rounded
};

/// One observed coordinate, or rate, of a recording.
struct JointChannel {
  std::string name;  // "hinge1.angle"
  int dof = 0;
  bool rate = false;
  bool rounded = false;
  double quantum = 0;     // [rad], [m]
  double noise = 0;       // standard deviation of a row
  double rows_noise = 0;  // the same from differences of rows alone; 0 where rounded
  double range = 0;       // largest less least value
  bool given = false;     // the scene says the noise
  int observations = 0;
};

struct JointTrack {
  std::string name;
  double start = 0, end = 0;  // [s]
  int rows = 0;
  std::vector<JointChannel> channels;
  std::vector<JointObservation> observations;  // by time
  std::vector<int> channel_of;                 // per observation
  InputSignal inputs;
  // Coordinates behind the sensors, smoothed, on a uniform grid from `start`.
  double grid = 0;  // [s]
  std::vector<TreeMechanism::Vector> x, r, a;
  std::vector<double> cutoff;  // [Hz] per coordinate
};

/// Forward and backward Butterworth filter of order 2 each, cut-off in Hz, on a uniform grid; ends are continued by
/// point reflection.
std::vector<double> FilterZeroPhase(const std::vector<double>& values, double dt, double cutoff);

/// The step of an encoder whose values are all its multiples; 0 when there is none.
double FindQuantum(const std::vector<double>& values);

}  // namespace ricochet
