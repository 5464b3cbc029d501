// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Validation: how well a scene predicts recorded tosses that run from free flight to rest.
//
// Each simulation starts with the state fitted to the free flight and stops at the recorded rest. Errors are distance
// and angle between prediction and recording, over the frames and at rest.
//
//     const ricochet::Estimate estimate = ricochet::ReadEstimate("estimate.json");
//     const ricochet::Validation v = ricochet::Validate(ricochet::Apply(scene, estimate), test_tosses);
//     for (const ricochet::ErrorSummary& error : v.summary) print(error.name, error.mean, error.std);
//
// Use recordings that identification did not see, or CrossValidate (cross_validate.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/context.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

/// Where simulations of tosses start.
struct RollStart {
  enum class Kind {
    kRelease,  // first frame of the free flight
    kContact,  // its last frame
    kFirst,    // first frame of the recording
    kBelow,    // one frame before the body's origin falls below `height`
  };
  Kind kind = Kind::kRelease;
  double height = 0;  // kBelow, in the world [m]
};

/// `release`, `contact`, `first`, `below:HEIGHT`. Throws InputError for another word.
RollStart ParseRollStart(std::string_view word);
std::string FormatRollStart(const RollStart& start);

/// Errors of one predicted toss [m], [rad]; those without meaning are absent.
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

/// One recording of a validation.
struct ValidatedRecording {
  std::string file;
  bool used = false;
  std::string reason;         // why it is excluded
  int frames = 0;             // compared
  double start = 0, end = 0;  // of the comparison [s]
  bool solved = true;         // every step of the simulation
  TossErrors errors;
};

/// Mean, standard deviation (n - 1) and median over the recordings that have the value, in SI units.
struct ErrorSummary {
  std::string name;  // of the field of TossErrors
  int count = 0;     // of recordings
  double mean = 0, std = 0, median = 0;
};

/// What identification on the other folds found.
struct FoldEstimate {
  std::vector<double> values;  // in the order of Validation::fold_paths
  bool converged = true;
};

/// The validation of one model.
struct Validation {
  std::string name;  // of the scene or estimate
  std::vector<std::string> fold_paths;
  std::vector<FoldEstimate> folds;  // of CrossValidate only
  std::vector<ValidatedRecording> recordings;
  std::vector<ErrorSummary> summary;  // in the order of TossErrors
};

/// How to validate.
struct ValidateOptions {
  RollStart start{};
  std::optional<double> step{};  // of the simulation [s]; none: the scene's
  /// 0: one simulation per recording. N: the prediction is the mean of N simulations from starts drawn from the
  /// covariance of the flight's fit, frame by frame: mean position, and the rotation with the least mean square angle
  /// to theirs (Frechet). Where the outcome depends sensitively on the start, no single simulation is the best guess.
  int average = 0;
};

/// Predicts every recording. Validation::name is the scene's file. Throws InputError for scenes and recordings that
/// cannot be used at all, and Cancelled; a recording that is not a toss is excluded.
Validation Validate(const Scene& scene, const std::vector<Recording>& recordings, const ValidateOptions& options = {},
                    const Context& context = {});

/// Makes Validation::summary from its recordings.
void Summarize(Validation& validation);

/// Errors with one parameter varied about the scene's value (Jongeneel fig. 14).
struct SensitivityRow {
  double value = 0;
  std::vector<ErrorSummary> summary;  // in the order of TossErrors
};
struct Sensitivity {
  std::string path;
  std::vector<SensitivityRow> rows;
};

/// Which parameter to vary, and how far.
struct Variation {
  std::string path;
  double radius = 0;  // values from -radius to +radius about the scene's, or from 0 to 2 radius where the scene has 0
                      // and the parameter cannot be negative; in the parameter's unit, > 0
  int count = 11;     // of values, at least 2; those that the parameter cannot have are left out
};

/// `PATH=+-R` or `PATH=+-R:N`. Throws InputError.
Variation ParseVariation(const Scene& scene, std::string_view text);

/// Validates the scene at every value. Throws InputError and Cancelled.
Sensitivity Vary(const Scene& scene, const std::vector<Recording>& recordings, const Variation& variation,
                 const ValidateOptions& options = {}, const Context& context = {});

/// Several models on the same recordings, and errors over varied parameters: what the file of a validation holds.
struct ValidationSet {
  std::vector<Validation> models;
  std::vector<Sensitivity> sensitivities;
};

std::string DescribeSensitivity(const Sensitivity& sensitivity);              // for the terminal
std::string DescribeValidations(const std::vector<Validation>& validations);  // for the terminal
std::string FormatValidations(const ValidationSet& set);                      // JSON; at least one model
ValidationSet ParseValidations(const std::string& text, const std::string& name_in_messages);  // throws InputError

/// Writes the JSON, whole or not at all. Throws InputError when the file cannot be written.
void WriteValidations(const ValidationSet& set, const std::string& file);

}  // namespace ricochet
