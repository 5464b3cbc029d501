// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Recorded joint angles as observations of a mechanism's coordinates.
//
// Noise that looks Gaussian is estimated from sixth differences (dataset/noise.h) and again from the residuals
// of the fit. An encoder rounds to a multiple of its step D: the error of a row is then D / sqrt(12), but not
// independent from row to row, because a joint that stands or creeps is rounded the same way every time. What is
// independent is the instant at which the count changes. So where the joint moves less than D between rows, the rows
// are replaced by the changes of the count: between rows i and i + 1, at the middle, the coordinate was at the edge
// (q_i + q_(i+1)) / 2, to within
//
//     sigma^2 = (rate dt)^2 / 12 + (acceleration dt^2 / 8)^2,
//
// and a count that stays for long gives one more observation, its middle to within D / sqrt(12).
//
// Smoothed coordinates, rates and accelerations for starts come from a zero-phase Butterworth filter (Spook 4.4) with
// the lowest cut-off that leaves residuals of the size of the noise.
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

/// Throws InputError for recordings without the angles of all moving joints, too short ones, and motions that reach a
/// joint's limit (an impact on a stop).
JointTrack MakeJointTrack(const Scene& scene, const Model& model, const TreeMechanism& mechanism,
                          const Recording& recording);

/// Forward and backward Butterworth filter of order 2 each, cut-off in Hz, on a uniform grid; ends are continued by
/// point reflection.
std::vector<double> FilterZeroPhase(const std::vector<double>& values, double dt, double cutoff);

/// The step of an encoder whose values are all its multiples; 0 when there is none.
double FindQuantum(const std::vector<double>& values);

}  // namespace ricochet
