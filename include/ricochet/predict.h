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
// friction and restitution between tosses. Recordings that show their rest determine how large that scatter is, and a
// check by k-fold cross-validation reports whether the regions cover as often as they claim.
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
/// beyond it. Found on recordings that show their rest.
struct ContactScatter {
  double scale = 1;    // of the scatter of friction (relative) and restitution between tosses
  double stretch = 1;  // of the region, so that it covers its level
  double extra = 0;    // standard deviation added to the rest position, per axis [m]
  int recordings = 0;  // that it was found on
};

/// How to predict.
struct PredictOptions {
  RollStart start{};
  int samples = 100;    // simulations per toss; at least 10
  double level = 0.9;   // probability of the region, in (0, 1)
  double duration = 2;  // of simulations whose recording does not show the rest [s]
  int folds = 5;        // of the check on recordings that show their rest; at least 2
  /// The scatter to use. None: it is found on those of the recordings that show their rest.
  std::optional<ContactScatter> scatter{};
};

/// How likely a face is to be up at rest.
struct FaceProbability {
  std::string face;  // "+x", "-y", ...
  double probability = 0;
};

/// The prediction of one toss. The region of the rest position p is
/// { p : (p - position)' covariance^-1 (p - position) <= region }, an ellipse.
struct TossPrediction {
  std::string file;
  bool used = false;
  std::string reason;                                    // why it is excluded
  Eigen::Vector2d position = Eigen::Vector2d::Zero();    // of the body frame at rest, in the surface's frame [m]
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Zero();  // [m^2]
  double region = 0;
  std::array<double, 2> semi_axes{};   // of the region, larger first [m]
  double direction = 0;                // of the first semi-axis in the surface's frame [rad]
  std::vector<FaceProbability> faces;  // likeliest first

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
  // The check: each fold is predicted with the scatter of the others.
  int checked = 0;                                // recordings
  std::optional<double> coverage{};               // fraction of the rest positions within the region
  std::optional<double> face_correct{};           // fraction where the likeliest face is the recorded one
  std::optional<double> mean_face_probability{};  // given to the recorded face
};

/// Predicts every recording. The scene gets the values of `estimate`, whose covariance is drawn from; without an
/// estimate the scene's values are taken as exact. Throws InputError and Cancelled.
Prediction Predict(const Scene& scene, const std::optional<Estimate>& estimate,
                   const std::vector<Recording>& recordings, const PredictOptions& options = {},
                   const Context& context = {});

/// The scatter of contacts found on recordings that show their rest. Throws InputError when fewer than 10 do.
ContactScatter FindContactScatter(const Scene& scene, const std::optional<Estimate>& estimate,
                                  const std::vector<Recording>& recordings, const PredictOptions& options = {},
                                  const Context& context = {});

std::string FormatPrediction(const Prediction& prediction);    // JSON
std::string DescribePrediction(const Prediction& prediction);  // for the terminal

/// Writes the JSON, whole or not at all. Throws InputError when the file cannot be written.
void WritePrediction(const Prediction& prediction, const std::string& file);

}  // namespace ricochet
