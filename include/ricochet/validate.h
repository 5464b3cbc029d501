// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Validation: how well a scene predicts recorded tosses that run from free flight to rest.
//
// Each simulation starts with the state fitted to the free flight and stops at the recorded rest. Errors are distance
// and angle between prediction and recording, over the frames and at rest. docs/theory/validation.md defines them.
//
//     const ricochet::Estimate estimate = ricochet::ReadEstimate("estimate.json");
//     const ricochet::Validation v = ricochet::Validate(ricochet::Apply(scene, estimate), test_tosses);
//     for (const ricochet::ErrorSummary& error : v.summary) print(error.name, error.mean, error.std);
//
// Use recordings that identification did not see, or CrossValidate (cross_validate.h).
//
// Scenes are spatial, have one body that moves and no joints, and name a stepper in `simulation.method`. Errors are in
// SI units everywhere in this header; the terminal and the report show millimeters and degrees. `ricochet validate -o`
// writes a ValidationSet.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/context.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

/// Where simulations of tosses start. A later start tests the contact model more directly, because errors of the
/// flight have less time to grow.
struct RollStart {
  enum class Kind {
    kRelease,  // first frame of the free flight, with the state fitted to that flight
    kContact,  // last frame of the flight, just before the first contact
    kFirst,    // first frame of the recording, for recordings that begin in free flight
    kBelow,    // one frame before the body's origin falls below `height`
  };
  Kind kind = Kind::kRelease;
  double height = 0;  // kBelow, in the world [m]
};

/// `release`, `contact`, `first` or `below:HEIGHT` (in meters), as `--start` takes it. Throws InputError for another
/// word.
RollStart ParseRollStart(std::string_view word);

/// The inverse.
std::string FormatRollStart(const RollStart& start);

/// Errors of one predicted toss [m], [rad]. Those that have no meaning for a toss are absent. Numbers in parentheses
/// are equations of Jongeneel et al.
struct TossErrors {
  double trajectory_position_error = 0;         // mean distance of the body frames over the frames
  double trajectory_rotation_error = 0;         // mean angle between the orientations
  double trajectory_loss = 0;                   // (18): mean of distance / length + angle, without unit
  std::optional<double> velocity_loss{};        // (17) [m/s]: mean over impacts on one corner; absent without any
  std::optional<double> rest_position_error{};  // (21): in the surface; absent when the recording ends in motion
  std::optional<double> rest_rotation_error{};  // whole angle between the orientations at rest
  std::optional<double> rest_yaw_error{};       // (20): about the surface's normal; absent when another face is up
  std::optional<bool> rest_face_correct{};      // the predicted face is up; absent when the recording ends in motion
};

/// One recording of a validation.
struct ValidatedRecording {
  std::string file;           // Recording::file
  bool used = false;          // false: excluded, and `errors` has no meaning
  std::string reason;         // why it is excluded: no free flight, ...; empty when it is used
  int frames = 0;             // that were compared
  double start = 0, end = 0;  // of the comparison, in the recording's time [s]
  bool solved = true;         // every step of the simulation; false: errors after the failed step mean little
  TossErrors errors;
};

/// Mean, standard deviation and median of one error over the recordings that have it, in SI units.
struct ErrorSummary {
  std::string name;   // of the field of TossErrors: "rest_position_error"
  int count = 0;      // recordings that have the value; 0: the numbers below have no meaning
  double mean = 0;    // rest_face_correct: fraction of the recordings
  double std = 0;     // between recordings, with n - 1; 0 for one recording
  double median = 0;  // less sensitive than the mean to tosses that end on another face
};

/// What identification on the other folds found.
struct FoldEstimate {
  std::vector<double> values;  // in the order of Validation::fold_paths; the start value where it is not identifiable
  bool converged = true;       // Estimate::converged of that identification
};

/// The validation of one model.
struct Validation {
  std::string name;                            // of the scene or estimate; a heading in tables
  std::vector<std::string> fold_paths;         // of the parameters that CrossValidate estimates; otherwise empty
  std::vector<FoldEstimate> folds;             // of CrossValidate, one per fold; otherwise empty
  std::vector<ValidatedRecording> recordings;  // all that were given, in their order
  std::vector<ErrorSummary> summary;           // in the order of the fields of TossErrors
};

/// How to validate.
struct ValidateOptions {
  RollStart start{};             // where simulations start
  std::optional<double> step{};  // of the simulation [s]; none: the scene's
  /// 0: one simulation per recording. N: the prediction is the mean of N simulations, frame by frame, from starts drawn
  /// from the covariance of the flight's fit. The mean rotation has the least mean square angle to theirs (Frechet).
  /// Where the outcome depends sensitively on the start, no single simulation is the best guess.
  int average = 0;
};

/// Predicts every recording, on all threads of the context. Validation::name is the scene's file. A recording that is
/// not a toss is excluded, which is not an error. Throws InputError for scenes that are planar, have joints or name no
/// stepper, and for recordings without the columns of a pose. Throws Cancelled. With `average`, Context::seed decides
/// which starts are drawn.
Validation Validate(const Scene& scene, const std::vector<Recording>& recordings, const ValidateOptions& options = {},
                    const Context& context = {});

/// Makes Validation::summary from its recordings. Call it after you changed or filtered them.
void Summarize(Validation& validation);

/// The errors at one value of a varied parameter.
struct SensitivityRow {
  double value = 0;                   // of the parameter, in its unit
  std::vector<ErrorSummary> summary;  // in the order of TossErrors
};

/// Errors with one parameter varied about the scene's value (Jongeneel fig. 14): how much a wrong value would cost.
struct Sensitivity {
  std::string path;                  // of the parameter
  std::vector<SensitivityRow> rows;  // ascending in value
};

/// Which parameter to vary, and how far.
struct Variation {
  std::string path;   // a pattern sets all parameters that it means to the same value
  double radius = 0;  // values from -radius to +radius about the scene's, or from 0 to 2 radius where the scene has 0
                      // and the parameter cannot be negative; in the parameter's unit, > 0
  int count = 11;     // of values, at least 2; those that the parameter cannot have are left out
};

/// `PATH=+-R` or `PATH=+-R:N`, as `--vary` takes it: `contact.friction=+-0.05:11`. Angles may be written `2 deg`.
/// Throws InputError for an unknown path and for text that is not of this form.
Variation ParseVariation(const Scene& scene, std::string_view text);

/// Validates the scene at every value; costs as many validations. Throws InputError and Cancelled.
Sensitivity Vary(const Scene& scene, const std::vector<Recording>& recordings, const Variation& variation,
                 const ValidateOptions& options = {}, const Context& context = {});

/// Several models on the same recordings, and errors over varied parameters: what the file of a validation holds.
struct ValidationSet {
  std::vector<Validation> models;          // at least one; all have the same recordings in the same order
  std::vector<Sensitivity> sensitivities;  // empty: nothing was varied
};

/// Tables for the terminal, in millimeters and degrees.
std::string DescribeSensitivity(const Sensitivity& sensitivity);
std::string DescribeValidations(const std::vector<Validation>& validations);

/// JSON text in SI units; errors that are absent are null. The set has at least one model.
std::string FormatValidations(const ValidationSet& set);

/// The inverse. Throws InputError, with `name_in_messages` as its file, for text that is not of this form.
ValidationSet ParseValidations(const std::string& text, const std::string& name_in_messages);

/// Writes the JSON, whole or not at all. Throws InputError when the file cannot be written.
void WriteValidations(const ValidationSet& set, const std::string& file);

}  // namespace ricochet
