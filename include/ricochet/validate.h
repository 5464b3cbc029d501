// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Validation: how well a scene predicts recorded tosses that run from free flight to rest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

/// Where roll-outs start: at the first frame of the free flight, at its last frame, at the recording's first, or one
/// frame before the body's origin comes below a height of the world.
struct RollStart {
  enum class Kind { kRelease, kContact, kFirst, kBelow };
  Kind kind = Kind::kRelease;
  double height = 0;  // kBelow [m]
};

/// `release`, `contact`, `first`, `below:HEIGHT`. Throws InputError for another word.
RollStart ParseRollStart(std::string_view word);

/// Errors of one roll-out [m], [rad]; those without meaning are absent.
struct TossErrors {
  double trajectory_position_error = 0;         // mean distance of the body frames over the frames
  double trajectory_rotation_error = 0;         // mean angle between the orientations
  double trajectory_loss = 0;                   // Jongeneel (18): mean of distance / length + angle
  std::optional<double> velocity_loss{};        // (17): mean over the impacts on one corner; absent without any
  std::optional<double> rest_position_error{};  // (21): in the surface; absent when the recording ends in motion
  std::optional<double> rest_rotation_error{};  // whole angle
  std::optional<double> rest_yaw_error{};       // (20): about the surface's normal; absent when another face is up
  std::optional<bool> rest_face_correct{};
};

struct ValidatedRecording {
  std::string file;
  bool used = false;
  std::string reason;         // why it was set aside
  int frames = 0;             // compared
  double start = 0, end = 0;  // [s]
  bool solved = true;         // every step of the roll-out
  TossErrors errors;
};

/// Mean, standard deviation (n - 1) and median over the recordings that have the value.
struct ErrorSummary {
  std::string name;
  int count = 0;
  double mean = 0, std = 0, median = 0;
};

/// What identification on the other folds found.
struct FoldEstimate {
  std::vector<double> values;  // in the order of Validation::fold_paths
  bool converged = true;
};

/// One model's validation.
struct Validation {
  std::string name;  // of the scene or estimate
  std::vector<std::string> fold_paths;
  std::vector<FoldEstimate> folds;
  std::vector<ValidatedRecording> recordings;
  std::vector<ErrorSummary> summary;  // in the order of TossErrors
};

struct ValidateOptions {
  RollStart start{};
  std::optional<double> step{};  // [s]; none: the scene's
  /// 0: one roll-out. N: the prediction is the mean of N roll-outs from starts drawn from the covariance of the
  /// flight's fit, frame by frame: mean position, and the rotation with the least mean square angle to theirs
  /// (Frechet). Where the outcome hangs on the start, no single roll-out is the best guess.
  int average = 0;
  std::uint64_t seed = 0;  // of the draws
};

/// Rolls out the scene beside every recording, on all cores; the result does not depend on their number. Throws
/// InputError for scenes and recordings that cannot be used at all.
Validation Validate(const Scene& scene, const std::vector<Recording>& recordings, const ValidateOptions& options = {});

/// Makes the summary from the recordings.
void Summarise(Validation& validation);

/// Errors with one number moved by steps about the scene's value (Jongeneel fig. 14).
struct SensitivityRow {
  double value = 0;
  std::vector<ErrorSummary> summary;  // in the order of TossErrors
};
struct Sensitivity {
  std::string path;
  std::vector<SensitivityRow> rows;
};

/// `PATH=+-R`, 11 values from -R to R about the scene's; from 0 to 2 R where the scene has 0. `PATH=+-R:N`: N values.
/// Throws InputError.
Sensitivity Vary(const Scene& scene, const std::vector<Recording>& recordings, std::string_view text,
                 const ValidateOptions& options = {});

std::string DescribeSensitivity(const Sensitivity& sensitivity);
std::string FormatValidations(const std::vector<Validation>& validations,
                              const std::vector<Sensitivity>& sensitivities = {});  // JSON
std::string DescribeValidations(const std::vector<Validation>& validations);        // for the terminal

}  // namespace ricochet
