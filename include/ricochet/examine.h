// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Checks of recordings before you rely on them. Examine assumes nothing: neither the rate, nor the unit, nor which way
// is up. It finds everything in the recordings themselves, and compares it with a scene if you pass one.
//
//     const ricochet::Examination found = ricochet::Examine(tosses, scene);
//     for (const ricochet::Finding& f : found.findings)
//       if (f.verdict == ricochet::CheckLevel::kBad) std::cout << f.check << ": " << f.remedy << "\n";
//
// Per recording: the clock (rate, jitter), bad frames (dropped, frozen, outliers), and quaternions. Noise in flight and
// at rest. Acceleration of free fall with its standard deviation. Release, contact, impacts and rest. Usable or not,
// and why. Planar recordings are treated as motions in space. Recordings of joints have only the clock, frozen frames,
// outliers and noise.
//
// Over all recordings:
//
//   gravity      The accelerations of all parabolas vote for a length unit: the one in which most frames fall with 9.81
//                m/s^2 within 25 %. Their densest cluster is gravity, in magnitude and direction. The pooled value
//                weighs each recording by 1 / (its variance + the variance between recordings) (DerSimonian and Laird
//                1986), so that its standard error covers both.
//   length scale |g| over the scene's (or 9.81), and the resting height over the geometry's. When lengths are short by
//                a factor, both show it.
//   lean         of the face that the body rests on from the vertical, and of gravity from the vertical axis; in the
//                axes of the recording and in those of the toss (along the flight, to its left). Recorders that turn
//                each recording about the vertical leave only the second one alike.
//   corners      While the body stands on a corner or an edge, its center is higher than at rest by
//                s (S(n) - S(n_rest)) for the support function S of the scene's shape and a reach s of its corners.
//                Frames in the air give more, so that s is the mode of the ratios. s < 1: corners are rounded, or
//                lengths are short.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "ricochet/context.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

/// What a check concludes.
enum class CheckLevel {
  kOk,
  kWatch,    // usable, with care
  kBad,      // correct it: Identify rejects the recording
  kUnknown,  // the recordings do not show it
};

/// One check.
struct Finding {
  std::string check;     // "gravity"
  std::string found;     // "9.652 +- 0.006 m/s^2"
  std::string expected;  // "9.81"; empty when there is nothing to compare with
  CheckLevel verdict = CheckLevel::kOk;
  std::string remedy;  // empty when there is nothing to do
};

/// The change that brings a recording with other conventions into the documented form. Planar vectors count as
/// (x, 0, y).
struct RecordingChange {
  double time = 1, length = 1, angle = 1;                // factors; a negative `angle` mirrors planar angles
  bool real_last = false;                                // quaternions are x, y, z, w
  Eigen::Vector3d turn_signs = Eigen::Vector3d::Ones();  // of x, y, z of the quaternions, after their order
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();    // a recorded vector v becomes axes * v
};

/// A recording that cannot be right as it is. Identify rejects it.
struct Mistake {
  std::string file;
  std::string check;    // "times", "unit", "axes", "angle", "quaternions", "size", "gravity", "motion", "rows"
  std::string field;    // column of the recording or path of the scene that is wrong
  std::string problem;  // with the number that shows it
  std::string remedy;
  std::optional<RecordingChange> change;  // that repairs it, where there is one
};

/// An impact in a recording.
struct ExaminedImpact {
  double time = 0;            // [s]
  double approach_speed = 0;  // of the center of mass, downward [m/s]
  double velocity_jump = 0;   // |dv| of the center of mass [m/s]
};

/// A value with its standard deviation, in the same unit.
struct Measured {
  double value = 0, std = 0;
};

/// One body (or all joints) of one recording.
struct ExaminedRecording {
  std::string file, body;  // body empty: columns without prefix
  std::string kind;        // "spatial", "planar", "joint"

  // The clock and the rows.
  int rows = 0;
  double duration = 0, rate = 0, jitter = 0;  // [s], [Hz], relative
  int dropped_frames = 0, incomplete_rows = 0;
  int sign_flips = 0;                          // of quaternions between rows
  double norm_error = 0;                       // largest of quaternions
  std::vector<int> frozen_rows, outlier_rows;  // numbers of rows, from 1
  bool filtered = false;                       // neighboring rows share their noise

  // Free flight and rest.
  std::optional<Eigen::Vector3d> acceleration{};  // of free flight, in the recording's axes and the unit found [m/s^2]
  double acceleration_std = 0;                    // its standard deviation, per axis [m/s^2]
  int flight_frames = 0;
  std::optional<Measured> drag{};  // by which the air slows a point: k of the acceleration -k v [1/s]
  std::optional<double> noise_position{}, noise_angle{};                           // in flight, per axis [m], [rad]
  std::optional<double> rest_noise_position{}, rest_noise_angle{};                 // at rest, per axis [m], [rad]
  std::optional<double> release_time{}, peak_time{}, contact_time{}, rest_time{};  // [s]
  std::vector<ExaminedImpact> impacts;
  std::optional<double> rest_height{}, rest_height_expected{};  // of the body frame over the surface [m]
  std::optional<Eigen::Vector2d> lean{};                        // horizontal part of the upper face's normal
  std::optional<Eigen::Vector2d> heading{};                     // unit, horizontal direction of the flight
  double standstill = 0;                                        // at the end [s]

  bool usable = true;
  std::vector<std::string> reasons;  // why not, or what to watch
  std::vector<std::string> log;      // choices made on the way
};

/// What Examine found.
struct Examination {
  std::vector<ExaminedRecording> recordings;
  int usable = 0;                     // of them
  std::vector<Finding> findings;      // over all recordings
  std::vector<Mistake> mistakes;      // for which Identify rejects recordings; each is a finding of level kBad too
  std::string unit;                   // length unit by gravity; empty: not determined
  char up = 0;                        // axis that points up by gravity: x, y, z; upper case: the axis points down
  std::optional<Measured> gravity{};  // magnitude, in the unit found [m/s^2]
  std::optional<Eigen::Vector3d> gravity_vector{};              // mean over the recordings [m/s^2]
  std::optional<Measured> gravity_along{}, gravity_side{};      // in the axes of the toss [m/s^2]
  double gravity_expected = 9.81;                               // the scene's where there is one [m/s^2]
  std::optional<Measured> scale_by_gravity{}, scale_by_rest{};  // lengths recorded over lengths expected
  std::optional<Measured> rest_height{};                        // over the surface [m]
  double rest_height_expected = 0;                              // [m]
  std::optional<Measured> corner_reach{};                       // s above
  double corner_shortfall = 0;                                  // (1 - s) times the mean distance of the faces [m]
  std::optional<Measured> lean{};                               // mean angle [rad]
  std::optional<Measured> lean_along{}, lean_side{};            // in the axes of the toss [rad]
  double lean_fixed = 0;                                        // angle of the mean in the recording's axes [rad]
};

/// Examines recordings by themselves, or against the scene that they should fit. A recording that cannot be used is a
/// finding, not an error. Throws InputError for recordings without poses and joints, and Cancelled.
Examination Examine(const std::vector<Recording>& recordings, const Context& context = {});
Examination Examine(const std::vector<Recording>& recordings, const Scene& scene, const Context& context = {});

/// A copy of a recording with a change made to all of its columns: times, poses, points, joints and velocities.
Recording Repair(const Recording& recording, const RecordingChange& change);

/// One screen of text: findings, then what to do, then recordings that need a look (at most `most_rows` of them).
std::string DescribeExamination(const Examination& examination, int most_rows = 12);

/// All of it as JSON.
std::string FormatExamination(const Examination& examination);

}  // namespace ricochet
