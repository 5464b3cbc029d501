// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What judging a calibrated scene gives, in the form that the report shows: cost maps (sweep), errors per recording and
// rest poses (validate, predict), and rest poses over a varied parameter (sensitivity). Plain data with a JSON form.
//
// Fill an Evaluation yourself to show results of your own on a report page:
//
//     ricochet::Evaluation mine{.command = "my study"};
//     mine.cost_maps.push_back({.title = "loss", .unit = "m", .axes = {axis}, .cost = costs});
//     ricochet::WriteReport(ricochet::MakeEvaluationReport(scene, mine), "page.html");
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace ricochet {

/// The values of one parameter in a cost map.
struct CostAxis {
  std::string path, unit;
  std::vector<double> values;              // ascending
  std::optional<double> minimum{};         // where the cost is least; none: the best grid point
  std::optional<double> lower{}, upper{};  // 95 % interval of the parameter
};

/// Cost over one or two parameters. Entry [i * axes[1].values.size() + j] belongs to axes[0].values[i] and
/// axes[1].values[j]; NaN where the cost could not be computed.
struct CostMap {
  std::string title;  // "trajectory"
  std::string unit;   // of the cost, "-" for none
  std::vector<CostAxis> axes;
  std::vector<double> cost;
  std::optional<double> threshold{};  // cost at the border of the joint 95 % region
};

/// Errors of one or several models on the same recordings.
struct PredictionErrors {
  struct Metric {
    std::string name, unit;  // "rest_position_error", "mm"
  };
  std::vector<Metric> metrics;
  std::vector<std::string> recordings;
  struct Model {
    std::string name;                         // "box006_trajectory.json"
    std::vector<std::vector<double>> values;  // values[metric][recording]; NaN: none (another face is up)
  };
  std::vector<Model> models;
};

/// Pose in the plane of the surface on which a body came to rest, seen from above.
struct RestPose {
  double x = 0, y = 0;                              // in the surface's frame [m]
  double yaw = 0;                                   // [rad]
  std::vector<std::array<double, 2>> outline = {};  // of the body from above, in that frame [m]; empty: the footprint
};

/// Measured and predicted rest pose of one recording (Jongeneel Fig. 13). The region of the prediction is
/// { p : (p - predicted)' C^-1 (p - predicted) <= region }, with C = [[xx, xy], [xy, yy]] in m^2.
struct RestComparison {
  std::string recording;
  std::optional<RestPose> measured, predicted;
  std::optional<std::array<double, 3>> covariance;  // xx, xy, yy [m^2]
  bool face_correct = true;                         // the predicted face is up
  double region = 5.991;                            // 95 % of a normal distribution
};

/// How likely each face of a body is to be up at rest.
struct FaceForecast {
  std::string recording;
  std::vector<std::string> faces;
  std::vector<double> probabilities;  // one per face
  std::string measured;               // the face that was up; empty: not known
};

/// A check of a stated probability on recordings that had no part in it.
struct CalibrationCheck {
  std::string what;              // "rest position within the region"
  double stated = 0, found = 0;  // fractions
  int count = 0;                 // recordings
};

/// Rest poses of a body over one parameter (Jongeneel Fig. 14).
struct RestFan {
  std::string recording;
  std::string path, unit;
  std::vector<double> values;
  std::vector<RestPose> poses;  // one per value
  std::optional<RestPose> measured;
};

/// What a report shows of an evaluation; empty parts are not shown.
struct Evaluation {
  std::string command;  // "sweep", "validate", "predict"
  std::vector<CostMap> cost_maps{};
  PredictionErrors errors{};
  std::vector<std::array<double, 2>> footprint{};  // outline of the body seen from above at yaw 0 [m]
  std::vector<RestComparison> rest{};
  double level = 0.95;  // of the regions in `rest`
  std::vector<RestFan> fans{};
  std::vector<FaceForecast> faces{};
  std::vector<CalibrationCheck> checks{};

  /// Whether there is nothing to show.
  bool empty() const {
    return cost_maps.empty() && errors.models.empty() && rest.empty() && fans.empty() && faces.empty();
  }
};

/// JSON text; NaN is null.
std::string FormatEvaluation(const Evaluation& evaluation);

/// The inverse. Throws InputError when sizes do not fit together or the text is not such JSON.
Evaluation ParseEvaluation(const std::string& text, const std::string& name_in_messages);

/// Writes the JSON, whole or not at all. Throws InputError when the file cannot be written.
void WriteEvaluation(const Evaluation& evaluation, const std::string& file);

}  // namespace ricochet
