// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Prediction of tosses from their free flight alone: where the body comes to rest and on which face, with the
// uncertainty of the parameters, the release and the contacts.
//
//     const ricochet::Prediction p = ricochet::Predict(scene, estimate, tosses, {.samples = 400}, {.seed = 1});
//     for (const ricochet::TossPrediction& toss : p.tosses)
//       print(toss.file, toss.position, toss.semi_axes, toss.faces);
//
// Simulations draw the parameters from the estimate's covariance, the release from the fit of the flight, and scatter
// friction and restitution between tosses. Recordings that show their rest determine how large that scatter is, and
// k-fold cross-validation checks whether the regions cover the rest as often as they should.
//
// To predict new tosses with regions calibrated on old ones:
//
//     ricochet::PredictOptions options{.level = 0.95};
//     options.scatter = ricochet::FindContactScatter(scene, estimate, old_tosses, options);   // at least 10
//     const ricochet::Prediction p = ricochet::Predict(scene, estimate, new_tosses, options);
//
// The scene is as for Validate (validate.h). `ricochet predict -o` writes a Prediction.
#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "ricochet/context.h"
#include "ricochet/estimate.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"
#include "ricochet/validate.h"

namespace ricochet {

/// What the contact model leaves out: scatter of friction and restitution between tosses, and of the rest position
/// beyond it. Found on recordings that show their rest. The defaults are those of a prediction without such recordings.
struct ContactScatter {
  double scale = 1;    // of the scatter between tosses: at 1, friction by 15 % and restitution by 0.08 (one sigma)
  double stretch = 1;  // factor on the semi-axes of the region, so that it covers its level
  double extra = 0;    // standard deviation added to the rest position, per axis [m]
  int recordings = 0;  // that it was found on; 0: not calibrated
};

/// How to predict.
struct PredictOptions {
  RollStart start{};    // where simulations start (validate.h)
  int samples = 100;    // simulations per toss; at least 10
  double level = 0.9;   // probability of the region, in (0, 1)
  double duration = 2;  // of simulations whose recording does not show the rest [s]
  int folds = 5;        // of the check, which takes place if at least 10 recordings per fold show their rest
  /// The scatter to use. None: it is found on those of the recordings that show their rest.
  std::optional<ContactScatter> scatter{};
};

/// How likely a face is to be up at rest.
struct FaceProbability {
  std::string face;        // axis of the body frame that points up: "+x", "-y", ...
  double probability = 0;  // at least 1/300 each: a face that no simulation ends on is not excluded
};

/// The prediction of one toss. The region of the rest position p is
/// { p : (p - position)' covariance^-1 (p - position) <= region }, an ellipse.
struct TossPrediction {
  std::string file;                                      // Recording::file
  bool used = false;                                     // false: excluded, and what follows `reason` has no meaning
  std::string reason;                                    // why it is excluded; empty when it is used
  Eigen::Vector2d position = Eigen::Vector2d::Zero();    // of the body frame at rest, in the surface's frame [m]
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Zero();  // of the simulated rest positions, with `extra` [m^2]
  double region = 0;                                     // squared distance at the border, in units of the covariance
  std::array<double, 2> semi_axes{};                     // of the region, larger first [m]
  double direction = 0;                                  // of the first semi-axis in the surface's frame [rad]
  std::vector<FaceProbability> faces;                    // all six, likeliest first

  // Where the recording shows the rest:
  std::optional<Eigen::Vector2d> recorded{};   // rest position [m]
  std::optional<bool> covered{};               // it lies within the region
  std::optional<std::string> recorded_face{};  // that is up
  std::optional<double> face_probability{};    // given to the recorded face
};

/// What Predict gives.
struct Prediction {
  std::vector<TossPrediction> tosses;
  ContactScatter scatter;  // that was used
  // The check: each fold is predicted with the scatter of the others; with a given scatter, all recordings are checked
  // at once. None where too few recordings show their rest (PredictOptions::folds; 10 with a given scatter).
  int checked = 0;                                // recordings
  std::optional<double> coverage{};               // fraction of the rest positions within the region
  std::optional<double> face_correct{};           // fraction where the likeliest face is the recorded one
  std::optional<double> mean_face_probability{};  // given to the recorded face
};

/// Predicts every recording, on all threads of the context; Context::seed decides the draws. The scene gets the values
/// of `estimate`, whose covariance is drawn from; without an estimate the scene's values are taken as exact. A
/// recording without free flight is excluded. Throws InputError for planar scenes, for those without a stepper, and for
/// an estimate of another scene; throws Cancelled.
Prediction Predict(const Scene& scene, const std::optional<Estimate>& estimate,
                   const std::vector<Recording>& recordings, const PredictOptions& options = {},
                   const Context& context = {});

/// The scatter of contacts found on recordings that show their rest, for PredictOptions::scatter. Its `stretch` belongs
/// to the `level` of these options. Throws InputError when fewer than 10 recordings show their rest.
ContactScatter FindContactScatter(const Scene& scene, const std::optional<Estimate>& estimate,
                                  const std::vector<Recording>& recordings, const PredictOptions& options = {},
                                  const Context& context = {});

/// JSON text in SI units; what does not exist is null.
std::string FormatPrediction(const Prediction& prediction);

/// The same for the terminal. Regions are given by their full lengths in millimeters.
std::string DescribePrediction(const Prediction& prediction);

/// Writes the JSON, whole or not at all. Throws InputError when the file cannot be written.
void WritePrediction(const Prediction& prediction, const std::string& file);

}  // namespace ricochet
