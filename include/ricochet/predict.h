// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Prediction of tosses from their free flight alone: where the body comes to rest and on which face, with what is not
// known about the parameters, the release and the contacts.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ricochet/estimate.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"
#include "ricochet/validate.h"

namespace ricochet {

struct PredictOptions {
  RollStart start{};
  int samples = 100;    // roll-outs per toss
  double level = 0.9;   // of the region
  double duration = 2;  // of roll-outs whose recording does not show the rest [s]
  int folds = 5;        // of the check on recordings that show their rest
  std::uint64_t seed = 0;
};

/// Where contacts go wrong: scatter of friction and restitution between tosses, and of the rest position beyond it.
/// Found on recordings that show their rest.
struct ContactScatter {
  double scale = 1;    // of the scatter of friction (relative) and restitution between tosses
  double stretch = 1;  // of the region, so that it covers the level
  double extra = 0;    // standard deviation added to the rest position, per axis [m]
  int recordings = 0;  // that it was found on
};

struct FaceProbability {
  std::string face;  // "+x", ...; what is up
  double probability = 0;
};

struct TossPrediction {
  std::string file;
  bool used = false;
  std::string reason;
  Eigen::Vector2d position = Eigen::Vector2d::Zero();    // of the body frame at rest, in the surface's frame [m]
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Zero();  // region: d^T covariance^-1 d <= region
  double region = 0;
  double semi_axes[2] = {0, 0};  // of the region [m]
  double direction = 0;          // of the first semi-axis in the surface's frame [rad]
  std::vector<FaceProbability> faces;
  // Where the recording shows the rest.
  std::optional<Eigen::Vector2d> recorded{};
  std::optional<bool> covered{};
  std::optional<std::string> recorded_face{};
  std::optional<double> face_probability{};  // given to the recorded face
};

struct Prediction {
  std::vector<TossPrediction> tosses;
  ContactScatter scatter;  // from all recordings that show their rest
  // Check: each fold is predicted with the scatter of the others.
  int checked = 0;
  std::optional<double> coverage{};               // part of the rest positions within the region
  std::optional<double> face_correct{};           // part where the likeliest face is the right one
  std::optional<double> mean_face_probability{};  // given to the right face
};

/// Predicts every recording. `estimate` (may be null) gives values and covariance. Recordings that show their rest
/// serve to find the scatter of contacts unless `scatter` is given. Throws InputError.
Prediction Predict(const Scene& scene, const Estimate* estimate, const std::vector<Recording>& recordings,
                   const PredictOptions& options = {}, const std::optional<ContactScatter>& scatter = {});

std::string FormatPrediction(const Prediction& prediction);    // JSON
std::string DescribePrediction(const Prediction& prediction);  // for the terminal

}  // namespace ricochet
