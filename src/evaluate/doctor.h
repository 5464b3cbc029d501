// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What a careful person checks before trusting recordings. Nothing is taken for granted: not the rate, not the unit,
// not which way is up. Everything is found in the recordings themselves, and compared with a scene when there is one.
//
// Per recording: rate, jitter, dropped and frozen frames, quaternions, outliers, noise of position and orientation in
// flight and at rest, free-fall acceleration with its standard deviation, release, contact, impacts, rest, usable or
// not and why.
//
// Over all recordings:
//
//   gravity      The accelerations of all parabolas (flight_arc.h) vote for a length unit: the one in which most frames
//                fall with 9.81 m/s^2 within 25 %. Their densest cluster is gravity, in magnitude and direction. The
//                pooled value weighs each recording by 1 / (its variance + the variance between recordings)
//                (DerSimonian and Laird 1986), so that its standard error covers both.
//   length scale |g| over the scene's (or 9.81), and the resting height over the geometry's. When lengths are short by
//                a factor, both show it.
//   lean         of the face the body rests on from the vertical, and of gravity from the vertical axis; in the axes of
//                the recording and in those of the toss (along the flight, to its left). Recorders that turn each
//                recording about the vertical leave only the second one alike.
//   corners      While the body stands on a corner or an edge, its center is higher than at rest by s (S(n) -
//   S(n_rest))
//                for the support function S of the scene's shape and a reach s of its corners. Frames in the air give
//                more, so that s is the mode of the ratios. s < 1: corners are rounded, or lengths are short.
//
// Planar recordings are lifted to space (spatial_track.h) and go the same way. Joint recordings have clock, frozen
// frames, outliers and noise.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

enum class Verdict { kOk, kWatch, kBad, kUnknown };

/// One line of the report.
struct Finding {
  std::string check;     // "gravity"
  std::string found;     // "9.652 +- 0.006 m/s^2"
  std::string expected;  // "9.81"; empty when there is nothing to compare with
  Verdict verdict = Verdict::kOk;
  std::string remedy;  // empty when there is nothing to do
};

struct DoctorImpact {
  double time = 0;            // [s]
  double approach_speed = 0;  // of the center of mass, downward [m/s]
  double velocity_jump = 0;   // |dv| of the center of mass [m/s]
};

struct Measured {
  double value = 0, deviation = 0;
};

/// One body (or all joints) of one recording.
struct RecordingReport {
  std::string file, body;  // body empty: columns without prefix
  std::string kind;        // spatial, planar, joint
  int rows = 0;
  double duration = 0, rate = 0, jitter = 0;  // [s], [Hz], relative
  int dropped_frames = 0, incomplete_rows = 0, sign_flips = 0;
  double norm_error = 0;
  std::vector<int> frozen_rows, outlier_rows;     // from 1
  std::optional<Eigen::Vector3d> acceleration{};  // of free flight, recording's axes, unit found
  double acceleration_deviation = 0;
  int flight_frames = 0;
  std::optional<double> noise_position{}, noise_angle{};  // in flight, per axis [m], [rad]
  std::optional<double> rest_noise_position{}, rest_noise_angle{};
  std::optional<double> release_time{}, peak_time{}, contact_time{}, rest_time{};
  std::vector<DoctorImpact> impacts;
  std::optional<double> rest_height{}, rest_height_expected{};  // of the body frame over the surface [m]
  std::optional<Eigen::Vector2d> lean{};                        // horizontal part of the upper face's normal
  std::optional<Eigen::Vector2d> heading{};                     // unit, horizontal direction of the flight
  double standstill = 0;                                        // at the end [s]
  bool usable = true;
  std::vector<std::string> reasons;  // why not, or what to watch
  std::vector<std::string> log;
};

struct DoctorReport {
  std::vector<RecordingReport> recordings;
  int usable = 0;
  std::string unit;                                 // length unit of the recordings by their gravity; empty: unknown
  char up = 0;                                      // axis that points up by gravity: x, y, z; upper case: downward
  std::optional<Measured> gravity{};                // magnitude, in the unit found [m/s^2]
  std::optional<Eigen::Vector3d> gravity_vector{};  // mean over the recordings
  std::optional<Measured> gravity_along{}, gravity_side{};  // in the axes of the toss [m/s^2]
  double gravity_expected = 9.81;
  std::optional<Measured> scale_by_gravity{}, scale_by_rest{};
  std::optional<Measured> rest_height{};
  double rest_height_expected = 0;
  std::optional<Measured> corner_reach{};             // s above
  double corner_shortfall = 0;                        // (1 - s) times the mean distance of the faces [m]
  std::optional<Measured> lean{};                     // mean angle [rad]
  std::optional<Measured> lean_along{}, lean_side{};  // in the axes of the toss [rad]
  double lean_fixed = 0;                              // angle of the mean in the recording's axes [rad]
  std::vector<Finding> findings;
};

/// Throws InputError for recordings without poses and joints.
DoctorReport Examine(const std::vector<Recording>& recordings, const Scene* scene);

/// One screen of text: findings, then what to do, then recordings that need a look (at most `most_rows` of them).
std::string DescribeDoctor(const DoctorReport& report, int most_rows = 12);

/// The whole report as JSON.
std::string DoctorJson(const DoctorReport& report);

}  // namespace ricochet
